//! Splits a stream of bytes into frames.

use super::MAX_FRAME_BYTES;

const LENGTH_BYTES: usize = 4;

/// A frame whose length is above the limit.
#[derive(Debug, PartialEq, Eq)]
pub struct Oversized;

/// Received bytes, to be taken out as complete frames.
#[derive(Debug, Default)]
pub struct Frames {
    bytes: Vec<u8>,
    /// How many bytes were already taken out.
    taken: usize,
}

impl Frames {
    /// Adds received bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The buffer to which more bytes can be read.
    pub fn room(&mut self) -> &mut Vec<u8> {
        self.bytes.reserve(16 * 1024);
        &mut self.bytes
    }

    /// The next complete frame, if there is one.
    pub fn next(&mut self) -> Result<Option<Vec<u8>>, Oversized> {
        let waiting = self.bytes.get(self.taken..).unwrap_or_default();
        let Some((length, rest)) = waiting.split_first_chunk::<LENGTH_BYTES>() else {
            self.discard_taken();
            return Ok(None);
        };
        let length = u32::from_le_bytes(*length) as usize;
        if length > MAX_FRAME_BYTES {
            return Err(Oversized);
        }
        let Some(frame) = rest.get(..length).map(<[u8]>::to_vec) else {
            self.discard_taken();
            return Ok(None);
        };
        self.taken += LENGTH_BYTES + length;
        Ok(Some(frame))
    }

    /// Whether all received bytes were taken out.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.taken == self.bytes.len()
    }

    fn discard_taken(&mut self) {
        self.bytes.drain(..self.taken);
        self.taken = 0;
        // Release the memory after one long frame.
        self.bytes.shrink_to(64 * 1024);
    }
}

/// Wraps `body` in a frame.
pub fn framed(body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
    let mut frame = Vec::with_capacity(LENGTH_BYTES + body.len());
    frame.extend_from_slice(&length.to_le_bytes());
    frame.extend_from_slice(body);
    frame
}
