//! Reads one pipe of a job as fast as it is written to, with a constant amount of memory.

use std::cell::RefCell;
use std::io::{self, PipeReader};

use tokio::net::unix::pipe::Receiver;

use crate::os;
use crate::output::Stream;
use crate::output::text::incomplete_suffix;

/// The size of one read.
const READ_BYTES: usize = 256 * 1024;

/// If a read returns this much, the writer had to wait, and a larger pipe helps.
const PIPE_WAS_FULL: usize = 60 * 1024;

thread_local! {
    /// Only one read runs at a time on a thread, so all jobs share a buffer.
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BYTES + 4]);
}

/// The read end of a pipe.
pub struct Pump {
    stream: Stream,
    pipe: Receiver,
    /// The beginning of a character whose rest has not arrived.
    held: Vec<u8>,
    is_large: bool,
}

/// Whether more output can arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum More {
    /// The pipe is open.
    Maybe,
    /// All writers have closed it.
    No,
}

impl Pump {
    /// Reads from `pipe`.
    pub fn new(stream: Stream, pipe: PipeReader) -> io::Result<Self> {
        Ok(Self {
            stream,
            pipe: Receiver::from_owned_fd(pipe.into())?,
            held: Vec::new(),
            is_large: false,
        })
    }

    /// Waits until there is something to read. Cancel-safe.
    pub async fn ready(&self) {
        // A pipe that cannot be waited for fails in the read as well, which ends the pump.
        let _ = self.pipe.readable().await;
    }

    /// Reads once and passes the bytes to `take`, up to the last whole character.
    pub fn read(&mut self, take: &mut impl FnMut(Stream, &[u8])) -> More {
        match self.read_upto(READ_BYTES, take) {
            Ok(0) => {
                self.flush(take);
                More::No
            }
            Ok(count) => {
                if count >= PIPE_WAS_FULL && !self.is_large {
                    self.is_large = true;
                    os::enlarge(&self.pipe);
                }
                More::Maybe
            }
            Err(problem) if is_transient(&problem) => More::Maybe,
            Err(_) => {
                self.flush(take);
                More::No
            }
        }
    }

    /// Reads what is in the pipe now, without waiting: the job has ended, and what a background
    /// process writes later does not belong to it.
    pub fn drain(&mut self, take: &mut impl FnMut(Stream, &[u8])) {
        let mut left = rustix::io::ioctl_fionread(&self.pipe)
            .ok()
            .and_then(|left| left.try_into().ok())
            .unwrap_or(0_usize);
        while left > 0 {
            match self.read_now(left.min(READ_BYTES), take) {
                Ok(0) | Err(_) => break,
                Ok(count) => left = left.saturating_sub(count),
            }
        }
        self.flush(take);
    }

    fn read_upto(
        &mut self,
        most: usize,
        take: &mut impl FnMut(Stream, &[u8]),
    ) -> io::Result<usize> {
        let Self {
            stream, pipe, held, ..
        } = self;
        BUFFER.with_borrow_mut(|buffer| {
            let room = held.len()..held.len() + most;
            pipe.try_read(&mut buffer[room])
                .inspect(|count| pass_on(*stream, held, buffer, *count, take))
        })
    }

    /// Like [`read_upto`](Self::read_upto), but reads the pipe directly: the readiness known from
    /// events may be outdated.
    fn read_now(&mut self, most: usize, take: &mut impl FnMut(Stream, &[u8])) -> io::Result<usize> {
        let Self {
            stream, pipe, held, ..
        } = self;
        BUFFER.with_borrow_mut(|buffer| {
            let room = held.len()..held.len() + most;
            let count =
                rustix::io::retry_on_intr(|| rustix::io::read(&*pipe, &mut buffer[room.clone()]))?;
            pass_on(*stream, held, buffer, count, take);
            Ok(count)
        })
    }

    /// Passes on held bytes that can no longer become a whole character.
    fn flush(&mut self, take: &mut impl FnMut(Stream, &[u8])) {
        let held = std::mem::take(&mut self.held);
        if !held.is_empty() {
            take(self.stream, &held);
        }
    }
}

/// Passes on what was held and read, up to the last whole character; the rest is held.
fn pass_on(
    stream: Stream,
    held: &mut Vec<u8>,
    buffer: &mut [u8],
    count: usize,
    take: &mut impl FnMut(Stream, &[u8]),
) {
    if count == 0 {
        return;
    }
    buffer[..held.len()].copy_from_slice(held);
    let all = &buffer[..held.len() + count];
    let (whole, rest) = all.split_at(all.len() - incomplete_suffix(all));
    held.clear();
    held.extend_from_slice(rest);
    if !whole.is_empty() {
        take(stream, whole);
    }
}

fn is_transient(problem: &io::Error) -> bool {
    problem.kind() == io::ErrorKind::WouldBlock
}
