use std::net::TcpListener;
use std::time::Duration;

use regex::Regex;
use windlass_process::{JobState, PatternWait, PortWait, StreamFilter, WaitEnd};

use crate::{PATIENCE, PausePoint, TAG, sh, supervisor, tag, tagged, until};

const BOTH: StreamFilter = StreamFilter::Both;

fn pattern(text: &str) -> Regex {
    Regex::new(text).unwrap()
}

#[tokio::test]
async fn a_limit_ends_the_wait_and_not_the_job() {
    let job = supervisor()
        .start(sh("echo up; exec sleep 600"))
        .await
        .unwrap();
    let short = Some(Duration::from_millis(20));
    assert_eq!(job.wait_exit(short).await, None);
    let late = job.wait_pattern(pattern("never"), BOTH, short).await;
    assert_eq!(late, PatternWait::Not(WaitEnd::TimedOut));
    assert_eq!(
        job.wait_port(1, short).await,
        PortWait::Not(WaitEnd::TimedOut)
    );
    assert_eq!(job.state(), JobState::Running);
    job.stop(PATIENCE).await.unwrap();
}

#[tokio::test]
async fn a_line_is_found_in_past_and_future_output() {
    let spec = sh(r"printf '\033[32mListening\033[0m on 80\n'; echo ready >&2; exec sleep 600");
    let job = supervisor().start(spec).await.unwrap();
    let ready = job
        .wait_pattern(pattern("^ready$"), BOTH, Some(PATIENCE))
        .await;
    assert_eq!(ready, PatternWait::Found("ready".to_owned()));
    let past = job
        .wait_pattern(pattern(r"Listening on \d+"), BOTH, Some(PATIENCE))
        .await;
    assert_eq!(past, PatternWait::Found("Listening on 80".to_owned()));
    let wrong = job
        .wait_pattern(pattern("ready"), StreamFilter::Stdout, Some(Duration::ZERO))
        .await;
    assert_eq!(wrong, PatternWait::Not(WaitEnd::TimedOut));
    job.stop(PATIENCE).await.unwrap();
    let ended = job
        .wait_pattern(pattern("never"), BOTH, Some(PATIENCE))
        .await;
    assert_eq!(
        ended,
        PatternWait::Not(WaitEnd::Job(JobState::Signaled(15)))
    );
}

#[tokio::test]
async fn a_line_that_is_dropped_at_once_is_still_found() {
    let pause_point = PausePoint::new();
    let script = "pause; echo needle; seq 1 200000";
    let job = supervisor().start(pause_point.spec(script)).await.unwrap();
    let found = job.wait_pattern(pattern("^needle$"), BOTH, Some(PATIENCE));
    let (found, ()) = tokio::join!(found, pause_point.open());
    assert_eq!(found, PatternWait::Found("needle".to_owned()));
    job.wait_exit(Some(PATIENCE)).await.unwrap();
}

#[tokio::test]
async fn a_line_written_just_before_the_end_is_found() {
    let job = supervisor().start(sh("echo last; exit 1")).await.unwrap();
    let found = job
        .wait_pattern(pattern("last"), BOTH, Some(PATIENCE))
        .await;
    assert_eq!(found, PatternWait::Found("last".to_owned()));
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

#[tokio::test]
async fn a_port_counts_when_the_job_listens_on_it() {
    let port = free_port();
    let listen = format!(
        "import socket,time; s=socket.socket(); s.bind(('127.0.0.1',{port})); s.listen(); time.sleep(600)"
    );
    // Below a shell and in its own session, like development servers.
    let spec = sh("setsid python3 -c \"$LISTEN\" & wait").env("LISTEN", listen);
    let job = supervisor().start(spec).await.unwrap();
    assert_eq!(
        job.wait_port(port, Some(PATIENCE)).await,
        PortWait::Listening
    );
    let other = supervisor().start(sh("exec sleep 600")).await.unwrap();
    let foreign = other
        .wait_port(port, Some(Duration::from_millis(100)))
        .await;
    assert_eq!(foreign, PortWait::HeldByAnother);
    job.stop(PATIENCE).await.unwrap();
    other.stop(PATIENCE).await.unwrap();
    assert_eq!(
        job.wait_port(port, Some(PATIENCE)).await,
        PortWait::Not(WaitEnd::Job(JobState::Signaled(15)))
    );
}

#[tokio::test]
async fn a_wait_can_be_cancelled_at_any_time() {
    let tag = tag();
    let job = supervisor()
        .start(sh("exec sleep 600").env(TAG, &tag))
        .await
        .unwrap();
    until("the job", || !tagged(&tag).is_empty()).await;
    tokio::select! {
        biased;
        _ = job.wait_pattern(pattern("never"), BOTH, None) => panic!(),
        _ = job.wait_port(1, None) => panic!(),
        _ = job.wait_exit(None) => panic!(),
        () = std::future::ready(()) => {}
    }
    // A stop continues even if nobody waits for it.
    tokio::select! {
        biased;
        _ = job.stop(Duration::ZERO) => {}
        () = std::future::ready(()) => {}
    }
    until("the end", || tagged(&tag).is_empty()).await;
    assert!(!job.wait_exit(None).await.unwrap().is_running());
}
