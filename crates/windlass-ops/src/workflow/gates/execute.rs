//! One execution of one gate: shell text, a command of the repository, or a playbook.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use windlass_core::workflow::{GateCommand, GateDefinition, GateExit};
use windlass_core::{Error, ErrorKind, Result, Timestamp};
use windlass_process::{Error as ProcessError, JobHandle, JobState, Spec, Stream};
use windlass_runs::record::RunRecord;
use windlass_store::{GateResult, Writer};

use super::output::Kept;
use crate::commands::{Wish, confirm_text, look_up, look_up_to_start, start_job};
use crate::context::{Context, ReadContext};
use crate::granted_texts::{GrantedTexts, TextKind};
use crate::job_host::GateExecutor;
use crate::job_host::PRIVATE;
use crate::runs::{cancel_run, check_playbook, follow_playbook, is_played_elsewhere, run_playbook};

/// The time between TERM and KILL.
const GRACE: Duration = Duration::from_secs(2);

/// The exit code of a gate that is not ready yet.
const UNDER_WAY: i32 = 75;

/// How long a run elsewhere is waited for before its gate is not ready yet.
const ASK_WITHIN: Duration = Duration::from_secs(30);

/// How often the output of a running gate is kept.
const SHOW_EVERY: Duration = Duration::from_secs(1);

/// The result of an execution.
pub enum Execution {
    GateRun(GateRun),
    /// This process is exiting, or the review has moved on: it counts as not run.
    Abandoned,
}

pub struct GateRun {
    pub exit: GateExit,
    pub message: Option<String>,
    pub stdout: String,
    pub stderr: String,
}

/// Everything that an execution needs to know.
pub struct Errand<'a> {
    pub context: &'a Context,
    pub executor: &'a GateExecutor,
    pub definition: &'a GateDefinition,
    /// The worktree in which shell text runs.
    pub folder: &'a str,
    /// What the gate is told about the work, by variable.
    pub environment: BTreeMap<String, String>,
    /// Cancelled when the result is not needed any more.
    pub abandon: &'a CancellationToken,
    /// Where its output is kept while it runs, so that people can watch it; none for a trial.
    pub result: Option<&'a GateResult>,
}

/// The work that a gate checks; a gate that is only tried has no review.
pub struct Work<'a> {
    pub task: &'a str,
    pub repo: &'a str,
    pub folder: &'a str,
    pub review: &'a str,
    pub attempt: u32,
}

impl Work<'_> {
    /// The variables for a gate of this name.
    pub fn environment(&self, gate: &str) -> BTreeMap<String, String> {
        let pairs = [
            ("TASK_ID", self.task),
            ("REPO_ID", self.repo),
            ("REPO_PATH", self.folder),
            ("REVIEW_ID", self.review),
            ("GATE_NAME", gate),
            ("ATTEMPT", &self.attempt.to_string()),
        ];
        let named = pairs.into_iter();
        named
            .map(|(name, value)| (format!("WINDLASS_{name}"), value.to_owned()))
            .collect()
    }
}

