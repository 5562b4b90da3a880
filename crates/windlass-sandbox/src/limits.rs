//! The resource limits of a script.

use std::time::Duration;

use serde::{Deserialize, Serialize};

const MEBIBYTE: usize = 1024 * 1024;

/// The longest source text, in bytes. It is checked before any worker receives it.
pub const MAX_CODE_BYTES: usize = 1_000_000;

/// The longest JSON text of the arguments of a call, of the result of a call, and of a value before
/// it is shortened to [`Limits::result_characters`].
pub(crate) const MAX_JSON_BYTES: usize = 16 * 1024 * 1024;

/// How many bytes of results may wait to be sent to a worker. Until it has read some of them, no
/// further call is started and no result is taken.
pub(crate) const MAX_UNSENT_BYTES: usize = 32 * MEBIBYTE;

/// How many bytes the arguments of calls without a result may have. Beyond that, further calls are
/// left in the pipe; if the worker does not read results meanwhile, its script is ended at twice
/// this size, because both sides would wait for each other.
pub(crate) const MAX_ARGUMENT_BYTES: usize = 32 * MEBIBYTE;

/// How deep a value may be nested before it is cut. JSON parsers commonly stop at 128 levels.
pub(crate) const MAX_DEPTH: usize = 64;

/// The resource limits of one script. The requested values are always limited by
/// [`Limits::clamped`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Time from the start of the script to its end, including its calls.
    pub timeout: Duration,
    /// Memory of the engine.
    pub memory_bytes: usize,
    /// Stack of the engine.
    pub stack_bytes: usize,
    /// Length of the value as JSON text. A longer value is cut and marked.
    pub result_characters: usize,
    /// Total size of the log.
    pub log_bytes: usize,
    /// Total number of SDK calls.
    pub calls: usize,
    /// Number of concurrent calls. Further calls wait.
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
    /// The highest values that settings can choose.
    pub const MAXIMUM: Self = Self {
        timeout: Duration::from_mins(10),
        memory_bytes: 512 * MEBIBYTE,
        stack_bytes: 4 * MEBIBYTE,
        result_characters: 1_000_000,
        log_bytes: MEBIBYTE,
        calls: 10_000,
        calls_at_once: 256,
    };

    /// The lowest values that make sense. An engine with its SDK needs some memory itself.
    pub const MINIMUM: Self = Self {
        timeout: Duration::from_millis(1),
        memory_bytes: 2 * MEBIBYTE,
        stack_bytes: 64 * 1024,
        result_characters: 100,
        log_bytes: 0,
        calls: 0,
        calls_at_once: 1,
    };

    /// These limits, each clamped to the allowed range.
    #[must_use]
    pub fn clamped(self) -> Self {
        let (least, most) = (Self::MINIMUM, Self::MAXIMUM);
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
        assert_eq!(Limits::default().clamped(), Limits::default());
    }

    #[test]
    fn values_outside_the_range_are_clamped() {
        let greedy = Limits {
            timeout: Duration::MAX,
            memory_bytes: usize::MAX,
            stack_bytes: 0,
            result_characters: 0,
            log_bytes: usize::MAX,
            calls: usize::MAX,
            calls_at_once: 0,
        };
        let given = greedy.clamped();
        assert_eq!(given.timeout, Limits::MAXIMUM.timeout);
        assert_eq!(given.memory_bytes, Limits::MAXIMUM.memory_bytes);
        assert_eq!(given.stack_bytes, Limits::MINIMUM.stack_bytes);
        assert_eq!(given.result_characters, Limits::MINIMUM.result_characters);
        assert_eq!(given.log_bytes, Limits::MAXIMUM.log_bytes);
        assert_eq!(given.calls, Limits::MAXIMUM.calls);
        assert_eq!(given.calls_at_once, 1);
    }
}
