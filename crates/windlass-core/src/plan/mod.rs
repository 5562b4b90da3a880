//! The rules of planning: names, paths, learnings, recipes and tool filters.

mod field_use;
mod filter;
mod learning;
mod names;
mod paths;
mod recipe;
mod servers;
mod truth;

pub use field_use::{Argument, Briefing, PlanUse};
pub use filter::{Permit, ToolFilter};
pub use learning::{
    Learning, LearningOutcome, LearningSource, MAX_LEARNING_CHARS, MAX_LEARNINGS, merge_learning,
};
pub use names::derive_acronym;
pub(crate) use names::{check_acronym, check_name};
pub use paths::check_path;
pub(crate) use paths::check_paths;
pub use recipe::{RECIPES, Recipe, RecipeTool};
pub use servers::{McpServer, additional_disabled};
pub(crate) use servers::{check_servers, check_tool_overrides};
pub use truth::Truth;
