use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use regex::Regex;
use windlass_process::{JobState, ReadOptions, Stopped, StreamFilter};

use crate::{PATIENCE, TAG, fixture, sh, supervisor, tag, tagged, until};

/// Three levels: one process that ignores TERM, one in its own session, one forked twice so that
/// its parent has exited, and one in its own process group.
const NASTY: &str = "\
    sh -c 'trap \"\" TERM; sh -c \"trap \\\"\\\" TERM; sleep 600 & wait\" & while :; do sleep 600; done' & \
    setsid sh -c 'sleep 600 & sleep 600' & \
    (setsid sh -c 'trap \"\" TERM HUP; while :; do sleep 600; done' & exit 0) & \
    sh -mc 'sleep 600 & wait' & \
    echo up; wait";

/// All of them.
const NASTY_COUNT: usize = 10;

#[tokio::test]
async fn a_stop_ends_every_process_of_a_nasty_tree() {
    let tag = tag();
    let job = supervisor().start(sh(NASTY).env(TAG, &tag)).await.unwrap();
    until("the tree", || tagged(&tag).len() >= NASTY_COUNT).await;
    let stopped = job.stop(Duration::from_millis(300)).await.unwrap();
    assert_eq!(
        stopped,
        Stopped::Killed {
            state: JobState::Signaled(15)
        }
    );
    assert!(tagged(&tag).is_empty());
    let again = job.stop(PATIENCE).await.unwrap();
    assert_eq!(
        again,
        Stopped::AlreadyFinished {
            state: JobState::Signaled(15)
        }
    );
}

async fn server_is_killed_by(signal: &str) {
    let tag = tag();
    let mut server = Command::new(fixture())
        .args(["server", NASTY])
        .env(TAG, &tag)
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    // The server and the shim have the tag as well.
    until("the tree", || tagged(&tag).len() >= NASTY_COUNT + 2).await;
    let pid = server.id().to_string();
    assert!(
        Command::new("kill")
            .args([signal, &pid])
            .status()
            .unwrap()
            .success()
    );
    server.wait().unwrap();
    until("the end of the tree", || tagged(&tag).is_empty()).await;
}

#[tokio::test]
async fn a_killed_server_leaves_nothing() {
    server_is_killed_by("-KILL").await;
}

#[tokio::test]
async fn a_terminated_server_leaves_nothing() {
    server_is_killed_by("-TERM").await;
}

#[tokio::test]
async fn dropping_the_runtime_leaves_nothing() {
    let tag = tag();
    let inside = tag.clone();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let _job = supervisor()
                .start(sh(NASTY).env(TAG, &inside))
                .await
                .unwrap();
            until("the tree", || tagged(&inside).len() >= NASTY_COUNT).await;
        });
    });
    thread.join().unwrap();
    until("the end of the tree", || tagged(&tag).is_empty()).await;
}

#[test]
fn a_job_outlives_the_thread_that_started_it() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let supervisor = supervisor();
    let (handle, starter) = (runtime.handle().clone(), supervisor.clone());
    let thread = std::thread::spawn(move || handle.block_on(starter.start(sh("exec sleep 600"))));
    let job = thread.join().unwrap().unwrap();
    runtime.block_on(async {
        let again = supervisor.start(sh("exit 5")).await.unwrap();
        assert_eq!(
            again.wait_exit(Some(PATIENCE)).await,
            Some(JobState::Exited(5))
        );
        assert_eq!(job.state(), JobState::Running);
        supervisor.shutdown(Duration::ZERO).await;
    });
}

#[tokio::test]
async fn a_background_child_does_not_delay_the_end_and_is_stopped() {
    let tag = tag();
    let start = Instant::now();
    let spec = sh("sleep 600 & setsid sleep 600 & echo started; exit 7").env(TAG, &tag);
    let job = supervisor().start(spec).await.unwrap();
    assert_eq!(
        job.wait_exit(Some(PATIENCE)).await,
        Some(JobState::Exited(7))
    );
    assert!(start.elapsed() < Duration::from_secs(30));
    assert_eq!(crate::all(&job), "started\n");
    until("the end of what was left", || tagged(&tag).is_empty()).await;
}

