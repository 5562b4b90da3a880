//! `windlass import`, `windlass export` and `windlass snapshot`: paths are those of the folder that the
//! command runs in, and an export without a file goes to standard output as it is made.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use serde_json::{Value as Json, json};
use windlass_core::{Error, Result};
use windlass_ops::{ExportFormat, export_to};

use crate::surface::cli::caller::{Caller, operation};
use crate::surface::cli::output;
use crate::surface::cli::own_command::OwnCommand;

pub const COMMANDS: &[OwnCommand] = &[
    OwnCommand::new(&["import"], build_import, run_import)
        .operations(&["import"])
        .examples(&[
            (
                "What the checklist would become, without changing anything",
                &["import", "markdown", "TODO.md", "--dry-run"],
            ),
            (
                "The issues of beads, from the folder of the project",
                &["import", "beads", "."],
            ),
        ]),
    OwnCommand::new(&["export"], build_export, run_export)
        .operations(&["export"])
        .examples(&[
            ("Everything, as JSON", &["export"]),
            (
                "Everything as a table, in a file",
                &["export", "--csv", "--out", "plan.csv"],
            ),
        ]),
    OwnCommand::new(&["snapshot"], build_snapshot, run_snapshot)
        .operations(&["sync_snapshot"])
        .examples(&[
            ("In .windlass/snapshot", &["snapshot"]),
            (
                "Whether docs/plan is up to date, for CI",
                &["snapshot", "docs/plan", "--check"],
            ),
        ]),
];

fn build_import(command: Command, _: &[OsString]) -> Command {
    let Ok(entry) = operation("import") else {
        return command;
    };
    entry
        .augment(command)
        .long_about(
            "Import the plan of another tool, all of it or nothing: statuses, priorities, dependencies, \
             parents, comments, labels and times are kept. A second import updates what the first one made; \
             what was edited here since stays, and is listed. Nothing that is read is ever run or allowed.",
        )
        .mut_arg("path", |argument| argument.value_hint(ValueHint::AnyPath))
}

fn run_import(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let mut input = operation("import")?.input_of_matches(matches)?;
    make_absolute(&mut input, "path", &caller.global.cwd);
    caller.answer_call("import", input)
}

fn build_snapshot(command: Command, _: &[OsString]) -> Command {
    let Ok(entry) = operation("sync_snapshot") else {
        return command;
    };
    entry
        .augment(command)
        .long_about(
            "Write everything as Markdown: a page for each entity with its fields at the head, links between \
             pages, lists, and a graph of open tasks. The same state gives the same bytes. Only files that \
             changed are written, pages of what is gone are removed, and other files are left alone. With \
             --check nothing is written, and the exit code says whether the folder is stale.",
        )
        .mut_arg("dir", |argument| argument.value_hint(ValueHint::DirPath))
}

fn run_snapshot(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let mut input = operation("sync_snapshot")?.input_of_matches(matches)?;
    make_absolute(&mut input, "dir", &caller.global.cwd);
    caller.answer_call("sync_snapshot", input)
}

fn build_export(command: Command, _: &[OsString]) -> Command {
    let Ok(entry) = operation("export") else {
        return command;
    };
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .action(ArgAction::SetTrue)
            .conflicts_with("format")
            .help(help)
    };
    entry
        .augment(command)
        .long_about(
            "Export every entity with its relations, comments and learnings. JSON (the default) and JSON lines \
             can be imported again and are documented in docs/contracts/export.md; CSV is for spreadsheets. \
             Without --out the export goes to standard output.",
        )
        .arg(flag("jsonl", "JSON lines: an object on each line"))
        .arg(flag("csv", "A table for spreadsheets").conflicts_with("jsonl"))
        .mut_arg("out", |argument| argument.value_hint(ValueHint::FilePath))
}

fn run_export(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let mut input = operation("export")?.input_of_matches(matches)?;
    for format in ["jsonl", "csv"] {
        if matches.get_flag(format) {
            input["format"] = json!(format);
        }
    }
    if input["out"].is_string() {
        make_absolute(&mut input, "out", &caller.global.cwd);
        return caller.answer_call("export", input);
    }
    let format = match input["format"].as_str() {
        Some("jsonl") => ExportFormat::JsonLines,
        Some("csv") => ExportFormat::Csv,
        _ => ExportFormat::Json,
    };
    let context = caller.context()?;
    if output::is_terminal() {
        let mut bytes = Vec::new();
        export_to(&context, format, &mut bytes)?;
        let text =
            String::from_utf8(bytes).map_err(|_| Error::internal("The export is not UTF-8"))?;
        caller.output.text(&text)?;
    } else {
        export_to(&context, format, &mut output::stream())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What a person types is relative to where they are; operations take paths from the project's root.
fn make_absolute(input: &mut Json, field: &str, cwd: &Path) {
    let Some(given) = input[field].as_str() else {
        return;
    };
    let cwd = cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned());
    input[field] = json!(cwd.join(given).to_string_lossy());
}
