//! The store against real files.

mod entities;
mod exchange;
mod queue;
mod search;
mod support;
