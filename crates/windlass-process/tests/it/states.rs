use std::time::{Duration, SystemTime};

use windlass_process::{Error, Event, JobState, Spec};

use crate::{PATIENCE, all, sh, supervisor};

async fn check(script: &str, expected: JobState) {
    let job = supervisor().start(sh(script)).await.unwrap();
    assert_eq!(
        job.wait_exit(Some(PATIENCE)).await,
        Some(expected),
        "{script}"
    );
}

#[tokio::test]
async fn exit_codes_and_signals_are_reported() {
    check("exit 0", JobState::Exited(0)).await;
    check("exit 3", JobState::Exited(3)).await;
    check("exit 255", JobState::Exited(255)).await;
    check("kill -KILL $$", JobState::Signaled(9)).await;
    check("kill -TERM $$", JobState::Signaled(15)).await;
}

#[tokio::test]
async fn a_failed_start_reports_the_reason() {
    let supervisor = supervisor();
    let spec = Spec::new("no-such-program-at-all", "/");
    let error = supervisor.start(spec).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot start `no-such-program-at-all` in /: No such file or directory (os error 2)"
    );
    let error = supervisor
        .start(Spec::new("true", "/no/such/folder"))
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot start `true` in /no/such/folder: the folder does not exist"
    );
    let error = supervisor
        .start(Spec::new("/etc/passwd", "/"))
        .await
        .unwrap_err();
    assert!(
        matches!(&error, Error::Spawn { source, .. }
        if source.kind() == std::io::ErrorKind::PermissionDenied),
        "{error}"
    );
    let error = supervisor
        .start(sh("true").args(["a\0b"]))
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot start `sh` in /: a NUL byte cannot be passed to a program"
    );
    assert!(supervisor.jobs().is_empty());
    // The shim that could not start those starts the next one.
    let job = supervisor.start(sh("exit 4")).await.unwrap();
    assert_eq!(
        job.wait_exit(Some(PATIENCE)).await,
        Some(JobState::Exited(4))
    );
}

#[tokio::test]
async fn a_shim_that_does_not_start_is_an_error() {
    let shim = windlass_process::ShimCommand {
        program: "/no/such/shim".into(),
        args: Vec::new(),
    };
    let supervisor = windlass_process::Supervisor::new(shim, windlass_process::Limits::default());
    assert!(matches!(
        supervisor.start(sh("true")).await,
        Err(Error::Shim(_))
    ));
    // One that starts and sends nothing is an error too.
    let shim = windlass_process::ShimCommand {
        program: "true".into(),
        args: Vec::new(),
    };
    let supervisor = windlass_process::Supervisor::new(shim, windlass_process::Limits::default());
    assert!(matches!(
        supervisor.start(sh("true")).await,
        Err(Error::Shim(_))
    ));
}

#[tokio::test]
async fn the_program_gets_its_arguments_environment_and_folder() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let mut spec = sh(r#"pwd; echo "$1|$2|$SET|${HOME-none}"; cat; echo "ppid $PPID $$""#)
        .args(["zero", "a b", ""])
        .env("SET", "x\ny")
        .env_remove("HOME");
    spec.cwd.clone_from(&folder);
    spec.label = "label".to_owned();
    let before = SystemTime::now();
    let job = supervisor().start(spec).await.unwrap();
    // `cat` exits at once, since standard input is closed.
    assert_eq!(
        job.wait_exit(Some(PATIENCE)).await,
        Some(JobState::Exited(0))
    );
    let text = all(&job);
    let start = format!("{}\na b||x\ny|none\nppid ", folder.display());
    assert!(text.starts_with(&start), "{text}");
    assert!(text.ends_with(&format!(" {}\n", job.pid)), "{text}");
    assert_eq!(job.label, "label");
    assert!(job.started_at >= before && job.finished_at().unwrap() >= job.started_at);
}

