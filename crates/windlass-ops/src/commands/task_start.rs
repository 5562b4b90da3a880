use crate::prelude::*;
use std::time::Duration;

use windlass_process::{JobHandle, ReadOptions};

use super::guard::confirm_text;
use super::outputs::{exit_code, reason, state_name, state_span};
use super::start::{self, Candidate, Wish};
use super::waiting;
use super::wishes;
use crate::arguments::Variables;

pub struct TaskStart;

const LONGEST_WAIT: u32 = 3600;
/// The grace period of a job whose start was cancelled.
const GRACE: Duration = Duration::from_secs(5);

/// Start an allowed command. Returns its output and exit code, or its PID if it still runs after a
/// second.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// From list_tasks.
    #[arg(value_name = "NAME")]
    pub unique_name: String,
    /// Its arguments.
    #[serde(default)]
    #[arg(last = true)]
    pub args: Vec<String>,
    /// Variables.
    #[serde(default)]
    #[command(flatten)]
    pub env: Variables,
    /// Another folder to run in.
    #[serde(default)]
    #[arg(long = "in", value_name = "DIR")]
    pub cwd: Option<String>,
    /// Wait this long; 1 if absent.
    #[serde(default)]
    #[arg(long)]
    #[schemars(range(max = 3600))]
    pub wait_seconds: Option<u32>,
    /// Only show it.
    #[serde(default)]
    #[arg(long)]
    pub dry_run: bool,
}

impl Input {
    pub fn wish(&self) -> Wish {
        Wish {
            unique_name: self.unique_name.clone(),
            args: self.args.clone(),
            env: self.env.0.clone(),
            cwd: self.cwd.clone(),
            at_terminal: false,
        }
    }
}

/// The result of the start.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct StartResult {
    /// exited, running or failed; dry_run if nothing was to be started.
    pub state: String,
    /// Present while it runs, and when there is more output than is shown here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<i32>,
    /// Present once it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// What it wrote so far, both outputs together.
    pub initial_output: String,
    /// Whether the beginning of the output was cut; task_output has more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<bool>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// With dry_run: what would be started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<DryRun>,
}

/// What would be started, and whether it is allowed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DryRun {
    pub command: String,
    pub cwd: String,
    pub file_path: String,
    pub line: usize,
    pub runner_available: bool,
    pub allowlisted: bool,
    /// Why it is allowed or not.
    pub reason: String,
    /// Whether a start would be refused.
    pub would_start: bool,
    /// Any other reason for a refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
}

impl Render for StartResult {
    fn view(&self) -> View {
        if let Some(plan) = &self.dry_run {
            return plan.view();
        }
        let mut first = vec![state_span(&self.state, self.exit_code)];
        if let Some(pid) = self.pid {
            first.push(Span::new(format!(" PID {pid}"), Style::Id));
        }
        View::default()
            .line(first)
            .text(self.initial_output.clone())
    }
}

impl DryRun {
    fn view(&self) -> View {
        let yes = |yes: bool, no: &str| {
            if yes {
                Span::new("yes", Style::Good)
            } else {
                Span::new(no, Style::Bad)
            }
        };
        let mut fields = vec![
            (
                "command".to_owned(),
                Span::new(&self.command, Style::Strong),
            ),
            ("in".to_owned(), Span::from(&self.cwd)),
            (
                "defined at".to_owned(),
                Span::from(format!("{}:{}", self.file_path, self.line)),
            ),
            (
                "runner".to_owned(),
                yes(self.runner_available, "not installed"),
            ),
            ("allowed".to_owned(), yes(self.allowlisted, "no")),
            ("because".to_owned(), Span::from(&self.reason)),
        ];
        if let Some(refusal) = &self.refusal {
            fields.push(("refused".to_owned(), Span::new(refusal, Style::Bad)));
        }
        View::default().fields(fields)
    }
}

impl Operation for TaskStart {
    type Input = Input;
    type Output = StartResult;

