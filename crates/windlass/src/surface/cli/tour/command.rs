//! The arguments of `windlass tour`, and its end.

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde::Serialize;
use windlass_core::{Error, Result};
use windlass_ops::{Render, Span, Style, View};

use super::place::Place;
use super::play::{Played, Player};
use super::wait::Stop;
use crate::surface::cli::caller::Caller;
use crate::surface::cli::execute;
use crate::surface::cli::exit_codes::NOT_SUCCESSFUL;
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::signals::Signals;

const FAST: &str = "fast";

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["tour"], build, run).examples(&[
    ("Look around, in about two minutes", &["tour"]),
    ("Without pauses", &["tour", "--fast"]),
])];

fn build(command: Command, _: &[OsString]) -> Command {
    command
        .long_about(
            "Play a guided tour of about two minutes: real commands and what they print, in a \
             temporary project that is removed at the end. It has settings and allowlists of its own, \
             so nothing of yours is read or changed. Enter goes on at a terminal; elsewhere there are no \
             pauses. Where no person runs it, what only a person may do is refused, and the tour goes on \
             without it. The exit code is not 0 if a step ends otherwise than it should.",
        )
        .arg(
            Arg::new(FAST)
                .long(FAST)
                .action(ArgAction::SetTrue)
                .help("Do not wait for Enter"),
        )
}

/// The output of `windlass tour`.
#[derive(Serialize)]
struct Tour {
    /// Whether a person played it.
    person: bool,
    /// Whether every step ended as it has to.
    completed: bool,
    steps: Vec<Played>,
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let place = Place::new(&std::env::temp_dir())?;
    let stop = Arc::new(Stop::default());
    let pauses = !matches.get_flag(FAST)
        && !caller.output.is_json()
        && std::io::stdin().is_terminal()
        && std::io::stdout().is_terminal();
    let person = caller.person().is_ok();
    let program = std::env::current_exe()
        .map_err(|problem| Error::internal(format!("this program has no path: {problem}")))?;
    let output = caller.output.clone();
    let runtime = execute::runtime()?;
    let stopping = Arc::clone(&stop);
    let (played, signal) = runtime.block_on(async {
        let mut signals = Signals::listen()?;
        let mut playing = tokio::task::spawn_blocking(move || {
            let player = Player {
                output: &output,
                stop: &stopping,
                person,
                pauses,
                program,
            };
            let played = player.play(&place);
            drop(place);
            played
        });
        let ended = tokio::select! {
            played = &mut playing => (played, None),
            signal = signals.next() => {
                stop.wish();
                (playing.await, Some(signal))
            }
        };
        Ok::<_, Error>(ended)
    })?;
    // A thread may still wait for Enter.
    runtime.shutdown_background();
    let steps = played.map_err(|_| Error::internal("The tour panicked"))??;
    if let Some(signal) = signal {
        caller
            .output
            .error("stopped", "The tour's project is removed.", None);
        return Ok(signal.exit_code());
    }
    let completed = steps.iter().all(|step| step.as_expected);
    let code = if completed {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(NOT_SUCCESSFUL)
    };
    caller.output.answer(&Tour {
        person,
        completed,
        steps,
    })?;
    Ok(code)
}

impl Render for Tour {
    fn view(&self) -> View {
        let failed = self.steps.iter().find(|step| !step.as_expected);
        if let Some(step) = failed {
            let exit = step.exit.map_or("a signal".to_owned(), |it| it.to_string());
            let text = format!("The tour ends here: {} ended with {exit}.", step.command);
            return View::default().line([Span::new(text, Style::Bad)]);
        }
        View::default()
            .line([Span::new(
                "That was the tour; its project is removed.",
                Style::Good,
            )])
            .line(["In a repository of yours:".into()])
            .line(["  ".into(), Span::new("windlass init", Style::Strong)])
    }
}
