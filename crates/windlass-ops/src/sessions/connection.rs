//! A session while its agent is connected: its task is claimed, and given back when the agent goes.

use windlass_core::Result;
use windlass_store::{SessionEnd, SessionRecord};

use super::ending;
use super::session::{claim_task, ended, release_task};
use crate::context::Context;
use crate::job_host::Owner;

/// An agent connects, or is still there: the task is claimed in the session's name.
pub fn connect_session(context: &Context) -> Result<()> {
    context.write(|writer| {
        let record = writer.session(&context.origin.session)?;
        if record.has_ended() {
            return Err(ended(&record));
        }
        claim_task(writer, &record)
    })
}

/// The agent has gone. A session that said its closing word ends; one that may go on gives its task
/// back meanwhile. Where a launcher waits for the client, all that is the launcher's business.
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
        // Its gates are run by whoever looks next: this process goes.
        return ending::end(context, id, None).map(drop);
    }
    context.write(|writer| release_task(writer, &record))
}

/// Ends a session whose client never began. It says nothing about the task, which is only given back.
pub fn abandon_session(context: &Context, id: &str) -> Result<()> {
    context.write(|writer| {
        let record = writer.session(id)?;
        writer.end_session(id, &SessionEnd::default())?;
        release_task(writer, &record)
    })
}

fn is_launched(record: &SessionRecord) -> bool {
    serde_json::from_str::<Owner>(&record.owner).is_ok_and(|owner| owner.is_alive())
}

/// Notes that this process launches the session's client and waits for it.
pub fn launch_session(context: &Context, id: &str, client: &[String]) -> Result<()> {
    let owner = serde_json::to_string(&Owner::this_process(None)).unwrap_or_default();
    context.write(|writer| {
        let record = writer.session(id)?;
        let mut details = record.details.clone();
        details["client"] = serde_json::json!(client.first());
        writer.session_is_run_by(id, &owner, &details)
    })
}
