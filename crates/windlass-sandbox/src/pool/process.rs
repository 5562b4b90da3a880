//! A worker's process and the pipe to it.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::Duration;

use tokio::net::UnixStream;
use tokio::process::{Child, Command};

use super::WorkerCommand;
use crate::wire::{Frames, FromWorker, ToWorker};

/// How long a new worker may take to be ready on a machine that has much else to do.
const START: Duration = Duration::from_secs(20);

/// How long a worker whose pipe is closed may take to end, before it is not waited for.
const LEAVE: Duration = Duration::from_secs(1);

/// Whether a worker is listened to, or only spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attention {
    Full,
    OnlySpeak,
}

/// A worker. Dropping it kills it.
pub struct Worker {
    process: Child,
    socket: UnixStream,
    frames: Frames,
    /// What is still to be said.
    unsent: Vec<u8>,
    /// Whether it is jailed, once it has said that it is ready.
    jailed: Option<bool>,
}

impl Worker {
    /// Starts one and tells it `setup`.
    pub fn start(command: &WorkerCommand, setup: &[u8]) -> io::Result<Self> {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        // It gets nothing of the host's surroundings: no variables, no folder, no terminal.
        let process = Command::new(&command.program)
            .args(&command.args)
            .env_clear()
            .env("TZ", "UTC")
            .current_dir("/")
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        Ok(Self {
            process,
            socket: UnixStream::from_std(ours)?,
            frames: Frames::default(),
            unsent: setup.to_vec(),
            jailed: None,
        })
    }

    /// Its number.
    pub fn pid(&self) -> Option<u32> {
        self.process.id()
    }

    /// Whether it has not ended.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }

    /// Waits until it can take a script, and says whether it is jailed.
    pub async fn ready(&mut self) -> io::Result<bool> {
        if let Some(jailed) = self.jailed {
            return Ok(jailed);
        }
        let message = tokio::time::timeout(START, self.hear(Attention::Full)).await??;
        let FromWorker::Ready { jailed } = message else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        self.jailed = Some(jailed);
        Ok(jailed)
    }

    /// Will say something while it is listened to.
    pub fn say(&mut self, message: &ToWorker) {
        self.unsent.extend_from_slice(&message.encode());
    }

    /// What it says next, and says meanwhile what is to be said. Nothing is lost where this is
    /// dropped while it waits.
    pub async fn hear(&mut self, attention: Attention) -> io::Result<FromWorker> {
        let listens = attention == Attention::Full;
        loop {
            if listens && let Some(message) = self.heard()? {
                return Ok(message);
            }
            tokio::select! {
                readable = self.socket.readable(), if listens => {
                    readable?;
                    match self.socket.try_read_buf(self.frames.room()) {
                        Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                        Ok(_) => {}
                        Err(problem) if problem.kind() == io::ErrorKind::WouldBlock => {}
                        Err(problem) => return Err(problem),
                    }
                }
                writable = self.socket.writable(), if !self.unsent.is_empty() => {
                    writable?;
                    self.send_some();
                }
                else => std::future::pending().await,
            }
        }
    }

    /// What has come already.
    fn heard(&mut self) -> io::Result<Option<FromWorker>> {
        let frame = self.frames.next().map_err(|_| io::ErrorKind::InvalidData)?;
        let message = frame.map(|frame| {
            FromWorker::decode(&frame).ok_or_else(|| io::ErrorKind::InvalidData.into())
        });
        message.transpose()
    }

    fn send_some(&mut self) {
        match self.socket.try_write(&self.unsent) {
            Ok(count) => drop(self.unsent.drain(..count)),
            Err(problem) if problem.kind() == io::ErrorKind::WouldBlock => {}
            // It does not listen any more; what it said before it went is still to be heard.
            Err(_) => self.unsent.clear(),
        }
    }

    /// What became of a worker that is of no more use.
    pub async fn fate(mut self, problem: &io::Error) -> String {
        if problem.kind() == io::ErrorKind::InvalidData {
            return "it said something that has no meaning".to_owned();
        }
        match tokio::time::timeout(LEAVE, self.process.wait()).await {
            Ok(Ok(status)) => match (status.signal(), status.code()) {
                (Some(signal), _) => format!("it was ended by signal {signal}"),
                (None, Some(code)) => format!("it ended with code {code}"),
                (None, None) => "it ended".to_owned(),
            },
            _ => format!("it does not answer: {problem}"),
        }
    }
}
