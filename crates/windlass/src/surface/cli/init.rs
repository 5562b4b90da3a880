//! `windlass init`: makes a folder a project, and says what to do next.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgMatches, Command, ValueHint};
use serde::Serialize;
use windlass_core::{Origin, Result};
use windlass_ops::{Render, STACKS, Span, Style, View, seed_stack};
use windlass_store::{Project, Store};

use super::caller::Caller;
use super::own_command::OwnCommand;
use super::quote::quote;

const DIR: &str = "dir";
const STACK: &str = "stack";

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["init"], build, run).examples(&[
    ("This folder", &["init"]),
    (
        "With the disciplines of a web application",
        &["init", "--stack", "web"],
    ),
])];

fn build(command: Command, _: &[OsString]) -> Command {
    command
        .long_about(
            "Make a folder a Windlass project: creates a folder .windlass for its settings and \
             state. If the folder is already a project, nothing is changed.",
        )
        .arg(
            Arg::new(DIR)
                .value_name("DIR")
                .value_parser(clap::value_parser!(PathBuf))
                .value_hint(ValueHint::DirPath)
                .help("The folder, by default the current one"),
        )
        .arg(
            Arg::new(STACK)
                .long("stack")
                .value_name("NAME")
                .value_parser(PossibleValuesParser::new(
                    STACKS
                        .iter()
                        .map(|stack| PossibleValue::new(stack.name).help(stack.about)),
                ))
                .help("Disciplines to begin with"),
        )
}

/// The output of `windlass init`.
#[derive(Serialize)]
struct Initialised {
    root: PathBuf,
    /// Whether anything was missing and has been created.
    created: bool,
    /// Disciplines that were created.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    disciplines: Vec<String>,
    /// The folder to change to, if the project is not in the current one.
    #[serde(skip)]
    elsewhere: Option<PathBuf>,
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    caller.answer(&init(matches, &caller.global.cwd, &caller.origin()?)?)
}

fn init(matches: &ArgMatches, cwd: &Path, origin: &Origin) -> Result<Initialised> {
    let elsewhere = matches.get_one::<PathBuf>(DIR).cloned();
    let folder = match &elsewhere {
        Some(folder) => cwd.join(folder),
        None => cwd.to_owned(),
    };
    let (project, created) = Project::init(&folder)?;
    let wanted = matches.get_one::<String>(STACK);
    let stack = STACKS
        .iter()
        .find(|stack| wanted.is_some_and(|name| name == stack.name));
    let disciplines = match stack {
        Some(stack) => seed_stack(&Store::open(&project)?, origin, stack)?,
        None => Vec::new(),
    };
    Ok(Initialised {
        root: project.root().to_owned(),
        created,
        disciplines,
        elsewhere,
    })
}

impl Render for Initialised {
    fn view(&self) -> View {
        let root = self.root.display().to_string();
        let planted = self.disciplines.join(", ");
        if !self.created {
            let view = View::default().line([
                "Already a Windlass project: ".into(),
                Span::new(root, Style::Strong),
            ]);
            if planted.is_empty() {
                return view;
            }
            return view.line([Span::from(format!("New disciplines: {planted}"))]);
        }
        let mut view = View::default()
            .line([
                Span::new("Made a Windlass project: ", Style::Good),
                Span::new(root, Style::Strong),
            ])
            .line(["Its settings and state are in .windlass/.".into()]);
        if !planted.is_empty() {
            view = view.line([Span::from(format!("Disciplines: {planted}"))]);
        }
        if let Some(folder) = &self.elsewhere {
            let folder = folder.display().to_string();
            view = step(view, "Go there:", &[&format!("cd {}", quote(&folder))]);
        }
        view = step(view, "Add a task:", &["windlass add 'Write the README'"]);
        view = step(
            view,
            "See what there is, and what to do next:",
            &["windlass", "windlass next"],
        );
        step(
            view,
            "Connect an agent: claude-code, cursor, vscode, codex, gemini, zed and others:",
            &["windlass setup claude-code"],
        )
    }
}

/// One thing to do next, and what to type for it.
fn step(view: View, about: &str, lines: &[&str]) -> View {
    let view = view.blank().line([Span::new(about, Style::Dim)]);
    lines.iter().fold(view, |view, line| {
        view.line(["  ".into(), Span::new(*line, Style::Strong)])
    })
}
