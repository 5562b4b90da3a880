//! One command of a repository: where it is defined, how its runner starts it, and the text that a
//! human's grant is pinned to.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use windlass_core::hexadecimal;

use crate::launcher::Provided;
use crate::paths;
use crate::pinner::Seal;
use crate::pins::{Extent, PinnedFile, Pins};
use crate::runner::Runner;

/// A command that a file of the repository defines. All paths are relative to the root, with `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The name in the file that defines it.
    pub name: String,
    /// The name that is unique in the repository.
    pub unique_name: String,
    /// The folder whose commands it belongs to; empty at the root.
    pub folder: String,
    pub runner: Runner,
    /// The file that the runner reads first.
    pub entry_file: String,
    /// The file that defines it; differs from `entry_file` if that file includes it.
    pub file: String,
    /// The line of the definition, counted from one.
    pub line: usize,
    pub description: Option<String>,
    pub invocation: Invocation,
    pub arguments: ArgumentStyle,
    pub kind: Kind,
    /// Why it cannot be run on this machine, whatever is installed.
    pub unavailable: Option<Cow<'static, str>>,
    /// What brings its runner where the machine does not have it.
    pub provided: Option<Provided>,
    /// The names that a pattern would match besides its own meaning; see
    /// [`ArgumentStyle::Filled`].
    pub(crate) other_names: Arc<[String]>,
    /// The definition of the command in its file.
    pub definition_text: String,
    /// Everything that decides what it runs. The commands of a file share it.
    pub pins: Arc<Pins>,
    /// SHA-256 of the pins and the invocation.
    pub fingerprint: String,
}

/// What a command is, for those who choose among many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Something the project's people run by name: a target, a script, a recipe.
    #[default]
    Task,
    /// A file that is started by its path.
    Script,
    /// A program that the project builds or installs.
    Program,
    /// The tool runs it by itself, at its own time: `prepare`, `pretest`, a git hook.
    Lifecycle,
    /// A name with `*` in it; the caller fills the stars.
    Pattern,
    /// A workflow of a CI service.
    Workflow,
    /// A service or process of several that run together.
    Service,
    /// A named configuration of a build tool.
    Preset,
}

impl Kind {
    pub const ALL: &'static [Self] = &[
        Self::Task,
        Self::Script,
        Self::Program,
        Self::Lifecycle,
        Self::Pattern,
        Self::Workflow,
        Self::Service,
        Self::Preset,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Script => "script",
            Self::Program => "program",
            Self::Lifecycle => "lifecycle",
            Self::Pattern => "pattern",
            Self::Workflow => "workflow",
            Self::Service => "service",
            Self::Preset => "preset",
        }
    }
}

/// How the runner is started, without a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// A program in `PATH`, or, if it contains a `/`, a path relative to `cwd`.
    pub program: String,
    pub args: Vec<String>,
    /// Relative to the root; empty at the root.
    pub cwd: String,
    /// The arguments that name the pinned file (`-f Makefile`). They are executed, but not shown
    /// where a person would not type them.
    pub unshown: Range<usize>,
}

/// Where arguments of a caller may be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentStyle {
    /// After `--`, which the runner itself removes.
    AfterDashes,
    /// At the end: the runner passes everything after the name to the command.
    Appended,
    /// At the end, with a maximum: the runner would treat more of them as names of other commands.
    Positional(usize),
    /// One plain word for each `*` in the name, which takes its place.
    Filled,
    /// Not allowed, for this reason.
    Refused(&'static str),
}

impl Invocation {
    /// The program and its arguments as a person would type them, quoted for a shell.
    pub fn display(&self) -> String {
        let args = self.args.iter().enumerate();
        let shown = args.filter(|(place, _)| !self.unshown.contains(place));
        self.words(shown.map(|(_, word)| word))
    }

    /// The program and all arguments that are executed, quoted for a shell.
    pub fn display_whole(&self) -> String {
        self.words(self.args.iter())
    }

    fn words<'a>(&'a self, args: impl Iterator<Item = &'a String>) -> String {
        let words = std::iter::once(&self.program).chain(args);
        words.map(|word| quote(word)).collect::<Vec<_>>().join(" ")
    }
}

