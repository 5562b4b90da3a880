//! `windlass trust`: a person looks at a state that came from elsewhere, and takes it over.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use clap::{ArgMatches, Command};
use serde::Serialize;
use windlass_core::{Actor, Error, ErrorKind, Result};
use windlass_ops::{Render, Span, StateContents, Style, View, check_plain};
use windlass_store::{Foreign, Project, Standing, Store};

use super::caller::Caller;
use super::confirm;
use super::own_command::OwnCommand;

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["trust"], build, run).examples(&[(
    "Look at the state of this project, and take it over",
    &["trust"],
)])];

fn build(command: Command, _: &[OsString]) -> Command {
    command.long_about(
        "Take over a state that this user did not make at this place: it came with a clone or a \
         copy, was restored from a backup, or an older version of windlass made it. Until then it \
         can be read, but nothing is changed or run. Shows what is in it that could run something, \
         and asks. Only a person at a terminal can do this. Gates, MCP servers and files keep \
         needing their own permission.",
    )
}

/// The output of `windlass trust`.
#[derive(Serialize)]
struct Trusted {
    state: String,
    /// Whether it was not trusted before.
    changed: bool,
}

fn run(_: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let project = Project::find(&caller.global.cwd)?;
    let bindings = caller.bindings();
    let changed = match bindings.standing(&project)? {
        Standing::New | Standing::Own => false,
        // Both say what to do.
        Standing::Lost => return Store::open_bound(&project, &bindings).map(|_| ExitCode::SUCCESS),
        Standing::Foreign(why @ Foreign::Tracked) => return Err(why.error(&project)),
        Standing::Foreign(why) => {
            if caller.origin()?.actor != Actor::Human || !confirm::can_ask() {
                return Err(Error::new(
                    ErrorKind::HumanOnly,
                    "Only a person at a terminal can do this: windlass trust",
                )
                .with_hint("Ask a person to run the command."));
            }
            check_plain(project.state())?;
            let seen = stamps(&project);
            let store = Store::open_bound(&project, &bindings)?;
            let contents = StateContents::read(&store, &project)?;
            drop(store);
            let reason = why.error(&project);
            let head = View::default()
                .line([Span::new(reason.message(), Style::Warning)])
                .blank()
                .line([Span::new("In it:", Style::Strong)]);
            caller.output.show(&head.join(contents.view()).blank());
            if !confirm::ask("Take this state over? [y/N] ") {
                return Ok(caller.declined());
            }
            if stamps(&project) != seen {
                return Err(Error::storage("The state has changed since it was shown")
                    .with_hint("Stop what writes there, and run windlass trust again."));
            }
            Store::trust(&project, &bindings, |store| {
                caller.output.tell_notices_of(store);
            })?;
            true
        }
    };
    caller.answer(&Trusted {
        state: project.state().display().to_string(),
        changed,
    })
}

/// What changes with the content of the database.
fn stamps(project: &Project) -> Vec<Option<(u64, u64, Option<SystemTime>)>> {
    let log = project.state().join("windlass.db-wal");
    let stamp = |path: PathBuf| {
        let metadata = path.symlink_metadata().ok()?;
        Some((metadata.ino(), metadata.len(), metadata.modified().ok()))
    };
    [project.database(), log].map(stamp).into()
}

impl Render for Trusted {
    fn view(&self) -> View {
        let text = if self.changed {
            "Trusted from now on: "
        } else {
            "Nothing to do, this state is yours: "
        };
        let view = View::default().line([
            Span::new(text, Style::Good),
            Span::new(self.state.as_str(), Style::Strong),
        ]);
        if !self.changed {
            return view;
        }
        view.line(["Restart servers that are running.".into()])
    }
}
