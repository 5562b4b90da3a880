//! Execution of a run by one script elsewhere: start it once, follow what it says, and find it again
//! after a restart.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use uuid::Uuid;

use super::error::ExecuteError;
use super::execution::Execution;
use super::observer::{Change, ObserverError};
use super::output::spool_folder;
use super::script_steps::ScriptSteps;
use crate::hosts::{Followed, Follower, HostEnd, HostError, ScriptHost, ScriptJob, Started};
use crate::record::{External, Failure, FailureKind, RunRecord, RunStatus};
use crate::script::{Place, ScriptError, SecretSource, Transfer, compile, given_name};
use crate::secrets::{resolve, resolve_known};
use crate::spec::EnvRef;

/// How long a place may take to end a script that was told to stop.
const STOP_WITHIN: Duration = Duration::from_mins(1);

/// The files of a run that can be uploaded, beside those that are sent in the output.
const UPLOADS: usize = 16;

/// What a place may take longer than all steps together.
const SLACK: Duration = Duration::from_mins(10);

/// How the run ends.
type RunEnd = (RunStatus, Option<Failure>);

impl Execution<'_> {
    /// Starts the script and follows it.
    pub async fn run_script(
        mut self,
        host: Arc<dyn ScriptHost>,
    ) -> Result<RunRecord, ExecuteError> {
        self.begin();
        let token = || Uuid::new_v4().simple().to_string();
        self.record().set_external(External {
            token: token(),
            nonce: token(),
            id: None,
            url: None,
            state: None,
        });
        let job = match self.job(&*host).await {
            Ok(job) => job,
            Err(failure) => return self.refuse(failure).await,
        };
        if let Err(source) = self.notify(vec![Change::RunStarted]).await {
            return Err(self.not_started(source));
        }
        match host.start(&job).await {
            Ok(started) => self.follow(host, job, started).await,
            Err(problem) => self.end_script(not_started(&problem)).await,
        }
    }

    /// Takes up a run that another process has started. `record` is `running`.
    pub async fn resume_script(
        mut self,
        host: Arc<dyn ScriptHost>,
    ) -> Result<RunRecord, ExecuteError> {
        let job = match self.job(&*host).await {
            Ok(job) => job,
            Err(failure) => return self.end_script((RunStatus::Failed, Some(failure))).await,
        };
        let known = self.record.external().cloned().and_then(|external| {
            let (id, url) = (external.id?, external.url);
            Some(Started { id, url })
        });
        let found = match known {
            Some(known) => Ok(Some(known)),
            None => match host.find(&job).await {
                Ok(None) if host.starts_once() => host.start(&job).await.map(Some),
                found => found,
            },
        };
        match found {
            Ok(Some(started)) => self.follow(host, job, started).await,
            Ok(None) => {
                let message = "interrupted: the process that started it has exited, and nothing \
                               is found that it started";
                let failure = Failure::new(FailureKind::Interrupted, message);
                self.end_script((RunStatus::Failed, Some(failure))).await
            }
            Err(problem) => self.end_script(not_started(&problem)).await,
        }
    }

    /// The script of the run. After a restart it is compiled again, to the same text but for the
    /// signatures of addresses.
    async fn job(&mut self, host: &dyn ScriptHost) -> Result<ScriptJob, Failure> {
        let mut place = host.place();
        if self.uploads_from(host, &place) {
            let valid = self.longest() + host.start_within();
            let store = &self.shared.options.artifacts;
            place.uploads = store
                .upload_addresses(self.record.run_id(), UPLOADS, valid)
                .await;
        }
        let entries = self.spec.env_refs.clone().unwrap_or_default();
        let environment =
            |why: &dyn std::fmt::Display| Failure::new(FailureKind::Environment, why.to_string());
        let (root, lookup) = (&self.shared.root, &self.shared.options.environment);
        self.resolved = match place.secrets {
            SecretSource::Given => resolve(&entries, root, lookup),
            _ => resolve_known(&entries, lookup),
        }
        .map_err(|why| environment(&why))?;
        let external = self.record.external().cloned();
        let (token, nonce) = external.map_or_else(Default::default, |it| (it.token, it.nonce));
        let options = &self.shared.options;
        let run_id = self.record.run_id();
        let limits = (options.default_timeout, &options.artifact_limits);
        let compiled = |place: &Place| {
            let script = compile((run_id, &nonce), self.spec, place, limits)?;
            script.packed_within(place.most_packed_bytes)?;
            Ok(script)
        };
        let script = compiled(&place)
            .or_else(|_| {
                // Where only the addresses are too much, the run goes without them.
                place.uploads.clear();
                compiled(&place)
            })
            .map_err(|problem: ScriptError| environment(&problem).with_hint(problem.hint))?;
        let is_secret = |entry: &str| !matches!(EnvRef::of(entry), EnvRef::Value(_));
        let given = entries.iter().filter(|(_, entry)| is_secret(entry));
        let given = given.filter(|_| place.secrets == SecretSource::Given);
        Ok(ScriptJob {
            run_id: run_id.to_owned(),
            token,
            script,
            secrets: given
                .filter_map(|(name, _)| {
                    let value = self.resolved.variables.get(name)?;
                    Some((given_name(name), value.clone()))
                })
                .collect(),
            folder: spool_folder(options, run_id).join("shared"),
            root: self.shared.root.clone(),
        })
    }

    /// Whether files may be uploaded from there.
    fn uploads_from(&self, host: &dyn ScriptHost, place: &Place) -> bool {
        let has_globs = self.spec.steps.iter().any(|step| step.artifacts.is_some());
        let is_inline = matches!(place.transfer, Transfer::Inline { .. });
        has_globs && is_inline && host.has_one_script()
    }

    /// Ends a run that was not started because of its own fault.
    async fn refuse(mut self, failure: Failure) -> Result<RunRecord, ExecuteError> {
        self.end(RunStatus::Failed, Some(failure));
        let changes = vec![Change::RunStarted, Change::RunEnded];
        match self.notify(changes).await {
            Ok(()) => Ok(self.into_record()),
            Err(source) => Err(self.not_started(source)),
        }
    }

    /// Follows the script to its end. Its id is on record before anything else is asked.
    async fn follow(
        mut self,
        host: Arc<dyn ScriptHost>,
        job: ScriptJob,
        started: Started,
    ) -> Result<RunRecord, ExecuteError> {
        let id = started.id.clone();
        self.record().change_external(|external| {
            external.id = Some(started.id);
            external.url = started.url;
        });
        if let Err(source) = self.notify(vec![Change::External]).await {
            let _ = host.stop(&id).await;
            host.clean_up(&id).await;
            return Err(self.not_recorded(source).await);
        }
        let is_shared = matches!(host.place().transfer, Transfer::Folder(_));
        let mut steps = ScriptSteps::new(&job, is_shared);
        let ended = self.follow_until_end(&*host, &id, &mut steps).await;
        let end = match ended {
            Ok(end) => end,
            Err(source) => {
                let _ = host.stop(&id).await;
                host.clean_up(&id).await;
                return Err(self.not_recorded(source).await);
            }
        };
        self.abandon_step(&mut steps, end.1.as_ref()).await;
        if self.uploads_from(&*host, &host.place()) {
            let store = &self.shared.options.artifacts;
            // What is left is removed with the run.
            let _ = store.remove_uploads(self.record.run_id()).await;
        }
        host.clean_up(&id).await;
        self.end_script(end).await
    }

    async fn follow_until_end(
        &mut self,
        host: &dyn ScriptHost,
        id: &str,
        steps: &mut ScriptSteps,
    ) -> Result<RunEnd, ObserverError> {
        let (follower, mut news) = Follower::new(steps.nonce());
        let following = host.follow(id, &follower);
        tokio::pin!(following);
        let begin_until = Instant::now() + host.start_within();
        let longest = self.longest() + host.start_within();
        let mut until = Instant::now() + longest;
        let mut why_stopped: Option<RunEnd> = None;
        let ended: Result<HostEnd, HostError> = loop {
            let late = if steps.is_running() {
                until
            } else {
                until.min(begin_until)
            };
            tokio::select! {
                biased;
                () = self.cancel.cancelled(), if why_stopped.is_none() => {
                    let failure = Failure::new(FailureKind::Cancelled, "The run was cancelled");
                    why_stopped = Some((RunStatus::Cancelled, Some(failure)));
                    until = Instant::now() + STOP_WITHIN;
                    // What cannot be stopped is followed until the time is over.
                    let _ = host.stop(id).await;
                }
                Some(followed) = news.recv() => {
                    self.take(followed, steps).await?;
                    if steps.has_ended() {
                        break Ok(HostEnd::default());
                    }
                }
                ended = &mut following => break ended,
                () = tokio::time::sleep_until(late) => {
                    if why_stopped.is_some() {
                        break Ok(HostEnd::default());
                    }
                    why_stopped = Some(self.too_late(host, steps.is_running()));
                    until = Instant::now() + STOP_WITHIN;
                    let _ = host.stop(id).await;
                }
            }
        };
        while let Ok(followed) = news.try_recv() {
            self.take(followed, steps).await?;
        }
        self.finish_steps(steps).await?;
        Ok(match (steps.take_end(), why_stopped) {
            (Some(end), _) if end.0 != RunStatus::Cancelled => end,
            (_, Some(why)) => why,
            (Some(end), None) => end,
            (None, None) => lost(ended, steps),
        })
    }

    async fn take(
        &mut self,
        followed: Followed,
        steps: &mut ScriptSteps,
    ) -> Result<(), ObserverError> {
        match followed {
            Followed::Running => {
                steps.set_running();
                Ok(())
            }
            Followed::Output(bytes) => self.read_output(&bytes, steps).await,
            Followed::Event(event) => self.apply(event, steps).await,
            Followed::State(state) => {
                let known = self.record.external().and_then(|it| it.state.as_deref());
                if known == Some(&state) {
                    return Ok(());
                }
                self.record()
                    .change_external(|external| external.state = Some(state));
                self.notify(vec![Change::External]).await
            }
        }
    }

    /// All timeouts together.
    fn longest(&self) -> Duration {
        let default = self.shared.options.default_timeout.unwrap_or(SLACK);
        let timeouts = self.spec.steps.iter().map(|step| {
            let own = step.timeout_sec.as_ref().map(|seconds| seconds.duration());
            own.unwrap_or(default)
        });
        timeouts.fold(SLACK, Duration::saturating_add)
    }

    fn too_late(&self, host: &dyn ScriptHost, has_begun: bool) -> RunEnd {
        if has_begun {
            let message = "The run took longer than the timeouts of its steps together";
            return (
                RunStatus::Timeout,
                Some(Failure::new(FailureKind::Timeout, message)),
            );
        }
        let state = self.record.external().and_then(|it| it.state.clone());
        let state = state.map_or_else(String::new, |state| format!("; its last state: {state}"));
        let message = format!(
            "The run did not begin within {:?}{state}",
            host.start_within()
        );
        let failure = Failure::new(FailureKind::Start, message);
        (RunStatus::Failed, Some(failure))
    }

    /// Records the end of the run.
    async fn end_script(mut self, (status, failure): RunEnd) -> Result<RunRecord, ExecuteError> {
        let failure = failure.map(|failure| Failure {
            message: self.resolved.secrets.mask(&failure.message),
            ..failure
        });
        self.end(status, failure);
        self.conclude(vec![Change::RunEnded]).await
    }
}

fn not_started(problem: &HostError) -> RunEnd {
    let failure = Failure::new(FailureKind::Start, problem.message.clone());
    let failure = match &problem.hint {
        Some(hint) => failure.with_hint(hint.clone()),
        None => failure,
    };
    (RunStatus::Failed, Some(failure))
}

/// The end of a run whose script did not say how it ended.
fn lost(ended: Result<HostEnd, HostError>, steps: &ScriptSteps) -> RunEnd {
    let (why, hint) = match ended {
        Ok(end) => (end.problem, None),
        Err(problem) => (Some(problem.message), problem.hint),
    };
    let why = why.map_or_else(String::new, |why| format!(": {why}"));
    let (kind, message) = if steps.has_begun() {
        let message = format!("interrupted: the script ended without saying how{why}");
        (FailureKind::Interrupted, message)
    } else {
        let message = format!("The script did not begin{why}");
        (FailureKind::Start, message)
    };
    let failure = Failure::new(kind, message);
    let failure = match hint {
        Some(hint) => failure.with_hint(hint),
        None => failure,
    };
    (RunStatus::Failed, Some(failure))
}
