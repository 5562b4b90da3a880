//! What a script may use.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The longest source text, in bytes. It is looked at before any worker sees it.
pub const MAX_CODE_BYTES: usize = 1_000_000;

/// The longest JSON text of one call's arguments, of one call's answer, and of a value before it
/// is cut down to [`Limits::result_characters`].
pub(crate) const MAX_JSON_BYTES: usize = 16 * 1024 * 1024;

/// How deep a value may be nested before it is cut. Readers of JSON commonly stop at 128.
pub(crate) const MAX_DEPTH: usize = 64;

const MEBIBYTE: usize = 1024 * 1024;

/// What one script may use. [`Limits::within_ceilings`] is applied to whatever is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// From the start of the script to its end, its calls included.
    pub timeout: Duration,
    /// Memory of the engine.
    pub memory_bytes: usize,
    /// Stack of the engine.
    pub stack_bytes: usize,
    /// Length of the value as JSON text. A longer one is cut and marked.
    pub result_characters: usize,
    /// All that is logged, together.
    pub log_bytes: usize,
    /// Calls of the SDK, together.
    pub calls: usize,
    /// Calls that are under way at the same time. Further ones wait.
    pub calls_at_once: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            memory_bytes: 64 * MEBIBYTE,
            stack_bytes: MEBIBYTE,
            result_characters: 50_000,
            log_bytes: 64 * 1024,
            calls: 1_000,
            calls_at_once: 64,
        }
    }
}

impl Limits {
    /// The most that any setting can give.
    pub const CEILING: Self = Self {
        timeout: Duration::from_mins(10),
        memory_bytes: 512 * MEBIBYTE,
        stack_bytes: 4 * MEBIBYTE,
        result_characters: 1_000_000,
        log_bytes: MEBIBYTE,
        calls: 10_000,
        calls_at_once: 256,
    };

    /// The least that makes sense. An engine with its SDK takes some memory itself.
    pub const FLOOR: Self = Self {
        timeout: Duration::from_millis(1),
        memory_bytes: 2 * MEBIBYTE,
        stack_bytes: 64 * 1024,
        result_characters: 100,
        log_bytes: 0,
        calls: 0,
        calls_at_once: 1,
    };

    /// The same, with what is too much or too little brought to the nearest that is not.
    #[must_use]
    pub fn within_ceilings(self) -> Self {
        let (least, most) = (Self::FLOOR, Self::CEILING);
        Self {
            timeout: self.timeout.clamp(least.timeout, most.timeout),
            memory_bytes: self
                .memory_bytes
                .clamp(least.memory_bytes, most.memory_bytes),
            stack_bytes: self.stack_bytes.clamp(least.stack_bytes, most.stack_bytes),
            result_characters: self
                .result_characters
                .clamp(least.result_characters, most.result_characters),
            log_bytes: self.log_bytes.clamp(least.log_bytes, most.log_bytes),
            calls: self.calls.clamp(least.calls, most.calls),
            calls_at_once: self
                .calls_at_once
                .clamp(least.calls_at_once, most.calls_at_once),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_allowed() {
        assert_eq!(Limits::default().within_ceilings(), Limits::default());
    }

    #[test]
    fn what_is_out_of_bounds_is_brought_back() {
        let greedy = Limits {
            timeout: Duration::MAX,
            memory_bytes: usize::MAX,
            stack_bytes: 0,
            result_characters: 0,
            log_bytes: usize::MAX,
            calls: usize::MAX,
            calls_at_once: 0,
        };
        let given = greedy.within_ceilings();
        assert_eq!(given.timeout, Limits::CEILING.timeout);
        assert_eq!(given.memory_bytes, Limits::CEILING.memory_bytes);
        assert_eq!(given.stack_bytes, Limits::FLOOR.stack_bytes);
        assert_eq!(given.result_characters, Limits::FLOOR.result_characters);
        assert_eq!(given.log_bytes, Limits::CEILING.log_bytes);
        assert_eq!(given.calls, Limits::CEILING.calls);
        assert_eq!(given.calls_at_once, 1);
    }
}
