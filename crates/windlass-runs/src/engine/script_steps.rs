//! What the frames of a script mean for the record of its run.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use windlass_process::{OutputSink as _, Stream};

use super::execution::{Execution, run_end};
use super::expect;
use super::observer::{Change, ObserverError};
use super::output::{FinishedOutput, StepOutput};
use super::received_files::ReceivedFile;
use super::step::folder_failure;
use crate::hosts::ScriptJob;
use crate::paths::PathProblem;
use crate::record::{Failure, FailureKind, RunStatus, StepEnd, StepStatus};
use crate::runtimes::shell_missing;
use crate::script::{Event, FrameReader, StepResult, Unstarted, Verdict};
use crate::spec::Step;

/// The progress of a script.
pub struct ScriptSteps {
    reader: FrameReader,
    has_begun: bool,
    is_running: bool,
    current: Option<CurrentStep>,
    end: Option<(RunStatus, Option<Failure>)>,
    nonce: String,
    /// The machines that the next event is about, if there are several.
    machines: Option<String>,
    /// Where received files are kept.
    pub(super) folder: PathBuf,
    /// Whether the script has the same folder, puts files there and waits for answers.
    pub(super) is_shared: bool,
}

/// The step that is being executed.
pub(super) struct CurrentStep {
    pub(super) index: usize,
    output: Arc<StepOutput>,
    cut: [bool; 2],
    lost: u64,
    pub(super) no_match: Vec<usize>,
    pub(super) files: BTreeMap<String, ReceivedFile>,
    pub(super) last_file: Option<String>,
}

impl ScriptSteps {
    pub fn new(job: &ScriptJob, is_shared: bool) -> Self {
        Self {
            reader: FrameReader::new(&job.script.nonce),
            has_begun: false,
            is_running: false,
            current: None,
            end: None,
            nonce: job.script.nonce.clone(),
            machines: None,
            folder: job.folder.clone(),
            is_shared,
        }
    }

    pub fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Its place says that it runs.
    pub fn set_running(&mut self) {
        self.is_running = true;
    }

    /// Whether the script runs or ran, as far as is known.
    pub fn is_running(&self) -> bool {
        self.has_begun || self.is_running
    }

    /// Whether the script has said its last word.
    pub fn has_ended(&self) -> bool {
        self.reader.has_ended()
    }

    /// What the frames of the script are recognised by.
    pub fn nonce(&self) -> &str {
        &self.nonce
    }

    /// A failure, with the machines that it happened on.
    fn located(&mut self, failure: Failure) -> Failure {
        match self.machines.take() {
            Some(machines) => Failure {
                message: format!("{machines}: {}", failure.message),
                ..failure
            },
            None => failure,
        }
    }

    /// How the run ends, as far as the script has said it.
    pub fn take_end(&mut self) -> Option<(RunStatus, Option<Failure>)> {
        self.end.take()
    }
}

