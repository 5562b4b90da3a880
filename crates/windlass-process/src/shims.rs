//! The server's side of the shims: starting them, communicating with them, and keeping a few for
//! reuse.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::process::Stdio;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage};
use tokio::io::{AsyncWriteExt, Interest};
use tokio::net::UnixStream;
use tokio::process::{Child, Command};

use crate::marks::Mark;
use crate::os::NO_SIGNAL;
use crate::spec::ShimCommand;
use crate::wire::{Frames, Report, Request};

/// How many shims without a job are kept. A ready one saves the start of a process, and jobs
/// usually run one after another.
const MAX_IDLE: usize = 2;

/// How long a shim without a job may take to exit.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);

/// A shim and its control socket. Dropping it makes the shim stop its job and exit.
#[derive(Debug)]
pub struct Shim {
    socket: UnixStream,
    frames: Frames,
    /// Kept only so that it is reaped.
    process: Child,
    /// The mark of its last job, or from before the first.
    mark: Option<Mark>,
}

impl Shim {
    fn start(command: &ShimCommand) -> io::Result<Self> {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        // No hook runs between fork and exec: that would copy the page tables of the whole server.
        let process = Command::new(&command.program)
            .args(&command.args)
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self {
            socket: UnixStream::from_std(ours)?,
            frames: Frames::default(),
            mark: process.id().and_then(Mark::of_shim),
            process,
        })
    }

    /// The mark of the next job.
    pub fn mark_next(&mut self) -> Option<Mark> {
        self.mark = self.mark.map(Mark::next);
        self.mark
    }

    /// The mark of the job that it has.
    pub fn mark(&self) -> Option<Mark> {
        self.mark
    }

    /// Its pid.
    pub fn pid(&self) -> Option<i32> {
        self.process.id().and_then(|pid| pid.try_into().ok())
    }

    /// Sends `request`.
    pub async fn send(&mut self, request: &Request) -> io::Result<()> {
        self.socket.write_all(&request.encode()).await
    }

    /// Sends `request` with `descriptors`.
    pub async fn send_with(
        &mut self,
        request: &Request,
        descriptors: &[OwnedFd; 4],
    ) -> io::Result<()> {
        let frame = request.encode();
        let sent = self
            .socket
            .async_io(Interest::WRITABLE, || {
                let borrowed = descriptors.each_ref().map(AsFd::as_fd);
                let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
                let mut ancillary = SendAncillaryBuffer::new(&mut space);
                ancillary.push(SendAncillaryMessage::ScmRights(&borrowed));
                let slices = [IoSlice::new(&frame)];
                Ok(rustix::net::sendmsg(
                    &self.socket,
                    &slices,
                    &mut ancillary,
                    NO_SIGNAL,
                )?)
            })
            .await?;
        self.socket.write_all(&frame[sent..]).await
    }

    /// The next report of the shim. Cancel-safe.
    pub async fn receive(&mut self) -> io::Result<Report> {
        loop {
            if let Some(frame) = self.frames.next() {
                return Report::decode(&frame).ok_or_else(|| io::ErrorKind::InvalidData.into());
            }
            self.socket.readable().await?;
            let mut bytes = [0; 256];
            match self.socket.try_read(&mut bytes) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.frames.push(&bytes[..count]),
                Err(problem) if problem.kind() == io::ErrorKind::WouldBlock => {}
                Err(problem) => return Err(problem),
            }
        }
    }
}

/// Shims without a job.
#[derive(Debug)]
pub struct Shims {
    command: ShimCommand,
    /// `None` once closed.
    idle: Mutex<Option<Vec<Shim>>>,
}

impl Shims {
    /// Without shims.
    pub fn new(command: ShimCommand) -> Self {
        Self {
            command,
            idle: Mutex::new(Some(Vec::new())),
        }
    }

    fn idle(&self) -> MutexGuard<'_, Option<Vec<Shim>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An idle shim, if there is one.
    pub fn take(&self) -> Option<Shim> {
        self.idle().as_mut()?.pop()
    }

    /// Starts a new one.
    pub fn start(&self) -> io::Result<Shim> {
        Shim::start(&self.command)
    }

    /// Takes back a shim whose tree has exited, or drops it.
    pub fn give_back(&self, shim: Shim) {
        if let Some(idle) = self.idle().as_mut()
            && idle.len() < MAX_IDLE
        {
            idle.push(shim);
        }
    }

    /// Drops all of them, and returns when they have exited.
    pub async fn close(&self) {
        let idle = self.idle().take();
        for shim in idle.into_iter().flatten() {
            let Shim {
                socket,
                mut process,
                ..
            } = shim;
            drop(socket);
            // It has nothing left to do, so this takes no time; otherwise it is reaped later.
            let _ = tokio::time::timeout(EXIT_TIMEOUT, process.wait()).await;
        }
    }
}
