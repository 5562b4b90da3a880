//! Finding a job by its pid: in this process, in another one, or only on record.

use std::path::PathBuf;

use windlass_core::{Error, ErrorKind, Result};
use windlass_store::{JobFilter, JobRecord, Store};

use super::outputs::JobOutput;
use crate::context::ReadContext;
use crate::job_host::Owner;
use crate::job_reader::ReadableJob;

/// Where a job is.
pub enum Place {
    /// In this process.
    Here(ReadableJob),
    /// In another process that can be asked.
    Elsewhere(PathBuf),
    /// Ended, or its owner process no longer exists.
    Past(Box<JobRecord>),
}

/// Why a job has ended whose owner process no longer exists.
pub const INTERRUPTED: &str = "interrupted: the process that looked after it has gone";

pub fn not_found(pid: i32) -> Error {
    Error::new(ErrorKind::JobNotFound, format!("Job {pid} not found"))
        .with("pid", pid)
        .with_hint("Use '[[commands.status]]' to see running jobs")
}

pub fn find(context: &ReadContext, pid: i32) -> Result<Place> {
    if let Some(job) = context.jobs.job(pid) {
        return Ok(Place::Here(job));
    }
    let record = context.read(|reader| reader.job_by_pid(pid))?;
    let record = record.ok_or_else(|| not_found(pid))?;
    Ok(match owner(&record) {
        Some(Owner {
            socket: Some(socket),
            ..
        }) if socket.exists() => Place::Elsewhere(socket),
        _ => Place::Past(Box::new(settled(record))),
    })
}

/// The matching jobs, newest first. Those of this process are listed even before they are on record,
/// in their current state.
pub fn listed(context: &ReadContext, filter: &JobFilter) -> Result<Vec<JobOutput>> {
    let mut jobs = recorded(context, filter)?;
    for view in context.jobs.all() {
        let same = |it: &JobOutput| it.pid == view.pid && it.started_at == view.started_at;
        let fits = (!filter.running || view.state == "running")
            && filter
                .unique_name
                .as_ref()
                .is_none_or(|name| *name == view.unique_name);
        match jobs.iter().position(same) {
            Some(place) if fits => jobs[place] = view,
            Some(place) => drop(jobs.remove(place)),
            None if fits => jobs.insert(0, view),
            None => {}
        }
    }
    jobs.sort_by_key(|job| std::cmp::Reverse(job.started_at));
    jobs.truncate(filter.limit as usize);
    Ok(jobs)
}

/// The newest job with that PID, in its current state.
pub fn by_pid(context: &ReadContext, pid: i32) -> Result<Option<JobOutput>> {
    let own = context.jobs.job(pid).and_then(|job| job.now());
    if own.is_some() {
        return Ok(own);
    }
    let record = context.read(|reader| reader.job_by_pid(pid))?;
    Ok(record.map(settled).map(JobOutput::from))
}

/// The matching jobs on record, newest first, each in its actual state: a job of a killed process is
/// not reported as running.
fn recorded(context: &ReadContext, filter: &JobFilter) -> Result<Vec<JobOutput>> {
    let records = context.read(|reader| reader.jobs(filter))?;
    let settled = records.into_iter().map(settled);
    Ok(settled
        .filter(|record| !filter.running || record.is_running())
        .map(JobOutput::from)
        .collect())
}

/// Jobs that are on record as running, whose process exited without recording how they ended.
pub fn orphans(store: &Store) -> Result<Vec<JobRecord>> {
    let filter = JobFilter {
        running: true,
        limit: 1_000,
        unique_name: None,
    };
    let mut records = store.read(None, |reader| reader.jobs(&filter))?;
    records.retain(|record| owner(record).is_none());
    Ok(records)
}

fn owner(record: &JobRecord) -> Option<Owner> {
    let owner: Owner = serde_json::from_value(record.owner.clone()).ok()?;
    owner.is_alive().then_some(owner)
}

/// A job does not outlive its owner process, even if nothing recorded its end.
pub fn settled(mut record: JobRecord) -> JobRecord {
    if record.is_running() && owner(&record).is_none() {
        "failed".clone_into(&mut record.state);
        record.reason = Some(INTERRUPTED.to_owned());
        record.ended_at = Some(record.started_at.clone());
    }
    record
}
