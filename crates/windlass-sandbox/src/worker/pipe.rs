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

/// The same pipe, only to see whether someone is at the other end.
pub struct Watched(OwnedFd);

impl Pipe {
    /// Takes standard input as the pipe, and leaves nothing else open that could be mistaken for
    /// it: the engine writes to standard output on some occasions.
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

    /// For the thread that watches.
    pub fn try_clone(&self) -> io::Result<Watched> {
        Ok(Watched(self.file.try_clone()?.into()))
    }

    /// Its descriptor.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Says something.
    pub fn send(&self, message: &FromWorker) -> io::Result<()> {
        (&self.file).write_all(&message.encode())
    }

    /// What the host says next: nothing if the deadline comes first. It is an error if the host has
    /// gone.
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
        // An interrupted wait is tried again by whoever waits.
        rustix::event::poll(&mut wanted, timeout.as_ref()).is_ok_and(|ready| ready > 0)
    }
}

impl Watched {
    /// Returns when nobody is at the other end.
    pub fn wait_for_hangup(&self) -> io::Result<()> {
        loop {
            // A hangup is told without being asked for, and nothing else is.
            let mut watched = [PollFd::new(&self.0, PollFlags::empty())];
            match rustix::event::poll(&mut watched, None) {
                Ok(_) => return Ok(()),
                Err(rustix::io::Errno::INTR) => {}
                Err(problem) => return Err(problem.into()),
            }
        }
    }
}
