//! The project's settings, and the allowlists of commands that agents may run.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use windlass_ops::{Allowlist, Config, Machine, Owner};
use windlass_store::Project;

use super::check::Check;

pub fn config(project: &Project) -> Check {
    match Config::load(project) {
        Ok(_) if project.settings_root().join(Config::FILE).exists() => {
            Check::ok("config", format!("{} is valid", Config::FILE))
        }
        Ok(_) => Check::ok("config", "No config.toml; the defaults apply"),
        Err(error) => {
            let fix = format!("Fix {}; until then nothing runs.", Config::FILE);
            Check::failed("config", &error, &fix)
        }
    }
}

/// `projects` are the folders in which agents write files.
pub fn allowlists(machine: &Machine, projects: &[PathBuf]) -> Vec<Check> {
    let (mut checks, only_system) = system(machine);
    if only_system {
        return checks;
    }
    let files = std::iter::once(&machine.allowlist).chain(&machine.other_allowlists);
    let (existing, missing): (Vec<_>, Vec<_>) = files.partition(|file| file.exists());
    checks.extend(missing.iter().find_map(|file| misplaced(file, projects)));
    if existing.is_empty() && checks.is_empty() {
        let message = "Nothing is allowed yet: agents cannot run any command of the repository";
        checks.push(Check::ok("allowlist", message));
    }
    for file in existing {
        let list = Allowlist::new(file, Vec::new()).outside(projects.to_vec());
        checks.push(entries(file, &list));
        checks.extend(access(file));
    }
    checks
}

/// The list of the machine, and whether it is the only one that counts.
fn system(machine: &Machine) -> (Vec<Check>, bool) {
    let Some(file) = machine.system_allowlist.as_ref().filter(|it| it.exists()) else {
        return (Vec::new(), false);
    };
    let nowhere = Path::new("/nonexistent/allowlist.toml");
    let list = Allowlist::new(nowhere, Vec::new()).with_system(file.clone(), Owner::Only(0));
    let mut check = entries(file, &list);
    if list.is_exclusive() {
        check.message += "; the lists of users are ignored";
    }
    (vec![check], list.is_exclusive())
}

/// Also a list that does not exist yet must be in a place where only the user can write it.
fn misplaced(file: &Path, projects: &[PathBuf]) -> Option<Check> {
    let list = Allowlist::new(file, Vec::new()).outside(projects.to_vec());
    let problem = list.check_trusted(file).err()?;
    Some(Check::error("allowlist", problem.to_string(), UNUSABLE))
}

const UNUSABLE: &str = "Fix this; until then nothing is allowed.";

fn entries(file: &Path, list: &Allowlist) -> Check {
    let shown = file.display();
    let entries = match list.entries() {
        Ok(entries) => entries,
        Err(problem) => return Check::error("allowlist", problem.to_string(), UNUSABLE),
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
