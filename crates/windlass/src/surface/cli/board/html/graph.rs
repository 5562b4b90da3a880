//! The graph of open tasks as a page: an SVG in layers, the critical path marked.

use std::collections::{BTreeMap, BTreeSet};

use super::layout::{BEND, Place, layout};
use super::page::{About, FILTER, add, page, text};
use crate::surface::cli::board::graph::{Node, TaskGraph};
use crate::surface::cli::render::{cut, escape};

const SCRIPT: &str = include_str!("graph.js");

/// The size of a task and the space between tasks, in the units of the picture.
const WIDTH: f64 = 210.0;
const HEIGHT: f64 = 44.0;
const GAP_X: f64 = 70.0;
const GAP_Y: f64 = 16.0;
const MARGIN: f64 = 16.0;
/// How many letters of a title fit.
const LETTERS: usize = 27;
/// How many tasks without relations stand beside each other, at least.
const ACROSS: usize = 4;

const ZOOM: &str = "<span class=\"zoom\"><button type=\"button\" data-zoom=\"out\" aria-label=\"Smaller\">−</button> \
     <button type=\"button\" data-zoom=\"in\" aria-label=\"Larger\">+</button> \
     <button type=\"button\" data-zoom=\"whole\">Whole width</button> \
     <button type=\"button\" data-zoom=\"size\">Full size</button></span>";

const LEGEND: &str = "<ul class=\"legend\" aria-label=\"Legend\">\
     <li><span class=\"swatch critical\"></span>on the critical path</li>\
     <li><span class=\"swatch ready\"></span>ready</li>\
     <li><span class=\"swatch in_progress\"></span>in progress</li>\
     <li><span class=\"swatch in_review\"></span>in review, or waits for a person</li>\
     <li><span class=\"swatch\"></span>waits for others, or a draft</li>\
     <li><span class=\"swatch ended\"></span>cancelled or skipped, and still waited for</li>\
     <li>An arrow goes from a task to one that waits for it.</li></ul>\n";

pub fn graph_page(graph: &TaskGraph, about: &About) -> String {
    let mut body = String::from("<main>\n");
    if graph.tasks.is_empty() {
        body.push_str("<p>No open tasks.</p>\n");
    } else {
        add_critical_path(&mut body, graph);
        body.push_str(LEGEND);
        add_picture(&mut body, graph);
    }
    body.push_str("</main>");
    let tools = format!("{FILTER}{ZOOM}");
    page(about, "Graph of open tasks", &tools, &body, SCRIPT)
}

fn add_critical_path(body: &mut String, graph: &TaskGraph) {
    let path = &graph.critical_path;
    if path.is_empty() {
        body.push_str("<p class=\"path\">No open task waits for another.</p>\n");
        return;
    }
    let numbers: Vec<String> = path.iter().map(|number| format!("#{number}")).collect();
    let count = path.len();
    let numbers = numbers.join(" → ");
    add(
        body,
        format_args!("<p class=\"path\"><b>Critical path, {count} tasks:</b> {numbers}</p>\n"),
    );
}

/// The picture: where everything is.
struct Picture {
    /// The upper left corner of each task.
    tasks: Vec<(f64, f64)>,
    edges: Vec<Edge>,
    width: f64,
    height: f64,
}

struct Edge {
    from: usize,
    to: usize,
    /// Where it passes other layers: the left edge of the layer, and the height.
    bends: Vec<(f64, f64)>,
}

fn corner(place: &Place) -> (f64, f64) {
    let x = step(MARGIN, place.layer, WIDTH + GAP_X);
    (x, MARGIN + place.row * (HEIGHT + GAP_Y))
}

impl Picture {
    /// Tasks with relations stand in layers, the others in rows below.
    fn of(graph: &TaskGraph) -> Self {
        let numbers = graph.tasks.iter().enumerate();
        let at: BTreeMap<i64, usize> = numbers.map(|(at, task)| (task.number, at)).collect();
        let mut pairs = Vec::new();
        for (to, task) in graph.tasks.iter().enumerate() {
            let blockers = task.blocked_by.iter().filter_map(|number| at.get(number));
            pairs.extend(blockers.map(|from| (*from, to)));
        }
        let mut is_related = vec![false; graph.tasks.len()];
        for (from, to) in &pairs {
            is_related[*from] = true;
            is_related[*to] = true;
        }
        // Only what is related is laid out; the rest would be thousands of parts of one task.
        let (related, others): (Vec<usize>, Vec<usize>) =
            (0..is_related.len()).partition(|node| is_related[*node]);
        let mut short = vec![0; is_related.len()];
        for (position, node) in related.iter().enumerate() {
            short[*node] = position;
        }
        let shortened: Vec<_> = pairs
            .iter()
            .map(|(from, to)| (short[*from], short[*to]))
            .collect();
        let laid_out = layout(related.len(), &shortened);
        let mut picture = Self {
            tasks: vec![(0.0, 0.0); graph.tasks.len()],
            edges: Vec::new(),
            width: step(MARGIN, laid_out.layers, WIDTH + GAP_X) - GAP_X + MARGIN,
            height: MARGIN + laid_out.rows * (HEIGHT + GAP_Y),
        };
        for (node, place) in related.iter().zip(&laid_out.places) {
            picture.tasks[*node] = corner(place);
        }
        let bend = |place: &Place| {
            let (x, y) = corner(place);
            (x, y + BEND / 2.0 * HEIGHT)
        };
        for ((from, to), bends) in pairs.into_iter().zip(&laid_out.bends) {
            let bends = bends.iter().map(bend).collect();
            picture.edges.push(Edge { from, to, bends });
        }
        picture.add_rows(&others, laid_out.layers.max(ACROSS));
        picture
    }

