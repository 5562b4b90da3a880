//! `windlass man`: man pages from the same tree as the help.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, ValueHint};
use clap_mangen::Man;
use serde::Serialize;
use windlass_core::{Error, Result};
use windlass_ops::{OPERATIONS, Render, View};

use crate::surface::cli::caller::Caller;
use crate::surface::cli::output;
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::cli::tree;

const COMMAND: &str = "command";
const OUT: &str = "out";

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["man"], build, run).examples(&[
    ("Read the page of a command", &["man", "tasks", "create"]),
    ("Write all pages", &["man", "--out", "man1"]),
])];

fn build(command: Command, _: &[OsString]) -> Command {
    command
        .long_about(
            "Print a man page (roff), or write all of them to a folder. Read one with: windlass man show | man -l -",
        )
        .arg(
            Arg::new(COMMAND)
                .value_name("COMMAND")
                .num_args(0..)
                .help("The words of a command; windlass itself if absent"),
        )
        .arg(
            Arg::new(OUT)
                .long(OUT)
                .value_name("DIR")
                .value_parser(clap::value_parser!(PathBuf))
                .value_hint(ValueHint::DirPath)
                .conflicts_with(COMMAND)
                .help("Write all pages to this folder"),
        )
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let mut tree = tree::full(OPERATIONS);
    tree.build();
    if let Some(folder) = matches.get_one::<PathBuf>(OUT) {
        return caller.answer(&write_all(&tree, &caller.global.cwd.join(folder))?);
    }
    let words = matches.get_many::<String>(COMMAND).into_iter().flatten();
    let mut command = &tree;
    for word in words {
        command = command.find_subcommand(word).ok_or_else(|| {
            Error::invalid_params(format!("There is no command \"{word}\""))
                .with_hint("`windlass help` lists all commands.")
        })?;
    }
    output::raw(&page(command)?)?;
    Ok(ExitCode::SUCCESS)
}

/// The page of one command.
fn page(command: &Command) -> Result<Vec<u8>> {
    let mut roff = Vec::new();
    // A page has no colours and no overview of its own making.
    let command = command
        .clone()
        .override_help(clap::builder::StyledStr::new());
    Man::new(command)
        .render(&mut roff)
        .map_err(|problem| Error::internal(problem.to_string()))?;
    Ok(roff)
}

fn write_all(tree: &Command, folder: &Path) -> Result<Written> {
    let failed = |problem: std::io::Error| {
        Error::invalid_params(format!("{}: {problem}", folder.display())).with("field", "--out")
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut pages = Vec::new();
    let mut waiting = vec![("windlass".to_owned(), tree)];
    while let Some((name, command)) = waiting.pop() {
        let file = format!("{name}.1");
        std::fs::write(folder.join(&file), page(command)?).map_err(failed)?;
        pages.push(file);
        for below in command.get_subcommands().filter(|it| !it.is_hide_set()) {
            waiting.push((format!("{name}-{}", below.get_name()), below));
        }
    }
    pages.sort();
    Ok(Written {
        folder: folder.to_owned(),
        pages,
    })
}

/// The answer of `windlass man --out`.
#[derive(Serialize)]
struct Written {
    folder: PathBuf,
    pages: Vec<String>,
}

impl Render for Written {
    fn view(&self) -> View {
        let count = self.pages.len();
        View::default().line([format!("Wrote {count} pages to {}", self.folder.display()).into()])
    }
}
