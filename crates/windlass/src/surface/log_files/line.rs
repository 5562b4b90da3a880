//! One line of a log: `2026-01-30T12:00:00.000Z INFO windlass::mcp text`.

use serde::Serialize;

/// How serious a line is, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Trace,
    Debug,
    Info,
    Warn,
    Error,
}

impl Level {
    pub const NAMES: [&'static str; 5] = ["trace", "debug", "info", "warn", "error"];

    pub fn parse(name: &str) -> Option<Self> {
        let all = [
            Self::Trace,
            Self::Debug,
            Self::Info,
            Self::Warn,
            Self::Error,
        ];
        let place = Self::NAMES
            .iter()
            .position(|it| it.eq_ignore_ascii_case(name))?;
        all.get(place).copied()
    }

    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogLine {
    pub at: String,
    pub level: Level,
    pub target: String,
    pub message: String,
    /// What wrote it, and its process.
    pub surface: String,
    pub process: u32,
}

impl LogLine {
    /// Reads a line; what is no line of a log belongs to the one before it.
    pub fn parse(line: &str, surface: &str, process: u32) -> Option<Self> {
        let mut words = line.splitn(4, ' ');
        let (at, level, target) = (words.next()?, words.next()?, words.next()?);
        let is_moment = at.len() == 24 && at.ends_with('Z') && at.as_bytes()[10] == b'T';
        is_moment.then_some(())?;
        Some(Self {
            at: at.to_owned(),
            level: Level::parse(level)?,
            target: target.to_owned(),
            message: words.next().unwrap_or_default().to_owned(),
            surface: surface.to_owned(),
            process,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let line = LogLine::parse(
            "2026-01-30T12:00:00.000Z WARN windlass::mcp no good",
            "mcp",
            7,
        );
        let line = line.unwrap();
        assert_eq!(
            (line.level, line.message.as_str()),
            (Level::Warn, "no good")
        );
        assert!(line.level > Level::Info);
        for other in [
            "",
            "text",
            "2026-01-30 WARN a b",
            "2026-01-30T12:00:00.000Z LOUD a b",
        ] {
            assert_eq!(LogLine::parse(other, "mcp", 7), None, "{other}");
        }
    }
}
