//! The domain types of Windlass, and their rules.
//!
//! Nothing here reads a file, an environment variable, a socket or a clock other than
//! [`Timestamp::now`] and [`Date::today`], and nothing here depends on SQLite, Loro, MCP or a
//! terminal. The rules here apply to every surface.

// A build for another system ends here, with a sentence instead of a hundred errors.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
compile_error!("Windlass does not run on this system yet. On Windows, build it in WSL.");

mod entity;
mod error;
mod event;
mod exported;
mod fields;
mod hexadecimal;
mod id;
mod page;
mod plan;
mod priority;
mod query;
mod relation;
mod suggest;
mod tags;
mod task_status;
mod timestamp;
mod types;
pub mod workflow;

pub use entity::{Draft, Entity, Patch};
pub use error::{Error, ErrorKind, Result};
pub use event::{Actor, Event, EventType, Origin};
pub use exported::{Exported, ExportedRelation};
pub use fields::{Field, FieldKind, Length, Properties, Reach, Value};
pub use hexadecimal::hexadecimal;
pub use id::{EntityId, EntityRef, MIN_PREFIX};
pub use page::{DEFAULT_LIMIT, MAX_LIMIT, Page};
pub use plan::{
    Argument, Briefing, Learning, LearningOutcome, LearningSource, MAX_LEARNING_CHARS,
    MAX_LEARNINGS, McpServer, Permit, PlanUse, RECIPES, Recipe, RecipeTool, ToolFilter, Truth,
    additional_disabled, check_path, derive_acronym, merge_learning,
};
pub use priority::Priority;
pub use query::{DateFilter, SearchQuery};
pub use relation::{Relation, RelationType};
pub use suggest::nearest;
pub use tags::{MAX_TAG_CHARS, MAX_TAGS, check_tags};
pub use task_status::{Dialect, TaskStatus};
pub use timestamp::{Date, Timestamp};
pub use types::{
    EntityType, MAX_CONTENT_BYTES, MAX_CONTEXT_FILES, MAX_TITLE_CHARS, PlanWords, TypeDeclaration,
    check_content, check_title,
};
