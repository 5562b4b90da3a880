//! What a program did to the files of a folder, and what a loss of power at any moment may leave of
//! it.
//!
//! The system calls are recorded by `strace`. After a loss of power a file has everything that was
//! written before its last flush to disk; of what was written later any part may be there, in any
//! order, and single sectors of it. Names that were changed since the last flush of the folder have
//! changed up to any point. A new file has its name once it was flushed itself, as on the usual file
//! systems.

#![allow(
    clippy::expect_used,
    reason = "a test that cannot go on fails where it stands"
)]

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What disks write as a whole.
const SECTOR: usize = 512;

/// A small generator of numbers that look random, seeded, so that a failure can be looked into.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % (below.max(1) as u64)).unwrap_or(0)
    }

    fn coin(&mut self) -> bool {
        self.roll(2) == 0
    }
}

/// The bytes of one file, whatever its name is.
type Inode = usize;

#[derive(Debug)]
enum Step {
    Create(String, Inode),
    Write(Inode, usize, Vec<u8>),
    Cut(Inode, usize),
    Flush(Inode),
    FlushFolder,
    Rename(String, String),
    Remove(String),
    /// The program told somebody something.
    Said(String),
}

/// What was recorded.
pub struct Recording {
    names: BTreeMap<String, Inode>,
    contents: Vec<Vec<u8>>,
    steps: Vec<Step>,
}

/// What is there after a loss of power, and what the program had said until then.
pub struct Left {
    pub files: BTreeMap<String, Vec<u8>>,
    pub said: Vec<String>,
}

/// Runs the command under `strace` and records what it does in the folder. `None` where there is no
/// `strace`, or it may not trace.
pub fn record(folder: &Path, command: &Command) -> Option<Recording> {
    let folder = folder.canonicalize().expect("a folder");
    let mut recording = Recording::of(&folder);
    let log = tempfile::NamedTempFile::new().expect("a file");
    let mut traced = Command::new("strace");
    traced
        .args(["-f", "-q", "-y", "-xx", "-s", "4194304", "-o"])
        .arg(log.path())
        .args(["-e", "trace=openat,write,pwrite64,ftruncate,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat"])
        .arg(command.get_program())
        .args(command.get_args());
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            traced.env(name, value);
        }
    }
    let done = traced.output().ok()?;
    let text = std::fs::read_to_string(log.path()).unwrap_or_default();
    if text.is_empty() {
        return None;
    }
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    for line in whole_lines(&text) {
        recording.add(&folder, &line);
    }
    Some(recording)
}

/// A call that another thread interrupted is on two lines.
fn whole_lines(text: &str) -> Vec<String> {
    let mut begun: HashMap<&str, String> = HashMap::new();
    let mut lines = Vec::new();
    for line in text.lines() {
        let Some((thread, call)) = line.split_once(char::is_whitespace) else {
            continue;
        };
        let call = call.trim_start();
        if let Some(head) = call.strip_suffix("<unfinished ...>") {
            begun.insert(thread, head.trim_end().to_owned());
        } else if let Some((_, tail)) = call
            .strip_prefix("<... ")
            .and_then(|rest| rest.split_once(" resumed>"))
        {
            lines.push(begun.remove(thread).unwrap_or_default() + tail);
        } else {
            lines.push(call.to_owned());
        }
    }
    lines
}

/// The bytes of a text in which each is `\x2f`.
fn decode(text: &str) -> Vec<u8> {
    text.split("\\x")
        .skip(1)
        .filter_map(|digits| u8::from_str_radix(digits.get(..2)?, 16).ok())
        .collect()
}

fn path_of(text: &str) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(&decode(text)).into_owned())
}

/// The texts in quotes.
fn quoted(call: &str) -> Vec<&str> {
    call.split('"').skip(1).step_by(2).collect()
}

/// The path behind the first descriptor of a call.
fn first_path(call: &str) -> Option<PathBuf> {
    let (_, rest) = call.split_once('<')?;
    Some(path_of(rest.split_once('>')?.0))
}