impl Errand<'_> {
    fn timeout(&self) -> Duration {
        Duration::from_secs(u64::from(self.definition.timeout_secs))
    }

    /// Runs the gate until it ends, times out, or its result is not needed any more.
    pub async fn run(&self) -> Result<Execution> {
        match self.definition.parsed() {
            GateCommand::Shell(text) => self.shell(text).await,
            GateCommand::Command(name) => self.command(name).await,
            GateCommand::Playbook(id) => self.playbook(id).await,
        }
    }

    async fn shell(&self, text: &str) -> Result<Execution> {
        let kept = Arc::new(Kept::default());
        // bash has pipefail: `test | tee log` fails with the test. Without bash, sh is used.
        let shells: [(&str, &[&str]); 2] = [
            (
                "bash",
                &["--noprofile", "--norc", "-e", "-o", "pipefail", "-c"],
            ),
            ("sh", &["-e", "-c"]),
        ];
        let mut problem = None;
        for (shell, arguments) in shells {
            let mut spec = Spec::new(shell, self.folder)
                .args(arguments.iter().copied().chain([text]))
                .output_to(kept.clone());
            for name in PRIVATE {
                spec = spec.env_remove(*name);
            }
            for (name, value) in &self.environment {
                spec = spec.env(name, value);
            }
            spec.label = format!("gate {}", self.definition.name);
            match self.executor.supervisor.start(spec).await {
                Ok(job) => return Ok(self.watch(job, &kept).await),
                Err(ProcessError::Spawn { source, .. })
                    if source.kind() == io::ErrorKind::NotFound =>
                {
                    problem = Some(source.to_string());
                }
                // The gate has not failed: this process is exiting.
                Err(ProcessError::ShuttingDown) => return Ok(Execution::Abandoned),
                Err(other) => return Ok(lost(&other.to_string())),
            }
        }
        Ok(lost(&problem.unwrap_or_default()))
    }

    async fn command(&self, name: &str) -> Result<Execution> {
        let candidate = match look_up_to_start(self.context, name) {
            Ok(candidate) => candidate,
            Err(error) => return Ok(lost(error.message())),
        };
        let wish = Wish {
            unique_name: name.to_owned(),
            ..Wish::default()
        };
        let plan = candidate
            .check_allowed()
            .and_then(|()| candidate.check_available())
            .and_then(|()| candidate.plan(self.context, &wish));
        let plan = match plan {
            Ok(plan) => plan,
            Err(error) => return Ok(lost(error.message())),
        };
        let wish = Wish {
            env: self.environment.clone(),
            ..wish
        };
        let kept = Arc::new(Kept::default());
        let started = start_job(self.context, candidate, plan, &wish, Some(kept.clone())).await;
        match started {
            Ok((job, _)) => {
                let execution = self.watch(job.clone(), &kept).await;
                // A gate whose text changed under it says nothing about the work.
                Ok(match (confirm_text(&job), execution) {
                    (Err(error), Execution::GateRun(_)) => lost(error.message()),
                    (_, execution) => execution,
                })
            }
            Err(error) => Ok(lost(error.message())),
        }
    }

    /// Waits for the end of a job, and ensures that none of its processes is left.
    async fn watch(&self, job: JobHandle, kept: &Kept) -> Execution {
        let first = tokio::select! {
            biased;
            () = self.abandon.cancelled() => None,
            state = job.wait_exit(None) => Some(exit_of(state)),
            never = self.show_output(kept) => match never {},
            () = tokio::time::sleep(self.timeout()) => Some((GateExit::TimedOut, Some(self.too_long()))),
        };
        let stopped = job.stop(GRACE).await;
        let Some((exit, mut message)) = first else {
            return Execution::Abandoned;
        };
        if let Err(problem) = stopped {
            message = Some(problem.to_string());
        }
        // A process that is stopped ends its jobs too; that says nothing about the work.
        if self.abandon.is_cancelled() {
            return Execution::Abandoned;
        }
        Execution::GateRun(GateRun {
            exit,
            message,
            stdout: kept.text(Stream::Stdout),
            stderr: kept.text(Stream::Stderr),
        })
    }

    /// Keeps what the gate has written so far, at most once a second. What cannot be kept now is kept
    /// at the end.
    async fn show_output(&self, kept: &Kept) -> Infallible {
        let mut shown = (String::new(), String::new());
        loop {
            tokio::time::sleep(SHOW_EVERY).await;
            let now = (kept.text(Stream::Stdout), kept.text(Stream::Stderr));
            if let Some(result) = self.result
                && now != shown
            {
                let keep = |writer: &Writer<'_>| writer.gate_output(result, &now.0, &now.1);
                let _ = self.context.write(keep);
                shown = now;
            }
        }
    }

    fn too_long(&self) -> String {
        format!(
            "It took longer than {} s and was ended.",
            self.definition.timeout_secs
        )
    }

    /// A playbook that is executed elsewhere goes on without this process. While it is under way, the
    /// gate is not ready yet and is asked again; the run is found by its name.
    async fn playbook_elsewhere(&self, id: &str, gate: &GateResult) -> Result<Execution> {
        let named = |attempt: u32| {
            let name = &self.definition.name;
            format!("gate-{}-{name}-{attempt}", gate.review)
        };
        // Nobody needs the run of an attempt before this one.
        let _ = cancel_run(self.context, &named(gate.attempt.saturating_sub(1)));
        let run_id = named(gate.attempt);
        let patience = Duration::from_secs(self.definition.poll_interval_secs.into());
        let work = (run_id.as_str(), self.environment.clone());
        let followed = follow_playbook(self.context, id, work, patience.min(ASK_WITHIN));
        let record = tokio::select! {
            biased;
            () = self.abandon.cancelled() => {
                if !self.executor.closing.is_cancelled() {
                    let _ = cancel_run(self.context, &run_id);
                }
                return Ok(Execution::Abandoned);
            }
            record = followed => record,
        };
        let record = match record {
            Ok(record) => record,
            Err(error) => return Ok(lost(error.message())),
        };
        if record.status().is_terminal() {
            let mut ended = played(&record);
            // A step that says "not yet" is a failure here: the run has ended.
            if ended.exit == GateExit::Code(UNDER_WAY) {
                ended.exit = GateExit::Code(1);
            }
            return Ok(Execution::GateRun(ended));
        }
        let since = Timestamp::now().as_millis() - record.created_at().as_millis();
        let most = i64::from(self.definition.max_pending_secs) * 1000;
        let exit = if since >= most {
            let _ = cancel_run(self.context, &run_id);
            GateExit::TimedOut
        } else {
            GateExit::Code(UNDER_WAY)
        };
        let state = record.external().and_then(|it| it.state.clone());
        let state = state.map_or_else(String::new, |state| format!(" ({state})"));
        Ok(Execution::GateRun(GateRun {
            exit,
            message: Some(format!("Run {run_id} is under way{state}.")),
            stdout: String::new(),
            stderr: String::new(),
        }))
    }

    async fn playbook(&self, id: &str) -> Result<Execution> {
        if let Some(gate) = self.result
            && is_played_elsewhere(self.context, id).unwrap_or(false)
        {
            return self.playbook_elsewhere(id, gate).await;
        }
        let run = run_playbook(self.context, id, self.environment.clone());
        let result = tokio::select! {
            biased;
            () = self.abandon.cancelled() => return Ok(Execution::Abandoned),
            result = run => result,
            () = tokio::time::sleep(self.timeout()) => {
                return Ok(Execution::GateRun(GateRun {
                    exit: GateExit::TimedOut,
                    message: Some(self.too_long()),
                    stdout: String::new(),
                    stderr: String::new(),
                }));
            }
        };
        Ok(match result {
            Ok(record) => Execution::GateRun(played(&record)),
            Err(error) => lost(error.message()),
        })
    }
}