    fn add_rows(&mut self, others: &[usize], columns: usize) {
        let top = self.height + GAP_Y;
        for (position, node) in others.iter().enumerate() {
            let x = step(MARGIN, position % columns, WIDTH + GAP_X);
            let y = step(top, position / columns, HEIGHT + GAP_Y);
            self.tasks[*node] = (x, y);
            self.width = self.width.max(x + WIDTH + MARGIN);
            self.height = y + HEIGHT + GAP_Y;
        }
    }
}

fn step(from: f64, count: usize, size: f64) -> f64 {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    from + f64::from(count) * size
}

fn add_picture(body: &mut String, graph: &TaskGraph) {
    let picture = Picture::of(graph);
    let (width, height) = (picture.width, picture.height);
    add(
        body,
        format_args!(
            "<div class=\"graph\" tabindex=\"0\" role=\"group\" aria-label=\"Graph\">\
             <svg xmlns=\"http://www.w3.org/2000/svg\" role=\"group\" \
             aria-label=\"Open tasks and what they wait for\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\">\n<defs>\n"
        ),
    );
    for (id, class) in [("arrow", ""), ("critical-arrow", " class=\"critical\"")] {
        add(
            body,
            format_args!(
                "<marker id=\"{id}\"{class} viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" \
                 markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
                 <path d=\"M0 0 8 4 0 8z\"/></marker>\n"
            ),
        );
    }
    body.push_str("</defs>\n");
    let critical: BTreeSet<i64> = graph.critical_path.iter().copied().collect();
    // Critical edges come last, so that they lie above the others.
    for is_critical in [false, true] {
        for edge in &picture.edges {
            let ends = (&graph.tasks[edge.from], &graph.tasks[edge.to]);
            let (from, to) = (ends.0.number, ends.1.number);
            let both = critical.contains(&from) && critical.contains(&to);
            if (both && graph.is_critical(from, to)) == is_critical {
                add_edge(body, &picture, edge, (from, to), is_critical);
            }
        }
    }
    for (task, place) in graph.tasks.iter().zip(&picture.tasks) {
        add_task(body, task, *place, critical.contains(&task.number));
    }
    body.push_str("</svg></div>\n");
}

fn add_edge(
    body: &mut String,
    picture: &Picture,
    edge: &Edge,
    (from, to): (i64, i64),
    is_critical: bool,
) {
    let (class, arrow) = if is_critical {
        (" class=\"critical\"", "critical-arrow")
    } else {
        ("", "arrow")
    };
    let (left, top) = picture.tasks[edge.from];
    let (mut x, mut y) = (left + WIDTH, top + HEIGHT / 2.0);
    add(
        body,
        format_args!(
            "<path{class} data-from=\"{from}\" data-to=\"{to}\" marker-end=\"url(#{arrow})\" \
             d=\"M{x:.1} {y:.1}"
        ),
    );
    let (end, top) = picture.tasks[edge.to];
    let end = (end, top + HEIGHT / 2.0);
    for (at, (to_x, to_y)) in edge.bends.iter().chain([&end]).copied().enumerate() {
        let bend = ((to_x - x) / 2.0).abs().max(GAP_X / 2.0);
        let (out, into) = (x + bend, to_x - bend);
        add(
            body,
            format_args!("C{out:.1} {y:.1} {into:.1} {to_y:.1} {to_x:.1} {to_y:.1}"),
        );
        (x, y) = (to_x, to_y);
        if at < edge.bends.len() {
            // Straight past the tasks of the layer.
            x += WIDTH;
            add(body, format_args!("H{x:.1}"));
        }
    }
    body.push_str("\"/>\n");
}

fn add_task(body: &mut String, task: &Node, (x, y): (f64, f64), critical: bool) {
    let look = match task.status.as_str() {
        "pending" if task.blocked_by.is_empty() => "ready",
        word @ ("in_progress" | "in_review" | "awaiting_human") => word,
        "done" | "skipped" | "cancelled" => "ended",
        _ => "waits",
    };
    let class = if critical { " critical" } else { "" };
    let who = task.assignee.as_ref();
    let who = who.map_or(String::new(), |who| format!(", {}", text(who)));
    let (number, status, priority) = (task.number, text(&task.status), text(&task.priority));
    let priority = match priority.as_str() {
        "normal" => String::new(),
        word => format!(", {word}"),
    };
    let title = text(&task.title);
    let short = text(&cut(&escape::one_line(&task.title), LETTERS));
    let (left, above, below) = (x + 10.0, y + 17.0, y + 34.0);
    add(
        body,
        format_args!(
            "<g class=\"{look}{class}\" data-task=\"{number}\" tabindex=\"0\">\
             <title>#{number} {title} ({status}{priority}{who})</title>\
             <rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"6\"/>\
             <text x=\"{left:.1}\" y=\"{above:.1}\" class=\"small\">#{number} {status}{priority}</text>\
             <text x=\"{left:.1}\" y=\"{below:.1}\">{short}</text></g>\n"
        ),
    );
}
