//! `windlass logs`: reads what servers and failed commands logged, of all processes, by time.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use windlass_core::{Error, Result};
use windlass_ops::{Render, Span, Style, View};

use crate::surface::cli::caller::Caller;
use crate::surface::cli::execute;
use crate::surface::cli::output;
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::log_files::{self, Level, LogFile, LogLine, log_files};
use crate::surface::signals::Signals;

const FOLLOW: &str = "follow";
const LEVEL: &str = "level";
const SINCE: &str = "since";
const GREP: &str = "grep";
const LAST: &str = "last";

/// How often a follower looks for new lines.
const LOOK: Duration = Duration::from_millis(250);

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["logs"], build, run).examples(&[
    (
        "What went wrong in the last hour",
        &["logs", "--level", "warn", "--since", "1h"],
    ),
    ("New lines as they come", &["logs", "--follow"]),
    ("What failed in one tool", &["logs", "--grep", "task_start"]),
])];

fn build(command: Command, _: &[OsString]) -> Command {
    let option = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    command
        .long_about(
            "Print what the servers of all your projects logged (but for calls that succeeded, which are on \
             their standard error only), and commands that failed through no \
             fault of yours, by time. The files are in the folder windlass/logs of your state folder \
             (~/.local/state), readable by you only, without secrets, and never more than 16 MiB: the \
             oldest are removed. WINDLASS_LOG_LEVEL says how much is logged; off turns it off.",
        )
        .arg(
            option(LEVEL, "LEVEL", "Only lines that are at least this serious")
                .value_parser(PossibleValuesParser::new(Level::NAMES)),
        )
        .arg(option(SINCE, "TIME", "Only lines since then: 10m, 2h, 3d, or a timestamp"))
        .arg(option(GREP, "TEXT", "Only lines with this text, in whatever case"))
        .arg(
            option(LAST, "N", "Only the last N lines")
                .short('n')
                .value_parser(clap::value_parser!(usize)),
        )
        .arg(
            Arg::new(FOLLOW)
                .long(FOLLOW)
                .short('f')
                .action(ArgAction::SetTrue)
                .help("Go on with new lines, until Ctrl-C"),
        )
}

/// Which lines are wanted.
struct Filter {
    level: Level,
    /// The first moment, in the form of the lines.
    since: Option<String>,
    /// In lower case.
    text: Option<String>,
}

impl Filter {
    fn of(matches: &ArgMatches) -> Result<Self> {
        let text = |name: &str| matches.get_one::<String>(name);
        let since = text(SINCE)
            .map(|text| moment(text, Timestamp::now()))
            .transpose()?;
        Ok(Self {
            level: text(LEVEL)
                .and_then(|it| Level::parse(it))
                .unwrap_or(Level::Trace),
            since,
            text: text(GREP).map(|text| text.to_lowercase()),
        })
    }

    fn wants(&self, line: &LogLine) -> bool {
        line.level >= self.level
            && self.since.as_ref().is_none_or(|since| line.at >= *since)
            && self.text.as_ref().is_none_or(|text| {
                let whole = format!("{} {} {}", line.target, line.surface, line.message);
                whole.to_lowercase().contains(text.as_str())
            })
    }
}

/// A moment as lines have it, from an age or a timestamp.
fn moment(text: &str, now: Timestamp) -> Result<String> {
    let wrong = || {
        let message = format!("--since: \"{text}\" is no age and no timestamp");
        Error::invalid_params(message)
            .with_hint("For example: 90s, 10m, 2h, 3d, 2026-01-30T12:00:00Z.")
    };
    let at = match text.find(|letter: char| !letter.is_ascii_digit()) {
        Some(end) if end > 0 && end + 1 == text.len() => {
            let unit = match &text[end..] {
                "s" => 1,
                "m" => 60,
                "h" => 3600,
                "d" => 86_400,
                _ => return Err(wrong()),
            };
            let number: i64 = text[..end].parse().map_err(|_| wrong())?;
            let age = number.checked_mul(unit).ok_or_else(wrong)?;
            now.checked_sub(SignedDuration::from_secs(age))
                .map_err(|_| wrong())?
        }
        _ => text.parse::<Timestamp>().map_err(|_| wrong())?,
    };
    Ok(at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string())
}

