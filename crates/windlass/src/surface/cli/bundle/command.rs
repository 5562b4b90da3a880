//! The arguments of `windlass debug bundle`, and the file that it writes.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use windlass_core::{Error, Result};
use windlass_ops::{Column, Render, Span, Style, View};

use super::collect::{Collector, Part};
use super::tar;
use crate::surface::cli::caller::Caller;
use crate::surface::cli::confirm;
use crate::surface::cli::own_command::OwnCommand;

const FILE: &str = "file";
const WITH_PLAN: &str = "with-plan";
const YES: &str = "yes";

pub const COMMANDS: &[OwnCommand] =
    &[
        OwnCommand::new(&["debug", "bundle"], build, run).examples(&[
            ("For a bug report", &["debug", "bundle"]),
            (
                "In a script",
                &["debug", "bundle", "report.tar.gz", "--yes"],
            ),
        ]),
    ];

fn build(command: Command, _: &[OsString]) -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .action(ArgAction::SetTrue)
            .help(help)
    };
    command
        .about("Write a file for a bug report")
        .long_about(
            "Write a tar.gz for a bug report: versions, what windlass doctor says, the settings, the \
             ends of the log files, and the number of rows of each table. Secrets are masked, your home \
             is written as ~, and no text of the plan is in it unless you add --with-plan. Its contents \
             are listed first; nothing is sent anywhere. Look into it before you pass it on.",
        )
        .arg(
            Arg::new(FILE)
                .value_name("FILE")
                .value_parser(clap::value_parser!(PathBuf))
                .value_hint(ValueHint::FilePath)
                .help("The file to write, which must not exist [default: windlass-debug-TIME.tar.gz]"),
        )
        .arg(flag(WITH_PLAN, "Also everything that is planned, and error texts that may quote it"))
        .arg(flag(YES, "Do not ask").short('y'))
}

/// The output of `windlass debug bundle`.
#[derive(Serialize)]
struct Bundle {
    file: PathBuf,
    bytes: usize,
    with_plan: bool,
    contents: Vec<Content>,
    /// A person has seen the contents already.
    #[serde(skip)]
    was_shown: bool,
}

#[derive(Serialize)]
struct Content {
    name: String,
    about: &'static str,
    bytes: usize,
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let with_plan = matches.get_flag(WITH_PLAN);
    let parts = Collector::new(caller, with_plan).collect()?;
    let now = jiff::Timestamp::now();
    let file = match matches.get_one::<PathBuf>(FILE) {
        Some(file) => file.clone(),
        None => PathBuf::from(format!(
            "windlass-debug-{}.tar.gz",
            now.strftime("%Y%m%dT%H%M%SZ")
        )),
    };
    let file = caller.global.cwd.join(file);
    let was_shown = !matches.get_flag(YES) && confirm::can_ask() && !caller.output.is_json();
    if was_shown {
        caller.output.show(&contents_view(&contents(&parts)));
        if !confirm::ask(&format!("Write {}? [y/N] ", file.display())) {
            return Ok(caller.declined());
        }
    }
    let bytes = packed(&parts, u64::try_from(now.as_second()).unwrap_or(0))?;
    write(&file, &bytes)?;
    caller.answer(&Bundle {
        file,
        bytes: bytes.len(),
        with_plan,
        contents: contents(&parts),
        was_shown,
    })
}

fn packed(parts: &[Part], seconds: u64) -> Result<Vec<u8>> {
    let files = parts
        .iter()
        .map(|part| (part.name.as_str(), part.bytes.as_slice()));
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed
        .write_all(&tar::archive(files, seconds))
        .and_then(|()| packed.finish())
        .map_err(|problem| Error::internal(format!("the bundle cannot be packed: {problem}")))
}

/// Writes a new file that only this user can read.
fn write(file: &Path, bytes: &[u8]) -> Result<()> {
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)
        .and_then(|mut opened| opened.write_all(bytes));
    written.map_err(|problem| {
        Error::storage(format!("{}: {problem}", file.display()))
            .with_hint("Name a file that does not exist, in a folder that can be written.")
    })
}

fn contents(parts: &[Part]) -> Vec<Content> {
    let contents = parts.iter().map(|part| Content {
        name: part.name.clone(),
        about: part.about,
        bytes: part.bytes.len(),
    });
    contents.collect()
}

fn contents_view(contents: &[Content]) -> View {
    let columns = vec![
        Column::new("BYTES").right(),
        Column::new("FILE"),
        Column::new("WHAT").shrinking(),
    ];
    let rows = contents.iter().map(|part| {
        vec![
            Span::from(part.bytes.to_string()),
            Span::new(part.name.as_str(), Style::Strong),
            Span::from(part.about),
        ]
    });
    View::default().table(columns, rows.collect())
}

impl Render for Bundle {
    fn view(&self) -> View {
        let view = if self.was_shown {
            View::default()
        } else {
            contents_view(&self.contents).blank()
        };
        view.line([
            Span::new("Written: ", Style::Good),
            Span::new(self.file.display().to_string(), Style::Strong),
            format!(" ({} bytes)", self.bytes).into(),
        ])
        .line(["Look into it before you pass it on. Nothing was sent.".into()])
    }
}
