//! What holds for every operation: reads change nothing, and nothing slow holds up other requests.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use windlass_ops::{
    Context, Effect, JobHost, Lifetime, Machine, OPERATIONS, Settings, Swept, Workspace,
};

use crate::sample::{Sample, origin};
use crate::sample_work;
use crate::server::{Server, search_path};

/// The files of the project and of its state, but for the memory that SQLite shares.
fn files(folder: &Path, into: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let name = path.display().to_string();
        if path.is_dir() {
            files(&path, into);
        } else if !name.ends_with("-shm") {
            into.insert(name, fs::read(&path).unwrap_or_default());
        }
    }
}

fn snapshot(sample: &Sample) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    files(sample.folder.path(), &mut all);
    all
}

/// A run that a process has left behind, and a claim whose lease has ended.
fn leave_things_behind(context: &Context, runtime: &Runtime) {
    let input = json!({"spec": {
        "runId": "left", "title": "Left", "runtime": "dummy",
        "steps": [{"name": "One", "shell": "bash", "command": "true"}],
    }});
    let entry = windlass_ops::find("run_create").expect("there");
    let create = windlass_ops::call(entry, context.clone(), input, CancellationToken::new());
    runtime.block_on(create).expect("created");
    let gone = json!({"pid": 1_999_999, "started": 1});
    context
        .store
        .write(&origin(), |writer| {
            let mut record = writer.run("left")?.expect("stored").record;
            record["status"] = json!("running");
            record["startedAt"] = record["createdAt"].clone();
            writer.run_started("left", &gone, &record)?;
            let task = writer.named("id", "2")?;
            writer.claim(&task.id, "gone", Some(1))
        })
        .expect("written");
    let patience = Instant::now() + Duration::from_secs(10);
    while context.store.read(None, |reader| reader.expired_claims()) == Ok(0) {
        assert!(Instant::now() < patience, "the lease does not end");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn context(sample: &Sample) -> Context {
    let machine = Machine::without_jobs(sample.project.root());
    let workspace = Arc::new(Workspace::new(sample.project.clone(), machine));
    let host = Arc::new(JobHost::new(workspace, Lifetime::Server));
    let store = Arc::new(sample.store());
    Context::new(store, host, origin(), Arc::new(Settings::default()))
}

#[test]
fn a_read_changes_nothing_and_the_sweeper_finishes_what_was_left() {
    let sample = sample_work::with_work();
    let context = context(&sample);
    let runtime = Runtime::new().expect("a runtime");
    leave_things_behind(&context, &runtime);
    let before = snapshot(&sample);
    let mut calls = 0;
    for entry in OPERATIONS {
        if entry.declaration.effect != Effect::Read {
            continue;
        }
        let examples = entry.declaration.examples.iter().map(|it| it.input);
        for input in examples.chain(["{}"]) {
            let input: Json = serde_json::from_str(input).expect("JSON");
            let call = windlass_ops::call(entry, context.clone(), input, CancellationToken::new());
            // An error is as good: it must not have written either.
            let limited = async { tokio::time::timeout(Duration::from_secs(5), call).await };
            let _ = runtime.block_on(limited);
            calls += 1;
            assert!(
                snapshot(&sample) == before,
                "{} has written",
                entry.declaration.name
            );
        }
    }
    assert!(calls > 100, "{calls}");
    let mut read_only = context.clone();
    read_only.access = read_only.access.clone().reading_only(true);
    let swept = runtime.block_on(windlass_ops::sweep(&read_only));
    assert_eq!(swept, Ok(Swept::default()), "reading only");
    assert!(snapshot(&sample) == before, "reading only");
    let swept = runtime
        .block_on(windlass_ops::sweep(&context))
        .expect("swept");
    assert_eq!((swept.runs, swept.claims), (1, 1), "{swept:?}");
    let again = runtime
        .block_on(windlass_ops::sweep(&context))
        .expect("swept");
    assert_eq!((again.runs, again.claims), (0, 0), "{again:?}");
}

/// A git that takes its time, and leaves a mark when it begins and when it ends.
fn slow_git(folder: &Path) -> String {
    let bin = folder.join("slow");
    fs::create_dir_all(&bin).expect("made");
    let git = bin.join("git");
    let script = format!(
        "#!/bin/sh\ntouch '{0}/began'\nsleep 4\ntouch '{0}/ended'\n",
        bin.display()
    );
    fs::write(&git, script).expect("written");
    fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).expect("set");
    let path = search_path();
    format!("{}:{path}", bin.display())
}

#[test]
fn a_slow_git_holds_up_nobody_else() {
    let sample = sample_work::with_work();
    let project = sample.folder.path();
    let made = Command::new("git")
        .arg("init")
        .arg("-q")
        .arg(project)
        .status();
    assert!(made.expect("git").success());
    // Work that has a start commit, so that the review shows what changed since.
    sample
        .store()
        .write(&origin(), |writer| {
            let task = writer.named("id", "12")?;
            let place = windlass_store::WorkPlace {
                commit: Some("0123456789abcdef0123456789abcdef01234567".into()),
                ..Default::default()
            };
            writer.start_task(&task.id, &place)
        })
        .expect("started");
    let mut command = crate::sample::windlass();
    command
        .args(["mcp", "--toolsets", "all", "--cwd"])
        .arg(project)
        .env("PATH", slow_git(sample.config.path()))
        .env("WINDLASS_LOG_LEVEL", "error")
        .env("XDG_CONFIG_HOME", sample.config.path())
        .env("HOME", sample.config.path());
    let mut server = Server::of(command);
    server.ok("entity_get", json!({"id": "1"}));
    // Two at once, which would take both threads of the protocol.
    server.begin("work_submit", &json!({"id": "12"}));
    server.begin("work_submit", &json!({"id": "12"}));
    let began = sample.config.path().join("slow/began");
    let patience = Instant::now() + Duration::from_secs(20);
    while !began.exists() {
        assert!(Instant::now() < patience, "git was never asked");
        std::thread::sleep(Duration::from_millis(5));
    }
    let since = Instant::now();
    for _ in 0..100 {
        server.ok("entity_get", json!({"id": "1"}));
    }
    let took = since.elapsed();
    assert!(
        !sample.config.path().join("slow/ended").exists(),
        "git ended before the calls did: {took:?}"
    );
    assert!(took < Duration::from_secs(3), "{took:?}");
}