/// The output of `windlass logs`.
#[derive(Serialize)]
struct Logs {
    folder: PathBuf,
    lines: Vec<LogLine>,
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let filter = Filter::of(matches)?;
    let folder = log_files::folder(&caller.environment.folders().state);
    let mut reader = Reader::default();
    let mut lines = reader.new_lines(&folder, &filter);
    if let Some(last) = matches.get_one::<usize>(LAST) {
        lines.drain(..lines.len().saturating_sub(*last));
    }
    if !matches.get_flag(FOLLOW) {
        return caller.answer(&Logs { folder, lines });
    }
    print(&lines, caller)?;
    execute::runtime()?.block_on(async {
        let mut signals = Signals::listen()?;
        loop {
            tokio::select! {
                signal = signals.next() => return Ok(signal.exit_code()),
                () = tokio::time::sleep(LOOK) => print(&reader.new_lines(&folder, &filter), caller)?,
            }
        }
    })
}

/// Prints lines as they come: JSON, one object on each line, or as a person reads them.
fn print(lines: &[LogLine], caller: &Caller) -> Result<()> {
    if !caller.output.is_json() {
        return match lines {
            [] => Ok(()),
            lines => caller.output.print(&view_of(lines)),
        };
    }
    let text = lines.iter().map(|line| {
        let json = serde_json::to_string(line);
        json.map(|json| json + "\n")
    });
    let text: String = text
        .collect::<std::result::Result<_, _>>()
        .map_err(|problem| Error::internal(problem.to_string()))?;
    output::raw(text.as_bytes())
}

/// Reads each file once, and later what was added.
#[derive(Default)]
struct Reader {
    /// How much of each file has been read.
    read: HashMap<PathBuf, u64>,
}

impl Reader {
    fn new_lines(&mut self, folder: &Path, filter: &Filter) -> Vec<LogLine> {
        let mut lines = Vec::new();
        for file in log_files(folder) {
            lines.extend(
                self.lines_of(&file)
                    .into_iter()
                    .filter(|line| filter.wants(line)),
            );
        }
        // Lines of one moment stay in the order of their file.
        lines.sort_by(|one, other| one.at.cmp(&other.at));
        lines
    }

    fn lines_of(&mut self, file: &LogFile) -> Vec<LogLine> {
        let from = self.read.get(&file.path).copied().unwrap_or(0);
        if file.length <= from {
            return Vec::new();
        }
        let read = || -> std::io::Result<Vec<u8>> {
            let mut opened = File::open(&file.path)?;
            opened.seek(SeekFrom::Start(from))?;
            let mut bytes = Vec::new();
            opened.take(file.length - from).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        // Whoever makes room may have removed it meanwhile.
        let mut bytes = read().unwrap_or_default();
        // A line that is being written is read later.
        let whole = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |end| end + 1);
        bytes.truncate(whole);
        self.read.insert(file.path.clone(), from + whole as u64);
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.lines();
        lines
            .filter_map(|line| LogLine::parse(line, &file.surface, file.process))
            .collect()
    }
}

fn view_of(lines: &[LogLine]) -> View {
    lines.iter().fold(View::default(), |view, line| {
        let style = match line.level {
            Level::Error => Style::Bad,
            Level::Warn => Style::Warning,
            _ => Style::Plain,
        };
        view.line([
            Span::new(format!("{} ", line.at), Style::Dim),
            Span::new(format!("{:5} ", line.level.name().to_uppercase()), style),
            Span::new(format!("{}[{}] ", line.surface, line.process), Style::Dim),
            Span::from(line.message.as_str()),
        ])
    })
}

impl Render for Logs {
    fn view(&self) -> View {
        if self.lines.is_empty() {
            let text = format!("No such lines in {}.", self.folder.display());
            return View::nothing(&text);
        }
        view_of(&self.lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_and_timestamps() {
        let now: Timestamp = "2026-01-30T12:00:00.5Z".parse().unwrap();
        for (text, expected) in [
            ("90s", "2026-01-30T11:58:30.500Z"),
            ("2h", "2026-01-30T10:00:00.500Z"),
            ("3d", "2026-01-27T12:00:00.500Z"),
            ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(moment(text, now).unwrap(), expected);
        }
        for text in [
            "",
            "h",
            "2w",
            "yesterday",
            "99999999999999999999d",
            "9999999999999999d",
        ] {
            assert!(moment(text, now).is_err(), "{text}");
        }
    }
}
