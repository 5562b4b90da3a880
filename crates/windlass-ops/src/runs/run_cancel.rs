use crate::prelude::*;
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, timeout};
use windlass_runs::record::{RunState, RunStatus};

use super::{execution, stored};

pub struct RunCancel;

/// How long to wait for the run to end: its steps get a grace period, and elsewhere it takes longer.
const PATIENCE: Duration = Duration::from_secs(15);
const PATIENCE_ELSEWHERE: Duration = Duration::from_secs(75);
/// How often to check whether the process of the run has died: no commit reports that.
const LOOK_FOR_DEATH: Duration = Duration::from_millis(500);

/// Cancel a run, whichever process executes it. Its processes are stopped; steps that have not
/// started are skipped. Returns when it has ended.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The id of the run.
    #[serde(rename = "runId")]
    #[arg(id = "runId", value_name = "RUN_ID")]
    pub run_id: String,
}

impl Operation for RunCancel {
    type Input = Input;
    type Output = RunState;

    const DECLARATION: Declaration = Declaration::write("run_cancel", Toolset::Runs)
        .sdk("runs.cancel")
        .cli(&["runs", "cancel"])
        .idempotent()
        .long_running()
        .errors(ErrorStyle::Result)
        .examples(&[Example::new(
            "A run that has not started",
            &["runs", "cancel", "run-2"],
            r#"{"runId": "run-2"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<RunState> {
        let run_id = input.run_id.clone();
        if let Some(state) = context
            .offload(move |context| cancel(context, &run_id))
            .await?
        {
            return Ok(state);
        }
        let begin = Instant::now();
        let mut changes = context.state.watch();
        loop {
            let run_id = input.run_id.clone();
            let run = context
                .offload(move |context| stored::load(context, &run_id))
                .await?;
            let state = run.record.state();
            let patience = match run.record.external() {
                Some(_) => PATIENCE_ELSEWHERE,
                None => PATIENCE,
            };
            let left = patience.saturating_sub(begin.elapsed());
            if state.status.is_terminal() || left.is_zero() {
                return Ok(state);
            }
            let _ = timeout(left.min(LOOK_FOR_DEATH), changes.changed()).await;
        }
    }
}

/// Asks the process that executes the run to cancel it. Returns its state if no process does.
pub fn cancel(context: &Context, run_id: &str) -> Result<Option<RunState>> {
    let run = stored::load(context, run_id)?;
    let here = context.host.runs()?.cancel(run_id);
    match run.record.status() {
        RunStatus::Cancelled => return Ok(Some(run.record.state())),
        RunStatus::Created if !here => {
            let mut record = run.record;
            record
                .cancel_before_start("The run was cancelled")
                .map_err(|problem| Error::internal(problem.to_string()))?;
            let json = json!(record);
            let ended = context.write(|writer| {
                let now = writer.run(run_id)?.map(|run| run.status);
                if now.as_deref() != Some("created") {
                    return Ok(false);
                }
                writer.run_ended(run_id, record.status().name(), &json)
            })?;
            if ended {
                return Ok(Some(record.state()));
            }
        }
        RunStatus::Created | RunStatus::Running => {}
        status => {
            return Err(Error::new(
                ErrorKind::AlreadyExecuted,
                format!("Run {run_id} has already ended (status: {status})"),
            )
            .with("status", status.name()));
        }
    }
    if !here {
        context.write(|writer| writer.run_cancel(run_id))?;
        // Executed elsewhere, and nobody follows it: then this process stops it there.
        if let Some(left) = stored::unfollowed(context, run_id)?
            && let Some(cancel) = execution::adopt(context, &left)?
        {
            cancel.cancel();
        }
    }
    Ok(None)
}
