//! A worker's process and the pipe to it.

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::Duration;

use tokio::net::UnixStream;
use tokio::process::{Child, Command};

use super::WorkerCommand;
use crate::limits::MAX_UNSENT_BYTES;
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
    socket: UnixStream,
    frames: Frames,
    /// Messages that are not sent yet.
    unsent: VecDeque<Vec<u8>>,
    unsent_bytes: usize,
    /// How much of the first of them is sent.
    sent: usize,
    /// Whether it is jailed; known once it has reported that it is ready.
    jailed: Option<bool>,
}

impl Worker {
    /// Starts a worker and queues `setup` for it.
    pub fn start(command: &WorkerCommand, setup: &[u8]) -> io::Result<Self> {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
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
        Ok(Self {
            process,
            socket: UnixStream::from_std(ours)?,
            frames: Frames::default(),
            unsent: VecDeque::from([setup.to_vec()]),
            unsent_bytes: setup.len(),
            sent: 0,
            jailed: None,
        })
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
        let message =
            tokio::time::timeout(START_TIMEOUT, self.receive(Receiving::Enabled)).await??;
        let Some(FromWorker::Ready { jailed }) = message else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        self.jailed = Some(jailed);
        Ok(jailed)
    }

    /// Queues a message, which is sent while [`receive`](Self::receive) runs.
    pub fn queue(&mut self, message: &ToWorker) {
        let message = message.encode();
        self.unsent_bytes += message.len();
        self.unsent.push_back(message);
    }

    /// Whether so much waits to be sent that nothing should be added.
    pub fn is_full(&self) -> bool {
        self.unsent_bytes >= MAX_UNSENT_BYTES
    }

    /// Whether it did not read what it was sent for its last script.
    pub fn has_unread(&self) -> bool {
        self.unsent_bytes > MAX_UNREAD_BYTES
    }

    /// Receives the next message, and sends queued messages meanwhile. `None` if the queue is no
    /// longer full. Nothing is lost if the future is dropped.
    pub async fn receive(&mut self, receiving: Receiving) -> io::Result<Option<FromWorker>> {
        let is_enabled = receiving == Receiving::Enabled;
        loop {
            if is_enabled && let Some(message) = self.buffered_message()? {
                return Ok(Some(message));
            }
            tokio::select! {
                readable = self.socket.readable(), if is_enabled => {
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
                    let was_full = self.is_full();
                    self.send_some();
                    if was_full && !self.is_full() {
                        return Ok(None);
                    }
                }
                else => std::future::pending().await,
            }
        }
    }

    /// The next message that is already buffered.
    fn buffered_message(&mut self) -> io::Result<Option<FromWorker>> {
        let frame = self.frames.next().map_err(|_| io::ErrorKind::InvalidData)?;
        let message = frame.map(|frame| {
            FromWorker::decode(&frame).ok_or_else(|| io::ErrorKind::InvalidData.into())
        });
        message.transpose()
    }

    fn send_some(&mut self) {
        let Some(first) = self.unsent.front() else {
            return;
        };
        let length = first.len();
        match self.socket.try_write(&first[self.sent..]) {
            Ok(count) => {
                self.sent += count;
                self.unsent_bytes -= count;
            }
            Err(problem) if problem.kind() == io::ErrorKind::WouldBlock => {}
            // It no longer reads; messages that it sent before must still be received.
            Err(_) => {
                self.unsent.clear();
                self.unsent_bytes = 0;
                self.sent = 0;
                return;
            }
        }
        if self.sent == length {
            self.unsent.pop_front();
            self.sent = 0;
        }
    }

    /// Why a worker cannot be used any more.
    pub async fn exit_reason(mut self, problem: &io::Error) -> String {
        if problem.kind() == io::ErrorKind::InvalidData {
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
