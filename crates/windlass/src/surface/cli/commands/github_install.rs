//! `windlass runs github install`: the workflow that executes runs on GitHub.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde::Serialize;
use windlass_core::{Error, Result};
use windlass_ops::{Render, Span, Style, View, Workflow};

use crate::surface::cli::caller::Caller;
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::cli::setup::diff;

const SECRET: &str = "secret";
const RUNS_ON: &str = "runs-on";
const DRY_RUN: &str = "dry-run";

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["runs", "github", "install"], build, run)
    .examples(&[
        (
            "What would be written",
            &["runs", "github", "install", "--dry-run"],
        ),
        (
            "With a secret that steps may use as env:DEPLOY_KEY",
            &["runs", "github", "install", "--secret", "DEPLOY_KEY"],
        ),
    ])];

fn build(command: Command, _: &[OsString]) -> Command {
    command
        .about("Write the workflow that executes runs on GitHub")
        .long_about(
            "Write .github/workflows/windlass-run.yml, the workflow that the runtime github-runner \
             starts. The change is shown; no other file is touched. Commit it to the default branch, \
             set repository under [runtimes.github-runner] in .windlass/config.toml, and let a person \
             allow that file.",
        )
        .arg(
            Arg::new(SECRET)
                .long(SECRET)
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("A secret of the repository that steps may refer to as env:NAME; repeatable"),
        )
        .arg(
            Arg::new(RUNS_ON)
                .long(RUNS_ON)
                .value_name("LABEL")
                .default_value("ubuntu-latest")
                .help("The label of the runners"),
        )
        .arg(
            Arg::new(DRY_RUN)
                .long(DRY_RUN)
                .action(ArgAction::SetTrue)
                .help("Show the change and write nothing"),
        )
}

/// What was written.
#[derive(Debug, Serialize)]
struct Installed {
    file: PathBuf,
    written: bool,
    /// The change as a unified diff; empty if there is none.
    diff: String,
}

impl Render for Installed {
    fn view(&self) -> View {
        let file = self.file.display().to_string();
        if self.diff.is_empty() {
            return View::default().line([Span::from(format!("{file} is as it should be."))]);
        }
        let view = windlass_ops::diff_view(&self.diff).blank();
        if !self.written {
            return view.line([Span::from("Nothing was written.")]);
        }
        view.line([Span::new(format!("Wrote {file}"), Style::Good)])
            .line([Span::new(
                "Commit it to the default branch, then: windlass runs check github-runner",
                Style::Dim,
            )])
    }
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let names = matches.get_many::<String>(SECRET).into_iter().flatten();
    let workflow = Workflow {
        runs_on: matches
            .get_one::<String>(RUNS_ON)
            .cloned()
            .unwrap_or_default(),
        secrets: names.cloned().collect(),
        ..Workflow::default()
    };
    if let Some(wrong) = workflow.secrets.iter().find(|name| !is_name(name)) {
        let message = format!("\"{wrong}\" is not the name of a secret");
        return Err(Error::invalid_params(message)
            .with_hint("Letters, digits and _, not beginning with a digit."));
    }
    let context = caller.context_as_it_is()?;
    let file = context.workspace.root().join(Workflow::FILE);
    let failed = |problem: std::io::Error| Error::storage(format!("{}: {problem}", file.display()));
    let before = match std::fs::read_to_string(&file) {
        Ok(text) => Some(text),
        Err(problem) if problem.kind() == std::io::ErrorKind::NotFound => None,
        Err(problem) => return Err(failed(problem)),
    };
    let after = workflow.text();
    let changes = diff(Workflow::FILE, before.as_deref(), Some(&after));
    let written = !changes.is_empty() && !matches.get_flag(DRY_RUN);
    if written {
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        std::fs::write(&file, after).map_err(failed)?;
    }
    caller.output.answer(&Installed {
        file: PathBuf::from(Workflow::FILE),
        written,
        diff: changes,
    })?;
    Ok(ExitCode::SUCCESS)
}

fn is_name(name: &str) -> bool {
    let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    !name.is_empty()
        && name.chars().all(is_word)
        && !name.starts_with(|it: char| it.is_ascii_digit())
}