impl Recording {
    fn of(folder: &Path) -> Self {
        let mut recording = Self {
            names: BTreeMap::new(),
            contents: Vec::new(),
            steps: Vec::new(),
        };
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            if let (Ok(name), Ok(bytes)) =
                (entry.file_name().into_string(), std::fs::read(entry.path()))
            {
                recording.names.insert(name, recording.contents.len());
                recording.contents.push(bytes);
            }
        }
        recording
    }

    /// The names at the end of what is recorded so far.
    fn current(&self) -> BTreeMap<String, Inode> {
        let mut names = self.names.clone();
        for step in &self.steps {
            step.change(&mut names);
        }
        names
    }

    fn add(&mut self, folder: &Path, line: &str) {
        let Some((name, call)) = line.split_once('(') else {
            return;
        };
        let Some((call, result)) = call.rsplit_once(" = ") else {
            return;
        };
        if result.starts_with('-') {
            return;
        }
        let inside = |path: PathBuf| {
            let name = path.strip_prefix(folder).ok()?.to_str()?.to_owned();
            (!name.contains('/')).then_some(name)
        };
        let number = |text: &str| {
            text.trim()
                .trim_end_matches(')')
                .trim()
                .parse::<usize>()
                .ok()
        };
        match name {
            "write" if call.starts_with("1<") => {
                let text = quoted(call).concat();
                let said = String::from_utf8_lossy(&decode(&text)).into_owned();
                self.steps.push(Step::Said(said.trim_end().to_owned()));
            }
            "openat" if call.contains("O_CREAT") => {
                let made = first_path(result).and_then(inside);
                let names = self.current();
                if let Some(name) =
                    made.filter(|name| !name.is_empty() && !names.contains_key(name))
                {
                    self.contents.push(Vec::new());
                    self.steps.push(Step::Create(name, self.contents.len() - 1));
                }
            }
            "write" | "pwrite64" => {
                let Some(file) = first_path(call).and_then(inside) else {
                    return;
                };
                let Some(inode) = self.current().get(&file).copied() else {
                    return;
                };
                let bytes = decode(&quoted(call).concat());
                let at = match name {
                    "pwrite64" => call.rsplit(',').next().and_then(number).expect("an offset"),
                    // Files that are not written in place are written from their beginning.
                    _ => self.length(inode),
                };
                self.steps.push(Step::Write(inode, at, bytes));
            }
            "ftruncate" => {
                if let Some(file) = first_path(call).and_then(inside)
                    && let Some(inode) = self.current().get(&file).copied()
                {
                    let length = call.rsplit(',').next().and_then(number).expect("a length");
                    self.steps.push(Step::Cut(inode, length));
                }
            }
            "fsync" | "fdatasync" => {
                let Some(path) = first_path(call) else { return };
                if path == folder {
                    self.steps.push(Step::FlushFolder);
                } else if let Some(inode) =
                    inside(path).and_then(|file| self.current().get(&file).copied())
                {
                    self.steps.push(Step::Flush(inode));
                }
            }
            "rename" | "renameat" | "renameat2" => {
                let names: Vec<String> = quoted(call)
                    .into_iter()
                    .filter_map(|text| inside(path_of(text)))
                    .collect();
                if let [from, to] = &names[..] {
                    self.steps.push(Step::Rename(from.clone(), to.clone()));
                }
            }
            "unlink" | "unlinkat" => {
                let removed = quoted(call).into_iter().next();
                if let Some(name) = removed.and_then(|text| inside(path_of(text))) {
                    self.steps.push(Step::Remove(name));
                }
            }
            _ => {}
        }
    }

    fn length(&self, inode: Inode) -> usize {
        self.steps
            .iter()
            .fold(self.contents[inode].len(), |length, step| match step {
                Step::Write(of, at, bytes) if *of == inode => length.max(at + bytes.len()),
                Step::Cut(of, to) if *of == inode => *to,
                _ => length,
            })
    }

    /// How many moments there are at which the power may fail.
    pub fn moments(&self) -> usize {
        self.steps.len() + 1
    }

    /// How often something was flushed to disk.
    pub fn flushes(&self) -> usize {
        let is_flush = |step: &&Step| matches!(step, Step::Flush(_) | Step::FlushFolder);
        self.steps.iter().filter(is_flush).count()
    }

    /// As if the program had never flushed anything.
    pub fn forget_flushes(&mut self) {
        self.steps
            .retain(|step| !matches!(step, Step::Flush(_) | Step::FlushFolder));
    }

    /// What may be left if the power fails before the given step.
    pub fn left_at(&self, moment: usize, dice: &mut Dice) -> Left {
        let before = &self.steps[..moment];
        let names = self.names_left(before, dice);
        let files = names
            .into_iter()
            .map(|(name, inode)| (name, self.bytes_left(inode, before, dice)))
            .collect();
        let said = before
            .iter()
            .filter_map(|step| match step {
                Step::Said(text) => Some(text.clone()),
                _ => None,
            })
            .collect();
        Left { files, said }
    }

    fn names_left(&self, before: &[Step], dice: &mut Dice) -> BTreeMap<String, Inode> {
        let flushed =
            |from: usize, wanted: &dyn Fn(&Step) -> bool| before[from..].iter().any(wanted);
        let mut names = self.names.clone();
        // Changes of names become durable in their order.
        let mut is_lost = false;
        for (at, step) in before.iter().enumerate() {
            let is_safe = match step {
                Step::Create(_, inode) => flushed(at, &|step| {
                    matches!(step, Step::FlushFolder)
                        || matches!(step, Step::Flush(of) if of == inode)
                }),
                Step::Rename(..) | Step::Remove(_) => {
                    flushed(at, &|step| matches!(step, Step::FlushFolder))
                }
                _ => continue,
            };
            is_lost |= !is_safe && dice.coin();
            if is_safe || !is_lost {
                step.change(&mut names);
            }
        }
        names
    }

    fn bytes_left(&self, inode: Inode, before: &[Step], dice: &mut Dice) -> Vec<u8> {
        let last_flush = before
            .iter()
            .rposition(|step| matches!(step, Step::Flush(of) if *of == inode))
            .unwrap_or(0);
        let mut bytes = self.contents[inode].clone();
        for step in &before[..last_flush] {
            step.apply(inode, &mut bytes, |_| true);
        }
        // All, nothing, or any part of what came later.
        let mode = dice.roll(4);
        for step in &before[last_flush..] {
            match mode {
                0 => step.apply(inode, &mut bytes, |_| true),
                1 => {}
                2 if dice.coin() => step.apply(inode, &mut bytes, |_| true),
                2 => {}
                _ => step.apply(inode, &mut bytes, |_| dice.coin()),
            }
        }
        bytes
    }
}

impl Step {
    fn change(&self, names: &mut BTreeMap<String, Inode>) {
        match self {
            Self::Create(name, inode) => drop(names.insert(name.clone(), *inode)),
            Self::Rename(from, to) => {
                if let Some(inode) = names.remove(from) {
                    names.insert(to.clone(), inode);
                }
            }
            Self::Remove(name) => drop(names.remove(name)),
            _ => {}
        }
    }

    /// Applies what it does to the bytes of a file, for the sectors that are kept.
    fn apply(&self, inode: Inode, bytes: &mut Vec<u8>, mut is_kept: impl FnMut(usize) -> bool) {
        match self {
            Self::Cut(of, length) if *of == inode && is_kept(0) => bytes.resize(*length, 0),
            Self::Write(of, at, written) if *of == inode => {
                let mut from = 0;
                while from < written.len() {
                    let place = at + from;
                    let to = (from + SECTOR - place % SECTOR).min(written.len());
                    if is_kept(place / SECTOR) {
                        if bytes.len() < place + (to - from) {
                            bytes.resize(place + (to - from), 0);
                        }
                        bytes[place..place + (to - from)].copy_from_slice(&written[from..to]);
                    }
                    from = to;
                }
            }
            _ => {}
        }
    }
}
