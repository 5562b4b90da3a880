//! Splits a stream of bytes into frames.

use std::io;
use std::os::fd::AsFd;

use rustix::buffer::spare_capacity;

use super::MAX_FRAME_BYTES;

const LENGTH_BYTES: usize = 4;

/// The room for one read.
const READ_BYTES: usize = 16 * 1024;

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
    /// Adds bytes that were received in another way.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Reads once, and returns how many bytes were added.
    pub fn read_from(&mut self, pipe: impl AsFd) -> io::Result<usize> {
        self.bytes.reserve(READ_BYTES);
        Ok(rustix::io::read(pipe, spare_capacity(&mut self.bytes))?)
    }

    /// The next complete frame, if there is one.
    pub fn next(&mut self) -> Result<Option<&[u8]>, Oversized> {
        let Some(length) = self.next_length()? else {
            self.discard_taken();
            return Ok(None);
        };
        let begin = self.taken + LENGTH_BYTES;
        self.taken = begin + length;
        Ok(self.bytes.get(begin..self.taken))
    }

    /// The length of the next frame, if it is complete.
    fn next_length(&self) -> Result<Option<usize>, Oversized> {
        let waiting = self.bytes.get(self.taken..).unwrap_or_default();
        let Some((length, rest)) = waiting.split_first_chunk::<LENGTH_BYTES>() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes(*length) as usize;
        if length > MAX_FRAME_BYTES {
            return Err(Oversized);
        }
        Ok((rest.len() >= length).then_some(length))
    }

    /// Whether all received bytes were taken out.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.taken == self.bytes.len()
    }

    fn discard_taken(&mut self) {
        if self.taken == 0 {
            return;
        }
        self.bytes.drain(..self.taken);
        self.taken = 0;
        // Release the memory after one long frame.
        self.bytes.shrink_to(64 * 1024);
    }
}

/// Makes room for the length of a frame, and returns where it begins.
pub fn begin_frame(out: &mut Vec<u8>) -> usize {
    let start = out.len();
    out.extend_from_slice(&[0; LENGTH_BYTES]);
    start
}

/// Sets the length of the frame that was begun at `start`.
pub fn end_frame(out: &mut [u8], start: usize) {
    let length = out.len() - start - LENGTH_BYTES;
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    if let Some(place) = out.get_mut(start..start + LENGTH_BYTES) {
        place.copy_from_slice(&length.to_le_bytes());
    }
}
