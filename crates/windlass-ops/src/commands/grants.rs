//! What `allow`, `deny` and `revoke` are given: a command by name, a file, or a folder.

use std::path::{Path, PathBuf};

use windlass_commands::allowlist::EditError;
use windlass_commands::{Command, NameChoice};
use windlass_core::{Error, ErrorKind, Result};
use windlass_store::WINDLASS_DIRECTORY;

use super::start;
use crate::context::Context;

/// The target that a person named.
pub enum Target {
    /// A command, and the file that defines it.
    Command(Box<Command>, PathBuf),
    /// A file of Windlass itself that is allowed by its exact text.
    Text(Box<Command>, PathBuf),
    File(PathBuf),
    Folder(PathBuf),
}

impl Target {
    /// Names come first; a text that is both a name and a path is read as a path if it begins with
    /// `./` or `/`.
    pub fn find(context: &Context, text: &str) -> Result<Self> {
        let workspace = &context.workspace;
        let discovery = workspace.discovery()?;
        let commands = discovery.discover();
        let looks_like_a_path = text.starts_with('.') || text.starts_with('/');
        if !looks_like_a_path
            && let NameChoice::One(command) = commands.choose(text, &context.folder())
        {
            let file = discovery.root().join(&command.file);
            return Ok(Self::Command(Box::new(command.as_ref().clone()), file));
        }
        let settings = workspace.project().settings_root();
        let mut path = workspace.machine().cwd.join(text);
        // Settings have the same name in a linked worktree that uses those of the main one.
        if text.starts_with(WINDLASS_DIRECTORY) && !path.exists() {
            path = settings.join(text);
        }
        let Ok(real) = path.canonicalize() else {
            let error = start::no_such_command(&commands, text, &context.folder());
            // Several have the name: which one is meant is the question.
            if let NameChoice::Several(_) = commands.choose(text, &context.folder()) {
                return Err(error);
            }
            return Err(Error::new(
                error.kind(),
                format!("'{text}' is neither a command nor a file or folder"),
            )
            .with_hint(match commands.nearest(text) {
                Some(near) => format!("Did you mean '{near}'? [[commands.list_tasks]] shows all."),
                None => "[[commands.list_tasks]] shows all commands.".to_owned(),
            }));
        };
        if real.is_dir() {
            return Ok(Self::Folder(real));
        }
        Ok(match text_of(settings, &real) {
            Some(file) => Self::Text(Box::new(file), real),
            None => Self::File(real),
        })
    }

    /// What an entry about it would name.
    pub fn path(&self) -> &Path {
        match self {
            Self::Command(_, path)
            | Self::Text(_, path)
            | Self::File(path)
            | Self::Folder(path) => path,
        }
    }

    /// Refuses what has changed since a person looked at it.
    pub fn check_unchanged(&self, seen: Option<&str>) -> Result<()> {
        let now = match self {
            Self::Command(command, _) | Self::Text(command, _) => Some(&command.fingerprint),
            Self::File(_) | Self::Folder(_) => None,
        };
        match seen {
            Some(seen) if now.is_none_or(|now| now != seen) => Err(Error::validation(
                "fingerprint",
                "the definition has changed since it was shown",
            )
            .with_hint("Look at it again.")),
            _ => Ok(()),
        }
    }

    /// The command that was named, if it is one.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Command(command, _) | Self::Text(command, _) => Some(&command.name),
            Self::File(_) | Self::Folder(_) => None,
        }
    }
}

/// Files in the project's `.windlass` are settings and playbooks: texts, not lists of commands.
fn text_of(root: &Path, file: &Path) -> Option<Command> {
    let relative = file.strip_prefix(root).ok()?;
    if !relative.starts_with(WINDLASS_DIRECTORY) {
        return None;
    }
    let text = std::fs::read_to_string(file).ok()?;
    Some(Command::of_text(relative.to_str()?, &text))
}

pub fn edit_error(problem: EditError) -> Error {
    let cause = std::error::Error::source(&problem).map(ToString::to_string);
    let message = match cause {
        Some(cause) => format!("{problem}: {cause}"),
        None => problem.to_string(),
    };
    match problem {
        EditError::Broken(broken) => Error::new(ErrorKind::InvalidConfig, message)
            .with("file", broken.file.display().to_string())
            .with("line", broken.line)
            .with_hint("Fix the file; until then nothing is allowed."),
        EditError::NotStored(_) => Error::validation("scope", message),
        EditError::NoSuchPath { .. } => Error::validation("target", message),
        EditError::Write { .. } => Error::storage(message),
    }
}
