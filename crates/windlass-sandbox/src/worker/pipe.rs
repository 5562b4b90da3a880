//! The worker's end of the pipe.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec};

use crate::wire::{Frames, FromWorker, ToWorker};

/// The pipe to the host.
pub struct Pipe {
    file: File,
    frames: RefCell<Frames>,
}

/// The same pipe, used only to detect that the host has closed its end.
pub struct HangupWatch(OwnedFd);

impl Pipe {
    /// Takes over standard input as the pipe, and redirects the standard streams, because the
    /// engine sometimes writes to standard output.
    pub fn open() -> io::Result<Self> {
        let pipe = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
        let nothing = File::open("/dev/null")?;
        rustix::stdio::dup2_stdin(&nothing)?;
        rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
        Ok(Self {
            file: pipe.into(),
            frames: RefCell::default(),
        })
    }

    /// A clone for the thread that watches.
    pub fn try_clone(&self) -> io::Result<HangupWatch> {
        Ok(HangupWatch(self.file.try_clone()?.into()))
    }

    /// Its file descriptor.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Sends a message.
    pub fn send(&self, message: &FromWorker) -> io::Result<()> {
        (&self.file).write_all(&message.encode())
    }

    /// Receives the next message of the host, or `None` if the deadline is reached first. It is an
    /// error if the host has exited.
    pub fn receive(&self, deadline: Option<Instant>) -> io::Result<Option<ToWorker>> {
        let mut bytes = [0; 8 * 1024];
        loop {
            let frame = self.frames.borrow_mut().next();
            if let Some(frame) = frame.map_err(|_| io::ErrorKind::InvalidData)? {
                let message = ToWorker::decode(&frame).ok_or(io::ErrorKind::InvalidData)?;
                return Ok(Some(message));
            }
            if deadline.is_some_and(|deadline| !self.is_readable_by(deadline)) {
                return Ok(None);
            }
            match (&self.file).read(&mut bytes) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.frames.borrow_mut().push(&bytes[..count]),
                Err(problem) if problem.kind() == io::ErrorKind::Interrupted => {}
                Err(problem) => return Err(problem),
            }
        }
    }

    fn is_readable_by(&self, deadline: Instant) -> bool {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(left).ok();
        let mut wanted = [PollFd::new(&self.file, PollFlags::IN)];
        // The caller retries after an interrupted wait.
        rustix::event::poll(&mut wanted, timeout.as_ref()).is_ok_and(|ready| ready > 0)
    }
}

impl HangupWatch {
    /// Returns when the host has closed its end.
    pub fn wait_for_hangup(&self) -> io::Result<()> {
        loop {
            // A hangup is always reported; no other event is requested.
            let mut watched = [PollFd::new(&self.0, PollFlags::empty())];
            match rustix::event::poll(&mut watched, None) {
                Ok(_) => return Ok(()),
                Err(rustix::io::Errno::INTR) => {}
                Err(problem) => return Err(problem.into()),
            }
        }
    }
}
