//! The speed table: one module for each thing that is measured.

mod cli_read;
mod commands;
mod entity_create;
mod execute;
mod http;
pub mod operations;
mod search_fulltext;
pub mod search_semantic;
mod start;
mod sync;
mod task_ready;
mod tools_call;

use crate::harness::Row;

/// Rows whose baseline is a program of others that is built first.
pub const LONG_BASELINES: &[&str] = &[commands::CLI.name];

/// All rows, in the order of the table.
pub const ROWS: &[Row] = &[
    tools_call::GET,
    tools_call::NEXT,
    entity_create::OPERATION,
    entity_create::MCP,
    entity_create::AT_100K,
    entity_create::BY_64,
    task_ready::ROW,
    search_fulltext::RARE,
    search_fulltext::MEDIUM,
    search_fulltext::COMMON,
    search_semantic::SMALL,
    search_semantic::MEDIUM,
    search_semantic::LARGE,
    cli_read::ROW,
    start::ROW,
    commands::START,
    commands::PUMP,
    commands::LIST,
    commands::CLI,
    commands::RUN,
    execute::INSIDE,
    execute::MCP,
    execute::READS,
    execute::BURST,
    http::SESSION,
    http::ALONE,
    http::CLIENTS,
    sync::ROW,
];
