//! The only place that writes to the standard streams.
//!
//! Output is one write, so that two processes on one pipe do not mix their lines, and a reader that
//! closes the pipe early (`| head`) is not an error.

use std::fmt::Write as _;
use std::io::{ErrorKind as IoErrorKind, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use serde_json::Value as Json;
use windlass_core::{Error, Result};
use windlass_ops::{AnyOutput, View};
use windlass_store::Store;

use super::global::Global;
use super::pager::Pager;
use super::render::{self, Terminal, escape};
use crate::surface::environment::Environment;

/// How to print for the caller.
#[derive(Debug, Clone)]
pub struct Output {
    json: bool,
    color: clap::ColorChoice,
    /// The pager for long output, if a person reads it.
    pager: Option<Pager>,
}

impl Output {
    pub fn of(global: &Global, environment: &Environment) -> Self {
        Self {
            json: global.json,
            color: global.color,
            pager: if global.pager {
                Pager::of(environment)
            } else {
                None
            },
        }
    }

    /// The same, but always as JSON.
    pub fn as_json(&self) -> Self {
        Self {
            json: true,
            ..self.clone()
        }
    }

    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Prints what a store has to say to a person beside the output, when it has to.
    pub fn tell_notices_of(&self, store: &Store) {
        let json = self.json;
        store.tell_notices(move |notice| {
            if json {
                error_json(&serde_json::json!({ "notice": notice }));
            } else {
                note(&format!("note: {notice}"));
            }
        });
    }

    /// Prints the output of an operation.
    pub fn answer(&self, answer: &dyn AnyOutput) -> Result<()> {
        let stdout = std::io::stdout();
        let on_terminal = stdout.is_terminal();
        if self.json {
            return raw(json_text(&answer.to_json(), on_terminal).as_bytes());
        }
        let terminal = Terminal {
            width: on_terminal.then(|| terminal_size().0).filter(|it| *it > 0),
            color: self.colors(&stdout),
            now: on_terminal.then(jiff::Timestamp::now),
        };
        self.page(&render::render(&answer.view(), terminal))
    }

    /// Prints a view at once, whatever is printed after it.
    pub fn print(&self, view: &View) -> Result<()> {
        let stdout = std::io::stdout();
        let terminal = Terminal {
            width: stdout
                .is_terminal()
                .then(|| terminal_size().0)
                .filter(|it| *it > 0),
            color: self.colors(&stdout),
            now: None,
        };
        raw(render::render(view, terminal).as_bytes())
    }

    /// Prints help, which is already styled.
    pub fn help(&self, text: &clap::builder::StyledStr) -> Result<()> {
        if self.colors(&std::io::stdout()) {
            return self.page(&text.ansi().to_string());
        }
        self.page(&text.to_string())
    }

    /// Prints text, through a pager if a person reads it and it is longer than the terminal.
    fn page(&self, text: &str) -> Result<()> {
        if let Some(pager) = &self.pager
            && std::io::stdout().is_terminal()
            && std::io::stdin().is_terminal()
            && text.lines().count() >= terminal_size().1
            && pager.show(text)
        {
            return Ok(());
        }
        raw(text.as_bytes())
    }

    /// Prints a file: unchanged for a program, escaped for a terminal.
    pub fn text(&self, text: &str) -> Result<()> {
        if std::io::stdout().is_terminal() {
            return self.page(&escape::running(text));
        }
        raw(text.as_bytes())
    }

    /// Shows a person what a question is about, on the stream of the question.
    pub fn show(&self, view: &View) {
        let stderr = std::io::stderr();
        let terminal = Terminal {
            width: None,
            color: self.colors(&stderr),
            now: Some(jiff::Timestamp::now()),
        };
        let text = render::render(view, terminal);
        let _ = stderr.lock().write_all(text.as_bytes());
    }

    /// The same for what may be long: through a pager, where a person can use one.
    pub fn show_in_full(&self, view: &View) {
        let stdout = std::io::stdout();
        if self.json || !stdout.is_terminal() {
            return self.show(view);
        }
        let terminal = Terminal {
            width: Some(terminal_size().0).filter(|it| *it > 0),
            color: self.colors(&stdout),
            now: Some(jiff::Timestamp::now()),
        };
        // Where it cannot be written, the question is not answered either.
        let _ = self.page(&render::render(view, terminal));
    }

    /// Prints an error. If standard error is closed, that cannot be reported.
    pub fn error(&self, label: &str, message: &str, hint: Option<&str>) {
        let stderr = std::io::stderr();
        let text = error_text(label, message, hint, self.colors(&stderr));
        let _ = stderr.lock().write_all(text.as_bytes());
    }

    /// `NO_COLOR`, `CLICOLOR_FORCE` and `TERM` apply unless `--color` decides.
    pub fn colors<S: anstream::stream::RawStream>(&self, stream: &S) -> bool {
        match self.color {
            clap::ColorChoice::Always => true,
            clap::ColorChoice::Never => false,
            clap::ColorChoice::Auto => AutoStream::choice(stream) != ColorChoice::Never,
        }
    }
}

/// Prints bytes unchanged: a completion script, or text that is already rendered.
pub fn raw(bytes: &[u8]) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(problem) if problem.kind() != IoErrorKind::BrokenPipe => Err(Error::internal(format!(
            "Cannot write to standard output: {problem}"
        ))),
        _ => Ok(()),
    }
}

/// Whether standard output is a terminal.
pub fn is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Standard output for text that is too long to hold. A reader that has enough and closes the pipe is
/// not an error: the rest is dropped.
pub fn stream() -> impl Write {
    struct Stream {
        closed: bool,
    }
    impl Stream {
        fn passed<T>(&mut self, result: std::io::Result<T>, done: T) -> std::io::Result<T> {
            match result {
                Err(problem) if problem.kind() == IoErrorKind::BrokenPipe => {
                    self.closed = true;
                    Ok(done)
                }
                other => other,
            }
        }
    }
    impl Write for Stream {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            if self.closed {
                return Ok(bytes.len());
            }
            let result = std::io::stdout().write(bytes);
            self.passed(result, bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            if self.closed {
                return Ok(());
            }
            let result = std::io::stdout().flush();
            self.passed(result, ())
        }
    }
    Stream { closed: false }
}

/// Forwards the output of a job immediately.
pub fn pass_on(stream: &mut impl Write, bytes: &[u8]) -> std::io::Result<()> {
    stream.write_all(bytes)?;
    stream.flush()
}

/// Prints an error for a program.
pub fn error_json(error: &Json) {
    let stderr = std::io::stderr();
    let text = json_text(error, stderr.is_terminal());
    let _ = stderr.lock().write_all(text.as_bytes());
}

/// Prints a note for a person, beside the output of the command.
pub fn note(text: &str) {
    let line = format!("{}\n", escape::one_line(text));
    let _ = std::io::stderr().lock().write_all(line.as_bytes());
}

/// Prints a question; the answer is typed on the same line.
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

/// Columns and rows; zero and unlimited without a terminal.
fn terminal_size() -> (usize, usize) {
    match rustix::termios::tcgetwinsize(std::io::stdout()) {
        Ok(size) if size.ws_row > 0 => (usize::from(size.ws_col), usize::from(size.ws_row)),
        Ok(size) => (usize::from(size.ws_col), usize::MAX),
        Err(_) => (0, usize::MAX),
    }
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