#[tokio::test]
async fn each_job_runs_in_its_own_session() {
    let script = "cut -d' ' -f5,6 /proc/self/stat; cut -d' ' -f6 /proc/$PPID/stat; echo $PPID";
    let job = supervisor().start(sh(script)).await.unwrap();
    job.wait_exit(Some(PATIENCE)).await.unwrap();
    let text = all(&job);
    let words: Vec<i32> = text
        .split_whitespace()
        .map(|word| word.parse().unwrap())
        .collect();
    let [group, session, shim_session, shim] = words[..] else {
        panic!("{text}")
    };
    assert_eq!((group, session, shim_session), (job.pid, shim, shim));
}

#[tokio::test]
async fn one_shim_serves_several_jobs_in_turn() {
    let supervisor = supervisor();
    let mut shims = std::collections::BTreeSet::new();
    for _ in 0..5 {
        let job = supervisor.start(sh("echo $PPID")).await.unwrap();
        job.wait_exit(Some(PATIENCE)).await.unwrap();
        // Stop returns when the tree has exited and the shim is free.
        job.stop(Duration::ZERO).await.unwrap();
        shims.insert(all(&job));
    }
    assert_eq!(shims.len(), 1, "{shims:?}");
}

#[tokio::test]
async fn a_killed_idle_shim_is_replaced() {
    let supervisor = supervisor();
    let job = supervisor.start(sh("echo $PPID")).await.unwrap();
    job.wait_exit(Some(PATIENCE)).await.unwrap();
    job.stop(Duration::ZERO).await.unwrap();
    let shim: i32 = all(&job).trim().parse().unwrap();
    let shim = rustix::process::Pid::from_raw(shim).unwrap();
    rustix::process::kill_process(shim, rustix::process::Signal::KILL).unwrap();
    let job = supervisor.start(sh("exit 6")).await.unwrap();
    assert_eq!(
        job.wait_exit(Some(PATIENCE)).await,
        Some(JobState::Exited(6))
    );
}

#[tokio::test]
async fn a_job_whose_shim_is_killed_has_failed() {
    let job = supervisor()
        .start(sh("echo $PPID; sleep 600"))
        .await
        .unwrap();
    job.wait_pattern(
        regex::Regex::new(".").unwrap(),
        windlass_process::StreamFilter::Both,
        Some(PATIENCE),
    )
    .await;
    let shim = rustix::process::Pid::from_raw(all(&job).trim().parse().unwrap()).unwrap();
    rustix::process::kill_process(shim, rustix::process::Signal::KILL).unwrap();
    let state = job.wait_exit(Some(PATIENCE)).await.unwrap();
    assert!(
        matches!(&state, JobState::Failed(why) if why.contains("supervised")),
        "{state:?}"
    );
}

#[tokio::test]
async fn events_report_starts_output_and_ends() {
    let supervisor = supervisor();
    let mut events = supervisor.subscribe();
    let job = supervisor.start(sh("echo hello; exit 2")).await.unwrap();
    assert_eq!(events.recv().await.unwrap(), Event::Started { job: job.id });
    let stream = windlass_process::Stream::Stdout;
    assert_eq!(
        events.recv().await.unwrap(),
        Event::Output {
            job: job.id,
            stream,
            from: 0,
            to: 6
        }
    );
    let state = JobState::Exited(2);
    assert_eq!(
        events.recv().await.unwrap(),
        Event::WaitEnd { job: job.id, state }
    );
    assert_eq!(supervisor.job_by_pid(job.pid).unwrap().id, job.id);
    assert_eq!(supervisor.job(job.id).unwrap().pid, job.pid);
}

#[tokio::test]
async fn large_arguments_arrive() {
    let large = "x".repeat(100_000);
    let spec = sh("echo ${#1} ${#5} ${#LARGE}")
        .args(["zero"])
        .args(vec![&large; 5])
        .env("LARGE", &large);
    let job = supervisor().start(spec).await.unwrap();
    assert_eq!(
        job.wait_exit(Some(PATIENCE)).await,
        Some(JobState::Exited(0))
    );
    assert_eq!(all(&job), "100000 100000 100000\n");
}
