//! How large a RunSpec may be. Nothing that a person writes comes near, and nothing that a machine
//! writes by mistake fills the store.

/// The limits of a RunSpec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits;

impl Limits {
    /// Characters of `runId` and `issueId`.
    pub const ID_CHARS: usize = 200;
    /// Characters of `title`.
    pub const TITLE_CHARS: usize = 500;
    /// Steps of a run.
    pub const STEPS: usize = 1000;
    /// Characters of a step's `name`.
    pub const NAME_CHARS: usize = 200;
    /// Bytes of a step's `command`; the system takes an argument of 128 KiB at most.
    pub const COMMAND_BYTES: usize = 100 * 1024;
    /// Bytes of all commands of a run together.
    pub const ALL_COMMANDS_BYTES: usize = 4 << 20;
    /// Characters of a path or a glob.
    pub const PATH_CHARS: usize = 1024;
    /// Seconds of a step: a week.
    pub const TIMEOUT_SECONDS: u64 = 7 * 24 * 60 * 60;
    /// Patterns, paths or globs in one list of a step.
    pub const LIST: usize = 100;
    /// Characters of a regular expression.
    pub const PATTERN_CHARS: usize = 4096;
    /// Bytes that a compiled regular expression may take.
    pub const PATTERN_COMPILED_BYTES: usize = 4 << 20;
    /// Entries of `envRefs`.
    pub const ENV_REFS: usize = 200;
    /// Bytes of a value in `envRefs`.
    pub const ENV_VALUE_BYTES: usize = 64 * 1024;
}
