//! Runs the docker command line.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use windlass_process::{Error, OutputSink, Spec, Stream, Supervisor};

use crate::hosts::HostError;
use crate::runtimes::{Outcome, StopConditions, supervise};

/// More than a client says.
const MOST_BYTES: usize = 64 << 10;

/// How much of an error of the client is shown.
const MOST_CHARACTERS: usize = 2000;

/// How often a client that starts a container is looked at.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

pub struct Client {
    supervisor: Supervisor,
    program: PathBuf,
}

impl Client {
    pub fn new(supervisor: Supervisor, program: PathBuf) -> Self {
        Self {
            supervisor,
            program,
        }
    }

    /// The user of this process, unless it is root: then files belong to root anyway.
    pub fn own_user() -> Option<String> {
        let user = rustix::process::geteuid();
        let group = rustix::process::getegid().as_raw();
        (!user.is_root()).then(|| format!("{}:{group}", user.as_raw()))
    }

    /// Whether the engine gives users other numbers in a container, unless it is told not to.
    pub fn maps_users(&self) -> bool {
        let is_podman = |path: &Path| path.file_name().is_some_and(|name| name == "podman");
        let real = which::which(&self.program).map(|path| path.canonicalize().unwrap_or(path));
        Self::own_user().is_some()
            && (is_podman(&self.program) || real.is_ok_and(|it| is_podman(&it)))
    }

    /// Runs the client with plain words and returns its standard output.
    pub async fn words(
        &self,
        words: &[&str],
        within: Option<Duration>,
    ) -> Result<String, HostError> {
        let words = words.iter().map(OsString::from).collect();
        self.execute(words, within).await
    }

    /// Starts a container, with variables in the client's environment.
    ///
    /// Not under the supervisor, which ends every process that a client leaves behind: without a
    /// daemon, one of these is what keeps the container.
    pub async fn start(&self, start: StartContainer) -> Result<(), HostError> {
        let program = self.program.clone();
        let started = tokio::task::spawn_blocking(move || start.execute(&program)).await;
        started.unwrap_or_else(|problem| Err(HostError::new(problem.to_string())))
    }

    async fn execute(
        &self,
        arguments: Vec<OsString>,
        within: Option<Duration>,
    ) -> Result<String, HostError> {
        let program = self.program.display();
        let word = arguments.first().cloned().unwrap_or_default();
        let what = format!("{program} {}", word.display());
        let captured = Arc::new(Captured::default());
        let spec = Spec::new(self.program.clone(), Path::new("/"))
            .args(arguments)
            .output_to(Arc::clone(&captured) as Arc<dyn OutputSink>);
        let stop_when = StopConditions {
            timeout: within,
            cancel: &CancellationToken::new(),
            grace: Duration::ZERO,
        };
        let outcome = supervise(&self.supervisor, spec, stop_when, async || {}).await;
        let [stdout, stderr] = captured.texts();
        match outcome {
            Ok(Outcome::Ended { code: 0, .. }) => Ok(stdout),
            Ok(Outcome::Ended { code, .. }) => Err(failed(&what, code, &stderr)),
            Ok(_) => Err(silent(&what)),
            Err(Error::Spawn { source, .. }) => Err(not_run(&self.program, &source)),
            Err(problem) => Err(HostError::new(problem.to_string())),
        }
    }
}

/// How a container is started.
pub struct StartContainer {
    pub arguments: Vec<OsString>,
    pub environment: BTreeMap<String, OsString>,
    /// What the client says is written here: whoever keeps the container may keep a pipe open.
    pub said: PathBuf,
    pub within: Duration,
}

impl StartContainer {
    fn execute(&self, program: &Path) -> Result<(), HostError> {
        let what = format!("{} run", program.display());
        let outside = |problem: io::Error| HostError::new(format!("`{what}`: {problem}"));
        let said = File::create(&self.said).map_err(outside)?;
        let mut client = Command::new(program)
            .args(&self.arguments)
            .envs(&self.environment)
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(said)
            .spawn()
            .map_err(|problem| not_run(program, &problem))?;
        let until = Instant::now() + self.within;
        loop {
            if let Some(status) = client.try_wait().map_err(outside)? {
                if status.success() {
                    return Ok(());
                }
                let said = std::fs::read_to_string(&self.said).unwrap_or_default();
                return Err(failed(&what, status.code().unwrap_or(-1), &said));
            }
            if Instant::now() > until {
                // It may have ended this moment.
                let _ = client.kill();
                let _ = client.wait();
                return Err(silent(&what));
            }
            std::thread::sleep(LOOK_AGAIN);
        }
    }
}

fn failed(what: &str, code: i32, said: &str) -> HostError {
    let said: String = said.trim().chars().take(MOST_CHARACTERS).collect();
    HostError::new(format!("`{what}` failed with exit code {code}: {said}"))
}

fn silent(what: &str) -> HostError {
    HostError::new(format!("`{what}` does not answer"))
        .with_hint("Is the container engine running?")
}

fn not_run(program: &Path, problem: &io::Error) -> HostError {
    let program = program.display();
    if problem.kind() == io::ErrorKind::NotFound {
        let hint = "Install Docker or Podman, or set `program` under [runtimes.docker].";
        return HostError::new(format!("`{program}` is not installed")).with_hint(hint);
    }
    HostError::new(format!("`{program}` cannot be run: {problem}"))
}

/// What a client says.
#[derive(Default)]
struct Captured(Mutex<[Vec<u8>; 2]>);

impl Captured {
    fn texts(&self) -> [String; 2] {
        let captured = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        captured
            .each_ref()
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }
}

impl OutputSink for Captured {
    fn write(&self, stream: Stream, bytes: &[u8]) {
        let mut captured = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = &mut captured[usize::from(stream == Stream::Stderr)];
        let room = MOST_BYTES.saturating_sub(own.len());
        own.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}