#[tokio::test]
async fn a_background_child_that_keeps_writing_does_not_delay_the_end() {
    let job = supervisor()
        .start(sh("yes & read line; exit 0"))
        .await
        .unwrap();
    assert_eq!(
        job.wait_exit(Some(PATIENCE)).await,
        Some(JobState::Exited(0))
    );
    let stopped = job.stop(Duration::ZERO).await.unwrap();
    assert_eq!(
        stopped,
        Stopped::AlreadyFinished {
            state: JobState::Exited(0)
        }
    );
}

#[tokio::test]
async fn a_graceful_stop_returns_the_exit_code() {
    let spec = sh("trap 'echo bye; exit 9' TERM; echo up; while :; do sleep 0.01; done");
    let job = supervisor().start(spec).await.unwrap();
    let up = Regex::new("up").unwrap();
    job.wait_pattern(up, StreamFilter::Both, Some(PATIENCE))
        .await;
    let stopped = job.stop(PATIENCE).await.unwrap();
    assert_eq!(
        stopped,
        Stopped::Graceful {
            state: JobState::Exited(9)
        }
    );
    // The shell itself may write to standard error.
    let options = ReadOptions {
        stream: StreamFilter::Stdout,
        ..ReadOptions::default()
    };
    let lines = job.tail(10, &options).lines;
    assert_eq!(
        lines
            .iter()
            .map(|line| line.text.as_str())
            .collect::<Vec<_>>(),
        ["up", "bye"]
    );
}

/// What a handler of TERM starts has the rest of the grace period.
#[tokio::test]
async fn a_job_may_clean_up_after_itself() {
    let up = Regex::new("up").unwrap();
    for handler in [
        "sleep 0.5; echo bye; exit 9",
        "(sleep 0.5; echo bye) & wait; exit 9",
    ] {
        let text = format!("trap '{handler}' TERM; echo up; while :; do sleep 0.01; done");
        let job = supervisor().start(sh(&text)).await.unwrap();
        job.wait_pattern(up.clone(), StreamFilter::Both, Some(PATIENCE))
            .await;
        let begin = Instant::now();
        let stopped = job.stop(PATIENCE).await.unwrap();
        let state = JobState::Exited(9);
        assert_eq!(stopped, Stopped::Graceful { state }, "{handler}");
        assert!(begin.elapsed() > Duration::from_millis(400), "{handler}");
        let lines = job.tail(10, &ReadOptions::default()).lines;
        assert!(lines.iter().any(|line| line.text == "bye"), "{handler}");
    }
}

#[tokio::test]
async fn a_suspended_process_receives_the_stop() {
    let job = supervisor().start(sh("kill -STOP $$")).await.unwrap();
    let stat = format!("/proc/{}/stat", job.pid);
    until("the stop", || {
        std::fs::read_to_string(&stat).unwrap().contains(") T ")
    })
    .await;
    let stopped = job.stop(PATIENCE).await.unwrap();
    assert_eq!(
        stopped,
        Stopped::Graceful {
            state: JobState::Signaled(15)
        }
    );
}

#[tokio::test]
async fn a_second_stop_can_hurry_the_first() {
    let job = supervisor()
        .start(sh("trap '' TERM; echo up; while :; do sleep 600; done"))
        .await
        .unwrap();
    let up = Regex::new("up").unwrap();
    job.wait_pattern(up, StreamFilter::Both, Some(PATIENCE))
        .await;
    let patient = {
        let job = job.clone();
        tokio::spawn(async move { job.stop(Duration::from_hours(1)).await })
    };
    let hurried = job.stop(Duration::ZERO).await.unwrap();
    let killed = Stopped::Killed {
        state: JobState::Signaled(9),
    };
    assert_eq!(hurried, killed);
    patient.await.unwrap().unwrap();
}

/// A process that forks and exits all the time, so that no pid of it is valid for long.
const HOPPER: &str = "exec python3 -c 'import os,signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(1, flush=True)
while True:
    if os.fork(): os._exit(0)'";

