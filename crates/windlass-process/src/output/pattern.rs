//! Waiting for a line of output. Matchers get the output from the pump, so that a line is found
//! even if the ring drops it immediately.

use regex::Regex;
use tokio::sync::oneshot;

use super::text::{fold_line, strip_ansi};
use super::{Stream, StreamFilter};

/// An unfinished line is matched up to this many bytes; the rest of it is ignored.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// Waits for a line that matches.
pub struct Matcher {
    pattern: Regex,
    filter: StreamFilter,
    unfinished: [Vec<u8>; 2],
    found: Option<oneshot::Sender<String>>,
}

impl Matcher {
    /// A matcher, and the receiver of the line that it finds.
    pub fn new(pattern: Regex, filter: StreamFilter) -> (Self, oneshot::Receiver<String>) {
        let (found, receiver) = oneshot::channel();
        let matcher = Self {
            pattern,
            filter,
            unfinished: [Vec::new(), Vec::new()],
            found: Some(found),
        };
        (matcher, receiver)
    }

    /// Whether it has found nothing yet and a receiver still waits.
    pub fn is_waiting(&self) -> bool {
        self.found.as_ref().is_some_and(|found| !found.is_closed())
    }

    /// Matches what arrived on `stream`.
    pub fn feed(&mut self, stream: Stream, mut bytes: &[u8]) {
        if !self.filter.includes(stream) {
            return;
        }
        let which = usize::from(stream == Stream::Stderr);
        while self.is_waiting()
            && let Some(end) = memchr::memchr(b'\n', bytes)
        {
            self.extend(which, &bytes[..end]);
            self.match_line(which);
            self.unfinished[which].clear();
            bytes = &bytes[end + 1..];
        }
        if self.is_waiting() && !bytes.is_empty() {
            self.extend(which, bytes);
            // A prompt has no newline and must be found as well.
            self.match_line(which);
        }
    }

    fn extend(&mut self, which: usize, bytes: &[u8]) {
        let line = &mut self.unfinished[which];
        // A progress bar overwrites its line for ever: overwritten text is matched and then
        // dropped.
        if line.len() + bytes.len() > MAX_LINE_BYTES
            && let Some(at) = memchr::memrchr(b'\r', line)
        {
            line.drain(..=at);
        }
        let room = MAX_LINE_BYTES.saturating_sub(line.len());
        line.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn match_line(&mut self, which: usize) {
        let line = String::from_utf8_lossy(&self.unfinished[which]);
        let line = strip_ansi(&line);
        // Every state of a line counts, even one that was overwritten immediately.
        let state = line.split('\r').find(|state| self.pattern.is_match(state));
        if let Some(state) = state
            && let Some(found) = self.found.take()
        {
            // The receiver may have been dropped.
            let _ = found.send(fold_line(state).to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, pieces: &[(Stream, &str)], expected: Option<&str>) {
        let (mut matcher, mut found) =
            Matcher::new(Regex::new(pattern).unwrap(), StreamFilter::Both);
        for (stream, piece) in pieces {
            matcher.feed(*stream, piece.as_bytes());
        }
        assert_eq!(found.try_recv().ok().as_deref(), expected, "{pieces:?}");
    }

    #[test]
    fn lines_are_matched_as_they_arrive() {
        use Stream::{Stderr, Stdout};
        check(
            "ready",
            &[(Stdout, "not yet\n"), (Stdout, "ready\n")],
            Some("ready"),
        );
        check(
            "ready",
            &[(Stdout, "re"), (Stderr, "noise\n"), (Stdout, "ady\n")],
            Some("ready"),
        );
        check(
            "^ready$",
            &[(Stdout, "\x1b[32mready\x1b[0m\n")],
            Some("ready"),
        );
        check("a.*b", &[(Stdout, "a\nb\n")], None);
        check("login: $", &[(Stdout, "login: ")], Some("login: "));
        check("50%", &[(Stdout, "10%\r50%\r100%\n")], Some("50%"));
        check("^b", &[(Stdout, "a"), (Stdout, "b")], None);
    }

    #[test]
    fn an_endless_line_takes_limited_memory() {
        let (mut matcher, _found) = Matcher::new(Regex::new("x").unwrap(), StreamFilter::Both);
        for _ in 0..100 {
            matcher.feed(Stream::Stdout, &[b'a'; 4096]);
        }
        assert_eq!(matcher.unfinished[0].len(), MAX_LINE_BYTES);
    }
}
