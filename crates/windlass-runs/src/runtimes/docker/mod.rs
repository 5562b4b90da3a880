//! Runs each step in its own container, through the docker command line.
//!
//! The project is mounted, so that steps share its files and artifacts are found there. Values of
//! the environment are never passed as arguments, which every user of the machine can read: they
//! are passed by name from the client's own environment, or, if the client itself uses a variable
//! of that name, in a file that only this user can read.

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
use super::supervise::{RunJob, StopConditions, supervise};
use super::{Outcome, Runtime, StepRequest, Unavailable};
use crate::record::{Failure, FailureKind};
use crate::spec::{RunSpec, RuntimeName};

/// How long the engine may take to respond, or to stop a container.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(15);

/// The exit code with which the client reports that the engine, not the command, failed.
const ENGINE_FAILED: i32 = 125;

/// The configuration of the docker runtime.
#[derive(Debug, Clone)]
pub struct DockerOptions {
    /// The program: docker, or one that accepts the same arguments.
    pub program: PathBuf,
    /// The image. Without one, the runtime is not configured.
    pub image: Option<String>,
    /// The path of the project inside the container.
    pub workspace: String,
    /// The user inside the container, for example `1000:1000`; by default that of the image.
    pub user: Option<String>,
    /// The network, for example `none`; by default that of the engine.
    pub network: Option<String>,
    /// More arguments of `docker run`, before the image.
    pub arguments: Vec<String>,
    /// The time between TERM and KILL for the client.
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
    /// The client runs under `supervisor`; files that exist only during a step are in `scratch`.
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
        let variables = match ContainerVariables::new(request.environment, &self.scratch, &name) {
            Ok(variables) => variables,
            Err(why) => return Outcome::Failed(Failure::new(FailureKind::Environment, why)),
        };
        let stop_when = StopConditions {
            timeout: request.timeout,
            cancel: request.cancel,
            grace: self.options.grace,
        };
        let spec = self.spec(&request, &name, &variables);
        // Stopping the client leaves the container running.
        let kill = async || self.kill(&[&name], request.cwd).await;
        match supervise(&self.supervisor, spec, stop_when, kill).await {
            Ok(Outcome::Ended {
                code: ENGINE_FAILED,
                ..
            }) => {
                let message = "docker could not run the container; see stderr for the reason";
                Outcome::Failed(Failure::new(FailureKind::Start, message))
            }
            Ok(outcome) => outcome,
            Err(problem) => Outcome::Failed(not_started(&problem)),
        }
    }

    fn spec(&self, request: &StepRequest<'_>, name: &str, variables: &ContainerVariables) -> Spec {
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
        for name in variables.by_name.keys() {
            args.extend(["--env".into(), name.into()]);
        }
        if let Some(file) = &variables.file {
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
        for (name, value) in &variables.by_name {
            spec = spec.env(name, value);
        }
        spec.label = format!("run {}: {} (docker)", request.run_id, request.step.name);
        spec.data = Some(Arc::new(RunJob {
            run_id: request.run_id.to_owned(),
            step: request.index,
        }));
        spec
    }

    /// Stops containers. If that fails, they have exited already or the engine is not running.
    async fn kill(&self, names: &[&str], cwd: &Path) {
        self.client_output(&[&["kill"], names].concat(), cwd).await;
    }

    /// Runs the client and returns its output, which is empty if it does not respond in time.
    async fn client_output(&self, arguments: &[&str], cwd: &Path) -> String {
        let captured = Arc::new(CapturedOutput::default());
        let spec = Spec::new(self.options.program.clone(), cwd)
            .args(arguments.iter().copied())
            .output_to(Arc::clone(&captured) as Arc<dyn OutputSink>);
        let stop_when = StopConditions {
            timeout: Some(RESPONSE_TIMEOUT),
            cancel: &CancellationToken::new(),
            grace: Duration::ZERO,
        };
        let _ = supervise(&self.supervisor, spec, stop_when, async || {}).await;
        let bytes = captured.0.lock().unwrap_or_else(PoisonError::into_inner);
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

    /// Unlike processes, containers survive a server that was killed.
    fn end_leftovers<'a>(&'a self, run_id: &'a str, root: &'a Path) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let label = format!("label=windlass.run={run_id}");
            let found = self
                .client_output(&["ps", "--quiet", "--filter", &label], root)
                .await;
            let names: Vec<&str> = found.split_whitespace().collect();
            if !names.is_empty() {
                self.kill(&names, root).await;
            }
        })
    }
}

/// The standard output of a client.
#[derive(Default)]
struct CapturedOutput(Mutex<Vec<u8>>);

impl OutputSink for CapturedOutput {
    fn write(&self, stream: Stream, bytes: &[u8]) {
        if stream == Stream::Stdout {
            let mut captured = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            captured.extend_from_slice(bytes);
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
