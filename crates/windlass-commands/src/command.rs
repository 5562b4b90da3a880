//! One command of a repository: where it is defined, how its runner starts it, and the text that a
//! human's grant is pinned to.

use sha2::{Digest, Sha256};

use crate::paths;
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
    /// The definition of the command in its file.
    pub definition_text: String,
    /// Everything else in its files that determines what it does: variables, settings, commands it
    /// depends on.
    pub(crate) surroundings: String,
    /// Everything that decides what it runs.
    pub pins: Pins,
    /// SHA-256 of the pins and the invocation.
    pub fingerprint: String,
}

/// How the runner is started, without a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// A program in `PATH`, or, if it contains a `/`, a path relative to `cwd`.
    pub program: String,
    pub args: Vec<String>,
    /// Relative to the root; empty at the root.
    pub cwd: String,
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
    /// Not allowed, for this reason.
    Refused(&'static str),
}

impl Invocation {
    /// The program and its arguments, quoted for a shell.
    pub fn display(&self) -> String {
        let words = std::iter::once(&self.program).chain(&self.args);
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
            },
            folder,
            arguments: ArgumentStyle::Appended,
            definition_text: definition.to_owned(),
            surroundings: String::new(),
            pins: Pins::default(),
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

    pub(crate) fn with_args<const N: usize>(mut self, args: [&str; N]) -> Self {
        self.invocation.args = args.map(str::to_owned).to_vec();
        self
    }

    pub(crate) fn taking(mut self, arguments: ArgumentStyle) -> Self {
        self.arguments = arguments;
        self
    }

    pub(crate) fn surrounded_by(mut self, surroundings: String) -> Self {
        self.surroundings = surroundings;
        self
    }

    /// Computes the fingerprint. It also covers the invocation, so that a lock file that changes
    /// the package manager changes the fingerprint.
    pub(crate) fn sealed(mut self) -> Self {
        self.unique_name = self.full_name();
        let decides = format!("{}\n{}", self.definition_text, self.surroundings);
        let extent = Extent::Parts("definition");
        self.pins.add(PinnedFile::new(&self.file, extent, decides));
        let started = self.invocation.display();
        self.fingerprint = fingerprint(&format!("{started}\n{}", self.pins.digest()));
        self
    }

    /// A file that is allowed as a whole by its exact text: settings, or a playbook. `path` is
    /// relative to the root.
    pub fn of_text(path: &str, text: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        Self::new(path, Runner::Shell, name, text).sealed()
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
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let bytes = Sha256::digest(text.as_bytes());
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

    #[test]
    fn the_fingerprint_changes_with_the_text_and_the_runner() {
        let one = Command::new("Makefile", Runner::Make, "a", "a:\n\techo").sealed();
        let same = Command::new("Makefile", Runner::Make, "a", "a:\n\techo").sealed();
        let other = Command::new("Makefile", Runner::Make, "a", "a:\n\techo 2").sealed();
        assert_eq!(one.fingerprint, same.fingerprint);
        assert_ne!(one.fingerprint, other.fingerprint);
        assert_ne!(
            one.fingerprint,
            one.clone().with_program("gmake").sealed().fingerprint
        );
        assert_eq!(one.fingerprint.len(), 64);
    }
}
