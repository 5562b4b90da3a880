//! Steps in containers, one a step, through the docker command line.
//!
//! The project is mounted, so that steps share its files and artifacts are found there. Values of the
//! environment never stand among the arguments, which every user of the machine can read: they are
//! passed by name from the client's own environment, or, where the name means something to the
//! client itself, in a file that only this user can read.

mod variables;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use windlass_process::{Error, OutputSink, Spec, Stream, Supervisor};

use self::variables::ContainerVariables;
use super::shell::arguments;
use super::supervise::{Patience, RunJob, supervise};
use super::{Outcome, Runtime, StepRequest, Unavailable};
use crate::record::{Failure, FailureKind};
use crate::spec::{RunSpec, RuntimeName};

/// How long the engine may take to answer, or to end a container.
const ANSWER_WITHIN: Duration = Duration::from_secs(15);

/// The exit code by which the client says that the engine, and not the command, failed.
const ENGINE_FAILED: i32 = 125;

/// How steps run in containers.
#[derive(Debug, Clone)]
pub struct DockerOptions {
    /// The program; docker, or one that takes the same arguments.
    pub program: PathBuf,
    /// The image. Without one the runtime is not set up.
    pub image: Option<String>,
    /// Where the project is inside the container.
    pub workspace: String,
    /// The user inside the container, `1000:1000`; the image's own where nothing is given.
    pub user: Option<String>,
    /// The network, `none` for instance; the engine's own where nothing is given.
    pub network: Option<String>,
    /// Further arguments of `docker run`, in front of the image.
    pub arguments: Vec<String>,
    /// Between TERM and KILL for the client.
    pub grace: Duration,
}

impl Default for DockerOptions {
    fn default() -> Self {
        Self {
            program: "docker".into(),
            image: None,
            workspace: "/workspace".to_owned(),
            user: None,
            network: None,
            arguments: Vec::new(),
            grace: Duration::from_secs(5),
        }
    }
}

/// Runs steps in containers.
pub struct Docker {
    supervisor: Supervisor,
    options: DockerOptions,
    scratch: PathBuf,
}

impl Docker {
    /// With the client in the care of `supervisor`, and files that live as long as a step in
    /// `scratch`.
    pub fn new(supervisor: Supervisor, options: DockerOptions, scratch: PathBuf) -> Self {
        Self {
            supervisor,
            options,
            scratch,
        }
    }

    fn unavailable(message: String, hint: &str) -> Unavailable {
        Unavailable {
            runtime: RuntimeName::Docker,
            message,
            hint: hint.to_owned(),
        }
    }

    async fn run_step(&self, request: StepRequest<'_>) -> Outcome {
        let name = format!("windlass-{}", Uuid::new_v4().simple());
        let passing = match ContainerVariables::new(request.environment, &self.scratch, &name) {
            Ok(passing) => passing,
            Err(why) => return Outcome::Failed(Failure::new(FailureKind::Environment, why)),
        };
        let patience = Patience {
            timeout: request.timeout,
            cancel: request.cancel,
            grace: self.options.grace,
        };
        let spec = self.spec(&request, &name, &passing);
        // Ending the client leaves the container running.
        let kill = async || self.kill(&[&name], request.cwd).await;
        match supervise(&self.supervisor, spec, patience, kill).await {
            Ok(Outcome::Ended {
                code: ENGINE_FAILED,
                ..
            }) => {
                let message = "docker could not run the container; stderr says why";
                Outcome::Failed(Failure::new(FailureKind::Start, message))
            }
            Ok(outcome) => outcome,
            Err(problem) => Outcome::Failed(not_started(&problem)),
        }
    }

