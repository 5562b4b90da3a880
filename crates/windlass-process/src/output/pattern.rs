//! Those who wait for a line of output. They are fed by the pump, so that a line counts even where
//! the ring drops it in the same moment.

use regex::Regex;
use tokio::sync::oneshot;

use super::text::{fold_line, strip_ansi};
use super::{Stream, StreamFilter};

/// An unfinished line is matched up to this many bytes; the rest of it is not looked at.
const LONGEST_LINE: usize = 64 * 1024;

/// One who waits for a line that matches.
pub struct Matcher {
    pattern: Regex,
    filter: StreamFilter,
    unfinished: [Vec<u8>; 2],
    found: Option<oneshot::Sender<String>>,
}

impl Matcher {
    /// A matcher, and where it will say which line it found.
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

    /// Whether there is still something to find and someone to tell.
    pub fn is_waiting(&self) -> bool {
        self.found.as_ref().is_some_and(|found| !found.is_closed())
    }

    /// Looks at what arrived on `stream`.
    pub fn feed(&mut self, stream: Stream, mut bytes: &[u8]) {
        if !self.filter.takes(stream) {
            return;
        }
        let which = usize::from(stream == Stream::Stderr);
        while self.is_waiting()
            && let Some(end) = memchr::memchr(b'\n', bytes)
        {
            self.extend(which, &bytes[..end]);
            self.look(which);
            self.unfinished[which].clear();
            bytes = &bytes[end + 1..];
        }
        if self.is_waiting() && !bytes.is_empty() {
            self.extend(which, bytes);
            // A prompt has no line end and is waited for all the same.
            self.look(which);
        }
    }

    fn extend(&mut self, which: usize, bytes: &[u8]) {
        let line = &mut self.unfinished[which];
        // A progress bar draws over its line for ever: what was drawn over is matched and forgotten.
        if line.len() + bytes.len() > LONGEST_LINE
            && let Some(at) = memchr::memrchr(b'\r', line)
        {
            line.drain(..=at);
        }
        let room = LONGEST_LINE.saturating_sub(line.len());
        line.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn look(&mut self, which: usize) {
        let line = String::from_utf8_lossy(&self.unfinished[which]);
        let line = strip_ansi(&line);
        // Every state of a line counts, even one that was drawn over a moment later.
        let state = line.split('\r').find(|state| self.pattern.is_match(state));
        if let Some(state) = state
            && let Some(found) = self.found.take()
        {
            // Nobody is told where the one who waited has gone.
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
    fn lines_are_matched_as_they_come() {
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
    fn a_line_without_end_does_not_grow() {
        let (mut matcher, _found) = Matcher::new(Regex::new("x").unwrap(), StreamFilter::Both);
        for _ in 0..100 {
            matcher.feed(Stream::Stdout, &[b'a'; 4096]);
        }
        assert_eq!(matcher.unfinished[0].len(), LONGEST_LINE);
    }
}
