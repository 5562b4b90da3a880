//! Where the tasks of a graph stand: in layers from left to right, a task to the right of everything
//! that it waits for, with few crossings. Parts that have nothing to do with each other are put below
//! one another.

use std::collections::VecDeque;

/// A place: its layer, and its upper edge in rows from the top. Rows are not whole numbers.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Place {
    pub layer: usize,
    pub row: f64,
}

/// The places of all nodes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layout {
    pub places: Vec<Place>,
    /// For each edge, where it passes the layers between its ends.
    pub bends: Vec<Vec<Place>>,
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
/// The height of an edge that passes a layer, in rows.
pub const BEND: f64 = 0.4;
/// For how many edges room is made in the layers that they pass. Where there are more, the longest
/// ones go behind the tasks.
const MOST_BENDS: usize = 20_000;

/// Lays out nodes `0..count` with edges from the first to the second of each pair.
pub fn layout(count: usize, edges: &[(usize, usize)]) -> Layout {
    let acyclic = without_circles(count, edges);
    let layers = layers(count, &acyclic);
    let mut draft = Draft::new(&layers);
    let bends = draft.add_edges(count, edges);
    let neighbours = Neighbours::of(draft.places.len(), &draft.edges);
    for part in parts(draft.places.len(), &neighbours) {
        if draft.rows > 0.0 {
            draft.rows += GAP;
        }
        draft.place_part(&part, &neighbours);
    }
    let passed = |nodes: &Vec<usize>| nodes.iter().map(|node| draft.places[*node]).collect();
    Layout {
        bends: bends.iter().map(passed).collect(),
        places: draft.places[..count].to_vec(),
        layers: layers.iter().max().map_or(0, |last| last + 1),
        rows: draft.rows,
    }
}

/// The layout under construction: the nodes, and behind them the places where edges pass a layer.
struct Draft {
    places: Vec<Place>,
    /// The height of each, in rows.
    sizes: Vec<f64>,
    edges: Vec<(usize, usize)>,
    rows: f64,
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

