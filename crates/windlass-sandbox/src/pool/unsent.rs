//! Messages that a worker has not been sent yet.

use std::io;

use crate::limits::MAX_UNSENT_BYTES;
use crate::wire::ToWorker;

/// Memory beyond this is released once everything is sent.
const KEPT_BYTES: usize = 64 * 1024;

/// Messages that are not sent yet, as one piece, so that many small ones need one write.
#[derive(Debug, Default)]
pub struct Unsent {
    bytes: Vec<u8>,
    /// How many of them are sent.
    sent: usize,
}

impl Unsent {
    /// Adds a message.
    pub fn push(&mut self, message: &ToWorker) {
        // What is sent takes no more memory than what waits.
        if self.sent > self.bytes.len() / 2 {
            self.bytes.drain(..self.sent);
            self.sent = 0;
        }
        message.encode(&mut self.bytes);
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.bytes.len() - self.sent
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether nothing should be added.
    pub fn is_full(&self) -> bool {
        self.len() >= MAX_UNSENT_BYTES
    }

    /// Passes the bytes to `write` until it takes no more.
    pub fn write_to(&mut self, mut write: impl FnMut(&[u8]) -> io::Result<usize>) {
        while !self.is_empty() {
            match write(self.bytes.get(self.sent..).unwrap_or_default()) {
                Ok(count) => self.sent += count,
                Err(problem) if problem.kind() == io::ErrorKind::Interrupted => {}
                Err(problem) if problem.kind() == io::ErrorKind::WouldBlock => return,
                // It no longer reads; messages that it sent before must still be received.
                Err(_) => self.sent = self.bytes.len(),
            }
        }
        self.bytes.clear();
        self.bytes.shrink_to(KEPT_BYTES);
        self.sent = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn message(code: &str) -> ToWorker {
        ToWorker::Run {
            request: 1,
            limits: Limits::default(),
            code: code.to_owned(),
        }
    }

    #[test]
    fn everything_is_sent_once_in_whatever_pieces() {
        let mut expected = Vec::new();
        let mut unsent = Unsent::default();
        let mut sent = Vec::new();
        for code in ["", "1", "a longer text of some words"] {
            message(code).encode(&mut expected);
            unsent.push(&message(code));
            let mut pieces = 0;
            unsent.write_to(|bytes| {
                pieces += 1;
                if pieces > 7 {
                    return Err(io::ErrorKind::WouldBlock.into());
                }
                let count = bytes.len().min(3);
                sent.extend_from_slice(&bytes[..count]);
                Ok(count)
            });
            assert!(!unsent.is_empty());
        }
        unsent.write_to(|bytes| {
            sent.extend_from_slice(bytes);
            Ok(bytes.len())
        });
        assert!(unsent.is_empty());
        assert_eq!(sent, expected);
    }

    #[test]
    fn nothing_is_kept_for_a_worker_that_no_longer_reads() {
        let mut unsent = Unsent::default();
        unsent.push(&message("1"));
        unsent.write_to(|_| Err(io::ErrorKind::BrokenPipe.into()));
        assert!(unsent.is_empty());
    }
}
