//! Edits the human's own file. Existing entries and comments stay.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

use super::entry::{Entry, Scope};
use super::file::{AllowlistError, parse};
use super::granted::{self, GrantedText};
use super::system::is_of_system;

/// Why the file was not changed.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    #[error("the allowlist cannot be changed because it does not parse")]
    Broken(#[from] AllowlistError),
    #[error("a grant of scope {} cannot be stored", .0.name())]
    NotStored(Scope),
    #[error("{} cannot be granted", path.display())]
    NoSuchPath {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{} cannot be written", path.display())]
    Write {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// Adds a grant without keeping what a person saw.
pub fn allow(
    file: &Path,
    path: &Path,
    scope: Scope,
    tasks: &[(String, Option<String>)],
) -> Result<(), EditError> {
    grant(file, path, scope, tasks, &[])
}

/// Adds a grant, and keeps what a person saw when they allowed it. `tasks` are names with the
/// fingerprint that each is pinned to; one without a fingerprint is allowed whatever its text is,
/// which only the scope Task can say. The scope File covers the named commands, or all without any.
/// An earlier grant of the same names is replaced.
pub fn grant(
    file: &Path,
    path: &Path,
    scope: Scope,
    tasks: &[(String, Option<String>)],
    seen: &[GrantedText],
) -> Result<(), EditError> {
    let unpinned = tasks.iter().any(|(_, pin)| pin.is_none());
    let impossible = match scope {
        Scope::Once | Scope::Deny => true,
        Scope::Task => tasks.is_empty(),
        Scope::File => unpinned,
        Scope::Directory => false,
    };
    if impossible {
        return Err(EditError::NotStored(scope));
    }
    let path = real(path)?;
    let _alone = lock(file)?;
    let mut document = open(file)?;
    let mut names: Vec<&str> = match scope {
        Scope::Task => tasks.iter().map(|(name, _)| name.as_str()).collect(),
        _ => Vec::new(),
    };
    names.dedup();
    let entries = parse(file, &document.to_string())?.entries;
    remove(&mut document, &path, scope, &names);
    if let Some((other, names)) = superseded(&entries, &path, scope, tasks) {
        remove(&mut document, &path, other, &names);
    }
    let mut entry = entry(&path, scope, &names);
    let pins = match scope {
        Scope::Task | Scope::File => pin_table(tasks),
        _ => InlineTable::new(),
    };
    if !pins.is_empty() {
        entry["pins"] = Item::Value(Value::InlineTable(pins));
    }
    // What was seen is kept before the entry that refers to it.
    for text in seen {
        granted::keep(file, text).map_err(|source| EditError::Write {
            path: granted::folder(file),
            source,
        })?;
    }
    push(&mut document, entry, file)
}

/// A newer pin of a command takes the place of an older one of the other scope, which would only say
/// that the command has changed. What is allowed without a pin stays so.
fn superseded<'a>(
    entries: &[Entry],
    path: &Path,
    scope: Scope,
    tasks: &'a [(String, Option<String>)],
) -> Option<(Scope, Vec<&'a str>)> {
    let other = match scope {
        Scope::Task => Scope::File,
        Scope::File => Scope::Task,
        _ => return None,
    };
    let about = || {
        let entries = entries.iter();
        entries.filter(|entry| entry.scope == other && entry.path == path)
    };
    let names = tasks.iter().map(|(name, _)| name.as_str());
    let pinned: Vec<&str> = names
        .filter(|name| about().any(|entry| entry.pin(name).is_some()))
        .collect();
    (!pinned.is_empty()).then_some((other, pinned))
}

/// A fingerprint for each name, or a list of them.
fn pin_table(tasks: &[(String, Option<String>)]) -> InlineTable {
    let mut pins = InlineTable::new();
    for (name, pin) in tasks {
        let Some(pin) = pin.as_deref() else { continue };
        match pins.get_mut(name) {
            None => drop(pins.insert(name, pin.into())),
            Some(Value::Array(several)) => several.push(pin),
            Some(one) => {
                let first = one.as_str().unwrap_or_default().to_owned();
                *one = Value::from_iter([first.as_str(), pin]);
            }
        }
    }
    pins
}

/// Denies the path, or named commands of it.
pub fn deny(file: &Path, path: &Path, tasks: &[String]) -> Result<(), EditError> {
    let path = real(path)?;
    let _alone = lock(file)?;
    let mut document = open(file)?;
    let names: Vec<&str> = tasks.iter().map(String::as_str).collect();
    remove(&mut document, &path, Scope::Deny, &names);
    push(&mut document, entry(&path, Scope::Deny, &names), file)
}

/// What is removed: a denial is not a grant, and taking back one must not take back the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removed {
    Grants,
    Denials,
}

/// Removes the entries of the path, or only the named commands from them; returns the number of
/// entries that were changed.
pub fn revoke(
    file: &Path,
    path: &Path,
    tasks: &[String],
    removed: Removed,
) -> Result<usize, EditError> {
    let _alone = lock(file)?;
    let mut document = open(file)?;
    let path = real(path).unwrap_or_else(|_| path.to_owned());
    let names: Vec<&str> = tasks.iter().map(String::as_str).collect();
    let scopes: &[Scope] = match removed {
        Removed::Denials => &[Scope::Deny],
        Removed::Grants if names.is_empty() => {
            &[Scope::Once, Scope::Task, Scope::File, Scope::Directory]
        }
        Removed::Grants => &[Scope::Task, Scope::File],
    };
    let changed = scopes
        .iter()
        .map(|scope| remove(&mut document, &path, *scope, &names))
        .sum();
    if changed > 0 {
        write(file, &document.to_string())?;
    }
    Ok(changed)
}

fn real(path: &Path) -> Result<PathBuf, EditError> {
    fs::canonicalize(path).map_err(|source| EditError::NoSuchPath {
        path: path.to_owned(),
        source,
    })
}

/// Locks the file while it is read, changed and written, so that no concurrent change is lost.
fn lock(file: &Path) -> Result<fs::File, EditError> {
    let failed = |source| EditError::Write {
        path: file.to_owned(),
        source,
    };
    let folder = create_folder(file).map_err(failed)?;
    let lock = fs::File::create(folder.join("allowlist.lock")).map_err(failed)?;
    lock.lock().map_err(failed)?;
    Ok(lock)
}

fn create_folder(file: &Path) -> io::Result<&Path> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    Ok(folder)
}

