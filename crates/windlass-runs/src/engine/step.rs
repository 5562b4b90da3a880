//! Runs one step, from checking its folder to storing its artifacts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_process::{OutputSink, Stream};

use super::execution::Execution;
use super::expect;
use super::output::{FinishedOutput, StepOutput, log_name};
use crate::artifacts::{PutResult, StoreError, collect};
use crate::paths::{self, PathProblem};
use crate::record::{ArtifactKind, ArtifactRecord, Failure, FailureKind, StepEnd, StepStatus};
use crate::runtimes::{Outcome, StepRequest};
use crate::spec::Step;

impl Execution<'_> {
    /// Runs the step with this index until it ends.
    pub(super) async fn run_step(&mut self, index: usize) -> StepEnd {
        let step = &self.spec.steps[index];
        let cwd = match self.folder(step) {
            Ok(cwd) => cwd,
            Err(failure) => return StepEnd::failed(failure),
        };
        let observer = Arc::clone(&self.observer);
        let position = (self.record.run_id(), index);
        let output = StepOutput::new(
            &self.shared.options,
            position,
            &self.resolved.secrets,
            observer,
        );
        let output = Arc::new(output);
        let outcome = self
            .runtime
            .run(StepRequest {
                run_id: self.record.run_id(),
                index,
                step,
                root: &self.shared.root,
                cwd: &cwd,
                environment: &self.resolved.variables,
                output: Arc::clone(&output) as Arc<dyn OutputSink>,
                timeout: step
                    .timeout_sec
                    .as_ref()
                    .map(|seconds| seconds.duration())
                    .or(self.shared.options.default_timeout),
                cancel: self.cancel,
            })
            .await;
        let outputs = [Stream::Stdout, Stream::Stderr].map(|stream| output.finish(stream));
        self.conclude_step(index, &cwd, outcome, outputs).await
    }

    /// The step's folder. A symlink may have been put there since the spec was checked.
    fn folder(&self, step: &Step) -> Result<PathBuf, Failure> {
        let root = &self.shared.root;
        let named = step.cwd.as_deref().unwrap_or(".");
        let why = match paths::inside(root, Path::new(named)) {
            Ok(real) if real.is_dir() => return Ok(real),
            Ok(_) => "is not a folder",
            Err(PathProblem::Missing) => "does not exist",
            Err(PathProblem::Outside) => "is outside the project",
        };
        Err(folder_failure(named, why))
    }

    async fn conclude_step(
        &mut self,
        index: usize,
        cwd: &Path,
        outcome: Outcome,
        mut outputs: [FinishedOutput; 2],
    ) -> StepEnd {
        let secrets = self.resolved.secrets.clone();
        let [(stdout, stdout_cut), (stderr, stderr_cut)] =
            outputs.each_ref().map(|whole| whole.tail.text(&secrets));
        let mut exit_code = None;
        let (status, failure) = match outcome {
            Outcome::Ended { code, signal } => {
                exit_code = Some(code);
                let unmet;
                (unmet, outputs) = self
                    .check_expectations(index, cwd, (code, signal), outputs)
                    .await;
                let status = match unmet {
                    None => StepStatus::Success,
                    Some(_) => StepStatus::Failed,
                };
                (status, unmet)
            }
            Outcome::TimedOut(limit) => {
                let message = format!("The step took longer than {limit:?}");
                let failure = Failure::new(FailureKind::Timeout, message);
                (StepStatus::Timeout, Some(failure))
            }
            Outcome::Cancelled => {
                let failure = Failure::new(FailureKind::Cancelled, "The run was cancelled");
                (StepStatus::Failed, Some(failure))
            }
            Outcome::Failed(failure) => (StepStatus::Failed, Some(failure)),
        };
        StepEnd {
            status,
            exit_code,
            stdout,
            stderr,
            output_truncated: stdout_cut || stderr_cut,
            failure: failure.map(|failure| Failure {
                message: secrets.mask(&failure.message),
                ..failure
            }),
            artifacts: self.store_artifacts(index, cwd, outputs).await,
        }
    }

    /// Checks whether the command ended as expected. Outputs are read on a thread where blocking is
    /// allowed.
    async fn check_expectations(
        &self,
        index: usize,
        cwd: &Path,
        ended: (i32, Option<i32>),
        outputs: [FinishedOutput; 2],
    ) -> (Option<Failure>, [FinishedOutput; 2]) {
        if self.runtime.is_simulation() {
            return (None, outputs);
        }
        let expect = self.spec.steps[index].expect.clone();
        let (root, cwd) = (self.shared.root.clone(), cwd.to_owned());
        let check = move || {
            let [stdout, stderr] = &outputs;
            let folders = (root.as_path(), cwd.as_path());
            let unmet = expect::unmet(expect.as_ref(), ended, [stdout, stderr], folders);
            (unmet, outputs)
        };
        let Some(expect) = &self.spec.steps[index].expect else {
            return check();
        };
        if expect.stdout_regex.is_none() && expect.stderr_regex.is_none() {
            return check();
        }
        match tokio::task::spawn_blocking(check).await {
            Ok(checked) => checked,
            Err(problem) => {
                let failure = Failure::new(FailureKind::ExitCode, problem.to_string());
                (
                    Some(failure),
                    [FinishedOutput::nothing(), FinishedOutput::nothing()],
                )
            }
        }
    }

    /// Stores complete outputs and the files that the step's globs match. What cannot be stored is
    /// noted in the record with the reason, and does not fail the step.
    async fn store_artifacts(
        &mut self,
        index: usize,
        cwd: &Path,
        outputs: [FinishedOutput; 2],
    ) -> Vec<ArtifactRecord> {
        let mut stored = self.store_outputs(index, outputs).await;
        let globs = self.spec.steps[index].artifacts.clone().unwrap_or_default();
        if globs.is_empty() || self.runtime.is_simulation() {
            return stored;
        }
        let limits = self.shared.options.artifact_limits.clone();
        let (root, cwd) = (self.shared.root.clone(), cwd.to_owned());
        let collect_files = move || collect(&root, &cwd, &globs, limits.files_per_step);
        let collected = tokio::task::spawn_blocking(collect_files)
            .await
            .unwrap_or_default();
        for file in collected.files {
            let record = self
                .put(
                    index,
                    ArtifactKind::File,
                    &file.name,
                    &file.path,
                    limits.file_bytes,
                )
                .await;
            stored.push(record);
        }
        for (name, why) in collected.skipped {
            let name = self.resolved.secrets.mask(&name);
            stored.push(ArtifactRecord::skipped(ArtifactKind::File, name, why));
        }
        stored
    }

    /// Stores complete outputs and removes their files.
    pub(super) async fn store_outputs(
        &mut self,
        index: usize,
        outputs: [FinishedOutput; 2],
    ) -> Vec<ArtifactRecord> {
        let mut stored = Vec::new();
        for (stream, whole) in [Stream::Stdout, Stream::Stderr].into_iter().zip(outputs) {
            let Some(path) = whole.path else { continue };
            let most = self.shared.options.artifact_limits.output_bytes;
            let mut record = self
                .put(index, ArtifactKind::Log, log_name(stream), &path, most)
                .await;
            record.skipped = record.skipped.or(whole.incomplete);
            stored.push(record);
            // If this fails, the file is removed with the folder of the run.
            let _ = tokio::fs::remove_file(&path).await;
        }
        stored
    }

    pub(super) async fn put(
        &mut self,
        index: usize,
        kind: ArtifactKind,
        name: &str,
        path: &Path,
        most: u64,
    ) -> ArtifactRecord {
        if let Some(skipped) = self.secret_name(kind, name) {
            return skipped;
        }
        let most = most.min(self.left_bytes());
        let store = &self.shared.options.artifacts;
        let key = store.key(self.record.run_id(), index, kind, name);
        let put = store.put_file(&key, path, &self.resolved.secrets, most);
        let put = put.await;
        self.stored(kind, name, key, put)
    }

    /// Makes a file that a step uploaded to the store an artifact.
    pub(super) async fn accept(
        &mut self,
        index: usize,
        name: &str,
        number: usize,
        about: (u64, &str),
    ) -> ArtifactRecord {
        if let Some(skipped) = self.secret_name(ArtifactKind::File, name) {
            return skipped;
        }
        let options = &self.shared.options;
        let most = options.artifact_limits.file_bytes.min(self.left_bytes());
        let (store, run_id) = (&options.artifacts, self.record.run_id());
        let key = store.key(run_id, index, ArtifactKind::File, name);
        let limits = (&self.resolved.secrets, most);
        let accepted = store.accept_upload((run_id, number), &key, about, limits);
        let accepted = accepted.await;
        self.stored(ArtifactKind::File, name, key, accepted)
    }

    fn secret_name(&self, kind: ArtifactKind, name: &str) -> Option<ArtifactRecord> {
        let secrets = &self.resolved.secrets;
        let why = "its name contains a secret of the run";
        secrets
            .are_in(name.as_bytes())
            .then(|| ArtifactRecord::skipped(kind, secrets.mask(name), why))
    }

    /// What the artifacts of the run may still have.
    fn left_bytes(&self) -> u64 {
        let most = self.shared.options.artifact_limits.run_bytes;
        most.saturating_sub(self.stored_bytes)
    }

    fn stored(
        &mut self,
        kind: ArtifactKind,
        name: &str,
        key: String,
        put: Result<PutResult, StoreError>,
    ) -> ArtifactRecord {
        let secrets = &self.resolved.secrets;
        let name = name.to_owned();
        match put {
            Ok(put) => {
                self.stored_bytes += put.bytes;
                ArtifactRecord {
                    kind,
                    name,
                    key: Some(key),
                    bytes: Some(put.bytes),
                    sha256: Some(put.sha256),
                    skipped: None,
                }
            }
            Err(why) => ArtifactRecord::skipped(kind, name, secrets.mask(&why.to_string())),
        }
    }
}

/// The failure of a step whose folder cannot be used.
pub fn folder_failure(named: &str, why: &str) -> Failure {
    Failure::new(FailureKind::Start, format!("cwd: `{named}` {why}"))
}
