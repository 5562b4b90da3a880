//! The fields of a message: numbers of four bytes, and strings preceded by their length.

use super::frames::{begin_frame, end_frame};

/// Writes a message as a frame to the end of a buffer.
pub struct FieldWriter<'a> {
    out: &'a mut Vec<u8>,
    /// Where its frame begins.
    start: usize,
}

impl<'a> FieldWriter<'a> {
    /// Starts a message of `kind`.
    pub fn new(out: &'a mut Vec<u8>, kind: u8) -> Self {
        let start = begin_frame(out);
        out.push(kind);
        Self { out, start }
    }

    /// Adds a number.
    #[must_use]
    pub fn number(self, number: u32) -> Self {
        self.out.extend_from_slice(&number.to_le_bytes());
        self
    }

    /// Adds a string.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let longer = self.number(length);
        longer.out.extend_from_slice(text.as_bytes());
        longer
    }

    /// Ends the message.
    pub fn finish(self) {
        end_frame(self.out, self.start);
    }
}

/// Reads a message. A missing or extra field makes the message invalid.
pub struct FieldReader<'a>(&'a [u8]);

impl<'a> FieldReader<'a> {
    /// The kind of a message, and its fields.
    pub fn new(frame: &'a [u8]) -> Option<(u8, Self)> {
        let (kind, fields) = frame.split_first()?;
        Some((*kind, Self(fields)))
    }

    /// Reads a number.
    pub fn number(&mut self) -> Option<u32> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*number))
    }

    /// Reads a flag.
    pub fn flag(&mut self) -> Option<bool> {
        match self.number()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    /// Reads a string.
    pub fn text(&mut self) -> Option<String> {
        let length = self.number()? as usize;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    /// Reads a value from its JSON text.
    pub fn json<T: serde::de::DeserializeOwned>(&mut self) -> Option<T> {
        let length = self.number()? as usize;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        serde_json::from_slice(text).ok()
    }

    /// Returns `message` if all fields were read.
    pub fn finish<T>(self, message: T) -> Option<T> {
        self.0.is_empty().then_some(message)
    }
}
