//! Grants that no longer hold: what a person allowed is not what is there now.

use windlass_commands::CommandSet;
use windlass_commands::allowlist::Entry;
use windlass_core::{Error, Result};

use crate::workspace::Workspace;

/// The pinned commands of an entry that are not what was allowed, or are gone. Entries of other
/// projects cannot be judged.
pub fn stale_pins(entry: &Entry, commands: &CommandSet) -> Vec<String> {
    if !entry.path.starts_with(&commands.root) || is_windlass_file(entry, commands) {
        return Vec::new();
    }
    let pins = entry.pins.iter().flatten();
    let stale = pins.filter(|(name, pin)| {
        let mut same = commands.commands.iter().filter(|command| {
            let file = || commands.root.join(&command.file).canonicalize();
            command.name == **name && file().is_ok_and(|file| file == entry.path)
        });
        !same.any(|command| pin.holds(&command.fingerprint))
    });
    stale.map(|(name, _)| name.clone()).collect()
}

/// Settings and the like are no commands; what asks for them looks at their text.
fn is_windlass_file(entry: &Entry, commands: &CommandSet) -> bool {
    let folder = commands.root.join(windlass_store::WINDLASS_DIRECTORY);
    entry.path.starts_with(folder)
}

/// The commands of this project that were allowed and have changed since, with their files.
pub fn stale_grants(workspace: &Workspace) -> Result<Vec<String>> {
    let commands = workspace.discovery()?.discover();
    let entries = workspace.allowlist().entries();
    let entries = entries.map_err(|problem| Error::storage(problem.to_string()))?;
    let stale = entries.iter().flat_map(|(_, entry)| {
        let path = entry.path.strip_prefix(&commands.root);
        let file = path.unwrap_or(&entry.path).display().to_string();
        let names = stale_pins(entry, &commands).into_iter();
        names.map(move |name| format!("{name} of {file}"))
    });
    Ok(stale.collect())
}
