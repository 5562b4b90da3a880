//! The messages between host and worker: frames with a length, a kind and a few fields.
//!
//! Each side checks limits and does not trust the other. Every message after the first belongs to
//! one request, so that a late message is never attributed to the next script.

mod fields;
mod frames;
mod from_worker;
mod to_worker;

#[cfg(test)]
mod tests;

pub use frames::Frames;
pub use from_worker::{FromWorker, ScriptEnd};
pub use to_worker::{Settlement, ToWorker};

/// The longest frame. A larger length is rejected before memory is reserved.
pub const MAX_FRAME_BYTES: usize = crate::limits::MAX_JSON_BYTES + 64 * 1024;

/// Reads `bytes` as each side would.
pub fn read_as_both_sides(bytes: &[u8]) {
    let mut frames = Frames::default();
    frames.push(bytes);
    while let Ok(Some(frame)) = frames.next() {
        let _ = FromWorker::decode(frame);
        let _ = ToWorker::decode(frame);
    }
}
