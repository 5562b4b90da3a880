//! A worker's process and the pipe to it.
//!
//! The pipe is read and written directly. The runtime watches it only while there is nothing to do:
//! it would wake a thread for each message otherwise.

use std::io::{self, ErrorKind, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::Interest;
use tokio::process::{Child, Command};

use super::WorkerCommand;
use super::unsent::Unsent;
use crate::wire::{Frames, FromWorker, ToWorker};

/// How long a new worker may take to be ready on a busy machine.
const START_TIMEOUT: Duration = Duration::from_secs(20);

/// How long to wait for the exit of a worker whose pipe is closed.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);

/// A worker that has left more than this unread is not worth keeping.
const MAX_UNREAD_BYTES: usize = 1024 * 1024;

/// Whether messages of a worker are received, or only sent to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiving {
    Enabled,
    Paused,
}

/// A worker. Dropping it kills it.
pub struct Worker {
    process: Child,
    pipe: UnixStream,
    frames: Frames,
    unsent: Unsent,
    /// Whether it is jailed; known once it has reported that it is ready.
    jailed: Option<bool>,
}

impl Worker {
    /// Starts a worker and queues `setup` for it.
    pub fn start(command: &WorkerCommand, setup: &ToWorker) -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        // It inherits nothing from the host: no variables, no folder, no terminal.
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
        let mut worker = Self {
            process,
            pipe: ours,
            frames: Frames::default(),
            unsent: Unsent::default(),
            jailed: None,
        };
        // So that it can prepare before anybody waits for it.
        worker.queue(setup);
        worker.send();
        Ok(worker)
    }

    /// Its process id.
    pub fn pid(&self) -> Option<u32> {
        self.process.id()
    }

    /// Whether its process is running.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }

    /// Waits until it can run a script, and returns whether it is jailed.
    pub async fn ready(&mut self) -> io::Result<bool> {
        if let Some(jailed) = self.jailed {
            return Ok(jailed);
        }
        let message = tokio::time::timeout(START_TIMEOUT, self.first_message()).await??;
        let FromWorker::Ready { jailed } = message else {
            return Err(ErrorKind::InvalidData.into());
        };
        self.jailed = Some(jailed);
        Ok(jailed)
    }

    async fn first_message(&mut self) -> io::Result<FromWorker> {
        loop {
            self.send();
            if let Some(message) = self.message()? {
                return Ok(message);
            }
            if !self.receive()? {
                self.changed(Receiving::Enabled).await?;
            }
        }
    }

    /// Queues a message; [`send`](Self::send) sends it.
    pub fn queue(&mut self, message: &ToWorker) {
        self.unsent.push(message);
    }

    /// Sends as much as the pipe takes now.
    pub fn send(&mut self) {
        self.unsent.write_to(|bytes| (&self.pipe).write(bytes));
    }

    /// Whether so much waits to be sent that nothing should be added.
    pub fn is_full(&self) -> bool {
        self.unsent.is_full()
    }

    /// Whether anything waits to be sent.
    pub fn has_unsent(&self) -> bool {
        !self.unsent.is_empty()
    }

    /// Whether it did not read what it was sent for its last script.
    pub fn has_unread(&self) -> bool {
        self.unsent.len() > MAX_UNREAD_BYTES
    }

    /// The next message that was received.
    pub fn message(&mut self) -> io::Result<Option<FromWorker>> {
        let frame = self.frames.next().map_err(|_| ErrorKind::InvalidData)?;
        let message =
            frame.map(|frame| FromWorker::decode(frame).ok_or(ErrorKind::InvalidData.into()));
        message.transpose()
    }

    /// Receives what is in the pipe now, and returns whether there was anything.
    pub fn receive(&mut self) -> io::Result<bool> {
        match self.frames.read_from(&self.pipe) {
            Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
            Ok(_) => Ok(true),
            Err(problem) if problem.kind() == ErrorKind::WouldBlock => Ok(false),
            Err(problem) if problem.kind() == ErrorKind::Interrupted => Ok(false),
            Err(problem) => Err(problem),
        }
    }

    /// Sleeps until there is something to receive, or the pipe takes more of what is to be sent.
    pub async fn changed(&self, receiving: Receiving) -> io::Result<()> {
        let interest = match (receiving, self.unsent.is_empty()) {
            (Receiving::Enabled, true) => Interest::READABLE,
            (Receiving::Enabled, false) => Interest::READABLE | Interest::WRITABLE,
            (Receiving::Paused, false) => Interest::WRITABLE,
            (Receiving::Paused, true) => std::future::pending().await,
        };
        let watched = tokio::net::UnixStream::from_std(self.pipe.try_clone()?)?;
        watched.ready(interest).await.map(drop)
    }

    /// Why a worker cannot be used any more.
    pub async fn exit_reason(mut self, problem: &io::Error) -> String {
        if problem.kind() == ErrorKind::InvalidData {
            return "it sent an invalid message".to_owned();
        }
        match tokio::time::timeout(EXIT_TIMEOUT, self.process.wait()).await {
            Ok(Ok(status)) => match (status.signal(), status.code()) {
                (Some(signal), _) => format!("it was killed by signal {signal}"),
                (None, Some(code)) => format!("it exited with code {code}"),
                (None, None) => "it exited".to_owned(),
            },
            _ => format!("it does not respond: {problem}"),
        }
    }
}
