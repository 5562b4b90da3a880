//! `windlass init`: makes a folder a project, and says what to do next.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use serde::Serialize;
use windlass_core::{Actor, Error, ErrorKind, Result};
use windlass_ops::{Render, STACKS, Span, Style, View, seed_stack};
use windlass_store::{Bindings, Project, Standing};

use super::caller::Caller;
use super::own_command::OwnCommand;
use super::quote::quote;

const DIR: &str = "dir";
const STACK: &str = "stack";
const NEW_STATE: &str = "new-state";

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
        .arg(
            Arg::new(NEW_STATE)
                .long("new-state")
                .action(ArgAction::SetTrue)
                .help("Begin with an empty state, where the one that was here is lost"),
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
    /// What became of packs that other clones wrote.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    packs: Vec<String>,
    /// Whether a lost state was rebuilt from packs.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    rebuilt: bool,
    /// The folder to change to, if the project is not in the current one.
    #[serde(skip)]
    elsewhere: Option<PathBuf>,
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    caller.answer(&init(matches, caller)?)
}

fn init(matches: &ArgMatches, caller: &Caller) -> Result<Initialised> {
    let (cwd, origin) = (&caller.global.cwd, caller.origin()?);
    let elsewhere = matches.get_one::<PathBuf>(DIR).cloned();
    let folder = match &elsewhere {
        Some(folder) => cwd.join(folder),
        None => cwd.to_owned(),
    };
    let (project, created) = Project::init(&folder)?;
    let bindings = caller.bindings();
    if matches.get_flag(NEW_STATE) {
        begin_anew(&project, &bindings, origin.actor)?;
    }
    let begins_anew = matches.get_flag(NEW_STATE);
    let context = caller.opening()?.at(project.root()).open()?;
    let store = &context.store;
    caller.output.tell_notices_of(store);
    store.check_trusted()?;
    let imported = windlass_ops::import_new_packs(&context);
    let wanted = matches.get_one::<String>(STACK);
    let stack = STACKS
        .iter()
        .find(|stack| wanted.is_some_and(|name| name == stack.name));
    let disciplines = match stack {
        Some(stack) => seed_stack(store, &origin, stack)?,
        None => Vec::new(),
    };
    Ok(Initialised {
        root: project.root().to_owned(),
        created,
        disciplines,
        packs: imported.lines(),
        rebuilt: begins_anew && !imported.changes.imported.is_empty(),
        elsewhere,
    })
}

/// Lets a project whose state is gone begin with a new one.
fn begin_anew(project: &Project, bindings: &Bindings, actor: Actor) -> Result<()> {
    if bindings.standing(project)? != Standing::Lost {
        let message = "The state of this project is not lost, so it is not replaced";
        return Err(Error::invalid_params(message)
            .with_hint("To begin anew all the same, move .windlass/state away first."));
    }
    if actor != Actor::Human {
        let message = "Only a person at a terminal can do this: windlass init --new-state";
        return Err(
            Error::new(ErrorKind::HumanOnly, message).with_hint("Ask a person to run the command.")
        );
    }
    bindings.forget(project)
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
            let view = self.with_packs(view);
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
        view = self.with_packs(view);
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

impl Initialised {
    fn with_packs(&self, view: View) -> View {
        let lines = self.packs.iter();
        let view = lines.fold(view, |view, line| view.line([Span::from(line.as_str())]));
        if !self.rebuilt {
            return view;
        }
        view.line([Span::new(
            "Packs do not have gates, jobs, runs, sessions, claims, the history of events, and changes \
             since the last sync: these are gone.",
            Style::Warning,
        )])
    }
}

/// One thing to do next, and what to type for it.
fn step(view: View, about: &str, lines: &[&str]) -> View {
    let view = view.blank().line([Span::new(about, Style::Dim)]);
    lines.iter().fold(view, |view, line| {
        view.line(["  ".into(), Span::new(*line, Style::Strong)])
    })
}
