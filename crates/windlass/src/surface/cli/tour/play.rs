//! Plays the chapters: runs each step and compares how it ends.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::Serialize;
use windlass_core::{Error, Result};
use windlass_ops::{Span, Style, View};

use super::chapters::{At, CHAPTERS, Chapter, Step, Who};
use super::place::Place;
use super::wait::{self, Stop};
use crate::surface::cli::exit_codes::PERSON_NEEDED;
use crate::surface::cli::output::{self, Output};
use crate::surface::cli::quote::quote;

/// Texts are broken so that they fit a terminal of 80 columns.
const WIDTH: usize = 78;

/// How the tour is shown.
pub struct Player<'a> {
    pub output: &'a Output,
    pub stop: &'a Stop,
    /// Whether a person plays it.
    pub person: bool,
    pub pauses: bool,
    pub program: PathBuf,
}

/// What became of one step.
#[derive(Debug, Serialize)]
pub struct Played {
    pub chapter: &'static str,
    pub command: String,
    /// `project` or `clone`.
    pub at: &'static str,
    pub exit: Option<i32>,
    /// Whether it ended as it has to.
    pub as_expected: bool,
    /// Whether it was refused, because only a person may do it.
    pub refused: bool,
    /// What it printed, in the JSON output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

impl Player<'_> {
    /// Plays everything, up to the first step that does not end as it has to.
    pub fn play(&self, place: &Place) -> Result<Vec<Played>> {
        let mut played = Vec::new();
        for (number, chapter) in CHAPTERS.iter().enumerate() {
            self.show_title(number, chapter)?;
            for step in chapter.steps.iter().filter(|step| self.plays(step)) {
                let done = self.step(chapter, step, place)?;
                let goes_on = done.as_expected && !self.stop.is_wished();
                played.push(done);
                if !goes_on {
                    return Ok(played);
                }
            }
            self.pause(number + 1 == CHAPTERS.len());
            if self.stop.is_wished() {
                return Ok(played);
            }
        }
        Ok(played)
    }

    fn plays(&self, step: &Step) -> bool {
        match step.who {
            Who::Anyone | Who::Person => true,
            Who::WithPerson => self.person,
            Who::WithoutPerson => !self.person,
        }
    }

    fn step(&self, chapter: &Chapter, step: &Step, place: &Place) -> Result<Played> {
        let refused = step.who == Who::Person && !self.person;
        let expected = if refused { PERSON_NEEDED } else { step.exit };
        let shown: Vec<_> = step.words.iter().map(|word| quote(word)).collect();
        let shown = shown.join(" ");
        let prompt = match step.at {
            At::Project => "$",
            At::Clone => "clone $",
        };
        self.show(&View::default().line([
            Span::new(format!("{prompt} "), Style::Dim),
            Span::new(shown.as_str(), Style::Strong),
        ]))?;
        let (exit, printed) = self.run(step, place)?;
        if refused && exit == Some(i32::from(expected)) {
            let text = "(Refused, as it has to be: no person runs this tour. The tour goes on without it.)";
            self.show(&View::default().line([Span::new(text, Style::Dim)]))?;
        }
        Ok(Played {
            chapter: chapter.title,
            command: shown,
            at: match step.at {
                At::Project => "project",
                At::Clone => "clone",
            },
            exit,
            as_expected: exit == Some(i32::from(expected)),
            refused,
            output: printed,
        })
    }

    /// Its exit code, and what it printed if that was not passed on.
    fn run(&self, step: &Step, place: &Place) -> Result<(Option<i32>, Option<String>)> {
        let (name, rest) = step.words.split_first().unwrap_or((&"windlass", &[]));
        let mut command = match *name {
            "windlass" => Command::new(&self.program),
            other => Command::new(other),
        };
        place.settle(command.args(rest).current_dir(place.at(step.at)));
        if !self.person {
            command.stdin(Stdio::null());
        }
        let json = self.output.is_json();
        if json {
            command.stdout(Stdio::piped());
        }
        let failed = |problem: std::io::Error| {
            Error::internal(format!("{name} cannot be run: {problem}"))
                .with_hint(format!("The tour needs {name}: install it, and try again."))
        };
        let mut child = command.spawn().map_err(failed)?;
        // Read on a thread of its own, so that a long output does not block the process.
        let reader = child.stdout.take().map(|mut stdout| {
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                let _ = stdout.read_to_end(&mut bytes);
                String::from_utf8_lossy(&bytes).into_owned()
            })
        });
        let status = wait::for_process(&mut child, self.stop).map_err(failed)?;
        let printed = reader.map(|reader| reader.join().unwrap_or_default());
        Ok((status.code(), printed))
    }

    fn show_title(&self, number: usize, chapter: &Chapter) -> Result<()> {
        let title = format!("{} of {}: {}", number + 1, CHAPTERS.len(), chapter.title);
        let view = View::default()
            .line([Span::new(title, Style::Good)])
            .text(wrapped(chapter.text))
            .blank();
        self.show(&view)
    }

    fn show(&self, view: &View) -> Result<()> {
        if self.output.is_json() {
            return Ok(());
        }
        self.output.print(view)
    }

    fn pause(&self, is_last: bool) {
        if !self.output.is_json() {
            output::ask(if self.pauses && !is_last {
                "\nEnter goes on, Ctrl-C ends the tour. "
            } else {
                "\n"
            });
        }
        if self.pauses && !is_last {
            wait::for_enter(self.stop);
        }
    }
}

/// The text in lines that fit a narrow terminal.
fn wrapped(text: &str) -> String {
    let mut lines = String::new();
    let mut width = 0;
    for word in text.split_whitespace() {
        if width + word.len() >= WIDTH {
            lines.push('\n');
            width = 0;
        } else if width > 0 {
            lines.push(' ');
            width += 1;
        }
        lines.push_str(word);
        width += word.len();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_fit_a_terminal_and_lose_no_word() {
        for chapter in CHAPTERS {
            let lines = wrapped(chapter.text);
            assert!(lines.lines().all(|line| line.len() <= WIDTH), "{lines}");
            assert_eq!(lines.replace('\n', " "), chapter.text);
        }
    }
}
