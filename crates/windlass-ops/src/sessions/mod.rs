//! Toolset `sessions`: recipes, and the sessions that agents work in. One operation per file.

mod agent_list;
mod agent_stop;
mod briefing;
mod connection;
mod ending;
mod files;
mod live_agents;
mod recipe_get;
mod recipe_list;
mod recipes;
mod session;
mod session_end;
mod session_get;
mod session_list;
mod session_prompt_get;
mod session_start;

pub use agent_list::AgentList;
pub use agent_stop::AgentStop;
pub use recipe_get::RecipeGet;
pub use recipe_list::RecipeList;
pub use session_end::SessionEnd;
pub use session_get::SessionGet;
pub use session_list::SessionList;
pub use session_prompt_get::SessionPrompt;
pub use session_start::SessionStart;

pub(crate) use briefing::text as briefing_of;
pub use connection::{abandon_session, connect_session, disconnect_session, launch_session};
pub use ending::{end as end_session, is_closing as closes_session, was_connected};
pub use files::{calls_path, config_path, context_path};
pub use session::{StartedSession, Wanted, filter_of, start as start_session};
pub(crate) use session::{ended as session_ended, task_of as session_task};

use windlass_core::Result;
use windlass_store::{Reader, SessionRecord};

use crate::context::ReadContext;

/// The session of that id; the caller's own where none is given.
fn named(reader: &Reader<'_>, context: &ReadContext, id: Option<&str>) -> Result<SessionRecord> {
    reader.session(id.unwrap_or(&context.origin.session))
}