    const DECLARATION: Declaration = Declaration::execute("task_start", Toolset::Commands)
        .sdk("commands.start")
        .cli(&["run"])
        .long_running()
        .examples(&[
            Example::new("What would be run, and whether it is allowed", &["run", "build", "--dry-run"], r#"{"unique_name": "build", "dry_run": true}"#),
            Example::new("With an argument and a variable", &["run", "greet", "--dry-run", "--env", "LOG_LEVEL=debug", "--", "loud"], r#"{"unique_name": "greet", "dry_run": true, "env": {"LOG_LEVEL": "debug"}, "args": ["loud"]}"#),
        ]);

    async fn run(context: Context, input: Input) -> Result<StartResult> {
        let wait = match input.wait_seconds {
            Some(seconds) if seconds > LONGEST_WAIT => {
                return Err(Error::validation("wait_seconds", "must be 0 to 3,600"));
            }
            Some(seconds) => Duration::from_secs(u64::from(seconds)),
            None => context.workspace.commands_config()?.limits().first_capture,
        };
        let wish = input.wish();
        let (candidate, plan) = {
            let wish = wish.clone();
            let looking = context.offload(move |context| {
                let candidate = start::look_up_to_start(context, &wish.unique_name)?;
                let plan = candidate.plan(context, &wish);
                Ok((candidate, plan))
            });
            looking.await?
        };
        if input.dry_run {
            return Ok(explain(&context, &candidate, plan));
        }
        if let Err(refused) = candidate.check_allowed() {
            let wanted = (candidate.command, wish);
            let keep = move |context: &Context| {
                wishes::keep(context, &wanted.0, &wanted.1);
                Ok(())
            };
            context.offload(keep).await?;
            return Err(refused);
        }
        candidate.check_available()?;
        let (job, on_record) = start::start(&context, candidate, plan?, &wish, None).await?;
        // Until the caller knows its pid, nothing else can stop it.
        let mut guard = StopOnDrop {
            job: job.clone(),
            armed: true,
        };
        let total = input.wait_seconds.map(f64::from);
        waiting::with_progress(&context, &job, total, job.wait_exit(Some(wait))).await;
        if job.state().is_running() {
            // A job reported as running can be found by every process, even if this one exits.
            let _ = on_record.await;
        }
        // What it wrote is read first, so that nothing that another text wrote is returned.
        let result = result_of(&job, context.workspace.commands_config()?.chunk_bytes);
        let confirmed = confirm_text(&job);
        guard.armed = false;
        if confirmed.is_err() {
            let _ = job.stop(Duration::ZERO).await;
        }
        confirmed.map(|()| result)
    }
}

/// Stops the job if the caller cancels the start before it returns.
struct StopOnDrop {
    job: JobHandle,
    armed: bool,
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        if self.armed
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let job = self.job.clone();
            runtime.spawn(async move { drop(job.stop(GRACE).await) });
        }
    }
}

/// The current state of the job, with the end of its output.
pub fn result_of(job: &windlass_process::Job, max_bytes: usize) -> StartResult {
    let state = job.state();
    let options = ReadOptions {
        max_bytes,
        ..ReadOptions::default()
    };
    let totals = job.totals();
    let end = totals.total_bytes;
    let begin = end.saturating_sub(max_bytes as u64);
    let page = job.from(begin, &options);
    let truncated = begin > 0 || page.truncated;
    StartResult {
        state: state_name(&state).to_owned(),
        pid: (state.is_running() || truncated).then_some(job.pid),
        exit_code: exit_code(&state),
        initial_output: page.chunks.into_iter().map(|chunk| chunk.text).collect(),
        truncated: truncated.then_some(true),
        reason: reason(&state),
        dry_run: None,
    }
}

fn explain(context: &Context, candidate: &Candidate, plan: Result<start::Plan>) -> StartResult {
    let command = &candidate.command;
    let (shown, cwd, refusal) = match plan {
        Ok(plan) => (plan.invocation.display(), plan.cwd, None),
        Err(error) => (
            command.display(),
            context.workspace.root().join(&command.invocation.cwd),
            Some(error.message().to_owned()),
        ),
    };
    let would_start = candidate.decision.allowed && candidate.available && refusal.is_none();
    StartResult {
        state: "dry_run".to_owned(),
        dry_run: Some(DryRun {
            command: shown,
            cwd: start::shown(context, &cwd),
            file_path: command.file.clone(),
            line: command.line,
            runner_available: candidate.available,
            allowlisted: candidate.decision.allowed,
            reason: candidate.decision.reason.message(),
            would_start,
            refusal,
        }),
        ..StartResult::default()
    }
}
