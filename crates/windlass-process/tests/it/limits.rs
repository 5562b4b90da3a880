use std::time::Duration;

use windlass_process::{Error, JobState, Limits, Supervisor};

use crate::{PATIENCE, TAG, sh, shim, tag, tagged, until};

#[tokio::test]
async fn the_51st_job_is_refused_before_anything_is_started() {
    let supervisor = Supervisor::new(shim(), Limits::default());
    let tag = tag();
    let sleeper = || sh("exec sleep 600").env(TAG, &tag);
    let mut jobs = Vec::new();
    for _ in 0..50 {
        jobs.push(supervisor.start(sleeper()).await.unwrap());
    }
    until("50 processes", || tagged(&tag).len() == 50).await;
    let error = supervisor.start(sleeper()).await.unwrap_err();
    assert!(matches!(error, Error::TooManyJobs { limit: 50 }));
    assert_eq!(
        error.to_string(),
        "50 jobs are already running, which is the limit: stop one or wait until one ends"
    );
    assert_eq!(tagged(&tag).len(), 50);
    // A finished one frees its slot and stays readable.
    jobs[7].stop(PATIENCE).await.unwrap();
    supervisor.start(sleeper()).await.unwrap();
    assert_eq!(supervisor.jobs().len(), 51);
    supervisor.shutdown(PATIENCE).await;
    assert!(tagged(&tag).is_empty());
    assert!(
        supervisor
            .jobs()
            .iter()
            .all(|job| job.state() == JobState::Signaled(15))
    );
    let error = supervisor.start(sleeper()).await.unwrap_err();
    assert!(matches!(error, Error::ShuttingDown));
}

#[tokio::test]
async fn finished_jobs_are_removed_after_their_time() {
    let limits = Limits {
        keep_finished: Duration::from_millis(50),
        ..Limits::default()
    };
    let supervisor = Supervisor::new(shim(), limits);
    let job = supervisor.start(sh("echo hello")).await.unwrap();
    job.wait_exit(Some(PATIENCE)).await.unwrap();
    until("forgetting", || supervisor.job(job.id).is_none()).await;
}

#[tokio::test]
async fn the_number_of_finished_jobs_is_limited() {
    let limits = Limits {
        max_finished: 3,
        ..Limits::default()
    };
    let supervisor = Supervisor::new(shim(), limits);
    let running = supervisor.start(sh("exec sleep 600")).await.unwrap();
    for _ in 0..6 {
        let job = supervisor.start(sh("exit 0")).await.unwrap();
        job.wait_exit(Some(PATIENCE)).await.unwrap();
    }
    let kept: Vec<u64> = supervisor.jobs().iter().map(|job| job.id.0).collect();
    assert_eq!(kept, [running.id.0, 4, 5, 6, 7]);
    supervisor.shutdown(Duration::ZERO).await;
}