fn open(file: &Path) -> Result<DocumentMut, EditError> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(problem) if problem.kind() == io::ErrorKind::NotFound => String::new(),
        Err(source) => {
            return Err(EditError::Write {
                path: file.to_owned(),
                source,
            });
        }
    };
    parse(file, &text)?;
    text.parse().map_err(|problem: toml_edit::TomlError| {
        EditError::Broken(AllowlistError {
            file: file.to_owned(),
            line: 1,
            message: problem.message().to_owned(),
        })
    })
}

fn entry(path: &Path, scope: Scope, names: &[&str]) -> Table {
    let mut entry = Table::new();
    entry["path"] = toml_edit::value(path.to_string_lossy().into_owned());
    entry["scope"] = toml_edit::value(scope.name());
    if !names.is_empty() {
        entry["tasks"] = toml_edit::value(names.iter().copied().collect::<toml_edit::Array>());
    }
    entry
}

fn push(document: &mut DocumentMut, entry: Table, file: &Path) -> Result<(), EditError> {
    let item = document
        .entry("entries")
        .or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    // Inline entries become tables, so that there is only one form.
    if let Some(inline) = item.as_array() {
        let tables = inline.iter().filter_map(Value::as_inline_table);
        let tables = tables.cloned().map(InlineTable::into_table).collect();
        *item = Item::ArrayOfTables(tables);
    }
    if let Some(entries) = item.as_array_of_tables_mut() {
        entries.push(entry);
    }
    write(file, &document.to_string())
}

