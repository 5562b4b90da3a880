//! Toolset `board`: tasks with every field and every filter, all details of any entity, and what is
//! waiting for a person. Outputs use the canonical values; inputs accept those of every dialect.

mod board_create;
mod board_graph;
mod board_list;
mod board_next;
mod board_show;
mod board_status;
mod board_tree;
mod board_update;
mod critical_path;
mod entity_restore;
mod entity_view;
mod filters;
mod links;
mod new_task;
mod outputs;
mod task_details;
mod task_fields;
mod undo;
mod waiting;

pub use board_create::BoardCreate;
pub use board_graph::BoardGraph;
pub use board_list::BoardList;
pub use board_next::BoardNext;
pub use board_show::BoardShow;
pub use board_status::BoardStatus;
pub use board_tree::BoardTree;
pub use board_update::BoardUpdate;
pub use entity_restore::EntityRestore;
pub(crate) use new_task::{NewTask, kind_below};
pub use undo::Undo;
