//! Read-only access to what this process runs.

use std::ops::Range;
use std::sync::Arc;

use tokio::sync::watch;
use windlass_core::{Error, Result};
use windlass_process::{JobHandle, Stream};
use windlass_runs::engine::OutputPage;
use windlass_runs::record::RunRecord;

use crate::commands::{
    JobOutput, Output, OutputInput, WaitInput, WaitResult, local, with_progress,
};
use crate::context::ReadContext;
use crate::job_host::JobHost;

/// Cheap to clone.
#[derive(Clone)]
pub struct JobReader {
    host: Arc<JobHost>,
}

impl JobReader {
    pub fn new(host: Arc<JobHost>) -> Self {
        Self { host }
    }

    /// The job of this process with that PID.
    pub fn job(&self, pid: i32) -> Option<ReadableJob> {
        let jobs = self.host.started_jobs()?;
        jobs.supervisor.job_by_pid(pid).map(ReadableJob)
    }

    /// All jobs of this process, as they are now.
    pub fn all(&self) -> Vec<JobOutput> {
        let jobs = self.host.started_jobs();
        let jobs = jobs.map(|jobs| jobs.supervisor.jobs()).unwrap_or_default();
        jobs.iter()
            .filter_map(|job| JobOutput::of_job(job))
            .collect()
    }

    /// What a step of a run has written, from byte `from` on.
    pub async fn step_output(
        &self,
        run_id: &str,
        step: usize,
        stream: Stream,
        from: u64,
        most: u64,
    ) -> Result<OutputPage> {
        let engine = &self.host.runs()?.engine;
        let page = engine.read_output(run_id, step, stream, from, most).await;
        page.map_err(|problem| Error::storage(problem.to_string()))
    }

    /// How many bytes a step that runs has written so far.
    pub fn step_written(&self, run_id: &str, step: usize) -> u64 {
        let runs = self.host.runs();
        runs.map_or(0, |runs| runs.engine.written(run_id, step))
    }

    /// Adds the last output of the steps to the record of an interrupted run.
    pub async fn show_left_outputs(&self, record: &mut RunRecord) -> Result<()> {
        let engine = &self.host.runs()?.engine;
        engine.show_left_outputs(record).await;
        Ok(())
    }

    /// A part of a stored artifact, and how many bytes the whole has.
    pub async fn artifact(&self, key: &str, part: Range<u64>) -> Result<(Vec<u8>, u64)> {
        let failed =
            |problem: windlass_runs::artifacts::StoreError| Error::storage(problem.to_string());
        let store = self.host.runs()?.engine.artifacts();
        let size = store.size(key).await.map_err(failed)?.unwrap_or(0);
        let bytes = store.read(key, part).await.map_err(failed)?;
        Ok((bytes.to_vec(), size))
    }
}

/// A job of this process that can be read and waited for.
pub struct ReadableJob(JobHandle);

impl ReadableJob {
    pub fn output(&self, input: &OutputInput) -> Result<Output> {
        local::output(&self.0, input)
    }

    /// Waits for the given condition; the caller sees what the job writes meanwhile.
    pub async fn wait(&self, context: &ReadContext, input: &WaitInput) -> Result<WaitResult> {
        context.follow(&self.0);
        let wait = local::wait(&self.0, input);
        with_progress(context, &self.0, Some(input.timeout), wait).await
    }

    /// The current state of the job; none once its record is enough.
    pub fn now(&self) -> Option<JobOutput> {
        JobOutput::of_job(&self.0)
    }

    /// Changes as the job writes.
    pub fn watch_output(&self) -> watch::Receiver<u64> {
        self.0.watch_output()
    }
}
