//! Gates that really run: the project's file of gates, and what executes them outside of any
//! transaction.

mod execute;
mod file;
mod output;
mod rounds;
mod runner;
mod yard;

pub use file::read as file_gates;
pub use runner::{look_after, take_over};
pub use yard::GateYard;
