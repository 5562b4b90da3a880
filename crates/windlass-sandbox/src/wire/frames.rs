//! Frames out of a stream of bytes.

use super::MAX_FRAME_BYTES;

const LENGTH_BYTES: usize = 4;

/// A frame that claims to be longer than any may be.
#[derive(Debug, PartialEq, Eq)]
pub struct Oversized;

/// Bytes that have come, to be taken out as whole frames.
#[derive(Debug, Default)]
pub struct Frames {
    bytes: Vec<u8>,
    /// How many of them were taken out already.
    taken: usize,
}

impl Frames {
    /// Adds what was read.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Where more may be read to, after what has come.
    pub fn room(&mut self) -> &mut Vec<u8> {
        self.bytes.reserve(16 * 1024);
        &mut self.bytes
    }

    /// The next whole frame, if it has come.
    pub fn next(&mut self) -> Result<Option<Vec<u8>>, Oversized> {
        let waiting = self.bytes.get(self.taken..).unwrap_or_default();
        let Some((length, rest)) = waiting.split_first_chunk::<LENGTH_BYTES>() else {
            self.forget_taken();
            return Ok(None);
        };
        let length = u32::from_le_bytes(*length) as usize;
        if length > MAX_FRAME_BYTES {
            return Err(Oversized);
        }
        let Some(frame) = rest.get(..length).map(<[u8]>::to_vec) else {
            self.forget_taken();
            return Ok(None);
        };
        self.taken += LENGTH_BYTES + length;
        Ok(Some(frame))
    }

    /// Whether nothing has come that was not taken out.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.taken == self.bytes.len()
    }

    fn forget_taken(&mut self) {
        self.bytes.drain(..self.taken);
        self.taken = 0;
        // One long frame is no reason to keep its room for ever.
        self.bytes.shrink_to(64 * 1024);
    }
}

/// A frame around `body`.
pub fn framed(body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
    let mut frame = Vec::with_capacity(LENGTH_BYTES + body.len());
    frame.extend_from_slice(&length.to_le_bytes());
    frame.extend_from_slice(body);
    frame
}
