//! The commands of a repository: listing them, starting one, and reading its output.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value as Json, json};
use tokio::runtime::Runtime;
use windlass_ops::{Context, Machine, RepositoryCommand, ShimCommand};
use windlass_store::Store;

use crate::harness::{Measured, Outcome, Rounds, Row};
use crate::places::{Places, state_home};
use crate::rows::operations;

pub const START: Row = Row {
    name: "task_start",
    about: "task_start of a program that does nothing, against bare spawn and wait",
    limit: 1.4,
    measure: start,
};

pub const PUMP: Row = Row {
    name: "output_pump",
    about: "1 GiB of lines through one job, against cat into a pipe read by a bare loop",
    limit: 2.0,
    measure: pump,
};

pub const LIST: Row = Row {
    name: "list_tasks",
    about: "list_tasks, 20,000 files with 1,000 package.json, against a bare walk with ignore rules",
    limit: 1.2,
    measure: list,
};

pub const CLI: Row = Row {
    name: "commands_cli",
    about: "windlass commands as a process, against dela list on the same repository",
    limit: 1.0,
    measure: cli,
};

pub const RUN: Row = Row {
    name: "run_steps",
    about: "a run of 100 steps of true, against 100 bare shells that do the same",
    limit: 1.4,
    measure: run,
};

/// Runs may be given by whoever calls.
const SETTINGS: &str = "[runs]\nadhoc = true\n";

/// Writes the settings. Returns the entry that allows them, because a folder does not cover them.
fn settings(root: &Path) -> Outcome<String> {
    let path = root.join(".windlass/config.toml");
    fs::write(&path, SETTINGS)?;
    let file = RepositoryCommand::of_text(".windlass/config.toml", SETTINGS);
    let (path, name, pin) = (json!(path), json!(file.name), json!(file.fingerprint));
    Ok(format!(
        "[[entries]]\npath = {path}\nscope = \"Task\"\ntasks = [{name}]\npins = {{ {name} = {pin} }}\n"
    ))
}

/// A repository in which everything is allowed, and the operations on it.
struct Repository {
    root: PathBuf,
    context: Context,
    runtime: Runtime,
}

impl Repository {
    fn new(places: &Places, name: &str) -> Outcome<Self> {
        let project = places.filled(name, |project| Store::open(project).map(drop))?;
        let root = project.root().to_owned();
        let allowlist = places.scratch().join(format!("{name}.toml"));
        let path = json!(root);
        let grant = format!("[[entries]]\npath = {path}\nscope = \"Directory\"\n");
        fs::write(&allowlist, grant + &settings(&root)?)?;
        let machine = Machine {
            allowlist,
            shim: ShimCommand {
                program: places.windlass.clone(),
                args: vec!["__shim".into()],
            },
            ..Machine::without_jobs(&root)
        };
        let context = operations::context(&project, machine)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()?;
        Ok(Self {
            root,
            context,
            runtime,
        })
    }

    fn script(&self, name: &str, text: &str) -> Outcome<PathBuf> {
        let path = self.root.join(name);
        fs::write(&path, text)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        Ok(path)
    }

    fn call(&self, name: &str, input: Json) -> Outcome<Json> {
        let call = operations::call(&self.context, name, input);
        self.runtime.block_on(call)
    }

    fn runs(&self, input: Json) -> Outcome {
        let output = self.call("task_start", input)?;
        if output["exit_code"] != 0 {
            return Err(format!("the job returned {output}").into());
        }
        Ok(())
    }

    fn close(self) {
        self.runtime.block_on(self.context.host.close());
    }
}

fn start(places: &Places, rounds: Rounds) -> Outcome<Measured> {
    let repository = Repository::new(places, "start")?;
    let program = repository.script("nothing.sh", "#!/bin/true\n")?;
    let measured = rounds.compare(
        20,
        50,
        || repository.runs(json!({"unique_name": "nothing"})),
        || {
            let output = Command::new(&program)
                .current_dir(&repository.root)
                .stdin(Stdio::null())
                .output()?;
            output
                .status
                .success()
                .then_some(())
                .ok_or("it failed".into())
        },
    )?;
    repository.close();
    Ok(measured)
}

