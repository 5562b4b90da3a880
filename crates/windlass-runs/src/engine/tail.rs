//! The end of an output.

use windlass_process::strip_ansi;

use crate::secrets::Secrets;

/// Characters of each output in a record.
pub const TAIL_CHARS: usize = 4000;

/// Bytes stored for these characters: up to four bytes each, and room for colour codes.
const TAIL_BYTES: usize = 64 * 1024;

/// The last bytes of a stream.
#[derive(Debug, Default)]
pub struct Tail {
    bytes: Vec<u8>,
    was_cut: bool,
}

impl Tail {
    /// Appends output.
    pub fn push(&mut self, bytes: &[u8]) {
        let bytes = match bytes.len().checked_sub(TAIL_BYTES) {
            Some(more) if more > 0 => {
                self.was_cut = true;
                self.bytes.clear();
                &bytes[more..]
            }
            _ => bytes,
        };
        self.bytes.extend_from_slice(bytes);
        // Bytes are moved rarely, so that many small writes cost no more than one large write.
        if self.bytes.len() > 2 * TAIL_BYTES {
            self.was_cut = true;
            self.bytes.drain(..self.bytes.len() - TAIL_BYTES);
        }
    }

    /// The stored bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The last characters without colour codes, and whether there were more. Removing colour codes
    /// may join the parts of a secret, so the text is masked again.
    pub fn text(&self, secrets: &Secrets) -> (String, bool) {
        let text = String::from_utf8_lossy(&self.bytes);
        let text = secrets.mask(&strip_ansi(&text));
        let start = text
            .char_indices()
            .rev()
            .nth(TAIL_CHARS - 1)
            .map_or(0, |(at, _)| at);
        (text[start..].to_owned(), self.was_cut || start > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail(writes: &[&str]) -> (String, bool) {
        let mut tail = Tail::default();
        for write in writes {
            tail.push(write.as_bytes());
        }
        tail.text(&Secrets::default())
    }

    #[test]
    fn only_the_last_characters_are_stored() {
        assert_eq!(tail(&["a", "b"]), ("ab".to_owned(), false));
        let exact = "ä".repeat(TAIL_CHARS);
        assert_eq!(tail(&[&exact]), (exact.clone(), false));
        assert_eq!(tail(&["x", &exact]), (exact.clone(), true));
        let large = "y".repeat(3 * TAIL_BYTES);
        assert_eq!(tail(&[&large, &exact]), (exact.clone(), true));
        let many: Vec<&str> = std::iter::repeat_n("0123456789", 50_000).collect();
        let (text, was_cut) = tail(&many);
        assert!(was_cut && text.len() == TAIL_CHARS && text.ends_with("789"));
    }

    #[test]
    fn a_secret_split_by_colour_codes_is_masked() {
        let secrets = Secrets::new([&b"hunter2!"[..]]).unwrap();
        let mut tail = Tail::default();
        tail.push(b"\x1b[1mhun\x1b[31mter2!\x1b[0m\n");
        assert_eq!(tail.text(&secrets), ("***\n".to_owned(), false));
    }
}
