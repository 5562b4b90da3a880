//! The state of the project: its folder, its database, and their integrity.

use std::path::Path;

use rustix::fs::{Access, access};
use windlass_core::{Actor, Error, Origin};
use windlass_store::{Bindings, Project, Standing, Store};

use super::check::{Check, counted};
use super::{disk, leftovers};

const RESTORE: &str = "Restore .windlass/state/windlass.db from a copy.";

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
        return error
            .map(|error| Check::failed("state", &error, RESTORE))
            .into_iter()
            .collect();
    }
    if !state.is_dir() {
        let message = "No state yet; the first command creates it";
        return vec![Check::ok("state", message)];
    }
    let mut checks = vec![folder(state)];
    checks.extend(disk::space(state));
    let database = project.database();
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
            let own = store.check_trusted().is_ok();
            checks.push(version(&store));
            checks.push(integrity(&store, own && is_writable(&database)));
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

/// The full check needs the write lock, and a writer would upgrade an older database.
fn integrity(store: &Store, writable: bool) -> Check {
    let is_current = store
        .versions()
        .is_ok_and(|versions| versions.found == versions.known);
    let found = if writable && is_current {
        store.check(&origin())
    } else {
        store.check_file()
    };
    match found {
        Ok(problems) if problems.is_empty() => Check::ok("integrity", "The database is consistent"),
        Ok(problems) => damage(&problems),
        Err(error) => damage(&[error.message().to_owned()]),
    }
}

fn damage(problems: &[String]) -> Check {
    let first = problems.first().map_or("", String::as_str);
    let message = format!("{}: {first}", counted(problems.len(), "problem"));
    Check::error("integrity", message, RESTORE)
}

fn origin() -> Origin {
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
