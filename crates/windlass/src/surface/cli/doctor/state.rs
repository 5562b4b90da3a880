//! The state of the project: its folder, its database, and their integrity.

use std::path::Path;

use rustix::fs::{Access, access};
use windlass_core::{Actor, Error, ErrorKind, Origin};
use windlass_store::{Bindings, Project, Repair, Standing, Store, rescued_copies, salvage};

use super::check::{Check, counted};
use super::{disk, leftovers, servers};

const RESTORE: &str =
    "Put a copy back: windlass restore FILE. Without a file it lists the copies that are here.";
const REPAIR: &str =
    "Run windlass doctor --repair: it makes everything again that can be made from the documents.";

pub fn project(project: &Project) -> Check {
    let root = project.root().display();
    if project.state().starts_with(project.root()) {
        return Check::ok("project", root.to_string());
    }
    let state = project.state().display();
    Check::ok("project", format!("{root}, with the state of {state}"))
}

pub fn checks(project: &Project, bindings: &Bindings) -> Vec<Check> {
    let state = project.state();
    if state.is_symlink() || state.parent().is_some_and(Path::is_symlink) {
        let message = format!("{} is a link", state.display());
        let fix = "Replace it with a folder: the state must be inside the project.";
        return vec![Check::error("state", message, fix)];
    }
    let standing = match bindings.standing(project) {
        Ok(standing) => standing,
        Err(error) => return vec![Check::failed("state", &error, RESTORE)],
    };
    if standing == Standing::Lost {
        let error = Store::open_bound(project, bindings).err();
        let lost = error.map(|error| Check::failed("state", &error, RESTORE));
        return lost.into_iter().chain(rescued(project)).collect();
    }
    if !state.is_dir() {
        let message = "No state yet; the first command creates it";
        return vec![Check::ok("state", message)];
    }
    let mut checks = vec![folder(state)];
    checks.extend(disk::space(state));
    let database = project.database();
    checks.extend(rescued(project));
    if let Standing::Foreign(why) = standing {
        checks.push(Check::failed("trust", &why.error(project), RESTORE));
    }
    if !database.exists() || standing == Standing::New {
        let message = "No database yet; the first command creates it";
        checks.push(Check::ok("database", message));
        return checks;
    }
    match Store::open_bound(project, bindings) {
        Ok(store) => {
            checks.push(version(&store));
            checks.push(servers::versions(&store));
            checks.push(integrity(&store));
            checks.push(leftovers::jobs(&store));
            checks.push(leftovers::gates(&store));
        }
        Err(error) => checks.push(Check::failed("database", &error, RESTORE)),
    }
    checks.extend(disk::log(&database));
    checks
}

fn folder(state: &Path) -> Check {
    if is_writable(state) {
        return Check::ok("state", format!("{} can be written", state.display()));
    }
    Check::error(
        "state",
        format!("{} cannot be written", state.display()),
        "Make the folder and its contents writable for this user (chown, chmod u+rwX).",
    )
}

fn is_writable(path: &Path) -> bool {
    access(path, Access::READ_OK | Access::WRITE_OK).is_ok()
}

fn version(store: &Store) -> Check {
    match store.versions() {
        Ok(versions) if versions.found == versions.known => {
            Check::ok("database", format!("Version {}", versions.found))
        }
        Ok(versions) => Check::ok(
            "database",
            format!(
                "Version {}; the next write upgrades it to version {}, after making a copy",
                versions.found, versions.known
            ),
        ),
        Err(error) => Check::failed("database", &error, RESTORE),
    }
}

/// Copies that processes saved because the database was removed under them.
fn rescued(project: &Project) -> Option<Check> {
    let copy = rescued_copies(project).pop()?;
    let message = format!(
        "A process saved {}, because the database was removed while it had it open",
        copy.display()
    );
    let fix = if project.database().exists() {
        "Compare windlass restore (which lists it) with windlass status; restore it, or remove it."
    } else {
        "Stop all windlass processes of the project, and run windlass restore, which lists it."
    };
    Some(Check::error("rescued", message, fix))
}

fn integrity(store: &Store) -> Check {
    match store.check(&origin()) {
        Ok(problems) if problems.is_empty() => Check::ok("integrity", "The database is consistent"),
        Ok(problems) => damage(&problems, REPAIR),
        Err(error) => damage(&[error.message().to_owned()], RESTORE),
    }
}

fn damage(problems: &[String], fix: &str) -> Check {
    let first = problems.first().map_or("", String::as_str);
    let message = format!("{}: {first}", counted(problems.len(), "problem"));
    Check::error("integrity", message, fix)
}

/// Makes everything again that is derived from documents, and says what was wrong.
pub fn repair(project: &Project, bindings: &Bindings) -> Check {
    if let Some(check) = salvaged(project, bindings) {
        return check;
    }
    let repaired = Store::open_bound(project, bindings).and_then(|store| store.repair(&origin()));
    match repaired {
        Ok(Repair { found, .. }) if found.is_empty() => {
            Check::ok("repair", "There was nothing to repair")
        }
        Ok(Repair { found, left }) if left.is_empty() => Check::ok(
            "repair",
            format!(
                "{} repaired: {}",
                counted(found.len(), "problem"),
                found.join("; ")
            ),
        ),
        Ok(Repair { left, .. }) => Check::error(
            "repair",
            format!(
                "{} cannot be repaired: {}",
                counted(left.len(), "problem"),
                left.join("; ")
            ),
            RESTORE,
        ),
        Err(error) => Check::failed("repair", &error, RESTORE),
    }
}

/// Where the file itself is damaged, what can be read of it goes into a new one.
fn salvaged(project: &Project, bindings: &Bindings) -> Option<Check> {
    if bindings.standing(project).ok()? != Standing::Own {
        return None;
    }
    let checked = Store::open_bound(project, bindings).and_then(|store| store.check_file());
    let damage = match checked {
        Ok(problems) => problems.first()?.clone(),
        Err(error) if error.kind() == ErrorKind::StorageError => error.message().to_owned(),
        Err(_) => return None,
    };
    let saved = match salvage(project, bindings, &origin()) {
        Ok(saved) => saved,
        Err(error) => return Some(Check::failed("repair", &error, RESTORE)),
    };
    let kept = saved.kept.map(|path| path.display().to_string());
    let message = format!(
        "The file was damaged ({damage}). {} entities are in a new one; the damaged one is kept as {}",
        saved.entities,
        kept.unwrap_or_default()
    );
    if saved.lost.is_empty() {
        return Some(Check::ok("repair", message));
    }
    let message = format!("{message}. Not saved as it was: {}", saved.lost.join("; "));
    Some(Check::warning("repair", message, RESTORE))
}

pub fn origin() -> Origin {
    Origin {
        actor: Actor::Human,
        source: "cli",
        session: "doctor".to_owned(),
        correlation_id: None,
    }
}

/// The check for an error that prevents reading.
pub fn unreadable(name: &'static str, error: &Error) -> Check {
    Check::failed(name, error, RESTORE)
}