    fn spec(&self, request: &StepRequest<'_>, name: &str, passing: &ContainerVariables) -> Spec {
        let options = &self.options;
        let below = request.cwd.strip_prefix(request.root);
        let folder = Path::new(&options.workspace).join(below.unwrap_or(Path::new("")));
        let mut mount = OsString::from("type=bind,source=");
        mount.push(request.root);
        mount.push(format!(",target={}", options.workspace));
        let mut args: Vec<OsString> = vec![
            "run".into(),
            "--rm".into(),
            "--init".into(),
            "--name".into(),
            name.into(),
            "--label".into(),
            format!("windlass.run={}", request.run_id).into(),
            "--mount".into(),
            mount,
            "--workdir".into(),
            folder.into(),
        ];
        for (flag, value) in [("--user", &options.user), ("--network", &options.network)] {
            if let Some(value) = value {
                args.extend([flag.into(), value.into()]);
            }
        }
        args.extend([
            "--env".into(),
            format!("WINDLASS_RUN_ID={}", request.run_id).into(),
        ]);
        for name in passing.by_name.keys() {
            args.extend(["--env".into(), name.into()]);
        }
        if let Some(file) = &passing.file {
            args.extend(["--env-file".into(), file.0.clone().into()]);
        }
        args.extend(options.arguments.iter().map(OsString::from));
        args.push(options.image.clone().unwrap_or_default().into());
        args.push(request.step.shell.name().into());
        let command = arguments(request.step.shell, &request.step.command);
        args.extend(command.into_iter().map(OsString::from));
        let mut spec = Spec::new(options.program.clone(), request.cwd)
            .args(args)
            .output_to(Arc::clone(&request.output));
        for (name, value) in &passing.by_name {
            spec = spec.env(name, value);
        }
        spec.label = format!("run {}: {} (docker)", request.run_id, request.step.name);
        spec.data = Some(Arc::new(RunJob {
            run_id: request.run_id.to_owned(),
            step: request.index,
        }));
        spec
    }

    /// Ends containers. Where that fails, they are gone already or the engine is.
    async fn kill(&self, names: &[&str], cwd: &Path) {
        self.ask(&[&["kill"], names].concat(), cwd).await;
    }

    /// What the client outputs; nothing where it does not in time.
    async fn ask(&self, arguments: &[&str], cwd: &Path) -> String {
        let answer = Arc::new(Answer::default());
        let spec = Spec::new(self.options.program.clone(), cwd)
            .args(arguments.iter().copied())
            .output_to(Arc::clone(&answer) as Arc<dyn OutputSink>);
        let patience = Patience {
            timeout: Some(ANSWER_WITHIN),
            cancel: &CancellationToken::new(),
            grace: Duration::ZERO,
        };
        let _ = supervise(&self.supervisor, spec, patience, async || {}).await;
        let bytes = answer.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Runtime for Docker {
    fn name(&self) -> RuntimeName {
        RuntimeName::Docker
    }

    fn check(&self, _spec: &RunSpec) -> Result<(), Unavailable> {
        if self.options.image.is_none() {
            let message = "Runtime docker not supported: no image is set".to_owned();
            let hint = "Set `image` under [runs.docker] in .windlass/config.toml, for example \
                        image = \"debian:12\".";
            return Err(Self::unavailable(message, hint));
        }
        let program = &self.options.program;
        if which::which(program).is_err() {
            let message = format!(
                "Runtime docker not supported: `{}` is not installed",
                program.display()
            );
            let hint = "Install Docker, or set `program` under [runs.docker] in \
                        .windlass/config.toml.";
            return Err(Self::unavailable(message, hint));
        }
        Ok(())
    }

    fn run<'a>(&'a self, request: StepRequest<'a>) -> BoxFuture<'a, Outcome> {
        Box::pin(self.run_step(request))
    }

    /// Containers outlive a server that was killed, unlike processes.
    fn end_leftovers<'a>(&'a self, run_id: &'a str, root: &'a Path) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let label = format!("label=windlass.run={run_id}");
            let found = self.ask(&["ps", "--quiet", "--filter", &label], root).await;
            let names: Vec<&str> = found.split_whitespace().collect();
            if !names.is_empty() {
                self.kill(&names, root).await;
            }
        })
    }
}

/// What a client prints.
#[derive(Default)]
struct Answer(Mutex<Vec<u8>>);

impl OutputSink for Answer {
    fn write(&self, stream: Stream, bytes: &[u8]) {
        if stream == Stream::Stdout {
            let mut answer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            answer.extend_from_slice(bytes);
        }
    }
}

fn not_started(problem: &Error) -> Failure {
    let failure = Failure::new(FailureKind::Start, problem.to_string());
    match problem {
        Error::Spawn { source, .. } if source.kind() == io::ErrorKind::NotFound => {
            failure.with_hint("Install Docker, or set `program` under [runs.docker].")
        }
        _ => failure,
    }
}
