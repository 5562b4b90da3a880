//! Toolset `board`: tasks with every field and every filter, one view of any entity, and what waits for
//! a person. Words in outputs are the canonical ones; inputs take those of every dialect.

mod board_list;
mod board_show;
mod entity_view;
mod filters;
mod outputs;
mod task_details;

pub use board_list::BoardList;
pub use board_show::BoardShow;
