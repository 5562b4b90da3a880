//! Secrets: their sources, the forms in which they may appear, and how they are masked.

mod forms;
mod hexadecimal;
mod masker;
mod resolve;

pub use masker::{MASK, Masker, Secrets};
pub use resolve::{Lookup, Resolved, SHORTEST_SECRET, Unresolved, resolve, resolve_known};
