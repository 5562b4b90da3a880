//! The output of a gate: the end of each stream, in whole characters.

use std::sync::{Mutex, MutexGuard, PoisonError};

use windlass_core::workflow::MAX_GATE_OUTPUT_BYTES;
use windlass_process::{OutputSink, Stream};

/// Stores the end of both streams.
#[derive(Default)]
pub struct Kept {
    stdout: Mutex<Vec<u8>>,
    stderr: Mutex<Vec<u8>>,
}

impl Kept {
    fn stream(&self, stream: Stream) -> MutexGuard<'_, Vec<u8>> {
        let bytes = match stream {
            Stream::Stdout => &self.stdout,
            Stream::Stderr => &self.stderr,
        };
        bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The end of a stream as text. Bytes that are not valid UTF-8 are replaced.
    pub fn text(&self, stream: Stream) -> String {
        let bytes = self.stream(stream);
        let from = bytes.len().saturating_sub(MAX_GATE_OUTPUT_BYTES);
        let mut kept = &bytes[from..];
        // A character that was cut in two is omitted.
        if from > 0 {
            let torn = kept.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80);
            kept = &kept[torn.count()..];
        }
        let text = String::from_utf8_lossy(kept).into_owned();
        // Replacement characters are longer than the bytes they replace.
        let mut from = text.len().saturating_sub(MAX_GATE_OUTPUT_BYTES);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        text[from..].to_owned()
    }
}

impl OutputSink for Kept {
    fn write(&self, stream: Stream, bytes: &[u8]) {
        let mut kept = self.stream(stream);
        kept.extend_from_slice(bytes);
        if kept.len() > 2 * MAX_GATE_OUTPUT_BYTES {
            let surplus = kept.len() - MAX_GATE_OUTPUT_BYTES;
            kept.drain(..surplus);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_much_is_kept_in_whole_characters() {
        let kept = Kept::default();
        for _ in 0..100 {
            kept.write(Stream::Stdout, "é".repeat(5_001).as_bytes());
        }
        kept.write(Stream::Stdout, b"a");
        let text = kept.text(Stream::Stdout);
        assert!(text.len() <= MAX_GATE_OUTPUT_BYTES && text.len() > MAX_GATE_OUTPUT_BYTES - 4);
        assert!(
            text.starts_with('é') && text.ends_with("éa"),
            "no torn character"
        );
        assert_eq!(kept.text(Stream::Stderr), "");
    }

    #[test]
    fn what_is_no_text_stays_within_the_limit() {
        let kept = Kept::default();
        kept.write(Stream::Stderr, &vec![0xFF; 3 * MAX_GATE_OUTPUT_BYTES]);
        let text = kept.text(Stream::Stderr);
        assert!(text.len() <= MAX_GATE_OUTPUT_BYTES && text.chars().all(|it| it == '\u{FFFD}'));
        let short = Kept::default();
        short.write(Stream::Stdout, b"ok \xC3\x28 end");
        assert_eq!(short.text(Stream::Stdout), "ok \u{FFFD}( end");
    }
}
