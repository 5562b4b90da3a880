//! What a listing found, kept in a file for the next process: names, places and fingerprints, with
//! the state of every file that was read for them. It is checked against those files, and serves
//! those who look; it is never read to start or to allow a command.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::command::{Command, Kind};
use crate::discovery::CachedFile;
use crate::folders::SeenFolders;
use crate::launcher::{Launcher, Provided};
use crate::pins::Pins;
use crate::runner::Runner;
use crate::source::Problem;
use crate::stamp::{Stamp, Stamps};

/// Changes with the form of the file and with what formats find.
const VERSION: u32 = 3;
/// A larger file is not ours.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

type State = Option<[i64; 7]>;

#[derive(Default, Serialize, Deserialize)]
pub struct Kept {
    version: u32,
    program: String,
    root: String,
    /// Every path that was looked at, with its state; definitions name them by their place.
    inputs: Vec<(String, State)>,
    files: Vec<File>,
    /// Which files there are, as long as no folder changes.
    pub(crate) seen: Option<SeenFolders>,
}

#[derive(Serialize, Deserialize)]
struct File {
    path: String,
    inputs: Vec<u32>,
    commands: Vec<Row>,
    problems: Vec<(String, usize, String)>,
}

#[derive(Serialize, Deserialize)]
struct Row {
    name: String,
    folder: String,
    runner: String,
    entry_file: String,
    file: String,
    line: usize,
    about: Option<String>,
    program: String,
    args: Vec<String>,
    cwd: String,
    unshown: (usize, usize),
    kind: usize,
    unavailable: Option<String>,
    /// The launcher that brings its runner, and the version.
    provided: Option<(usize, Option<String>)>,
    fingerprint: String,
    unreadable: Vec<String>,
}

/// Which program keeps it: another build may find other commands in the same files.
fn program() -> String {
    let file = std::env::current_exe().ok();
    let stamp = file.and_then(|file| Stamp::of(&file)).map(Stamp::parts);
    format!("{} {stamp:?}", env!("CARGO_PKG_VERSION"))
}

/// What was kept for that root; empty if there is nothing that can be used.
pub fn read(file: &Path, root: &Path) -> Kept {
    let small = fs::metadata(file).is_ok_and(|it| it.is_file() && it.len() < MAX_BYTES);
    let bytes = small.then(|| fs::read(file).ok()).flatten();
    let kept: Option<Kept> = bytes.and_then(|it| serde_json::from_slice(&it).ok());
    kept.filter(|kept| {
        kept.version == VERSION && kept.program == program() && Path::new(&kept.root) == root
    })
    .unwrap_or_default()
}

/// Keeps what was found. A failure costs the next process some time and nothing else.
pub(crate) fn write(
    file: &Path,
    root: &Path,
    files: &HashMap<String, CachedFile>,
    seen: Option<SeenFolders>,
) {
    let mut places: HashMap<&str, u32> = HashMap::new();
    let mut kept = Kept {
        version: VERSION,
        program: program(),
        root: root.to_string_lossy().into_owned(),
        seen,
        ..Kept::default()
    };
    for (path, found) in files {
        let inputs = found.inputs.iter().map(|(input, stamp)| {
            *places.entry(input).or_insert_with(|| {
                kept.inputs.push((input.clone(), stamp.map(Stamp::parts)));
                u32::try_from(kept.inputs.len() - 1).unwrap_or(u32::MAX)
            })
        });
        let inputs = inputs.collect();
        kept.files.push(File {
            path: path.clone(),
            inputs,
            commands: found.commands.iter().map(|it| Row::of(it)).collect(),
            problems: found
                .problems
                .iter()
                .map(|it| (it.file.clone(), it.line, it.message.clone()))
                .collect(),
        });
    }
    let Some(folder) = file.parent() else { return };
    let Ok(mut new) = tempfile::NamedTempFile::new_in(folder) else {
        return;
    };
    let Ok(bytes) = serde_json::to_vec(&kept) else {
        return;
    };
    if new.write_all(&bytes).is_ok() {
        let _ = new.persist(file);
    }
}

impl Kept {
    /// The definitions whose files are all as they were.
    pub fn fresh(self, stamps: &Stamps<'_>) -> HashMap<String, CachedFile> {
        let Self { inputs, files, .. } = self;
        let same = |(path, state): &(String, State)| stamps.of(path).map(Stamp::parts) == *state;
        let fresh: Vec<bool> = inputs.iter().map(same).collect();
        let is_fresh = |file: &File| {
            let mut places = file.inputs.iter();
            !file.inputs.is_empty()
                && places.all(|place| fresh.get(*place as usize).copied().unwrap_or(false))
        };
        let kept = files.into_iter().filter(is_fresh).filter_map(|file| {
            let states = file.inputs.iter().filter_map(|place| {
                let (path, _) = inputs.get(*place as usize)?;
                Some((path.clone(), stamps.of(path)))
            });
            let states = states.collect();
            let commands: Option<Vec<_>> = file.commands.into_iter().map(Row::command).collect();
            let problems = file.problems.into_iter();
            let found = CachedFile {
                inputs: states,
                commands: commands?,
                problems: problems
                    .map(|(file, line, message)| Problem {
                        file,
                        line,
                        message,
                    })
                    .collect(),
            };
            Some((file.path, found))
        });
        kept.collect()
    }
}

impl Row {
    fn of(command: &Command) -> Self {
        let invocation = &command.invocation;
        Self {
            name: command.name.clone(),
            folder: command.folder.clone(),
            runner: command.runner.short_name().to_owned(),
            entry_file: command.entry_file.clone(),
            file: command.file.clone(),
            line: command.line,
            about: command.description.clone(),
            program: invocation.program.clone(),
            args: invocation.args.clone(),
            cwd: invocation.cwd.clone(),
            unshown: (invocation.unshown.start, invocation.unshown.end),
            kind: Kind::ALL
                .iter()
                .position(|it| *it == command.kind)
                .unwrap_or(0),
            unavailable: command.unavailable.as_deref().map(str::to_owned),
            provided: command.provided.as_ref().and_then(|it| {
                let place = Launcher::ALL.iter().position(|known| *known == it.launcher);
                Some((place?, it.version.clone()))
            }),
            fingerprint: command.fingerprint.clone(),
            unreadable: command.pins.unreadable.clone(),
        }
    }

    fn command(self) -> Option<Arc<Command>> {
        let runner = Runner::from_short_name(&self.runner)?;
        let mut command = Command::new(&self.entry_file, runner, &self.name, "");
        command.folder = self.folder;
        command.file = self.file;
        command.line = self.line;
        command.description = self.about;
        command.kind = *Kind::ALL.get(self.kind)?;
        command.unavailable = self.unavailable.map(Cow::Owned);
        command.provided = self.provided.and_then(|(place, version)| {
            let launcher = *Launcher::ALL.get(place)?;
            Some(Provided { launcher, version })
        });
        command.invocation.program = self.program;
        command.invocation.args = self.args;
        command.invocation.cwd = self.cwd;
        command.invocation.unshown = self.unshown.0..self.unshown.1;
        command.fingerprint = self.fingerprint;
        command.unique_name = command.full_name();
        if !self.unreadable.is_empty() {
            command.pins = Arc::new(Pins {
                files: Vec::new(),
                unreadable: self.unreadable,
            });
        }
        Some(Arc::new(command))
    }
}
