//! Gates: the project's gates file, and the execution of gates outside of any transaction.

mod execute;
mod gate_add;
mod gate_allow;
mod gate_get_effective;
mod gate_list;
mod gate_remove;
mod gate_rerun;
mod gate_results;
mod gate_try;
mod gate_update;
mod gates_file;
mod output;
mod rounds;
mod runner;

pub use gate_add::GateAdd;
pub use gate_allow::GateAllow;
pub use gate_get_effective::GateGetEffective;
pub use gate_list::GateList;
pub use gate_remove::GateRemove;
pub use gate_rerun::GateRerun;
pub use gate_results::GateResults;
pub use gate_try::GateTry;
pub use gate_update::GateUpdate;
pub use gates_file::{GATES_FILE, read as file_gates, text as gates_file_text};
pub use runner::{
    abandoned_reviews, is_abandoned, is_left, look_after, settled, take_over, wait_for,
};
