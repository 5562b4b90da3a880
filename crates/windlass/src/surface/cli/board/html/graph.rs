//! The graph of open tasks as a page: an SVG in layers, the critical path marked.

use std::collections::BTreeMap;

use super::layout::{Place, layout};
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
const LETTERS: usize = 32;
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

/// The places of all tasks: those with relations in layers, the others in rows below.
fn places(graph: &TaskGraph) -> (Vec<(f64, f64)>, f64, f64) {
    let at: BTreeMap<i64, usize> = graph
        .tasks
        .iter()
        .enumerate()
        .map(|(at, task)| (task.number, at))
        .collect();
    let mut is_related = vec![false; graph.tasks.len()];
    let mut pairs = Vec::new();
    for (to, task) in graph.tasks.iter().enumerate() {
        for from in task.blocked_by.iter().filter_map(|number| at.get(number)) {
            pairs.push((*from, to));
            is_related[*from] = true;
            is_related[to] = true;
        }
    }
    // Only what is related is laid out; the rest would be thousands of parts of one task.
    let related: Vec<usize> = (0..is_related.len()).filter(|it| is_related[*it]).collect();
    let mut short = vec![0; is_related.len()];
    for (position, node) in related.iter().enumerate() {
        short[*node] = position;
    }
    let pairs: Vec<_> = pairs.iter().map(|(from, to)| (short[*from], short[*to])).collect();
    let laid_out = layout(related.len(), &pairs);
    let mut all = vec![(0.0, 0.0); graph.tasks.len()];
    for (node, Place { layer, row }) in related.iter().zip(&laid_out.places) {
        let across = step(MARGIN, *layer, WIDTH + GAP_X);
        all[*node] = (across, MARGIN + row * (HEIGHT + GAP_Y));
    }
    let mut right = step(MARGIN, laid_out.layers, WIDTH + GAP_X) - GAP_X;
    let mut bottom = MARGIN + laid_out.rows * (HEIGHT + GAP_Y);
    if !related.is_empty() {
        bottom += GAP_Y;
    }
    let columns = laid_out.layers.max(ACROSS);
    let others = (0..is_related.len()).filter(|it| !is_related[*it]);
    let top = bottom;
    for (position, node) in others.enumerate() {
        let x = step(MARGIN, position % columns, WIDTH + GAP_X);
        let y = step(top, position / columns, HEIGHT + GAP_Y);
        all[node] = (x, y);
        right = right.max(x + WIDTH);
        bottom = y + HEIGHT + GAP_Y;
    }
    (all, right + MARGIN, bottom + MARGIN - GAP_Y)
}

fn step(from: f64, count: usize, size: f64) -> f64 {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    from + f64::from(count) * size
}

fn add_picture(body: &mut String, graph: &TaskGraph) {
    let (places, width, height) = places(graph);
    add(
        body,
        format_args!(
            "<div class=\"graph\" tabindex=\"0\" aria-label=\"Graph\">\
             <svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" \
             aria-label=\"Open tasks and what they wait for\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\">\n<defs>\n"
        ),
    );
    for (id, class) in [("arrow", ""), ("critical-arrow", " class=\"critical\"")] {
        add(
            body,
            format_args!(
                "<marker id=\"{id}\"{class} viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" \
                 markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
                 <path d=\"M0 0 8 4 0 8z\"/></marker>\n"
            ),
        );
    }
    body.push_str("</defs>\n");
    let at: BTreeMap<i64, (f64, f64)> = graph
        .tasks
        .iter()
        .map(|task| task.number)
        .zip(places.iter().copied())
        .collect();
    // Critical edges come last, so that they lie above the others.
    for critical in [false, true] {
        for task in &graph.tasks {
            for from in &task.blocked_by {
                if let (Some(start), Some(end)) = (at.get(from), at.get(&task.number))
                    && graph.is_critical(*from, task.number) == critical
                {
                    add_edge(body, (*from, *start), (task.number, *end), critical);
                }
            }
        }
    }
    for (task, place) in graph.tasks.iter().zip(places) {
        let critical = graph.critical_path.contains(&task.number);
        add_task(body, task, place, critical);
    }
    body.push_str("</svg></div>\n");
}

fn add_edge(
    body: &mut String,
    (from, (x1, y1)): (i64, (f64, f64)),
    (to, (x2, y2)): (i64, (f64, f64)),
    critical: bool,
) {
    let (x1, y1, y2) = (x1 + WIDTH, y1 + HEIGHT / 2.0, y2 + HEIGHT / 2.0);
    let bend = ((x2 - x1) / 2.0).abs().max(GAP_X / 2.0);
    let (class, arrow) = if critical {
        (" class=\"critical\"", "critical-arrow")
    } else {
        ("", "arrow")
    };
    add(
        body,
        format_args!(
            "<path{class} data-from=\"{from}\" data-to=\"{to}\" marker-end=\"url(#{arrow})\" \
             d=\"M{x1:.1} {y1:.1}C{:.1} {y1:.1} {:.1} {y2:.1} {x2:.1} {y2:.1}\"/>\n",
            x1 + bend,
            x2 - bend
        ),
    );
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
