//! From a name to a running job: every check, in the order of the commands contract, and then the
//! start.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use tokio::sync::oneshot;
use windlass_commands::allowlist::{Decision, Reason};
use windlass_commands::policy::{self, Refusal};
use windlass_commands::{Command, CommandSet, Invocation, Launcher, NameChoice};
use windlass_core::{Actor, Error, ErrorKind, Result};
use windlass_process::{Error as ProcessError, JobHandle, OutputSink, Spec};

use super::guard::{self, Guard, GuardedSink, PinWatch, keep_watch};
use super::outputs::{JobDetails, JobFacts};
use super::record;
use crate::context::{Context, ReadContext};
use crate::job_host::{OF_A_JOB, PRIVATE};
use crate::telemetry::follow_job;

/// How often the files of a command are read before they count as being changed all the time.
const TRIES: usize = 3;

/// What a caller asks for.
#[derive(Debug, Clone, Default)]
pub struct Wish {
    pub unique_name: String,
    pub args: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub cwd: Option<String>,
    /// A person started it and sees what it does: an edit of its files does not stop it later.
    pub at_terminal: bool,
}

/// The current definition of a command, with the decision of the allowlist.
pub struct Candidate {
    pub command: Command,
    pub decision: Decision,
    pub available: bool,
    /// What starts its runner because the machine does not have it.
    pub launcher: Option<Launcher>,
    /// Its files that are not what they were when a person allowed it.
    changed: Vec<String>,
    /// Has watched its files since before they were read, if it is to be started.
    watch: Option<PinWatch>,
}

/// What would be started.
#[derive(Debug)]
pub struct Plan {
    pub invocation: Invocation,
    /// Absolute.
    pub cwd: PathBuf,
}

/// How many commands of one name an error lists.
const MOST_CANDIDATES: usize = 8;

