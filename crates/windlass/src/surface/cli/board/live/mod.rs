//! The board on a terminal: drawn anew whenever something was committed, worked by keys.
//!
//! `state` is what is shown and what keys do to it, without a terminal or a store; `load` reads what
//! the state wants to show; `draw` paints it; `event_loop` puts them together.

mod acts;
mod draw;
mod event_loop;
mod items;
mod keys;
mod load;
mod prompt;
mod rows;
mod screen;
mod state;
#[cfg(test)]
mod tests;

pub use event_loop::run;
pub use state::Page as Start;
