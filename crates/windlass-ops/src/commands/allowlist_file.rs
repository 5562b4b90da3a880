//! Which list a change goes to: the user's own, or that of the system.

use std::path::PathBuf;

use windlass_commands::allowlist::prepare_system_list;
use windlass_core::{Error, ErrorKind, Result};

use crate::context::Context;

/// The list that a command of a person changes. `words` are those of the command, for root to repeat.
pub fn list_to_change(context: &Context, system: bool, words: &[&str]) -> Result<PathBuf> {
    let allowlist = context.workspace.allowlist();
    let exclusive = allowlist.is_exclusive();
    let system_file = allowlist
        .system_file()
        .filter(|_| system || exclusive)
        .map(|file| file.to_owned());
    let file = match system_file {
        Some(file) if rustix::process::geteuid().is_root() => {
            prepare_system_list(&file)
                .map_err(|problem| Error::storage(format!("{}: {problem}", file.display())))?;
            file
        }
        Some(file) => return Err(only_root(&file, words, exclusive)),
        None => allowlist.own_file().to_owned(),
    };
    allowlist.check_trusted(&file).map_err(|problem| {
        Error::new(ErrorKind::InvalidConfig, problem.to_string())
            .with("file", file.display().to_string())
            .with_hint("Until that is fixed, nothing is allowed.")
    })?;
    Ok(file)
}

fn only_root(file: &std::path::Path, words: &[&str], exclusive: bool) -> Error {
    let shown = file.display();
    let message = if exclusive {
        format!("Only the list of this machine counts, and only root can change it: {shown}")
    } else {
        format!("Only root can change the list of this machine: {shown}")
    };
    let words = [words, &["--system"]].concat().join(" ");
    Error::new(ErrorKind::HumanOnly, message)
        .with("file", shown.to_string())
        .with_hint(format!("Run: sudo windlass {words}"))
}
