//! Jobs with real processes. Nothing here sleeps: tests wait for conditions.

#![expect(clippy::unwrap_used, reason = "test helpers may panic")]

mod limits;
mod output;
mod states;
mod trees;
mod waits;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use windlass_process::{JobHandle, Limits, ReadOptions, ShimCommand, Spec, Supervisor};

/// Long enough for a machine under load; a test that reaches it has failed.
const PATIENCE: Duration = Duration::from_mins(1);

/// The variable by which the processes of one test are found in /proc.
const TAG: &str = "WINDLASS_PROCESS_TEST";

fn fixture() -> PathBuf {
    env!("CARGO_BIN_EXE_windlass-process-fixture").into()
}

fn shim() -> ShimCommand {
    ShimCommand {
        program: fixture(),
        args: vec!["shim".into()],
    }
}

fn supervisor() -> Supervisor {
    Supervisor::new(shim(), Limits::default())
}

fn sh(script: &str) -> Spec {
    Spec::new("sh", "/").args(["-c", script])
}

fn tag() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{}-{number}", std::process::id())
}

/// The processes that have the tag in their environment, except zombies.
fn tagged(tag: &str) -> BTreeSet<i32> {
    let wanted = format!("{TAG}={tag}");
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        let environ = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        if environ
            .split(|byte| *byte == 0)
            .any(|variable| variable == wanted.as_bytes())
        {
            found.insert(pid);
        }
    }
    found
}

/// Lets a script wait for the test: `pause`.
struct PausePoint(tempfile::TempDir);

impl PausePoint {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(folder.path().join("gate"))
            .status();
        assert!(made.unwrap().success());
        Self(folder)
    }

    fn spec(&self, script: &str) -> Spec {
        // The script may open it while the last writer is about to close it, and read nothing.
        let pause = "pause() { until read x <gate; do :; done; }";
        let mut spec = sh(&format!("{pause}; {script}"));
        self.0.path().clone_into(&mut spec.cwd);
        spec
    }

    /// Lets the script continue, once it waits.
    async fn open(&self) {
        let path = self.0.path().join("gate");
        tokio::task::spawn_blocking(move || std::fs::write(path, "\n").unwrap())
            .await
            .unwrap();
    }
}

/// Waits until `condition` is true, checking repeatedly.
async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < PATIENCE, "{what} did not happen");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// All output of a job as written, of both streams.
fn all(job: &JobHandle) -> String {
    let options = ReadOptions {
        max_bytes: usize::MAX,
        ..ReadOptions::raw()
    };
    let page = job.from(0, &options);
    page.chunks.into_iter().map(|chunk| chunk.text).collect()
}
