//! Where the tasks of a graph stand: in layers from left to right, a task to the right of everything
//! that it waits for, with few crossings. Parts that have nothing to do with each other are put below
//! one another.

use std::collections::VecDeque;

/// The place of a task: its layer, and its height in rows from the top. Heights are not whole numbers.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Place {
    pub layer: usize,
    pub row: f64,
}

/// The places of all nodes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layout {
    pub places: Vec<Place>,
    pub layers: usize,
    /// How many rows there are in all.
    pub rows: f64,
}

/// How often the order within the layers is improved, forwards and backwards.
const SWEEPS: usize = 12;
/// How often nodes are moved towards their neighbours.
const PULLS: usize = 8;
/// Empty rows between parts.
const GAP: f64 = 0.6;

/// Lays out nodes `0..count` with edges from the first to the second of each pair.
pub fn layout(count: usize, edges: &[(usize, usize)]) -> Layout {
    let edges = without_circles(count, edges);
    let layers = layers(count, &edges);
    let mut whole = Layout {
        places: layers.iter().map(|&layer| Place { layer, row: 0.0 }).collect(),
        layers: layers.iter().max().map_or(0, |last| last + 1),
        rows: 0.0,
    };
    let neighbours = Neighbours::of(count, &edges);
    for part in parts(count, &neighbours) {
        if whole.rows > 0.0 {
            whole.rows += GAP;
        }
        place_part(&part, &neighbours, &mut whole);
    }
    whole
}

struct Neighbours {
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
}

impl Neighbours {
    fn of(count: usize, edges: &[(usize, usize)]) -> Self {
        let mut all = Self {
            before: vec![Vec::new(); count],
            after: vec![Vec::new(); count],
        };
        for &(from, to) in edges {
            all.after[from].push(to);
            all.before[to].push(from);
        }
        all
    }
}

/// The edges without those that close a circle, found by going through the graph in depth.
fn without_circles(count: usize, edges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Closed,
    }
    let known = edges.iter().copied();
    let known = known.filter(|&(from, to)| from != to && from < count && to < count);
    let known: Vec<(usize, usize)> = known.collect();
    let neighbours = Neighbours::of(count, &known);
    let mut marks = vec![Mark::New; count];
    let mut kept = Vec::with_capacity(known.len());
    for start in 0..count {
        let mut path = vec![(start, 0)];
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::Open;
        while let Some((node, at)) = path.last_mut() {
            let Some(&next) = neighbours.after[*node].get(*at) else {
                marks[*node] = Mark::Closed;
                path.pop();
                continue;
            };
            *at += 1;
            if marks[next] != Mark::Open {
                kept.push((*node, next));
            }
            if marks[next] == Mark::New {
                marks[next] = Mark::Open;
                path.push((next, 0));
            }
        }
    }
    kept
}

/// The layer of each node: as many edges as the longest way to it has.
fn layers(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let neighbours = Neighbours::of(count, edges);
    let mut missing: Vec<usize> = neighbours.before.iter().map(Vec::len).collect();
    let mut layers = vec![0; count];
    let mut queue: VecDeque<usize> = (0..count).filter(|&node| missing[node] == 0).collect();
    while let Some(node) = queue.pop_front() {
        for &next in &neighbours.after[node] {
            layers[next] = layers[next].max(layers[node] + 1);
            missing[next] -= 1;
            if missing[next] == 0 {
                queue.push_back(next);
            }
        }
    }
    layers
}

/// The connected parts, the one with most nodes first; each in the order of its nodes.
fn parts(count: usize, neighbours: &Neighbours) -> Vec<Vec<usize>> {
    let mut seen = vec![false; count];
    let mut parts = Vec::new();
    for start in 0..count {
        if seen[start] {
            continue;
        }
        seen[start] = true;
        let mut part = Vec::new();
        let mut stack = vec![start];
        while let Some(node) = stack.pop() {
            part.push(node);
            for &next in neighbours.before[node].iter().chain(&neighbours.after[node]) {
                if !seen[next] {
                    seen[next] = true;
                    stack.push(next);
                }
            }
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    parts
}

/// Places one part below what is there already.
fn place_part(part: &[usize], neighbours: &Neighbours, whole: &mut Layout) {
    let deepest = part.iter().map(|&node| whole.places[node].layer).max();
    let mut columns: Vec<Vec<usize>> = vec![Vec::new(); deepest.map_or(0, |last| last + 1)];
    for &node in part {
        columns[whole.places[node].layer].push(node);
    }
    let places = &mut whole.places;
    columns.iter().for_each(|column| number(column, places));
    for sweep in 0..SWEEPS {
        let forwards = sweep % 2 == 0;
        let around = if forwards { &neighbours.before } else { &neighbours.after };
        let mut moved = false;
        let order: Vec<usize> = if forwards {
            (0..columns.len()).collect()
        } else {
            (0..columns.len()).rev().collect()
        };
        for at in order {
            let column = &mut columns[at];
            let before = column.clone();
            let mut keyed: Vec<(f64, usize)> = column
                .iter()
                .map(|&node| (mean(&around[node], places, places[node].row), node))
                .collect();
            keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
            *column = keyed.into_iter().map(|(_, node)| node).collect();
            moved |= *column != before;
            number(column, places);
        }
        if !moved && sweep > 0 {
            break;
        }
    }
    for pull in 0..PULLS {
        let around = if pull % 2 == 0 { &neighbours.before } else { &neighbours.after };
        columns.iter().for_each(|column| pull_together(column, around, places));
    }
    let rows = part.iter().map(|&node| places[node].row);
    let top = rows.clone().fold(f64::INFINITY, f64::min);
    let bottom = rows.fold(f64::NEG_INFINITY, f64::max);
    for &node in part {
        places[node].row += whole.rows - top;
    }
    whole.rows += bottom - top + 1.0;
}

/// Numbers the nodes of a layer from the top.
fn number(column: &[usize], places: &mut [Place]) {
    let mut row = 0.0;
    for &node in column {
        places[node].row = row;
        row += 1.0;
    }
}

fn mean(nodes: &[usize], places: &[Place], otherwise: f64) -> f64 {
    if nodes.is_empty() {
        return otherwise;
    }
    let sum: f64 = nodes.iter().map(|&node| places[node].row).sum();
    sum / float(nodes.len())
}

#[expect(
    clippy::cast_precision_loss,
    reason = "nobody looks at 2^52 tasks, and a place need not be exact"
)]
fn float(count: usize) -> f64 {
    count as f64
}

