//! The benches. The rows of the speed table are in `rows`; `harness` measures a subject against its
//! baseline; the other modules generate projects and communicate with servers.

mod client;
mod generate;
mod harness;
mod http_client;
mod places;
mod report;
mod rows;
mod tokens;
mod words;

pub use client::{Client, tool_call};
pub use generate::{generate, generate_chain, generate_dependants};
pub use harness::{Measured, Outcome, Rounds, Row};
pub use places::{Places, state_home};
pub use report::{is_over, json, table};
pub use rows::operations::{Operations, call, context};
pub use rows::search_semantic::{fill, models};
pub use rows::{LONG_BASELINES, ROWS};
pub use tokens::tokens;
pub use words::{Random, text, word};