    /// The neighbours on the left or on the right.
    fn towards(&self, left: bool) -> &[Vec<usize>] {
        if left { &self.before } else { &self.after }
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

/// The layer of each node: to the right of all that it waits for, and as far left as that allows.
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
    // What waits for nothing stands right before the first that waits for it.
    for node in 0..count {
        let first = neighbours.after[node]
            .iter()
            .map(|&next| layers[next])
            .min();
        if let (true, Some(first)) = (neighbours.before[node].is_empty(), first) {
            layers[node] = first - 1;
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
            for &next in neighbours.before[node]
                .iter()
                .chain(&neighbours.after[node])
            {
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

impl Draft {
    fn new(layers: &[usize]) -> Self {
        let place = |&layer: &usize| Place { layer, row: 0.0 };
        Self {
            places: layers.iter().map(place).collect(),
            sizes: vec![1.0; layers.len()],
            edges: Vec::new(),
            rows: 0.0,
        }
    }

    /// Adds the edges that go to the right, with a place in each layer that they pass. Returns these
    /// places for every edge.
    fn add_edges(&mut self, count: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
        let span = |&(from, to): &(usize, usize)| match (from < count, to < count) {
            (true, true) => self.places[to].layer.checked_sub(self.places[from].layer),
            _ => None,
        };
        let spans: Vec<usize> = edges.iter().map(|edge| span(edge).unwrap_or(0)).collect();
        let mut sorted = spans.clone();
        sorted.sort_unstable();
        let mut room = MOST_BENDS;
        let fits = |span: &usize| {
            room = room.saturating_sub(span.saturating_sub(1));
            room > 0
        };
        let longest = sorted.into_iter().take_while(fits).last().unwrap_or(0);
        let mut bends = Vec::with_capacity(edges.len());
        for (&(from, to), span) in edges.iter().zip(spans) {
            let mut passed = Vec::new();
            if span > 0 {
                let mut before = from;
                let first = self.places[from].layer + 1;
                let last = if span <= longest {
                    first + span - 1
                } else {
                    first
                };
                for layer in first..last {
                    let bend = self.places.len();
                    self.places.push(Place { layer, row: 0.0 });
                    self.sizes.push(BEND);
                    self.edges.push((before, bend));
                    passed.push(bend);
                    before = bend;
                }
                self.edges.push((before, to));
            }
            bends.push(passed);
        }
        bends
    }

    /// Places one part below what is there already.
    fn place_part(&mut self, part: &[usize], neighbours: &Neighbours) {
        let deepest = part.iter().map(|&node| self.places[node].layer).max();
        let mut columns: Vec<Vec<usize>> = vec![Vec::new(); deepest.map_or(0, |last| last + 1)];
        for &node in part {
            columns[self.places[node].layer].push(node);
        }
        columns.iter().for_each(|column| self.stack(column));
        for sweep in 0..SWEEPS {
            let forwards = sweep % 2 == 0;
            let moved = self.sweep(&mut columns, neighbours, forwards);
            if !moved && sweep > 0 {
                break;
            }
        }
        for pull in 0..PULLS {
            let around = neighbours.towards(pull % 2 == 0);
            columns
                .iter()
                .for_each(|column| self.pull_together(column, around));
        }
        let tops = part.iter().map(|&node| self.places[node].row);
        let top = tops.fold(f64::INFINITY, f64::min);
        let ends = part
            .iter()
            .map(|&node| self.places[node].row + self.sizes[node]);
        let bottom = ends.fold(f64::NEG_INFINITY, f64::max);
        for &node in part {
            self.places[node].row += self.rows - top;
        }
        self.rows += bottom - top;
    }

    /// Orders each layer by where its neighbours in the layer before it stand. Returns whether that
    /// changed anything.
    fn sweep(&mut self, columns: &mut [Vec<usize>], all: &Neighbours, forwards: bool) -> bool {
        let around = all.towards(forwards);
        let mut moved = false;
        let count = columns.len();
        for step in 0..count {
            let at = if forwards { step } else { count - 1 - step };
            let column = &mut columns[at];
            let keyed = column
                .iter()
                .map(|&node| (self.mean(&around[node], node), node));
            let mut keyed: Vec<(f64, usize)> = keyed.collect();
            keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
            let ordered: Vec<usize> = keyed.into_iter().map(|(_, node)| node).collect();
            moved |= *column != ordered;
            *column = ordered;
            self.stack(column);
        }
        moved
    }

    /// Puts the nodes of a layer below one another.
    fn stack(&mut self, column: &[usize]) {
        let mut row = 0.0;
        for &node in column {
            self.places[node].row = row;
            row += self.sizes[node];
        }
    }

    fn centre(&self, node: usize) -> f64 {
        self.places[node].row + self.sizes[node] / 2.0
    }

    /// The mean height of some nodes; that of the node itself where there are none.
    fn mean(&self, nodes: &[usize], itself: usize) -> f64 {
        if nodes.is_empty() {
            return self.centre(itself);
        }
        let sum: f64 = nodes.iter().map(|&node| self.centre(node)).sum();
        sum / float(nodes.len())
    }

    /// Moves the nodes of a layer to where their neighbours are, in their order and without
    /// overlapping.
    fn pull_together(&mut self, column: &[usize], around: &[Vec<usize>]) {
        // Nodes that want the same place form a block, which stands where its nodes want to be on
        // average: the sum of their wishes, each less the node's distance from the top of the block.
        struct Block {
            sum: f64,
            nodes: usize,
            height: f64,
        }
        let mut blocks: Vec<Block> = Vec::new();
        for &node in column {
            let height = self.sizes[node];
            let mut block = Block {
                sum: self.mean(&around[node], node) - height / 2.0,
                nodes: 1,
                height,
            };
            while let Some(above) = blocks.last() {
                if above.sum / float(above.nodes) + above.height <= block.sum / float(block.nodes) {
                    break;
                }
                block = Block {
                    sum: above.sum + block.sum - above.height * float(block.nodes),
                    nodes: above.nodes + block.nodes,
                    height: above.height + block.height,
                };
                blocks.pop();
            }
            blocks.push(block);
        }
        let mut nodes = column.iter();
        for block in blocks {
            let mut row = block.sum / float(block.nodes);
            for &node in nodes.by_ref().take(block.nodes) {
                self.places[node].row = row;
                row += self.sizes[node];
            }
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "nobody looks at 2^52 tasks, and a place need not be exact"
)]
fn float(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No two nodes of a layer nearer than a row, and every edge goes to the right.
    fn check(layout: &Layout, edges: &[(usize, usize)]) {
        let mut columns: Vec<Vec<f64>> = vec![Vec::new(); layout.layers];
        for place in &layout.places {
            assert!(
                place.row > -0.001 && place.row < layout.rows - 0.999,
                "{place:?}"
            );
            columns[place.layer].push(place.row);
        }
        for column in &mut columns {
            column.sort_by(f64::total_cmp);
            for pair in column.windows(2) {
                assert!(pair[1] - pair[0] > 0.999, "{pair:?}");
            }
        }
        for &(from, to) in edges {
            assert!(
                layout.places[from].layer < layout.places[to].layer,
                "{from} {to}"
            );
        }
    }

    #[test]
    fn a_chain_is_a_straight_line() {
        let edges = [(0, 1), (1, 2), (2, 3)];
        let layout = layout(4, &edges);
        check(&layout, &edges);
        assert_eq!(layout.layers, 4);
        assert!((layout.rows - 1.0).abs() < 0.001);
    }

    #[test]
    fn what_waits_for_several_stands_between_them() {
        let edges = [(0, 3), (1, 3), (2, 3)];
        let layout = layout(4, &edges);
        check(&layout, &edges);
        assert!((layout.places[3].row - 1.0).abs() < 0.001, "{layout:?}");
    }

    #[test]
    fn a_long_edge_has_a_place_in_each_layer_that_it_passes() {
        let edges = [(0, 1), (1, 2), (2, 3), (0, 3)];
        let layout = layout(4, &edges);
        check(&layout, &edges);
        let passed: Vec<usize> = layout.bends[3].iter().map(|place| place.layer).collect();
        assert_eq!(passed, [1, 2]);
        for (node, bend) in [(1, layout.bends[3][0]), (2, layout.bends[3][1])] {
            let node = layout.places[node].row;
            let apart = bend.row + BEND <= node + 0.001 || node + 1.0 <= bend.row + 0.001;
            assert!(apart, "{node} {bend:?}");
        }
    }

    #[test]
    fn what_waits_for_nothing_stands_beside_what_waits_for_it() {
        let edges = [(0, 1), (1, 2), (3, 2)];
        let layout = layout(4, &edges);
        check(&layout, &edges);
        assert_eq!(layout.places[3].layer, 1);
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
        assert!((layout.rows - 2.0 - GAP).abs() < 0.001);
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