/// Says that there is no such command, or which of several have the name and where each is.
pub fn no_such_command(commands: &CommandSet, name: &str, folder: &str) -> Error {
    let error = Error::new(ErrorKind::TaskNotFound, format!("Task '{name}' not found"))
        .with("unique_name", name);
    if let NameChoice::Several(candidates) = commands.choose(name, folder) {
        let shown = candidates.iter().take(MOST_CANDIDATES);
        let places: Vec<String> = shown
            .map(|it| {
                format!(
                    "'{}' ({}:{}, {})",
                    it.unique_name,
                    it.file,
                    it.line,
                    it.display()
                )
            })
            .collect();
        let more = match candidates.len().saturating_sub(MOST_CANDIDATES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let names: Vec<&str> = candidates
            .iter()
            .map(|it| it.unique_name.as_str())
            .collect();
        return error.with("candidates", json!(names)).with_hint(format!(
            "{} of that name: {}{more}",
            match candidates.len() {
                1 => "There is one command".to_owned(),
                several => format!("There are {several} commands"),
            },
            places.join(", ")
        ));
    }
    let error = error.with_hint("Use '[[commands.list_tasks]]' to see available tasks");
    match commands.nearest(name) {
        Some(near) => error.with("did_you_mean", near),
        None => error,
    }
}

/// The unique name of the command that a caller in its folder means.
pub fn meant(context: &ReadContext, name: &str) -> Result<String> {
    let discovery = context.workspace.discovery()?;
    let folder = context.folder();
    if folder.is_empty() && discovery.known(name).is_some() {
        return Ok(name.to_owned());
    }
    let commands = discovery.discover();
    match commands.choose(name, &folder) {
        NameChoice::One(command) => Ok(command.unique_name.clone()),
        _ => Err(no_such_command(&commands, name, &folder)),
    }
}

/// The same as [`look_up`], for a command that is started if everything is as it should be: its files
/// are watched from before they are read.
pub fn look_up_to_start(context: &ReadContext, name: &str) -> Result<Candidate> {
    let discovery = context.workspace.discovery()?;
    let name = meant(context, name)?;
    let name = name.as_str();
    for _ in 0..TRIES {
        let known = match discovery.known(name) {
            Some(known) => Some(known),
            None => discovery.discover().get(name).cloned(),
        };
        let watch = known.map(|known| PinWatch::new(discovery.root(), &known));
        let mut candidate = look_up_exactly(context, name)?;
        if let Some(watch) = watch.filter(|watch| watch.covers(&candidate.command)) {
            candidate.watch = Some(watch);
            return Ok(candidate);
        }
    }
    Err(guard::restless(name))
}

/// Reads the definition again and asks the allowlist: nothing cached is trusted.
pub fn look_up(context: &ReadContext, name: &str) -> Result<Candidate> {
    look_up_exactly(context, &meant(context, name)?)
}

fn look_up_exactly(context: &ReadContext, name: &str) -> Result<Candidate> {
    let discovery = context.workspace.discovery()?;
    let missing = || no_such_command(&discovery.discover(), name, "");
    let known = match discovery.known(name) {
        Some(known) => known,
        None => discovery
            .discover()
            .get(name)
            .cloned()
            .ok_or_else(missing)?,
    };
    // Scans all files again, ignoring the cache.
    let (mut commands, mut command) = discovery.confirm(&known).ok_or_else(missing)?;
    if command.entry_file != known.entry_file {
        // It has moved, so its new file must be read again as well.
        (commands, command) = discovery.confirm(&command).ok_or_else(missing)?;
    }
    let allowlist = context.workspace.allowlist();
    let decision = allowlist.decide(discovery.root(), &command);
    Ok(Candidate {
        changed: changed_since(&decision, &command),
        decision,
        available: commands.is_available(&command),
        launcher: commands.launcher(&command),
        command,
        watch: None,
    })
}

/// The files that changed since a person allowed the command, as far as what they saw was kept.
fn changed_since(decision: &Decision, command: &Command) -> Vec<String> {
    if decision.reason != Reason::Changed {
        return Vec::new();
    }
    let granted = decision.granted(command).into_iter();
    granted
        .flat_map(|granted| granted.changed_files(command))
        .collect()
}

impl Candidate {
    /// Whether only the text that was checked may run: it is pinned, or a person has just seen it.
    fn is_pinned(&self) -> bool {
        let entry = self.decision.entry.as_ref();
        let pinned = entry.is_some_and(|(_, entry)| entry.pin(&self.command.name).is_some());
        pinned || !self.decision.allowed
    }

    /// Refuses a command that no person has allowed.
    pub fn check_allowed(&self) -> Result<()> {
        if self.decision.allowed {
            return Ok(());
        }
        let name = &self.command.unique_name;
        let error = Error::new(
            ErrorKind::NotAllowlisted,
            format!("Task '{name}' is not allowlisted for MCP execution"),
        )
        .with("unique_name", name.as_str())
        .with("reason", self.decision.reason.message());
        let ask = "Ask a human to grant MCP access to this task";
        let how = format!("windlass allow {name}");
        Err(match &self.decision.reason {
            Reason::Changed if !self.changed.is_empty() => {
                let files = self.changed.join(", ");
                let error = error.with("changed", json!(self.changed)).with("how", how);
                error.with_hint(format!(
                    "{ask} again: {files} changed since it was allowed; [[allowlist_allow]] shows the change"
                ))
            }
            Reason::Changed | Reason::NotIncluded => error
                .with("how", how)
                .with_hint(format!("{ask} as it is now: [[allowlist_allow]]")),
            _ => error.with_hint(ask),
        })
    }

    /// Refuses a command whose runner is missing.
    pub fn check_available(&self) -> Result<()> {
        if self.available {
            return Ok(());
        }
        let runner = self.command.runner;
        Err(Error::new(
            ErrorKind::RunnerUnavailable,
            format!(
                "Runner '{runner}' is not available for task '{}'",
                self.command.unique_name
            ),
        )
        .with("runner", runner.short_name())
        .with_hint(match &self.command.unavailable {
            Some(reason) => format!("It cannot be run on this machine: {reason}"),
            None => runner.install_hint(),
        }))
    }

    /// What would be started, unless the caller's arguments would turn it into something else than
    /// the allowed command.
    pub fn plan(&self, context: &Context, wish: &Wish) -> Result<Plan> {
        let command = &self.command;
        let invocation = policy::full_invocation(command, &wish.args)
            .map_err(|refusal| refused(ErrorKind::ArgumentRefused, "args", refusal))?;
        // People decide about their own variables, as in any shell.
        let allowed = &if context.origin.actor == Actor::Human {
            wish.env.keys().cloned().collect()
        } else {
            context.workspace.allowed_env()?
        };
        for (name, value) in &wish.env {
            if value.contains('\0') {
                return Err(Error::validation("env", "a value contains a zero byte"));
            }
            policy::check_environment(command, name, value, allowed)
                .map_err(|refusal| refused(ErrorKind::EnvironmentRefused, "env", refusal))?;
        }
        let root = context.workspace.discovery()?.root().to_owned();
        let own = inside(&root, Path::new(&command.invocation.cwd))?;
        let Some(wanted) = &wish.cwd else {
            return Ok(Plan {
                invocation: self.launched(invocation),
                cwd: own,
            });
        };
        let cwd = inside(&root, Path::new(wanted))?;
        let invocation = if cwd == own {
            invocation
        } else {
            policy::in_another_folder(command, invocation, &root)
                .map_err(|refusal| refused(ErrorKind::PathRefused, "cwd", refusal))?
        };
        let invocation = self.launched(invocation);
        Ok(Plan { invocation, cwd })
    }

    /// The invocation, through what brings the runner.
    pub fn launched(&self, invocation: Invocation) -> Invocation {
        match self.launcher {
            Some(launcher) => launcher.start(invocation),
            None => invocation,
        }
    }
}

fn refused(kind: ErrorKind, field: &str, refusal: Refusal) -> Error {
    Error::new(kind, format!("{field}: {}", refusal.reason))
        .with("field", field)
        .with_hint(refusal.hint)
}

/// A folder of the project, however it is written; links are resolved, so one that leads outside is
/// refused.
pub fn inside(root: &Path, path: &Path) -> Result<PathBuf> {
    let refuse = |why: &str| {
        let message = format!("cwd: {} {why}", path.display());
        Error::new(ErrorKind::PathRefused, message)
            .with("field", "cwd")
            .with_hint("Name a folder inside the project, relative to its root")
    };
    if path.components().any(|part| part == Component::ParentDir) {
        return Err(refuse("goes upwards with '..'"));
    }
    let real = root
        .join(path)
        .canonicalize()
        .map_err(|problem| refuse(&format!("cannot be used: {}", plain(&problem))))?;
    if !real.starts_with(root) {
        return Err(refuse("is outside the project"));
    }
    if !real.is_dir() {
        return Err(refuse("is not a folder"));
    }
    Ok(real)
}

/// The system's error message, without its number.
fn plain(problem: &std::io::Error) -> String {
    let text = problem.to_string();
    text.split_once(" (os error")
        .map_or(text.clone(), |it| it.0.to_owned())
}

/// Starts a job that has passed every check, and has it recorded; the returned receiver reports when
/// it is.
pub async fn start(
    context: &Context,
    mut candidate: Candidate,
    plan: Plan,
    wish: &Wish,
    sink: Option<Arc<dyn OutputSink>>,
) -> Result<(JobHandle, oneshot::Receiver<()>)> {
    let guard = guard_for(context, &mut candidate, wish.at_terminal)?;
    let command = &candidate.command;
    let jobs = context.host.command_jobs()?;
    let details = JobDetails {
        source_name: command.name.clone(),
        runner: command.runner.short_name().to_owned(),
        command: plan.invocation.display(),
        args: wish.args.clone(),
        cwd: shown(context, &plan.cwd),
        file_path: command.file.clone(),
    };
    let mut spec = Spec::new(plan.invocation.program, plan.cwd).args(plan.invocation.args);
    for name in PRIVATE {
        spec = spec.env_remove(*name);
    }
    for (name, value) in &wish.env {
        spec = spec.env(name, value);
    }
    // What a job starts is never a person, also on systems that do not show what led to it.
    spec = spec.env(OF_A_JOB, &command.unique_name);
    spec.label.clone_from(&command.unique_name);
    spec.data = Some(Arc::new(JobFacts {
        details: details.clone(),
        session: context.origin.session.clone(),
        guard: guard.clone(),
    }));
    spec.sink = match (sink, &guard) {
        (Some(inner), Some(guard)) => Some(Arc::new(GuardedSink {
            guard: Arc::clone(guard),
            inner,
        })),
        (sink, _) => sink,
    };
    let job = jobs.supervisor.start(spec).await.map_err(not_started)?;
    if let Some(guard) = guard {
        guard.has_started();
        jobs.records.spawn(keep_watch(guard, job.clone()));
    }
    let on_record = record::keep(context, jobs, &job, &details);
    if let Some(spans) = context.spans.clone() {
        let origin = context.origin.clone();
        let runner = command.runner.short_name();
        jobs.records
            .spawn(follow_job(spans, origin, job.clone(), runner));
    }
    context.follow(&job);
    Ok((job, on_record))
}

/// What watches the job, if only the text that was checked may run.
fn guard_for(
    context: &Context,
    candidate: &mut Candidate,
    at_terminal: bool,
) -> Result<Option<Arc<Guard>>> {
    if !candidate.is_pinned() {
        return Ok(None);
    }
    let command = candidate.command.clone();
    let watch = candidate.watch.take();
    let watch = watch.ok_or_else(|| guard::restless(&command.unique_name))?;
    let workspace = Arc::clone(&context.workspace);
    Ok(Some(Arc::new(Guard::new(
        workspace,
        command,
        watch,
        at_terminal,
    ))))
}

/// Relative to the project, where it is shorter.
pub fn shown(context: &Context, cwd: &Path) -> String {
    let root = context.workspace.root();
    match cwd.strip_prefix(root) {
        Ok(path) if path.as_os_str().is_empty() => ".".to_owned(),
        Ok(path) => path.display().to_string(),
        Err(_) => cwd.display().to_string(),
    }
}

fn not_started(problem: ProcessError) -> Error {
    match problem {
        ProcessError::TooManyJobs { limit } => Error::new(
            ErrorKind::TooManyJobs,
            format!("{limit} jobs are running already, which is the limit"),
        )
        .with("limit", json!(limit))
        .with_hint("Stop one with '[[task_stop]]', or wait until one ends"),
        ProcessError::Spawn { source, .. } => Error::new(
            ErrorKind::StartFailed,
            format!("Failed to start process: {}", plain(&source)),
        )
        .with_hint("Check if the command and arguments are valid"),
        other => Error::new(
            ErrorKind::StartFailed,
            format!("Failed to start process: {other}"),
        ),
    }
}