fn pump(places: &Places, rounds: Rounds) -> Outcome<Measured> {
    let size: usize = if rounds.quick { 16 << 20 } else { 1 << 30 };
    let repository = Repository::new(places, "pump")?;
    let file = repository.root.join("lines.txt");
    let line = b"A line of output, about as long as compilers and tests write them.\n";
    fs::write(&file, line.repeat(size / line.len()))?;
    repository.script("lines.sh", "#!/bin/sh\nexec cat lines.txt\n")?;
    let measured = rounds.compare(
        5,
        1,
        || repository.runs(json!({"unique_name": "lines", "wait_seconds": 600})),
        || read_all(&file),
    )?;
    repository.close();
    Ok(measured)
}

/// The minimal work: `cat` into a pipe, read to its end.
fn read_all(file: &Path) -> Outcome {
    let mut cat = Command::new("cat")
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut pipe = cat.stdout.take().ok_or("no pipe")?;
    let mut buffer = vec![0; 64 * 1024];
    while pipe.read(&mut buffer)? > 0 {}
    cat.wait()?
        .success()
        .then_some(())
        .ok_or("cat failed".into())
}

fn run(places: &Places, rounds: Rounds) -> Outcome<Measured> {
    let repository = Repository::new(places, "run")?;
    let step = json!({"name": "nothing", "shell": "bash", "command": "true"});
    let spec = json!({"title": "Nothing", "runtime": "local", "steps": vec![step; 100]});
    let measured = rounds.compare_times(
        8,
        2,
        || {
            let created = repository.call("run_create", json!({ "spec": spec }))?;
            let begin = Instant::now();
            let done = repository.call("run_execute", json!({"runId": created["runId"]}))?;
            let took = begin.elapsed();
            if done["status"] != "success" {
                return Err(format!("the run returned {done}").into());
            }
            Ok(took)
        },
        || {
            let begin = Instant::now();
            for _ in 0..100 {
                let output = Command::new("bash")
                    .args([
                        "--noprofile",
                        "--norc",
                        "-e",
                        "-o",
                        "pipefail",
                        "-c",
                        "true",
                    ])
                    .current_dir(&repository.root)
                    .stdin(Stdio::null())
                    .output()?;
                if !output.status.success() {
                    return Err("bash failed".into());
                }
            }
            Ok(begin.elapsed())
        },
    )?;
    repository.close();
    Ok(measured)
}

fn list(places: &Places, rounds: Rounds) -> Outcome<Measured> {
    let repository = Repository::new(places, "list")?;
    let packages = if rounds.quick { 50 } else { 1_000 };
    for package in 0..packages {
        let folder = repository.root.join(format!("packages/p{package}"));
        fs::create_dir_all(folder.join("src"))?;
        fs::write(
            folder.join("package.json"),
            r#"{"scripts": {"test": "node test.js"}}"#,
        )?;
        for file in 0..19 {
            fs::write(folder.join(format!("src/{file}.js")), "")?;
        }
    }
    rounds.compare(
        20,
        5,
        || repository.call("list_tasks", json!({})).map(drop),
        || {
            let files = ignore::WalkBuilder::new(&repository.root).build().count();
            (files > packages * 20)
                .then_some(())
                .ok_or("files are missing".into())
        },
    )
}

fn cli(places: &Places, rounds: Rounds) -> Outcome<Measured> {
    let repository = Repository::new(places, "cli")?;
    let files = [
        (
            "Makefile",
            "build: ## Build it\n\tcc main.c\ntest: build\n\t./a.out\n",
        ),
        (
            "package.json",
            r#"{"scripts": {"test": "node test.js", "lint": "eslint ."}}"#,
        ),
        ("package-lock.json", "{}"),
        ("justfile", "hello name:\n  echo hello {{name}}\n"),
    ];
    for (name, text) in files {
        fs::write(repository.root.join(name), text)?;
    }
    let dela = places.dela()?;
    let home = places.scratch().join("home");
    fs::create_dir_all(home.join(".dela"))?;
    fs::create_dir_all(home.join(".config/dela"))?;
    let run = |program: &Path, word: &str| -> Outcome {
        let output = Command::new(program)
            .arg(word)
            .current_dir(&repository.root)
            .env("HOME", &home)
            .env("XDG_STATE_HOME", state_home())
            .stdin(Stdio::null())
            .output()?;
        let shown = String::from_utf8_lossy(&output.stdout);
        if output.status.success() && shown.contains("build") {
            return Ok(());
        }
        let problem = String::from_utf8_lossy(&output.stderr);
        Err(format!("{} {word}: {shown}{problem}", program.display()).into())
    };
    rounds.compare(
        20,
        10,
        || run(&places.windlass, "commands"),
        || run(&dela, "list"),
    )
}
