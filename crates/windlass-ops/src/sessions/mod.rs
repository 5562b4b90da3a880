//! Toolset `sessions`: recipes, and the sessions that agents work in. One operation a file.

mod attendance;
mod briefing;
mod ending;
mod files;
mod recipe_get;
mod recipe_list;
mod recipes;
mod session;
mod session_end;
mod session_get;
mod session_list;
mod session_prompt;
mod session_start;

pub use recipe_get::RecipeGet;
pub use recipe_list::RecipeList;
pub use session_end::SessionEnd;
pub use session_get::SessionGet;
pub use session_list::SessionList;
pub use session_prompt::SessionPrompt;
pub use session_start::SessionStart;

pub use attendance::{abandon_session, attend_session, launch_session, leave_session};
pub(crate) use briefing::text as briefing_of;
pub use ending::end as end_session;
pub use files::{config_path, context_path};
pub use session::{LEASE_SECONDS, StartedSession, Wanted, filter_of, start as start_session};
pub(crate) use session::{ended as session_ended, task_of as session_task};

use windlass_core::Result;
use windlass_store::{Reader, SessionRecord};

use crate::context::Context;

/// The session of that id; the caller's own where none is given.
fn named(reader: &Reader<'_>, context: &Context, id: Option<&str>) -> Result<SessionRecord> {
    reader.session(id.unwrap_or(&context.origin.session))
}
