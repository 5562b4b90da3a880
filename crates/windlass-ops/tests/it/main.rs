//! The list of operations as a whole, and each operation on a real store.

mod knowledge;
mod list;
mod resources;
mod support;
