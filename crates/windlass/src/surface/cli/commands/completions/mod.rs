//! `windlass completions`: the script that has a shell ask this program, and the answers.
//!
//! Completing never creates anything: without a project, or with one that has no state yet, only the
//! words of the tree are offered.

mod attach;
mod values;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use clap_complete::CompleteEnv;
use clap_complete::env::Shells;
use windlass_core::{Error, Result};
use windlass_ops::OPERATIONS;

use crate::surface::cli::caller::Caller;
use crate::surface::cli::output;
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::cli::tree;

const SHELL: &str = "shell";
const VARIABLE: &str = "COMPLETE";
const PROGRAM: &str = "windlass";
const SHELLS: [&str; 5] = ["bash", "zsh", "fish", "powershell", "elvish"];

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["completions"], build, run)
    .examples(&[("For bash, in its own folder", &["completions", "bash"])])];

fn build(command: Command, _: &[OsString]) -> Command {
    command
        .long_about(
            "Print the completion script of a shell. It completes commands and options, and what is in the \
             project: numbers with titles, names, statuses, commands of the repository, tools, sessions.\n\n\
             bash:  windlass completions bash > ~/.local/share/bash-completion/completions/windlass\n\
             zsh:   windlass completions zsh > ~/.zfunc/_windlass   (a folder of fpath)\n\
             fish:  windlass completions fish > ~/.config/fish/completions/windlass.fish",
        )
        .arg(
            Arg::new(SHELL)
                .value_name("SHELL")
                .required(true)
                .value_parser(SHELLS)
                .help("The shell"),
        )
}

fn run(matches: &ArgMatches, _: &Caller) -> Result<ExitCode> {
    let name = matches.get_one::<String>(SHELL).map(String::as_str);
    let shells = Shells::builtins();
    let shell = shells
        .completer(name.unwrap_or_default())
        .ok_or_else(|| Error::invalid_params("Which shell?"))?;
    let mut script = Vec::new();
    shell
        .write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script)
        .map_err(|problem| Error::internal(problem.to_string()))?;
    output::raw(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Answers a shell that asks. Whatever goes wrong, the shell is told nothing rather than an error.
pub fn complete(words: &[OsString]) -> ExitCode {
    let typed: Vec<OsString> = words
        .iter()
        .skip_while(|word| *word != "--")
        .skip(1)
        .cloned()
        .collect();
    let folder = values::folder_of(&typed);
    let factory = || attach::to_tree(tree::full_for(OPERATIONS, &typed), &folder);
    let _ = CompleteEnv::with_factory(factory)
        .var(VARIABLE)
        .bin(PROGRAM)
        .completer(PROGRAM)
        .try_complete(words.to_vec(), Some(&folder));
    ExitCode::SUCCESS
}
