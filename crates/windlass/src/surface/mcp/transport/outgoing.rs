//! The output: messages in the order in which they were sent, one write each.
//!
//! A message is written immediately if the pipe has room, which is nearly always, so that a
//! response needs no extra task. If the pipe is full, the first sender becomes the one future that
//! waits; later messages queue behind it.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use tokio::io::AsyncWrite;

/// A buffer that grew beyond this for one long response is released.
const KEEP: usize = 1024 * 1024;

pub struct Outgoing<W>(Arc<Mutex<Pipe<W>>>);

impl<W> Clone for Outgoing<W> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

struct Pipe<W> {
    /// `None` once closed.
    writer: Option<W>,
    buffer: Vec<u8>,
    written: usize,
    /// Whether a [`Drain`] waits for the pipe. Only it may poll then, or its wake-up would be lost.
    draining: bool,
}

/// The state of a message.
pub enum Sending<W: AsyncWrite + Unpin> {
    Done(io::Result<()>),
    Waiting(Drain<W>),
}

impl<W: AsyncWrite + Unpin> Sending<W> {
    pub async fn finish(self) -> io::Result<()> {
        match self {
            Self::Done(result) => result,
            Self::Waiting(drain) => drain.await,
        }
    }
}

impl<W: AsyncWrite + Unpin> Outgoing<W> {
    pub fn new(writer: W) -> Self {
        Self(Arc::new(Mutex::new(Pipe {
            writer: Some(writer),
            buffer: Vec::new(),
            written: 0,
            draining: false,
        })))
    }

    /// Whether messages wait for the pipe.
    pub fn is_full(&self) -> bool {
        lock(&self.0).draining
    }

    /// Sends one line. `encode` writes it without its line end.
    pub fn send(&self, encode: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> Sending<W> {
        let mut pipe = lock(&self.0);
        if pipe.writer.is_none() {
            return Sending::Done(Err(io::ErrorKind::NotConnected.into()));
        }
        let before = pipe.buffer.len();
        if let Err(problem) = encode(&mut pipe.buffer) {
            pipe.buffer.truncate(before);
            return Sending::Done(Err(problem));
        }
        pipe.buffer.push(b'\n');
        if pipe.draining {
            return Sending::Done(Ok(()));
        }
        match pipe.poll_drain(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => Sending::Done(result),
            Poll::Pending => {
                pipe.draining = true;
                Sending::Waiting(self.drain())
            }
        }
    }

    /// Sends one line that is already encoded.
    pub fn send_line(&self, line: &[u8]) -> Sending<W> {
        self.send(|buffer| {
            buffer.extend_from_slice(line);
            Ok(())
        })
    }

    /// Writes the remaining messages, replacing any waiting drain. Nothing can be sent afterwards.
    pub async fn close(&self) -> io::Result<()> {
        lock(&self.0).draining = true;
        let result = self.drain().await;
        lock(&self.0).writer = None;
        result
    }

    fn drain(&self) -> Drain<W> {
        Drain {
            pipe: Arc::clone(&self.0),
            finished: false,
        }
    }
}

impl<W: AsyncWrite + Unpin> Pipe<W> {
    fn poll_drain(&mut self, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(writer) = self.writer.as_mut() else {
            return Poll::Ready(Err(io::ErrorKind::NotConnected.into()));
        };
        while let Some(rest) = self
            .buffer
            .get(self.written..)
            .filter(|rest| !rest.is_empty())
        {
            match ready!(Pin::new(&mut *writer).poll_write(task, rest)) {
                Ok(0) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Ok(count) => self.written += count,
                Err(problem) => return Poll::Ready(Err(problem)),
            }
        }
        self.written = 0;
        self.buffer.clear();
        if self.buffer.capacity() > KEEP {
            self.buffer = Vec::new();
        }
        Pin::new(writer).poll_flush(task)
    }
}

/// Waits for the pipe and writes all that is queued.
pub struct Drain<W: AsyncWrite + Unpin> {
    pipe: Arc<Mutex<Pipe<W>>>,
    finished: bool,
}

impl<W: AsyncWrite + Unpin> Future for Drain<W> {
    type Output = io::Result<()>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        let shared = Arc::clone(&self.pipe);
        let mut pipe = lock(&shared);
        let result = ready!(pipe.poll_drain(task));
        // Under the same lock, so that no message can queue behind a drain that has ended.
        pipe.draining = false;
        self.finished = true;
        Poll::Ready(result)
    }
}

impl<W: AsyncWrite + Unpin> Drop for Drain<W> {
    fn drop(&mut self) {
        if !self.finished {
            // The rest is written with the next message.
            lock(&self.pipe).draining = false;
        }
    }
}

fn lock<W>(pipe: &Mutex<Pipe<W>>) -> MutexGuard<'_, Pipe<W>> {
    pipe.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    fn send(
        out: &Outgoing<tokio::io::DuplexStream>,
        text: &str,
    ) -> Sending<tokio::io::DuplexStream> {
        out.send_line(text.as_bytes())
    }

    #[tokio::test]
    async fn writes_at_once_where_there_is_room() {
        let (mut ours, theirs) = tokio::io::duplex(64);
        let out = Outgoing::new(theirs);
        assert!(matches!(send(&out, "a"), Sending::Done(Ok(()))));
        assert!(matches!(send(&out, "b"), Sending::Done(Ok(()))));
        let mut got = [0; 4];
        ours.read_exact(&mut got).await.unwrap();
        assert_eq!(&got, b"a\nb\n");
    }

    #[tokio::test]
    async fn queues_in_order_behind_a_full_pipe() {
        let (mut ours, theirs) = tokio::io::duplex(4);
        let out = Outgoing::new(theirs);
        let first = send(&out, "first");
        assert!(matches!(first, Sending::Waiting(_)));
        assert!(matches!(send(&out, "second"), Sending::Done(Ok(()))));
        let drained = tokio::spawn(first.finish());
        let mut got = [0; 13];
        ours.read_exact(&mut got).await.unwrap();
        assert_eq!(&got, b"first\nsecond\n");
        drained.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn closing_writes_what_is_left_and_ends() {
        let (mut ours, theirs) = tokio::io::duplex(4);
        let out = Outgoing::new(theirs);
        drop(send(&out, "left over"));
        let closing = tokio::spawn({
            let out = out.clone();
            async move { out.close().await }
        });
        let mut got = String::new();
        ours.read_to_string(&mut got).await.unwrap();
        assert_eq!(got, "left over\n");
        closing.await.unwrap().unwrap();
        assert!(matches!(send(&out, "late"), Sending::Done(Err(_))));
    }
}
