//! `windlass doctor --fix`: what is safe to fix, shown before it is done.
//!
//! Safe is what Windlass itself wrote or derives, and what takes rights away from others. It never
//! gives a permission, changes a text of a person, installs anything, or decides what was meant.

mod find;
mod reasons;

pub use find::{Fix, Scene, find};
pub use reasons::why_not;
