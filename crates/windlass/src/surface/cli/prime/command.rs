//! The command itself. Clients run it in a hook when they start, so it must not fail, wait or
//! print anything that is not for the agent: outside a project it prints nothing.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::json;
use windlass_core::{Error, ErrorKind, Result};
use windlass_ops::AnyOutput as _;

use super::primer::Primer;
use super::rules::Reader;
use crate::surface::cli::caller::Caller;
use crate::surface::cli::output;
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::environment::Environment;

const MCP: &str = "mcp";

/// After this time the client starts without the text.
const LIMIT: Duration = Duration::from_secs(5);

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["prime"], build, run).examples(&[
    ("For an agent that has a shell", &["prime"]),
    (
        "For an agent that has the MCP server connected, as the hooks of windlass setup run it",
        &["prime", "--mcp"],
    ),
])];

fn build(command: Command, _: &[OsString]) -> Command {
    command
        .about("Print what an agent should know before it begins")
        .long_about(
            "Print what an agent should know before it begins: the project, how to begin, the rules, and \
             where the work stands, in under 800 tokens (characters / 4). It is meant for the start-up \
             hook of a client: outside a project it prints nothing, and the exit code is 0 in every case; \
             problems go to standard error.",
        )
        .arg(
            Arg::new(MCP)
                .long(MCP)
                .action(ArgAction::SetTrue)
                .help("Shorter, for an agent that has the MCP server connected: under 250 tokens"),
        )
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let reader = if matches.get_flag(MCP) {
        Reader::WithTools
    } else {
        Reader::WithToolsOrShell
    };
    // Reading can wait for a disk or a lock, and the process may end meanwhile.
    let (words, global) = (caller.words.clone(), caller.global.clone());
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let caller = Caller::new(words, global, Environment::of_process());
        drop(sender.send(primer(&caller, reader)));
    });
    let late = |_| {
        Err(Error::new(
            ErrorKind::RequestTimeout,
            "the project could not be read in time",
        ))
    };
    match receiver.recv_timeout(LIMIT).unwrap_or_else(late) {
        Ok(primer) if caller.output.is_json() => caller.output.answer(&primer)?,
        Ok(primer) => caller.output.text(&primer.text)?,
        Err(error) if error.kind() == ErrorKind::NotAProject => {}
        Err(error) => output::note(&format!("windlass prime: {}", error.message())),
    }
    Ok(ExitCode::SUCCESS)
}

fn primer(caller: &Caller, reader: Reader) -> Result<Primer> {
    let info = caller.call("get_project_info", json!({}))?.to_json();
    let status = caller.call("board_status", json!({}))?.to_json();
    Ok(Primer::new(&info, &status, reader))
}
