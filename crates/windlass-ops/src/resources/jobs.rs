//! Jobs and what they write.

use serde::Serialize;
use tokio::sync::watch;
use windlass_core::Result;

use super::json;
use crate::commands::{JobOutput, Output, OutputInput, Place, TaskOutput, find_job};
use crate::context::ReadContext;
use crate::operation::ReadOperation;

pub(super) fn job(context: &ReadContext, pid: i32) -> Result<String> {
    Ok(json(&look_up(context, pid)?.0))
}

fn look_up(context: &ReadContext, pid: i32) -> Result<(JobOutput, Option<watch::Receiver<u64>>)> {
    match find_job(context, pid)? {
        Place::Here(job) => {
            let view = job
                .now()
                .ok_or_else(|| crate::commands::job_not_found(pid))?;
            Ok((view, Some(job.watch_output())))
        }
        Place::Past(record) => Ok((JobOutput::from(*record), None)),
        Place::Elsewhere(_) => {
            let record = context.read(|reader| reader.job_by_pid(pid))?;
            let record = record.ok_or_else(|| crate::commands::job_not_found(pid))?;
            Ok((JobOutput::from(record), None))
        }
    }
}

/// What changes as the job writes, if it is one of this process.
pub(super) fn output(context: &ReadContext, pid: i32) -> Result<Option<watch::Receiver<u64>>> {
    Ok(look_up(context, pid)?.1)
}

/// A page of the log.
#[derive(Serialize)]
struct LogPage {
    from: u64,
    state: String,
    #[serde(flatten)]
    output: Output,
}

pub(super) async fn log(context: &ReadContext, pid: i32, from: u64) -> Result<String> {
    let (view, _) = look_up(context, pid)?;
    let input = OutputInput::from_byte(pid, from);
    let output = TaskOutput::run(context.clone(), input).await?;
    Ok(json(&LogPage {
        from,
        state: view.state,
        output,
    }))
}
