//! Where the tasks of a graph stand: in layers from left to right, a task to the right of everything
//! that it waits for, with few crossings. Parts that have nothing to do with each other are put below
//! one another.

mod draft;
mod layers;
#[cfg(test)]
mod tests;

use draft::Draft;
use layers::{Neighbours, layers, parts, without_circles};

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

/// Empty rows between parts.
const GAP: f64 = 0.6;
/// The height of an edge that passes a layer, in rows.
pub const BEND: f64 = 0.4;

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
