//! A session while its agent is connected: its task is claimed, and released when the agent
//! disconnects.

use windlass_core::Result;
use windlass_store::SessionEnd;

use super::ending;
use super::live_agents::is_launched;
use super::session::{claim_task, ended, put_back_task, release_task};
use crate::context::Context;
use crate::job_host::Owner;

/// An agent connects, or is still connected: the session claims or renews the claim on its task.
pub fn connect_session(context: &Context) -> Result<()> {
    context.write_claiming(|writer| {
        let record = writer.session(&context.origin.session)?;
        if record.has_ended() {
            return Err(ended(&record));
        }
        if !ending::was_connected(&record) {
            let mut details = record.details.clone();
            details["connected"] = true.into();
            writer.set_session_details(&record.id, &details)?;
        }
        claim_task(writer, &record)
    })?;
    Ok(())
}

/// The agent has disconnected. A session that called done, partial or stuck ends; one that may
/// continue releases its task meanwhile. If a launcher waits for the client, the launcher does this
/// instead.
pub fn disconnect_session(context: &Context) -> Result<()> {
    let id = &context.origin.session;
    let found = context.store.read(None, |reader| {
        Ok((reader.find_session(id)?, reader.signals(id)?))
    })?;
    let (Some(record), signals) = found else {
        return Ok(());
    };
    if record.has_ended() || is_launched(&record) {
        return Ok(());
    }
    if signals
        .iter()
        .any(|signal| ending::is_closing(&signal.verb))
    {
        return ending::end(context, id, None).map(drop);
    }
    context.write(|writer| release_task(writer, &record))
}

/// Ends a session whose agent never came to work, or was stopped. The task is what it was
/// before.
pub fn abandon_session(context: &Context, id: &str, exit_code: Option<i64>) -> Result<()> {
    let end = SessionEnd {
        exit_code,
        closing: None,
    };
    context.write(|writer| {
        let record = writer.session(id)?;
        writer.end_session(id, &end)?;
        put_back_task(writer, &record)
    })
}

/// Records that this process launches the session's client and waits for it.
pub fn launch_session(context: &Context, id: &str, client: &[String]) -> Result<()> {
    let owner = serde_json::to_string(&Owner::this_process(None)).unwrap_or_default();
    context.write(|writer| {
        let record = writer.session(id)?;
        let mut details = record.details.clone();
        details["client"] = serde_json::json!(client.first());
        writer.session_is_run_by(id, &owner, &details)
    })
}
