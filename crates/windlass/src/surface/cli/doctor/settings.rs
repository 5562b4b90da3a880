//! The project's settings, and the allowlists of commands that agents may run.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use windlass_ops::{Allowlist, Config, Machine};
use windlass_store::Project;

use super::check::Check;

pub fn config(project: &Project) -> Check {
    match Config::load(project) {
        Ok(_) if project.root().join(Config::FILE).exists() => {
            Check::ok("config", format!("{} is valid", Config::FILE))
        }
        Ok(_) => Check::ok("config", "No config.toml; the defaults apply"),
        Err(error) => {
            let fix = format!("Fix {}; until then nothing runs.", Config::FILE);
            Check::failed("config", &error, &fix)
        }
    }
}

pub fn allowlists(machine: &Machine) -> Vec<Check> {
    let files = std::iter::once(&machine.allowlist).chain(&machine.other_allowlists);
    let existing: Vec<_> = files.filter(|file| file.exists()).collect();
    if existing.is_empty() {
        let message = "Nothing is allowed yet: agents cannot run any command of the repository";
        return vec![Check::ok("allowlist", message)];
    }
    let checks = existing.into_iter().map(|file| {
        let mut checks = vec![entries(file)];
        checks.extend(access(file));
        checks
    });
    checks.flatten().collect()
}

fn entries(file: &Path) -> Check {
    let shown = file.display();
    let entries = match Allowlist::new(file, Vec::new()).entries() {
        Ok(entries) => entries,
        Err(problem) => {
            let fix = "Fix the file; until then nothing is allowed.";
            return Check::error("allowlist", problem.to_string(), fix);
        }
    };
    let gone: Vec<String> = entries
        .iter()
        .filter(|(_, entry)| !entry.path.exists())
        .map(|(_, entry)| entry.path.display().to_string())
        .collect();
    match gone.first() {
        None => Check::ok("allowlist", format!("{shown}: {}", how_many(entries.len()))),
        Some(first) => Check::warning(
            "allowlist",
            format!(
                "{shown}: {} for paths that no longer exist, for example {first}",
                how_many(gone.len())
            ),
            format!("Remove them from {shown}."),
        ),
    }
}

fn how_many(entries: usize) -> String {
    match entries {
        1 => "1 entry".to_owned(),
        more => format!("{more} entries"),
    }
}

/// Everyone who can write the file decides what agents run here.
fn access(file: &Path) -> Option<Check> {
    let mode = |path: &Path| fs::metadata(path).map_or(0, |known| known.permissions().mode());
    let shown = file.display();
    if mode(file) & 0o022 != 0 {
        let message = format!("{shown} can be written by others, who could allow anything");
        return Some(Check::error(
            "private",
            message,
            format!("Run chmod 600 {shown}"),
        ));
    }
    let folder = file.parent()?;
    // With the sticky bit, others cannot replace files that they do not own.
    if mode(folder) & 0o022 != 0 && mode(folder) & 0o1000 == 0 {
        let folder = folder.display();
        let message = format!("{folder} can be written by others, who could replace the allowlist");
        return Some(Check::error(
            "private",
            message,
            format!("Run chmod go-w {folder}"),
        ));
    }
    if mode(file) & 0o044 != 0 {
        let message = format!("{shown} can be read by others");
        return Some(Check::warning(
            "private",
            message,
            format!("Run chmod 600 {shown}"),
        ));
    }
    None
}
