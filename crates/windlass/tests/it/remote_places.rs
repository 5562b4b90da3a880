//! Places elsewhere, for tests of whole servers: a real container engine, and servers that stand in for
//! GitHub and AWS and execute what they are given.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

#[allow(dead_code, reason = "only its packages are used here")]
#[path = "../../../windlass-runs/tests/it/moto.rs"]
mod moto;
#[path = "../../../windlass-runs/tests/it/podman.rs"]
pub mod podman;
#[path = "../../../windlass-runs/tests/it/standin.rs"]
mod standin;

use crate::sample::{self, Sample};
use crate::server::Server;
use standin::StandIn;

/// A secret that the places and the server know as `TOKEN`.
pub const TOKEN: &str = "s3cr3t-0f-the-place";

pub const RUNTIMES: [&str; 4] = ["docker", "github-runner", "ecs-task", "ssm"];

/// A project whose runs are executed by one of the places.
pub struct Place {
    pub sample: Sample,
    pub runtime: &'static str,
    pub server: Option<StandIn>,
    /// The container engine, which waits after a start while the file `hold` is there.
    engine: PathBuf,
}

impl Place {
    /// `None` if something is missing on this machine.
    pub fn new(runtime: &'static str) -> Option<Self> {
        Self::with(runtime, "poll_seconds = 0.1")
    }

    /// With additional settings of the runtime.
    pub fn with(runtime: &'static str, more: &str) -> Option<Self> {
        let more = if runtime == "docker" { "" } else { more };
        let sample = sample::empty();
        let folder = sample.folder.path().to_owned();
        let beside = folder.with_file_name("beside");
        fs::create_dir_all(&beside).expect("made");
        let engine = beside.join("docker");
        let server = match runtime {
            "docker" => {
                let docker = podman::docker()?;
                let script = format!(
                    "#!/bin/sh\n'{}' \"$@\"\ncode=$?\n[ \"$1\" != run ] || \
                     while [ -f '{}/hold' ]; do sleep 0.05; done\nexit $code\n",
                    docker.display(),
                    beside.display()
                );
                sample::executable(&engine, &script);
                None
            }
            "github-runner" => {
                let workflow = windlass_ops::Workflow {
                    secrets: vec!["TOKEN".to_owned()],
                    ..windlass_ops::Workflow::default()
                };
                Some(StandIn::github(&beside, &workflow.text(), TOKEN)?)
            }
            _ => Some(StandIn::aws(&folder, TOKEN)?),
        };
        let address = server.as_ref().map(StandIn::address).unwrap_or_default();
        let aws = format!("region = \"eu-central-1\"\nendpoint = \"{address}\"");
        let settings = match runtime {
            "docker" => format!(
                "image = \"{}\"\nprogram = \"{}\"\npull = \"never\"",
                podman::IMAGE,
                engine.display()
            ),
            "github-runner" => format!("repository = \"o/r\"\napi = \"{address}\""),
            "ecs-task" => format!(
                "task_definition = \"windlass-run\"\ncluster = \"builds\"\ncontainer = \"main\"\n{aws}"
            ),
            _ => format!(
                "target = \"i-0000000000000000b\"\nlog_group = \"/windlass\"\nworkspace = \"{}\"\n{aws}",
                folder.display()
            ),
        };
        let config = format!("[runs]\nadhoc = true\n[runtimes.{runtime}]\n{settings}\n{more}\n");
        fs::write(folder.join(".windlass/config.toml"), config).expect("written");
        let place = Self {
            sample,
            runtime,
            server,
            engine,
        };
        place.allow();
        Some(place)
    }

    /// A person allows everything as it is now.
    pub fn allow(&self) {
        let folder = self.folder();
        let allowed = sample::config_of(folder).join("windlass");
        fs::create_dir_all(&allowed).expect("made");
        let entries = sample::allowlist_of_all(folder);
        fs::write(allowed.join("allowlist.toml"), entries).expect("written");
    }

    pub fn folder(&self) -> &Path {
        self.sample.folder.path()
    }

    /// The folder that steps share with the test, and its name there.
    pub fn shared(&self) -> (PathBuf, String) {
        match self.runtime {
            "github-runner" => {
                let folder = self.engine.with_file_name("shared");
                fs::create_dir_all(&folder).expect("made");
                let name = folder.display().to_string();
                (folder, name)
            }
            _ => (self.folder().to_owned(), ".".to_owned()),
        }
    }

    fn equip<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let folder = self.folder();
        command
            .env("XDG_CONFIG_HOME", sample::config_of(folder))
            .env("HOME", sample::config_of(folder))
            .env("WINDLASS_LOG_LEVEL", "error")
            .env("AWS_ACCESS_KEY_ID", "test")
            .env("AWS_SECRET_ACCESS_KEY", "secret-of-the-test")
            .env("GITHUB_TOKEN", "of-the-test")
            .env("TOKEN", TOKEN)
    }

    /// A server of the project.
    pub fn serve(&self) -> Server {
        let mut command = sample::windlass();
        command.arg("--cwd").arg(self.folder());
        command.args(["mcp", "--toolsets", "all"]);
        self.equip(&mut command);
        Server::of(command)
    }

    /// The command line, as JSON.
    pub fn windlass(&self, words: &[&str]) -> Json {
        let mut command = sample::windlass();
        command.args(words).arg("--json").current_dir(self.folder());
        let output = self.equip(&mut command).output().expect("started");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        serde_json::from_str(&said).unwrap_or_else(|_| {
            let problem = String::from_utf8_lossy(&output.stderr);
            panic!("{words:?}: {said}{problem}")
        })
    }

    /// Whether answers to what starts something are held back.
    pub fn hold(&self, is_held: bool) {
        if let Some(server) = &self.server {
            return server.control(&json!({"hold": is_held}));
        }
        let file = self.engine.with_file_name("hold");
        if is_held {
            fs::write(file, "").expect("written");
        } else {
            fs::remove_file(file).expect("removed");
        }
    }

    /// How often something was started for a run.
    pub fn started(&self, run_id: &str) -> u64 {
        let Some(server) = &self.server else {
            let label = format!("label=windlass.run={run_id}");
            let output = Command::new(podman::docker().expect("there"))
                .args(["ps", "--all", "--quiet", "--filter", &label])
                .output()
                .expect("started");
            return String::from_utf8_lossy(&output.stdout).lines().count() as u64;
        };
        let seen = server.seen();
        let counts = ["tasks", "commands", "runs"].map(|name| seen[name].as_u64().unwrap_or(0));
        counts.iter().sum()
    }
}

pub fn eventually(what: &str, mut check: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !check() {
        assert!(begin.elapsed() < Duration::from_mins(2), "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
