//! `windlass sync`: three operations under one name, as people expect it.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::json;
use windlass_core::Result;

use super::caller::Caller;
use super::own_command::OwnCommand;

const RUN: &str = "sync";
const CHECK: &str = "sync_check";
const STATUS: &str = "sync_status";

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["sync"], build, run)
    .operations(&[RUN, CHECK, STATUS])
    .examples(&[
        (
            "Write what is new here, import what is new there",
            &["sync"],
        ),
        ("What it would do", &["sync", "--status"]),
        (
            "For CI: fail if anything is left to do",
            &["sync", "--check"],
        ),
        ("Replace all packs by one", &["sync", "--compact"]),
        ("Exchange with a bucket", &["sync", "s3://bucket/prefix"]),
    ])];

fn build(command: Command, _: &[OsString]) -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .action(ArgAction::SetTrue)
            .help(help)
    };
    command
        .long_about(
            "Exchange changes with other clones by the files in .windlass/packs, which git carries: \
             import packs that are new there, write the changes of this clone as a new pack, and \
             restore packs that this branch lacks. Packs are only added, never changed, so that git \
             has nothing to merge. Nothing is committed or pushed; windlass hook install lets git do \
             this with each commit. With the URL of object storage, packs are exchanged with that \
             instead, and with the setting sync.remote also with that.",
        )
        .arg(flag("status", "Only show what a sync would do").conflicts_with_all(["check", "compact"]))
        .arg(flag(
            "check",
            "Only check, and fail if changes are in no pack, or a pack is missing, not imported or broken",
        ).conflicts_with("compact"))
        .arg(flag("compact", "Also replace all packs by one"))
        .arg(
            Arg::new("url")
                .value_name("URL")
                .conflicts_with_all(["check", "status"])
                .help("Object storage: s3://bucket/prefix, gs://bucket/prefix, az://container/prefix or file:///folder"),
        )
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    // Opened as it is: a check is about what has not been imported.
    caller.context_as_it_is()?;
    if matches.get_flag("check") {
        return caller.answer_call(CHECK, json!({}));
    }
    if matches.get_flag("status") {
        return caller.answer_call(STATUS, json!({}));
    }
    let mut input = json!({"compact": matches.get_flag("compact")});
    if let Some(url) = matches.get_one::<String>("url") {
        input["remote"] = json!(url);
    }
    caller.answer_call(RUN, input)
}
