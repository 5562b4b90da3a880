//! The output of a job: limited when it arrives, converted to readable text when it is read.

pub mod pattern;
pub mod read;
pub mod ring;
pub mod text;

/// Which stream a piece of output was written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Which streams are requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StreamFilter {
    /// Both, in the order in which they arrived.
    #[default]
    Both,
    /// Standard output only.
    Stdout,
    /// Standard error only.
    Stderr,
}

impl StreamFilter {
    /// Whether `stream` is requested.
    pub fn includes(self, stream: Stream) -> bool {
        match self {
            Self::Both => true,
            Self::Stdout => stream == Stream::Stdout,
            Self::Stderr => stream == Stream::Stderr,
        }
    }
}

/// How colours and other escape sequences are handled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ansi {
    /// They are removed.
    #[default]
    Strip,
    /// They are kept.
    Keep,
}

/// How lines that were overwritten with `\r` are handled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Progress {
    /// Only the last state of a line is shown, and `\r\n` ends a line like `\n`.
    #[default]
    Fold,
    /// Every byte is kept.
    Keep,
}

/// How output is read.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// Which streams.
    pub stream: StreamFilter,
    /// Colours and other escape sequences.
    pub ansi: Ansi,
    /// Lines overwritten with `\r`.
    pub progress: Progress,
    /// The maximum number of bytes in a result.
    pub max_bytes: usize,
    /// Whether a page ends after a whole line, so that the next page can be appended to it. A line
    /// that is longer than a page is still split.
    pub whole_lines: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            stream: StreamFilter::Both,
            ansi: Ansi::Strip,
            progress: Progress::Fold,
            max_bytes: 8 * 1024,
            whole_lines: false,
        }
    }
}

impl ReadOptions {
    /// Everything exactly as written.
    pub fn raw() -> Self {
        Self {
            ansi: Ansi::Keep,
            progress: Progress::Keep,
            ..Self::default()
        }
    }
}