#[tokio::test]
async fn a_process_that_forks_all_the_time_is_killed() {
    let tag = tag();
    let job = supervisor().start(sh(HOPPER).env(TAG, &tag)).await.unwrap();
    assert_eq!(
        job.wait_exit(Some(PATIENCE)).await,
        Some(JobState::Exited(0))
    );
    job.stop(Duration::ZERO).await.unwrap();
    assert!(tagged(&tag).is_empty());
}

#[tokio::test]
async fn a_shutdown_also_ends_the_shims() {
    let tag = tag();
    let mut server = Command::new(fixture())
        .args(["shutdown", NASTY])
        .env(TAG, &tag)
        .spawn()
        .unwrap();
    assert!(server.wait().unwrap().success());
    assert!(tagged(&tag).is_empty());
}

#[tokio::test]
async fn a_job_without_handles_is_stopped() {
    let tag = tag();
    let job = supervisor().start(sh(NASTY).env(TAG, &tag)).await.unwrap();
    until("the tree", || tagged(&tag).len() >= NASTY_COUNT).await;
    drop(job);
    until("the end of the tree", || tagged(&tag).is_empty()).await;
}

/// Its shim is gone, and so is whoever adopted what left the group of the job.
#[tokio::test]
async fn a_killed_shim_leaves_nothing_of_a_nasty_tree() {
    let tag = tag();
    let job = supervisor().start(sh(NASTY).env(TAG, &tag)).await.unwrap();
    until("the tree", || tagged(&tag).len() >= NASTY_COUNT).await;
    kill("-KILL", parent_of(job.pid));
    let state = job.wait_exit(Some(PATIENCE)).await;
    assert!(matches!(state, Some(JobState::Failed(_))), "{state:?}");
    assert!(tagged(&tag).is_empty(), "at the moment of its end");
}

/// The next server of the same user ends what a killed one left.
#[tokio::test]
async fn what_a_killed_server_and_its_killed_shim_left_is_ended_by_another() {
    let tag = tag();
    let mut server = Command::new(fixture())
        .args(["server", NASTY])
        .env(TAG, &tag)
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    until("the tree", || tagged(&tag).len() >= NASTY_COUNT + 2).await;
    let server_pid = i32::try_from(server.id()).unwrap();
    let shim = tagged(&tag)
        .into_iter()
        .find(|pid| parent_of(*pid) == server_pid);
    let shim = shim.unwrap();
    // Stopped, so that neither notices the end of the other.
    kill("-STOP", shim);
    kill("-KILL", server_pid);
    kill("-KILL", shim);
    server.wait().unwrap();
    until("the end of the shim", || !tagged(&tag).contains(&shim)).await;
    assert!(tagged(&tag).len() >= NASTY_COUNT, "nobody ended them");
    // Another test may have ended them first: the marks of all are looked at.
    windlass_process::end_abandoned();
    assert!(tagged(&tag).is_empty());
}

/// The server is killed in the middle: the job has its grace all the same.
#[tokio::test]
async fn a_job_of_a_killed_server_may_clean_up_after_itself() {
    let folder = tempfile::tempdir().unwrap();
    let (up, done) = (folder.path().join("up"), folder.path().join("done"));
    let script = format!(
        "trap 'sleep 2; echo bye >{}; exit' TERM; echo up >{}; while :; do sleep 0.01; done",
        done.display(),
        up.display()
    );
    let tag = tag();
    let mut server = Command::new(fixture())
        .args(["server", &script])
        .env(TAG, &tag)
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    until("the job", || up.exists()).await;
    server.kill().unwrap();
    server.wait().unwrap();
    until("the end", || tagged(&tag).is_empty()).await;
    assert_eq!(std::fs::read_to_string(done).unwrap_or_default(), "bye\n");
}

fn kill(signal: &str, pid: i32) {
    let sent = Command::new("kill")
        .args([signal, &pid.to_string()])
        .status();
    assert!(sent.unwrap().success());
}

fn parent_of(pid: i32) -> i32 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("PPid:"));
    let parent = line.and_then(|line| line.split_whitespace().nth(1));
    parent.and_then(|parent| parent.parse().ok()).unwrap_or(0)
}