/// Removes the names from the entries of that path and scope, or, without names, the entries.
fn remove(document: &mut DocumentMut, path: &Path, scope: Scope, names: &[&str]) -> usize {
    let Some(entries) = document
        .get_mut("entries")
        .and_then(Item::as_array_of_tables_mut)
    else {
        return 0;
    };
    let mut changed = 0;
    let same = |table: &Table| {
        let text = |key: &str| table.get(key).and_then(Item::as_str).unwrap_or_default();
        Path::new(text("path")) == path && text("scope") == scope.name()
    };
    entries.retain(|table| {
        let is_removed = names.is_empty() && same(table);
        changed += usize::from(is_removed);
        !is_removed
    });
    if names.is_empty() {
        return changed;
    }
    for table in entries.iter_mut().filter(|table| same(table)) {
        changed += usize::from(remove_names(table, names));
    }
    // A Deny that loses its last name must not become a Deny of the whole path, nor a File entry
    // that loses its last pin a grant of the whole file.
    entries.retain(|table| {
        let no_names = |item: &Item| item.as_array().is_some_and(toml_edit::Array::is_empty);
        let no_pins = |item: &Item| item.as_table_like().is_some_and(|it| it.is_empty());
        let pins = table.get("pins").or_else(|| table.get("pin"));
        let nothing_left = table.get("tasks").is_some_and(no_names)
            || scope == Scope::File && pins.is_some_and(no_pins);
        !(same(table) && nothing_left)
    });
    changed
}

/// Takes the names out of one entry; returns whether it had any of them.
fn remove_names(table: &mut Table, names: &[&str]) -> bool {
    let mut had = false;
    if let Some(tasks) = table.get_mut("tasks").and_then(Item::as_array_mut) {
        let before = tasks.len();
        tasks.retain(|task| !task.as_str().is_some_and(|task| names.contains(&task)));
        had |= tasks.len() != before;
    }
    for key in ["pins", "pin"] {
        if let Some(pins) = table.get_mut(key).and_then(Item::as_table_like_mut) {
            for name in names {
                had |= pins.remove(name).is_some();
            }
        }
    }
    had
}

/// Replaces the allowlist, and removes the texts that no entry refers to any more.
fn write(file: &Path, text: &str) -> Result<(), EditError> {
    // Everyone may read the list of the system; one of a user is private.
    let mode = if is_of_system(text) { 0o644 } else { 0o600 };
    replace(file, text, mode).map_err(|source| EditError::Write {
        path: file.to_owned(),
        source,
    })?;
    let entries = parse(file, text)?.entries;
    granted::forget_others(file, entries.iter().flat_map(Entry::fingerprints));
    Ok(())
}

/// How the new file is called until it has its name.
const UNFINISHED: &str = ".tmp";
/// How old an unfinished file is that nobody finishes any more: writing one takes milliseconds.
const ABANDONED_AFTER: Duration = Duration::from_mins(1);

/// Writes atomically: a new file beside the old one is flushed to disk and then replaces it.
pub(super) fn replace(file: &Path, text: &str, mode: u32) -> io::Result<()> {
    let folder = create_folder(file)?;
    remove_unfinished(folder);
    let mut new = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempfile_in(folder)?;
    new.write_all(text.as_bytes())?;
    let mode = fs::Permissions::from_mode(mode);
    new.as_file().set_permissions(mode)?;
    new.as_file().sync_all()?;
    new.persist(file).map_err(|problem| problem.error)?;
    fs::File::open(folder)?.sync_all()
}

/// Removes what processes left that were killed while they wrote.
fn remove_unfinished(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_unfinished = entry
            .file_name()
            .as_encoded_bytes()
            .starts_with(UNFINISHED.as_bytes());
        let is_old = entry.metadata().is_ok_and(|metadata| {
            let age = metadata
                .modified()
                .ok()
                .and_then(|time| time.elapsed().ok());
            metadata.is_file() && age.is_some_and(|age| age > ABANDONED_AFTER)
        });
        if is_unfinished && is_old {
            // Another process may be doing the same.
            let _ = fs::remove_file(entry.path());
        }
    }
}
