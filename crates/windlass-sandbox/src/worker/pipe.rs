//! The worker's end of the pipe.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};

use crate::spin::{self, Spin};
use crate::wire::{Frames, FromWorker, ToWorker};

/// The pipe to the host.
pub struct Pipe {
    file: File,
    frames: RefCell<Frames>,
    unsent: RefCell<Vec<u8>>,
    /// Whether anything was sent since the host was last waited for.
    has_sent: Cell<bool>,
    /// While a script waits for its calls.
    calls: Spin,
    /// While nothing runs.
    idle: Spin,
}

/// As much is sent without waiting for more.
const SEND_FROM: usize = 16 * 1024;

/// How long to look for a result before sleeping: what most calls take.
const SPIN: Duration = Duration::from_micros(60);

const NO_TIME: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 0,
};

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
        rustix::io::ioctl_fionbio(&pipe, true)?;
        spin::prepare();
        Ok(Self {
            file: pipe.into(),
            frames: RefCell::default(),
            unsent: RefCell::default(),
            has_sent: Cell::new(false),
            calls: Spin::default(),
            idle: Spin::default(),
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

    /// Sends a message at once if it is the first since the host was waited for, so that the host can
    /// begin; what follows is sent together by [`flush`](Self::flush).
    pub fn send(&self, message: &FromWorker) -> io::Result<()> {
        let mut unsent = self.unsent.borrow_mut();
        message.encode(&mut unsent);
        if self.has_sent.replace(true) && unsent.len() < SEND_FROM {
            return Ok(());
        }
        self.write(&mut unsent)
    }

    /// Sends what waits to be sent.
    pub fn flush(&self) -> io::Result<()> {
        self.write(&mut self.unsent.borrow_mut())
    }

    fn write(&self, unsent: &mut Vec<u8>) -> io::Result<()> {
        let mut rest = unsent.as_slice();
        while !rest.is_empty() {
            match (&self.file).write(rest) {
                Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                Err(problem) if problem.kind() == io::ErrorKind::Interrupted => {}
                Err(problem) if problem.kind() == io::ErrorKind::WouldBlock => {
                    self.wait_for(PollFlags::OUT, None);
                }
                Err(problem) => return Err(problem),
            }
        }
        unsent.clear();
        unsent.shrink_to(2 * SEND_FROM);
        Ok(())
    }

    /// Receives the next message of the host, or `None` if the deadline is reached first. It is an
    /// error if the host has exited.
    pub fn receive(&self, deadline: Option<Instant>) -> io::Result<Option<ToWorker>> {
        self.flush()?;
        let spin = match deadline {
            Some(_) => &self.calls,
            None => &self.idle,
        };
        loop {
            let mut frames = self.frames.borrow_mut();
            if let Some(frame) = frames.next().map_err(|_| io::ErrorKind::InvalidData)? {
                let message = ToWorker::decode(frame).ok_or(io::ErrorKind::InvalidData)?;
                return Ok(Some(message));
            }
            self.has_sent.set(false);
            let mut look = || match frames.read_from(&self.file) {
                Ok(0) => Some(Err(io::ErrorKind::UnexpectedEof.into())),
                Err(problem) if problem.kind() == io::ErrorKind::WouldBlock => None,
                Err(problem) if problem.kind() == io::ErrorKind::Interrupted => None,
                other => Some(other),
            };
            match look().or_else(|| spin.until(SPIN, look)) {
                Some(received) => drop(received?),
                None if self.wait_for(PollFlags::IN, deadline) => {}
                None => return Ok(None),
            }
        }
    }

    /// Sleeps until the pipe can be used, and returns whether that is before the deadline.
    fn wait_for(&self, use_of_it: PollFlags, deadline: Option<Instant>) -> bool {
        let timeout = deadline.map(|deadline| {
            let left = deadline.saturating_duration_since(Instant::now());
            Timespec::try_from(left).unwrap_or(NO_TIME)
        });
        let mut wanted = [PollFd::new(&self.file, use_of_it)];
        // The caller retries after an interrupted wait.
        rustix::event::poll(&mut wanted, timeout.as_ref()).map_or(true, |ready| ready > 0)
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
