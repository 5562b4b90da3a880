//! The only place that writes to the standard streams.
//!
//! An answer is one write, so that two processes on one pipe do not mix their lines, and a reader
//! that goes away early (`| head`) is no error.

use std::fmt::Write as _;
use std::io::{ErrorKind as IoErrorKind, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use serde_json::Value as Json;
use windlass_core::{Error, Result};
use windlass_ops::{AnyOutput, View};

use super::global::Global;
use super::render::{self, Terminal, escape};

/// How to print for whoever called.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    json: bool,
    color: clap::ColorChoice,
}

impl Output {
    pub fn of(global: &Global) -> Self {
        Self {
            json: global.json,
            color: global.color,
        }
    }

    pub fn is_json(self) -> bool {
        self.json
    }

    /// Prints what an operation answered.
    pub fn answer(self, answer: &dyn AnyOutput) -> Result<()> {
        let stdout = std::io::stdout();
        let on_terminal = stdout.is_terminal();
        let text = if self.json {
            json_text(&answer.to_json(), on_terminal)
        } else {
            let terminal = Terminal {
                width: on_terminal.then(terminal_width).flatten(),
                color: self.colors(&stdout),
            };
            render::render(&answer.view(), terminal)
        };
        raw(text.as_bytes())
    }

    /// Prints a file: as it is for a program, safe to look at on a terminal.
    #[expect(clippy::unused_self, reason = "all that is printed goes through here")]
    pub fn text(self, text: &str) -> Result<()> {
        if std::io::stdout().is_terminal() {
            return raw(escape::running(text).as_bytes());
        }
        raw(text.as_bytes())
    }

    /// Shows a person what a question is about, where the question is put.
    pub fn show(self, view: &View) {
        let stderr = std::io::stderr();
        let terminal = Terminal {
            width: None,
            color: self.colors(&stderr),
        };
        let text = render::render(view, terminal);
        let _ = stderr.lock().write_all(text.as_bytes());
    }

    /// Tells what went wrong. There is nobody left to tell that standard error is closed.
    pub fn error(self, label: &str, message: &str, hint: Option<&str>) {
        let stderr = std::io::stderr();
        let text = error_text(label, message, hint, self.colors(&stderr));
        let _ = stderr.lock().write_all(text.as_bytes());
    }

    /// `NO_COLOR`, `CLICOLOR_FORCE` and `TERM` are heard where nothing else was asked for.
    fn colors<S: anstream::stream::RawStream>(self, stream: &S) -> bool {
        match self.color {
            clap::ColorChoice::Always => true,
            clap::ColorChoice::Never => false,
            clap::ColorChoice::Auto => AutoStream::choice(stream) != ColorChoice::Never,
        }
    }
}

/// Prints bytes as they are: a completion script, or text that is already rendered.
pub fn raw(bytes: &[u8]) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(problem) if problem.kind() != IoErrorKind::BrokenPipe => Err(Error::internal(format!(
            "Cannot write to standard output: {problem}"
        ))),
        _ => Ok(()),
    }
}

/// Passes on what a job writes, at once.
pub fn pass_on(stream: &mut impl Write, bytes: &[u8]) -> std::io::Result<()> {
    stream.write_all(bytes)?;
    stream.flush()
}

/// Tells a program what went wrong.
pub fn error_json(error: &Json) {
    let stderr = std::io::stderr();
    let text = json_text(error, stderr.is_terminal());
    let _ = stderr.lock().write_all(text.as_bytes());
}

/// Tells a person something in passing, beside what the command answers.
pub fn note(text: &str) {
    let line = format!("{}\n", escape::one_line(text));
    let _ = std::io::stderr().lock().write_all(line.as_bytes());
}

/// Puts a question; the answer is typed on the same line.
pub fn ask(question: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(question.as_bytes());
    let _ = stderr.flush();
}

/// Pretty for people, one line for programs.
fn json_text(json: &Json, pretty: bool) -> String {
    let mut text = escape::json(if pretty {
        format!("{json:#}")
    } else {
        json.to_string()
    });
    text.push('\n');
    text
}

fn error_text(label: &str, message: &str, hint: Option<&str>, color: bool) -> String {
    let style = |style: anstyle::Style| if color { style } else { anstyle::Style::new() };
    let bad = style(anstyle::AnsiColor::Red.on_default().bold());
    let good = style(anstyle::AnsiColor::Green.on_default().bold());
    let mut text = format!("{bad}{label}:{bad:#} {}\n", escape::running(message));
    if let Some(hint) = hint {
        let _ = writeln!(text, "{good}hint:{good:#} {}", escape::running(hint));
    }
    text
}

fn terminal_width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    (size.ws_col > 0).then(|| usize::from(size.ws_col))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_are_escaped_and_coloured_only_on_request() {
        assert_eq!(
            error_text("error", "Entity \u{1b}[2J not found", Some("Look."), false),
            "error: Entity \\u{1b}[2J not found\nhint: Look.\n"
        );
        assert_eq!(
            error_text("error", "No.", None, true),
            "\u{1b}[1m\u{1b}[31merror:\u{1b}[0m No.\n"
        );
    }

    #[test]
    fn json_is_one_line_for_programs() {
        let value = json!({"a": [1, "\u{202e}"]});
        assert_eq!(json_text(&value, false), "{\"a\":[1,\"\\u202e\"]}\n");
        assert!(json_text(&value, true).contains("\n  \"a\": ["));
    }
}