impl Execution<'_> {
    pub(super) async fn read_output(
        &mut self,
        bytes: &[u8],
        steps: &mut ScriptSteps,
    ) -> Result<(), ObserverError> {
        let mut events = Vec::new();
        steps.reader.push(bytes, &mut events);
        self.apply_all(events, steps).await
    }

    /// Nothing follows.
    pub(super) async fn finish_steps(
        &mut self,
        steps: &mut ScriptSteps,
    ) -> Result<(), ObserverError> {
        let mut events = Vec::new();
        steps.reader.finish(&mut events);
        self.apply_all(events, steps).await
    }

    /// Ends the step that was being executed when the run ended, with what it wrote.
    pub(super) async fn abandon_step(
        &mut self,
        steps: &mut ScriptSteps,
        failure: Option<&Failure>,
    ) {
        let Some(current) = steps.current.take() else {
            return;
        };
        let failure = failure.cloned().unwrap_or_else(|| {
            Failure::new(
                FailureKind::Interrupted,
                "The run ended before the step did",
            )
        });
        let (index, status) = (
            current.index,
            match failure.kind {
                FailureKind::Timeout => StepStatus::Timeout,
                _ => StepStatus::Failed,
            },
        );
        let outputs = finished(&current);
        let end = self
            .script_step_end(current, outputs, (status, None), Some(failure))
            .await;
        let now = self.now();
        self.record().end_step(index, now, end);
    }

    async fn apply_all(
        &mut self,
        events: Vec<Event>,
        steps: &mut ScriptSteps,
    ) -> Result<(), ObserverError> {
        for event in events {
            self.apply(event, steps).await?;
        }
        Ok(())
    }

    pub(super) async fn apply(
        &mut self,
        event: Event,
        steps: &mut ScriptSteps,
    ) -> Result<(), ObserverError> {
        if matches!(event, Event::Ended(_)) {
            steps.reader.end();
        }
        match event {
            Event::Began => steps.has_begun = true,
            Event::FailedOn(machines) => steps.machines = Some(machines),
            Event::Missing(what) => {
                let failure = steps.located(missing(&what));
                steps.end = Some((RunStatus::Failed, Some(failure)));
            }
            Event::Unset(name) => {
                let message =
                    format!("envRefs.{name}: the variable that it refers to is not set there");
                let failure = steps.located(Failure::new(FailureKind::Environment, message));
                steps.end = Some((RunStatus::Failed, Some(failure)));
            }
            Event::StepBegan(index) => return self.begin_step(index, steps).await,
            Event::StepEnded(index, result) => return self.end_step(index, result, steps).await,
            Event::Cancelled(_) => {
                let failure = Failure::new(FailureKind::Cancelled, "The run was cancelled there");
                steps.end = Some((RunStatus::Cancelled, Some(failure)));
            }
            Event::Ended(code) if steps.end.is_none() && code == 0 => {
                let has_all = self.record.steps().iter();
                if has_all
                    .clone()
                    .all(|step| step.status == StepStatus::Success)
                {
                    steps.end = Some((RunStatus::Success, None));
                }
            }
            Event::Ended(_) => {}
            Event::Lost(count) => {
                steps.has_begun = true;
                if let Some(current) = &mut steps.current {
                    current.lost += count;
                }
            }
            Event::Output(index, stream, bytes) => {
                if let Some(current) = steps.of(index) {
                    current.output.write(stream, &bytes);
                }
            }
            Event::OutputCut(index, stream) => {
                if let Some(current) = steps.of(index) {
                    current.cut[usize::from(stream == Stream::Stderr)] = true;
                }
            }
            Event::NoMatch(index, glob) => {
                if let Some(current) = steps.of(index) {
                    current.no_match.push(glob);
                }
            }
            Event::File(index, size, name) => steps.add_file(index, size, name),
            Event::FileData(index, bytes) => steps.add_data(index, &bytes),
            Event::FileUploaded(index, number, sha256) => {
                if let Some(file) = steps.last_file(index) {
                    file.upload = Some((number, sha256));
                }
            }
            Event::FileKept(index, why) => {
                if let Some(file) = steps.last_file(index) {
                    file.kept = Some(why);
                }
            }
        }
        Ok(())
    }

    async fn begin_step(
        &mut self,
        index: usize,
        steps: &mut ScriptSteps,
    ) -> Result<(), ObserverError> {
        // The end of the step before was lost; the script went on, so it was as expected.
        if let Some(before) = steps.current.as_ref().map(|current| current.index) {
            let expect = self.spec.steps[before].expect.as_ref();
            let code = expect.and_then(|expect| expect.exit_code).unwrap_or(0);
            let result = StepResult::Ended(code, Verdict::Met);
            self.end_step(before, result, steps).await?;
        }
        let Some(known) = self.record.steps().get(index) else {
            return Ok(());
        };
        // After a restart everything is said again.
        if known.status.is_terminal() {
            return Ok(());
        }
        let observer = Arc::clone(&self.observer);
        let position = (self.record.run_id(), index);
        let output = StepOutput::new(
            &self.shared.options,
            position,
            &self.resolved.secrets,
            observer,
        );
        steps.current = Some(CurrentStep {
            index,
            output: Arc::new(output),
            cut: [false; 2],
            lost: 0,
            no_match: Vec::new(),
            files: BTreeMap::new(),
            last_file: None,
        });
        if known.status == StepStatus::Running {
            return Ok(());
        }
        let now = self.now();
        self.record().start_step(index, now);
        self.notify(vec![Change::StepStarted(index)]).await
    }

    async fn end_step(
        &mut self,
        index: usize,
        result: StepResult,
        steps: &mut ScriptSteps,
    ) -> Result<(), ObserverError> {
        if index >= self.spec.steps.len() {
            return Ok(());
        }
        let Some(current) = steps.current.take_if(|current| current.index == index) else {
            return self.answer(index, steps, true);
        };
        let step = &self.spec.steps[index];
        let outputs = finished(&current);
        let (mut status, exit_code, mut failure) = judge(step, result);
        failure = failure.map(|failure| steps.located(failure));
        let mut outputs = outputs;
        if status == StepStatus::Success && steps.checks_text(step) {
            (failure, outputs) = check_text(step, outputs).await;
            if failure.is_some() {
                status = StepStatus::Failed;
            }
        }
        let end = self
            .script_step_end(current, outputs, (status, exit_code), failure)
            .await;
        let failed = run_end(&end, index);
        let now = self.now();
        self.record().end_step(index, now, end);
        self.notify(vec![Change::StepEnded(index)]).await?;
        let goes_on = failed.is_none();
        if let Some((status, failure)) = failed {
            steps.end = Some((status, Some(failure)));
        }
        self.answer(index, steps, goes_on)
    }

    /// Tells a script that waits whether it may go on.
    fn answer(
        &self,
        index: usize,
        steps: &ScriptSteps,
        goes_on: bool,
    ) -> Result<(), ObserverError> {
        let step = &self.spec.steps[index];
        if steps.checks_text(step) {
            let ending = if goes_on { "go" } else { "stop" };
            File::create(steps.folder.join(format!("{index}.{ending}")))?;
        }
        Ok(())
    }

    async fn script_step_end(
        &mut self,
        current: CurrentStep,
        mut outputs: [FinishedOutput; 2],
        (status, exit_code): (StepStatus, Option<i32>),
        failure: Option<Failure>,
    ) -> StepEnd {
        let index = current.index;
        for (output, is_cut) in outputs.iter_mut().zip(current.cut) {
            let why = match (is_cut, current.lost) {
                (true, _) => "it is too long, only its beginning is stored".to_owned(),
                (false, 1..) => format!("{} parts of the log are missing", current.lost),
                _ => continue,
            };
            output.incomplete.get_or_insert(why);
        }
        let secrets = self.resolved.secrets.clone();
        let [(stdout, stdout_cut), (stderr, stderr_cut)] =
            outputs.each_ref().map(|whole| whole.tail.text(&secrets));
        let is_incomplete = outputs.iter().any(|output| output.incomplete.is_some());
        let mut artifacts = self.store_outputs(index, outputs).await;
        artifacts.extend(self.store_received(current).await);
        StepEnd {
            status,
            exit_code,
            stdout,
            stderr,
            output_truncated: stdout_cut || stderr_cut || is_incomplete,
            failure: failure.map(|failure| Failure {
                message: secrets.mask(&failure.message),
                step: None,
                ..failure
            }),
            artifacts,
        }
    }
}

