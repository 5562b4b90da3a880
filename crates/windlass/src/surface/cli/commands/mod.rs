//! The commands that the command line defines by itself, a file for each or for a few of one kind.

pub mod add;
pub mod allow;
pub mod allowed;
pub mod backup;
pub mod call;
pub mod completions;
pub mod config;
pub mod delete;
pub mod edit;
pub mod exec;
pub mod github_install;
pub mod help;
pub mod interchange;
pub mod list;
pub mod log;
pub mod manual;
pub mod memory;
pub mod models;
pub mod restore;
pub mod run;
mod several;
pub mod show;
pub mod status;
pub mod task_changes;
pub mod task_lists;
pub mod task_steps;
pub mod task_tree;