fn quote(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./:=@%+,#".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

impl Command {
    /// Creates a command with the given definition; the methods below set the rest.
    pub(crate) fn new(entry_file: &str, runner: Runner, name: &str, definition: &str) -> Self {
        let folder = paths::folder_of(entry_file).to_owned();
        Self {
            name: name.to_owned(),
            unique_name: String::new(),
            runner,
            entry_file: entry_file.to_owned(),
            file: entry_file.to_owned(),
            line: 1,
            description: None,
            invocation: Invocation {
                program: runner.program().to_owned(),
                args: Vec::new(),
                cwd: folder.clone(),
                unshown: 0..0,
            },
            folder,
            arguments: ArgumentStyle::Appended,
            kind: Kind::Task,
            unavailable: None,
            provided: None,
            other_names: Arc::default(),
            definition_text: definition.to_owned(),
            pins: Arc::default(),
            fingerprint: String::new(),
        }
    }

    /// Assigns the command to another folder than that of its file.
    pub(crate) fn within(mut self, folder: &str) -> Self {
        folder.clone_into(&mut self.folder);
        folder.clone_into(&mut self.invocation.cwd);
        self
    }

    pub(crate) fn at(mut self, line: usize) -> Self {
        self.line = line.max(1);
        self
    }

    pub(crate) fn defined_in(mut self, file: &str) -> Self {
        file.clone_into(&mut self.file);
        self
    }

    pub(crate) fn described(mut self, description: Option<impl Into<String>>) -> Self {
        self.description = description
            .map(Into::into)
            .map(|text: String| text.trim().to_owned())
            .filter(|text| !text.is_empty());
        self
    }

    pub(crate) fn with_program(mut self, program: impl Into<String>) -> Self {
        self.invocation.program = program.into();
        self
    }

    pub(crate) fn with_args<const N: usize>(self, args: [&str; N]) -> Self {
        self.with_words(&args)
    }

    pub(crate) fn with_words(mut self, args: &[&str]) -> Self {
        self.invocation.args = args.iter().map(|&word| word.to_owned()).collect();
        self
    }

    pub(crate) fn of_kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// Starts it in another folder than the one that it belongs to.
    pub(crate) fn run_in(mut self, folder: &str) -> Self {
        folder.clone_into(&mut self.invocation.cwd);
        self
    }

    pub(crate) fn not_here(mut self, reason: Option<&'static str>) -> Self {
        self.unavailable = reason.map(Cow::Borrowed);
        self
    }

    pub(crate) fn provided_by(mut self, provided: Option<Provided>) -> Self {
        self.provided = provided;
        self
    }

    pub(crate) fn taking(mut self, arguments: ArgumentStyle) -> Self {
        self.arguments = arguments;
        self
    }

    /// Adds words that make the runner read exactly the pinned file, before the word at `place`.
    /// They are executed but not displayed.
    pub(crate) fn started_on<const N: usize>(mut self, place: usize, words: [&str; N]) -> Self {
        let words = words.map(str::to_owned);
        self.invocation.unshown = place..place + N;
        self.invocation.args.splice(place..place, words);
        self
    }

    /// Sets the pins and computes the fingerprint. It also covers the invocation, so that a lock
    /// file that changes the package manager changes the fingerprint.
    pub(crate) fn sealed_by(mut self, seal: &Seal) -> Self {
        self.unique_name = self.full_name();
        let started = self.invocation.display_whole();
        let folder = &self.invocation.cwd;
        self.fingerprint = fingerprint(&format!("{started}\n{folder}\n{}", seal.digest));
        self.pins = Arc::clone(&seal.pins);
        self
    }

    /// Pins the definition alone, for tests that need no files.
    #[cfg(test)]
    pub(crate) fn sealed(self) -> Self {
        let extent = Extent::Parts("definition");
        let pins = Pins {
            files: vec![PinnedFile::new(
                &self.file,
                extent,
                self.definition_text.as_str(),
            )],
            unreadable: Vec::new(),
        };
        self.sealed_by(&Seal::new(pins))
    }

    /// A file that is allowed as a whole by its exact text: settings, or a playbook. `path` is
    /// relative to the root.
    pub fn of_text(path: &str, text: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let pins = Pins {
            files: vec![PinnedFile::new(path, Extent::Whole, text)],
            unreadable: Vec::new(),
        };
        Self::new(path, Runner::Shell, name, text).sealed_by(&Seal::new(pins))
    }

    /// The name with its folder: `web/test`.
    pub fn full_name(&self) -> String {
        paths::join_display(&self.folder, &self.name)
    }

    /// The command line that would be executed.
    pub fn display(&self) -> String {
        self.invocation.display()
    }
}

/// SHA-256 in hexadecimal.
pub fn fingerprint(text: &str) -> String {
    hexadecimal(&Sha256::digest(text.as_bytes()))
}

pub(crate) fn fingerprint_of_bytes(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let bytes = Sha256::digest(bytes);
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_only_if_needed() {
        for (word, shown) in [
            ("build", "build"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("$(id)", "'$(id)'"),
        ] {
            assert_eq!(quote(word), shown);
        }
    }

    fn sealed(text: &str) -> Command {
        Command::of_text("Makefile", text)
    }

    #[test]
    fn the_fingerprint_changes_with_the_text_and_the_runner() {
        let one = sealed("a:\n\techo");
        assert_eq!(one.fingerprint, sealed("a:\n\techo").fingerprint);
        assert_ne!(one.fingerprint, sealed("a:\n\techo 2").fingerprint);
        let seal = Seal::new(Pins::clone(&one.pins));
        for other in [
            one.clone().with_program("gmake"),
            one.clone().with_args(["x"]),
            one.clone().within("web"),
            one.clone().started_on(0, ["-f", "x"]),
        ] {
            assert_ne!(one.fingerprint, other.sealed_by(&seal).fingerprint);
        }
        assert_eq!(one.fingerprint.len(), 64);
    }

    #[test]
    fn words_that_name_the_file_are_executed_and_not_shown() {
        let command = sealed("x")
            .with_program("docker")
            .with_args(["compose", "up"]);
        let command = command.started_on(1, ["-f", "compose.yaml"]);
        assert_eq!(command.display(), "docker compose up");
        let whole = command.invocation.display_whole();
        assert_eq!(whole, "docker compose -f compose.yaml up");
    }
}