impl ScriptSteps {
    /// Whether this side checks the expressions of a step, because the script waits for it.
    fn checks_text(&self, step: &Step) -> bool {
        let expect = step.expect.as_ref();
        let has_text = expect
            .is_some_and(|expect| expect.stdout_regex.is_some() || expect.stderr_regex.is_some());
        has_text && self.is_shared
    }

    pub(super) fn of(&mut self, index: usize) -> Option<&mut CurrentStep> {
        self.current.as_mut().filter(|step| step.index == index)
    }
}

fn finished(current: &CurrentStep) -> [FinishedOutput; 2] {
    [Stream::Stdout, Stream::Stderr].map(|stream| current.output.finish(stream))
}

fn missing(what: &str) -> Failure {
    let (message, hint) = match what {
        "base64" => (
            "The program `base64` is not installed there",
            "Install coreutils or busybox in the image or on the machine.",
        ),
        _ => (
            "The folder of the project does not exist there",
            "Set `workspace` of the runtime to the folder that has the project.",
        ),
    };
    Failure::new(FailureKind::Start, message).with_hint(hint)
}

/// What a result means for its step.
fn judge(step: &Step, result: StepResult) -> (StepStatus, Option<i32>, Option<Failure>) {
    let expect = step.expect.clone().unwrap_or_default();
    let (code, verdict) = match result {
        StepResult::Unstarted(why) => {
            let named = step.cwd.as_deref().unwrap_or(".");
            let failure = match why {
                Unstarted::NoFolder => folder_failure(named, "does not exist"),
                Unstarted::OutsideFolder => folder_failure(named, "is outside the project"),
                Unstarted::NotAFolder => folder_failure(named, "is not a folder"),
                Unstarted::NoShell => shell_missing(step.shell),
            };
            return (StepStatus::Failed, None, Some(failure));
        }
        StepResult::Ended(code, verdict) => (code, verdict),
    };
    let text = |patterns: &Option<Vec<String>>, index: usize| {
        let pattern = patterns.as_ref().and_then(|patterns| patterns.get(index));
        pattern.cloned().unwrap_or_default()
    };
    let failure = match verdict {
        Verdict::Met => return (StepStatus::Success, Some(code), None),
        Verdict::Timeout => {
            let limit = step.timeout_sec.as_ref().map(|seconds| seconds.duration());
            let message = limit.map_or_else(
                || "The step took longer than its limit".to_owned(),
                |limit| format!("The step took longer than {limit:?}"),
            );
            let failure = Failure::new(FailureKind::Timeout, message);
            return (StepStatus::Timeout, None, Some(failure));
        }
        Verdict::Exit => expect::other_code(code, None, expect.exit_code.unwrap_or(0)),
        Verdict::Text(stream, index) => {
            let patterns = match stream {
                Stream::Stdout => &expect.stdout_regex,
                Stream::Stderr => &expect.stderr_regex,
            };
            expect::no_match(stream, &text(patterns, index))
        }
        Verdict::FileMissing(index) => {
            expect::no_file(&text(&expect.file_exists, index), PathProblem::Missing)
        }
        Verdict::FileOutside(index) => {
            expect::no_file(&text(&expect.file_exists, index), PathProblem::Outside)
        }
    };
    (StepStatus::Failed, Some(code), Some(failure))
}

/// Checks the expressions of a step on a thread where blocking is allowed.
async fn check_text(
    step: &Step,
    outputs: [FinishedOutput; 2],
) -> (Option<Failure>, [FinishedOutput; 2]) {
    let expect = step.expect.clone().unwrap_or_default();
    let check = move || {
        let unmet = expect::unmatched_text(&expect, outputs.each_ref());
        (unmet, outputs)
    };
    match tokio::task::spawn_blocking(check).await {
        Ok(checked) => checked,
        Err(problem) => {
            let failure = Failure::new(FailureKind::StdoutRegex, problem.to_string());
            let nothing = [FinishedOutput::nothing(), FinishedOutput::nothing()];
            (Some(failure), nothing)
        }
    }
}
