//! `windlass init`: makes a folder a project, and says what to do next.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, ValueHint};
use serde::Serialize;
use windlass_core::Result;
use windlass_ops::{Render, Span, Style, View};
use windlass_store::Project;

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
}

pub fn run(matches: &ArgMatches, cwd: &Path) -> Result<Initialised> {
    let folder = match matches.get_one::<PathBuf>(DIR) {
        Some(folder) => cwd.join(folder),
        None => cwd.to_owned(),
    };
    let (project, created) = Project::init(&folder)?;
    Ok(Initialised {
        root: project.root().to_owned(),
        created,
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
        let step = |text: &str| [Span::new(text, Style::Dim)];
        let command = |text: &str| ["  ".into(), Span::new(text, Style::Strong)];
        View::default()
            .line([
                Span::new("Made a Windlass project: ", Style::Good),
                Span::new(root, Style::Strong),
            ])
            .line(["Its settings and state are in .windlass/.".into()])
            .blank()
            .line(["Next steps".into()])
            .blank()
            .line(step("Add a task:"))
            .line(command("windlass add task 'Write the README'"))
            .blank()
            .line(step("See what there is, and what to do next:"))
            .line(command("windlass list task"))
            .line(command("windlass tasks next"))
            .blank()
            .line(step(
                "Connect an agent: put this in its MCP settings (.mcp.json, for example):",
            ))
            .line(command(
                r#"{"mcpServers": {"windlass": {"command": "windlass", "args": ["mcp"]}}}"#,
            ))
    }
}