/// What the end of a playbook's run means for its gate.
fn played(record: &RunRecord) -> GateRun {
    let run = record.executed();
    let last = run
        .steps
        .iter()
        .rev()
        .find(|step| step.exit_code.is_some() || step.failure.is_some());
    let code = last.and_then(|step| step.exit_code);
    let exit = match run.status.name() {
        "success" => GateExit::Code(0),
        "timeout" => GateExit::TimedOut,
        _ => GateExit::Code(code.filter(|code| *code != 0).unwrap_or(1)),
    };
    let text = |stream: Option<&String>| stream.cloned().unwrap_or_default();
    GateRun {
        exit,
        message: Some(format!("Run {} ended: {}", run.run_id, run.status.name())),
        stdout: text(last.and_then(|step| step.stdout.as_ref())),
        stderr: text(last.and_then(|step| step.stderr.as_ref())),
    }
}

/// What a person has to allow before a gate can run.
pub fn waits_for(context: &ReadContext, id: &str, gate: &GateDefinition) -> Option<String> {
    match gate.parsed() {
        // The file of gates is allowed as a whole.
        GateCommand::Shell(_) if id.starts_with("file:") => None,
        GateCommand::Shell(text) => {
            let allowed = GrantedTexts::of(&context.workspace).allows(TextKind::Gate, text);
            (!allowed).then(|| {
                format!(
                    "Gate \"{0}\" has not been allowed on this machine: {text}. A person runs: windlass gates allow {0}",
                    gate.name
                )
            })
        }
        GateCommand::Command(name) => {
            let candidate = look_up(context, name).ok()?;
            let reason = candidate.decision.reason.message();
            (!candidate.decision.allowed).then(|| {
                format!(
                    "Command '{name}' is not allowed: {reason}. A person runs: windlass allow {name}"
                )
            })
        }
        GateCommand::Playbook(id) => check_playbook(context, id)
            .err()
            .filter(|error| error.kind() == ErrorKind::NotAllowlisted)
            .map(|error| waits_for_playbook(id, &error)),
    }
}

fn waits_for_playbook(id: &str, error: &Error) -> String {
    let data = error.data();
    let text = |key: &str| data[key].as_str().unwrap_or_default().to_owned();
    format!(
        "Playbook '{id}' is not allowed: {}. {}",
        text("reason"),
        text("how")
    )
}

fn exit_of(state: Option<JobState>) -> (GateExit, Option<String>) {
    match state {
        Some(JobState::Exited(code)) => (GateExit::Code(code), None),
        Some(JobState::Signaled(signal)) => (
            GateExit::Code(128 + signal),
            Some(format!("It was ended by signal {signal}.")),
        ),
        Some(other) => (
            GateExit::Lost,
            Some(format!("The process was lost: {other:?}")),
        ),
        None => (GateExit::Lost, Some("The process was lost.".to_owned())),
    }
}

/// It could not run, which is a failure: a gate that cannot run has not passed.
fn lost(message: &str) -> Execution {
    Execution::GateRun(GateRun {
        exit: GateExit::Lost,
        message: Some(message.to_owned()),
        stdout: String::new(),
        stderr: String::new(),
    })
}
