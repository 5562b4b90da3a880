//! `windlass init`: makes a folder a project, and says what to do next.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, ValueHint};
use serde::Serialize;
use windlass_core::Result;
use windlass_ops::{Render, Span, Style, View};
use windlass_store::Project;

use super::quote::quote;

const DIR: &str = "dir";

pub fn command() -> Command {
    Command::new("init")
        .about("Make a folder a Windlass project")
        .long_about(
            "Make a folder a Windlass project: a folder .windlass with its settings and its state. \
             Where there is a project already, nothing is changed.",
        )
        .arg(
            Arg::new(DIR)
                .value_name("DIR")
                .value_parser(clap::value_parser!(PathBuf))
                .value_hint(ValueHint::DirPath)
                .help("The folder, by default the current one"),
        )
}

/// The answer of `windlass init`.
#[derive(Serialize)]
pub struct Initialised {
    root: PathBuf,
    /// Whether anything was missing and has been made.
    created: bool,
    /// Where to go first, if the project is not where the command was given.
    #[serde(skip)]
    elsewhere: Option<PathBuf>,
}

pub fn run(matches: &ArgMatches, cwd: &Path) -> Result<Initialised> {
    let elsewhere = matches.get_one::<PathBuf>(DIR).cloned();
    let folder = match &elsewhere {
        Some(folder) => cwd.join(folder),
        None => cwd.to_owned(),
    };
    let (project, created) = Project::init(&folder)?;
    Ok(Initialised {
        root: project.root().to_owned(),
        created,
        elsewhere,
    })
}

impl Render for Initialised {
    fn view(&self) -> View {
        let root = self.root.display().to_string();
        if !self.created {
            return View::default().line([
                "Already a Windlass project: ".into(),
                Span::new(root, Style::Strong),
            ]);
        }
        let mut view = View::default()
            .line([
                Span::new("Made a Windlass project: ", Style::Good),
                Span::new(root, Style::Strong),
            ])
            .line(["Its settings and state are in .windlass/.".into()]);
        if let Some(folder) = &self.elsewhere {
            let folder = folder.display().to_string();
            view = step(view, "Go there:", &[&format!("cd {}", quote(&folder))]);
        }
        view = step(
            view,
            "Add a task:",
            &["windlass add task 'Write the README'"],
        );
        view = step(
            view,
            "See what there is, and what to do next:",
            &["windlass list task", "windlass tasks next"],
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
