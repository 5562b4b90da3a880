//! What crosses the pipe between host and worker: frames with a length, a kind and a few fields.
//!
//! Either side reads with limits and without trust. Every message after the first belongs to one
//! request, so that a late word is never taken for one of the next script.

mod fields;
mod frames;
mod from_worker;
mod to_worker;

#[cfg(test)]
mod tests;

pub use frames::Frames;
pub use from_worker::{FromWorker, ScriptEnd};
pub use to_worker::{Settlement, ToWorker};

/// The longest frame, so that a length is never believed blindly.
pub const MAX_FRAME_BYTES: usize = crate::limits::MAX_JSON_BYTES + 64 * 1024;

/// Reads `bytes` as either side would.
pub fn read_as_both_sides(bytes: &[u8]) {
    let mut frames = Frames::default();
    frames.push(bytes);
    while let Ok(Some(frame)) = frames.next() {
        let _ = FromWorker::decode(&frame);
        let _ = ToWorker::decode(&frame);
    }
}
