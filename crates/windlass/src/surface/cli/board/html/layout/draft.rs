//! Where the nodes of a layer stand: first in which order, then how far apart.

use super::layers::Neighbours;
use super::{BEND, Place};

/// How often the order within the layers is improved, forwards and backwards.
const SWEEPS: usize = 12;
/// How often nodes are moved towards their neighbours.
const PULLS: usize = 8;
/// For how many edges room is made in the layers that they pass. Where there are more, the longest
/// ones go behind the tasks.
const MOST_BENDS: usize = 20_000;

/// The layout under construction: the nodes, and behind them the places where edges pass a layer.
pub struct Draft {
    pub places: Vec<Place>,
    /// The height of each, in rows.
    sizes: Vec<f64>,
    pub edges: Vec<(usize, usize)>,
    pub rows: f64,
}

impl Draft {
    pub fn new(layers: &[usize]) -> Self {
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
    pub fn add_edges(&mut self, count: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
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
    pub fn place_part(&mut self, part: &[usize], neighbours: &Neighbours) {
        let deepest = part.iter().map(|&node| self.places[node].layer).max();
        let mut columns: Vec<Vec<usize>> = vec![Vec::new(); deepest.map_or(0, |last| last + 1)];
        for &node in part {
            columns[self.places[node].layer].push(node);
        }
        for column in &columns {
            self.stack(column);
        }
        for sweep in 0..SWEEPS {
            let forwards = sweep % 2 == 0;
            let moved = self.sweep(&mut columns, neighbours, forwards);
            if !moved && sweep > 0 {
                break;
            }
        }
        for pull in 0..PULLS {
            let around = neighbours.towards(pull % 2 == 0);
            for column in &columns {
                self.pull_together(column, around);
            }
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