/// Moves the nodes of a layer to where their neighbours are, in their order and a row apart.
fn pull_together(column: &[usize], around: &[Vec<usize>], places: &mut [Place]) {
    let wanted: Vec<f64> = column
        .iter()
        .map(|&node| mean(&around[node], places, places[node].row))
        .collect();
    // Nodes that want the same place form a block, which stands where its nodes want to be on average.
    // A block has the sum of its wishes, each less the node's position in the block, and a length.
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for wish in wanted {
        let (mut sum, mut length) = (wish, 1);
        while let Some(&(above, count)) = blocks.last() {
            if above / float(count) + float(count) <= sum / float(length) {
                break;
            }
            blocks.pop();
            // What comes after is counted from the first node of the block above.
            sum += above - float(count) * float(length);
            length += count;
        }
        blocks.push((sum, length));
    }
    let mut nodes = column.iter();
    for (sum, length) in blocks {
        let mut row = sum / float(length);
        for &node in nodes.by_ref().take(length) {
            places[node].row = row;
            row += 1.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No two nodes of a layer nearer than a row, and every edge goes to the right.
    fn check(layout: &Layout, edges: &[(usize, usize)]) {
        let mut columns: Vec<Vec<f64>> = vec![Vec::new(); layout.layers];
        for place in &layout.places {
            assert!(place.row > -0.001 && place.row <= layout.rows - 0.999, "{place:?}");
            columns[place.layer].push(place.row);
        }
        for column in &mut columns {
            column.sort_by(f64::total_cmp);
            for pair in column.windows(2) {
                assert!(pair[1] - pair[0] > 0.999, "{pair:?}");
            }
        }
        for &(from, to) in edges {
            assert!(layout.places[from].layer < layout.places[to].layer, "{from} {to}");
        }
    }

    #[test]
    fn a_chain_is_a_straight_line() {
        let edges = [(0, 1), (1, 2), (2, 3)];
        let layout = layout(4, &edges);
        check(&layout, &edges);
        assert_eq!((layout.layers, layout.rows), (4, 1.0));
    }

    #[test]
    fn what_waits_for_several_stands_between_them() {
        let edges = [(0, 3), (1, 3), (2, 3)];
        let layout = layout(4, &edges);
        check(&layout, &edges);
        assert!((layout.places[3].row - 1.0).abs() < 0.001, "{layout:?}");
    }

    #[test]
    fn crossings_are_removed() {
        // Two chains whose numbers cross.
        let edges = [(0, 3), (1, 2), (0, 4), (1, 4)];
        let layout = layout(5, &edges);
        check(&layout, &edges);
        let above = |one: usize, other: usize| layout.places[one].row < layout.places[other].row;
        assert_eq!(above(0, 1), above(3, 2));
    }

    #[test]
    fn parts_lie_below_one_another_the_largest_first() {
        let edges = [(0, 1), (2, 3), (3, 4)];
        let layout = layout(5, &edges);
        check(&layout, &edges);
        assert!(layout.places[0].row > layout.places[4].row);
        assert_eq!(layout.rows, 2.0 + GAP);
    }

    #[test]
    fn circles_lose_an_edge_and_no_node() {
        let layout = layout(3, &[(0, 1), (1, 2), (2, 0), (1, 1), (0, 9)]);
        check(&layout, &[(0, 1), (1, 2)]);
        assert_eq!(layout.layers, 3);
        assert_eq!(super::layout(0, &[]), Layout::default());
    }

    #[test]
    fn thousands_of_tasks_take_less_than_a_moment() {
        // A graph without a pattern: each task waits for up to three earlier ones.
        let count = 5_000;
        let mut edges = Vec::new();
        let mut seed: usize = 12_345;
        for node in 1..count {
            for _ in 0..3 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let near = node.min(60);
                edges.push((node - 1 - (seed >> 33) % near, node));
            }
        }
        let start = std::time::Instant::now();
        let layout = layout(count, &edges);
        let took = start.elapsed();
        check(&layout, &edges);
        assert!(took.as_secs() < 5, "{took:?}");
    }
}
