//! `windlass` alone and `windlass status`: what waits for a person, who works on what, what is ready.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use serde::Serialize;
use serde_json::json;
use windlass_core::{ErrorKind, Result};
use windlass_ops::{Render, Span, Style, View};

use crate::surface::cli::caller::Caller;
use crate::surface::cli::own_command::OwnCommand;

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["status"], build, run)
    .operations(&["board_status", "get_project_info"])
    .examples(&[("The same as windlass alone", &["status"])])];

fn build(command: Command, _: &[OsString]) -> Command {
    command.long_about(
        "What waits for a person, who works on what and since when, which tasks are ready, and which \
         jobs and runs are under way. `windlass` alone prints the same.",
    )
}

fn run(_: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    caller.answer_call("board_status", json!({}))
}

/// No command at all: the status of the project, or how to begin.
pub fn alone(caller: &Caller) -> Result<ExitCode> {
    match caller.context() {
        Ok(_) => caller.answer_call("board_status", json!({})),
        Err(error) if error.kind() == ErrorKind::NotAProject => caller.answer(&Welcome::default()),
        Err(error) => Err(error),
    }
}

/// What a person sees who has no project yet.
#[derive(Serialize)]
struct Welcome {
    project: Option<String>,
    next: [&'static str; 3],
}

impl Default for Welcome {
    fn default() -> Self {
        Self {
            project: None,
            next: ["windlass init", "windlass setup CLIENT", "windlass help"],
        }
    }
}

impl Render for Welcome {
    fn view(&self) -> View {
        let abouts = [
            "make this folder a project",
            "connect an agent: claude-code, cursor, codex, gemini …",
            "see all commands",
        ];
        let widest = self.next.iter().map(|it| it.len()).max().unwrap_or(0);
        let view = View::default()
            .line([
                Span::new("Windlass", Style::Strong),
                Span::from(" keeps a repository's plan and memory for people and coding agents."),
            ])
            .line([Span::from("There is no project here yet.")])
            .blank();
        self.next
            .iter()
            .zip(abouts)
            .fold(view, |view, (line, about)| {
                view.line([
                    Span::from("  "),
                    Span::new(format!("{line:widest$}"), Style::Strong),
                    Span::new(format!("   {about}"), Style::Dim),
                ])
            })
    }
}
