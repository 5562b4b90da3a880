//! Runs with real shells and real processes. Tests wait for conditions and never sleep.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod artifacts;
mod aws;
mod docker;
mod fuzz;
mod github;
mod local;
mod moto;
mod moto_aws;
mod observers;
mod playbooks;
mod podman;
mod prism;
mod remote_secrets;
mod runtimes;
mod s3;
mod script;
mod secrets;
mod side_by_side;
mod speed;
mod ssm_machines;
mod standin;
mod states;
mod uploads;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use windlass_process::{Limits, ShimCommand, Supervisor};
use windlass_runs::artifacts::{ArtifactStore, Location};
use windlass_runs::engine::{Change, Engine, Observer, ObserverError, Options};
use windlass_runs::record::{NewRun, RunRecord};
use windlass_runs::secrets::Lookup;
use windlass_runs::spec::RunSpec;
use windlass_runs::{CancellationToken, Stream};

/// Long enough for a machine under load; a test that reaches it has failed.
const TIMEOUT: Duration = Duration::from_mins(1);

/// The secret that every test engine knows as `env:TOKEN`.
const TOKEN: &str = "s3cr3t/T0ken+value==";

/// A project with an engine.
struct Project {
    root: PathBuf,
    _folder: tempfile::TempDir,
    options: Options,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("project");
        std::fs::create_dir(&root).unwrap();
        let shim = ShimCommand {
            program: env!("CARGO_BIN_EXE_windlass-runs-fixture").into(),
            args: Vec::new(),
        };
        let supervisor = Supervisor::new(shim, Limits::default());
        let store = folder.path().join("artifacts");
        let store = ArtifactStore::open(&Location::Folder(store)).unwrap();
        let lookup: Lookup = Arc::new(|name| (name == "TOKEN").then(|| TOKEN.into()));
        let scratch = folder.path().join("scratch");
        let mut options = Options::new(&root, scratch, supervisor, store, lookup);
        options.local.grace = Duration::from_millis(200);
        Self {
            root,
            _folder: folder,
            options,
        }
    }

    fn engine(&self) -> Engine {
        Engine::new(self.options.clone()).unwrap()
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    async fn run(&self, spec: Json) -> RunRecord {
        self.observed(spec, Arc::new(())).await
    }

    async fn observed(&self, spec: Json, observer: Arc<dyn Observer>) -> RunRecord {
        let (record, spec) = created(spec);
        let cancel = CancellationToken::new();
        let execute = self
            .engine()
            .execute(record, &spec, observer, &cancel)
            .await;
        execute.unwrap()
    }

    /// All files in the folder of the test, with their content.
    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        let mut folders = vec![self.root.parent().unwrap().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                if entry.path().is_dir() {
                    folders.push(entry.path());
                } else {
                    found.push((entry.path(), std::fs::read(entry.path()).unwrap()));
                }
            }
        }
        found
    }
}

fn created(spec: Json) -> (RunRecord, RunSpec) {
    let spec = RunSpec::parse(spec).unwrap();
    (RunRecord::create(&spec, NewRun::default()), spec)
}

/// The record of a run whose server died during its first step.
fn interrupted(spec: Json) -> RunRecord {
    let (record, _) = created(spec);
    let mut json = serde_json::to_value(record).unwrap();
    json["status"] = json!("running");
    json["startedAt"] = json["createdAt"].clone();
    json["steps"][0]["status"] = json!("running");
    json["steps"][0]["startedAt"] = json["createdAt"].clone();
    serde_json::from_value(json).unwrap()
}

/// A local run of bash steps.
fn local(commands: &[&str]) -> Json {
    let steps: Vec<Json> = commands
        .iter()
        .enumerate()
        .map(|(index, command)| json!({"name": index.to_string(), "shell": "bash", "command": command}))
        .collect();
    json!({"title": "test", "runtime": "local", "steps": steps})
}

/// A local run of one bash step with additional fields.
fn one(command: &str, more: Json) -> Json {
    let mut spec = local(&[command]);
    let step = spec["steps"][0].as_object_mut().unwrap();
    step.extend(more.as_object().unwrap().clone());
    spec
}

/// The statuses of all steps.
fn statuses(record: &RunRecord) -> Vec<&'static str> {
    let steps = record.steps().iter();
    steps.map(|step| step.status.name()).collect()
}

fn stdout(record: &RunRecord) -> &str {
    record.steps()[0].stdout.as_deref().unwrap()
}

fn failure(record: &RunRecord) -> &str {
    &record.failure().unwrap().message
}

/// Records everything; cancels or fails at the configured change.
#[derive(Default)]
struct RecordingObserver {
    changes: Mutex<Vec<(Vec<Change>, RunRecord)>>,
    output: Mutex<Vec<u8>>,
    cancel_at: Option<(&'static str, CancellationToken)>,
    fail_at: Option<Change>,
}

impl Observer for RecordingObserver {
    fn changed(&self, record: &RunRecord, changes: &[Change]) -> Result<(), ObserverError> {
        self.changes
            .lock()
            .unwrap()
            .push((changes.to_vec(), record.clone()));
        match self.fail_at {
            Some(change) if changes.contains(&change) => Err("no space left".into()),
            _ => Ok(()),
        }
    }

    fn output(&self, _run_id: &str, _step: usize, _stream: Stream, bytes: &[u8]) {
        let mut output = self.output.lock().unwrap();
        output.extend_from_slice(bytes);
        if let Some((text, cancel)) = &self.cancel_at
            && String::from_utf8_lossy(&output).contains(text)
        {
            cancel.cancel();
        }
    }
}

/// Waits until `condition` holds.
async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < TIMEOUT, "waited too long for {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Whether a process runs whose arguments contain `mark`.
fn is_running(mark: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let arguments = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let is_process = entry.file_name().to_string_lossy().parse::<u32>().is_ok();
        is_process && contains(&arguments, mark)
    })
}

fn contains(bytes: &[u8], part: &str) -> bool {
    bytes
        .windows(part.len())
        .any(|window| window == part.as_bytes())
}

fn executable(path: &Path, script: &str) {
    use std::os::unix::fs::PermissionsExt as _;

    std::fs::write(path, script).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}
