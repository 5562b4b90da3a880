//! The output of a job: kept within limits as it arrives, made readable when it is read.

pub mod pattern;
pub mod read;
pub mod ring;
pub mod text;

/// Where a piece of output was written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Which streams a reader wants.
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
    /// Whether `stream` is wanted.
    pub fn takes(self, stream: Stream) -> bool {
        match self {
            Self::Both => true,
            Self::Stdout => stream == Stream::Stdout,
            Self::Stderr => stream == Stream::Stderr,
        }
    }
}

/// What becomes of colours and other escape sequences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ansi {
    /// They are taken out.
    #[default]
    Strip,
    /// They stay.
    Keep,
}

/// What becomes of lines that were drawn over by `\r`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Progress {
    /// Only the last state of a line is shown, and `\r\n` ends a line like `\n`.
    #[default]
    Fold,
    /// Every byte stays.
    Keep,
}

/// How output is to be read.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// Which streams.
    pub stream: StreamFilter,
    /// Colours and other escape sequences.
    pub ansi: Ansi,
    /// Lines drawn over by `\r`.
    pub progress: Progress,
    /// The most bytes an answer may hold.
    pub max_bytes: usize,
    /// Whether a page ends behind a whole line, so that what follows can be put behind it. A line
    /// that is longer than a page is cut all the same.
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
    /// Everything as it was written.
    pub fn raw() -> Self {
        Self {
            ansi: Ansi::Keep,
            progress: Progress::Keep,
            ..Self::default()
        }
    }
}
