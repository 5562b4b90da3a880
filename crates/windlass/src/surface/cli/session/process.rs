//! The process of a client.
//!
//! A client that works by itself runs under the supervisor: its whole tree ends with it, with the
//! launcher however that ends, and when it is stopped. A client that a person uses needs the
//! terminal, so it is started like any program of a shell.

use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal as Kill, kill_process};
use tokio::sync::watch;
use windlass_core::{Error, ErrorKind, Result};
use windlass_process::{JobHandle, JobState, OutputSink, ReadOptions, Spec, Supervisor};

use super::client::Client;
use crate::surface::os;

/// How long a client may take to end.
const GRACE: Duration = Duration::from_secs(5);

/// How a client ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientExit {
    pub code: Option<i32>,
    pub signal: Option<i32>,
}

impl ClientExit {
    pub fn succeeded(self) -> bool {
        self.code == Some(0)
    }

    pub fn words(self) -> String {
        match (self.code, self.signal) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "no exit code".to_owned(),
        }
    }
}

pub enum ClientProcess {
    OnTerminal {
        pid: Pid,
        exit: watch::Receiver<Option<ClientExit>>,
    },
    Supervised(JobHandle),
}

/// Where and with what a client is started.
pub struct Start<'a> {
    pub client: &'a Client,
    pub folder: &'a Path,
    pub env: Vec<(&'static str, String)>,
}

impl ClientProcess {
    /// Starts a client that a person uses at the terminal.
    pub fn on_terminal(start: &Start<'_>) -> Result<Self> {
        os::keep_orphans();
        let mut child = Command::new(&start.client.program)
            .args(&start.client.args)
            .envs(start.env.iter().map(|(name, value)| (*name, value)))
            .current_dir(start.folder)
            .stdin(Stdio::inherit())
            .spawn()
            .map_err(|problem| cannot_start(&start.client.program, &problem))?;
        let pid = Pid::from_child(&child);
        let (sender, exit) = watch::channel(None);
        std::thread::spawn(move || {
            let ended = child.wait().map_or_else(|_| lost(), exit_of);
            let _ = sender.send(Some(ended));
        });
        Ok(Self::OnTerminal { pid, exit })
    }

    /// Starts a client that works by itself.
    pub async fn supervised(
        start: &Start<'_>,
        supervisor: &Supervisor,
        sink: Arc<dyn OutputSink>,
    ) -> Result<Self> {
        let mut spec = Spec::new(&start.client.program, start.folder)
            .args(&start.client.args)
            .output_to(sink);
        for (name, value) in &start.env {
            spec = spec.env(*name, value);
        }
        let job = supervisor.start(spec).await;
        job.map(Self::Supervised)
            .map_err(|problem| cannot_start(&start.client.program, &problem))
    }

    pub async fn exit(&self) -> ClientExit {
        match self {
            Self::OnTerminal { exit, .. } => {
                let mut exit = exit.clone();
                let ended = exit.wait_for(Option::is_some).await;
                ended.ok().and_then(|ended| *ended).unwrap_or_else(lost)
            }
            Self::Supervised(job) => match job.wait_exit(None).await {
                Some(JobState::Exited(code)) => ClientExit {
                    code: Some(code),
                    signal: None,
                },
                Some(JobState::Signaled(signal)) => ClientExit {
                    code: None,
                    signal: Some(signal),
                },
                _ => lost(),
            },
        }
    }

    /// Ends the client and everything that it started.
    pub async fn stop(&self) {
        match self {
            Self::OnTerminal { pid, .. } => {
                // It may have just ended.
                let _ = kill_process(*pid, Kill::TERM);
                if tokio::time::timeout(GRACE, self.exit()).await.is_err() {
                    let _ = kill_process(*pid, Kill::KILL);
                }
            }
            // What cannot be killed is reported by the kernel's own means; there is nothing to add.
            Self::Supervised(job) => drop(job.stop(GRACE).await),
        }
    }

    /// The last lines of its output, if it did not go to a terminal.
    pub fn last_lines(&self, lines: usize) -> Vec<String> {
        match self {
            Self::OnTerminal { .. } => Vec::new(),
            Self::Supervised(job) => {
                let tail = job.tail(lines, &ReadOptions::default());
                let lines = tail.lines.into_iter().map(|line| line.text);
                lines.filter(|line| !line.trim().is_empty()).collect()
            }
        }
    }
}

fn exit_of(status: ExitStatus) -> ClientExit {
    use std::os::unix::process::ExitStatusExt as _;
    ClientExit {
        code: status.code(),
        signal: status.signal(),
    }
}

fn lost() -> ClientExit {
    ClientExit {
        code: None,
        signal: None,
    }
}

fn cannot_start(program: &str, problem: &dyn std::fmt::Display) -> Error {
    Error::new(
        ErrorKind::StartFailed,
        format!("{program} cannot be started: {problem}"),
    )
    .with_hint("Is the client installed and on PATH?")
}
