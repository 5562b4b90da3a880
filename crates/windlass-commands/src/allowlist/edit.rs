//! Edits the human's own file. Existing entries and comments stay.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

use super::entry::Scope;
use super::file::{AllowlistError, parse};
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

/// Adds a grant. `tasks` are names with the fingerprint that each is pinned to, if any; they are
/// used for the scope Task only. An earlier grant of the same names is replaced.
pub fn allow(
    file: &Path,
    path: &Path,
    scope: Scope,
    tasks: &[(String, Option<String>)],
) -> Result<(), EditError> {
    if matches!(scope, Scope::Once | Scope::Deny) || (scope == Scope::Task && tasks.is_empty()) {
        return Err(EditError::NotStored(scope));
    }
    let path = real(path)?;
    let _alone = lock(file)?;
    let mut document = open(file)?;
    let names: Vec<&str> = match scope {
        Scope::Task => tasks.iter().map(|(name, _)| name.as_str()).collect(),
        _ => Vec::new(),
    };
    remove(&mut document, &path, scope, &names);
    let mut entry = entry(&path, scope, &names);
    let pins: InlineTable = tasks
        .iter()
        .filter(|_| scope == Scope::Task)
        .filter_map(|(name, pin)| Some((name.as_str(), Value::from(pin.as_deref()?))))
        .collect();
    if !pins.is_empty() {
        entry["pins"] = Item::Value(Value::InlineTable(pins));
    }
    push(&mut document, entry, file)
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

/// Removes every entry of the path, grants and denials alike, or only the named commands from them;
/// returns the number of entries that were changed.
pub fn revoke(file: &Path, path: &Path, tasks: &[String]) -> Result<usize, EditError> {
    let _alone = lock(file)?;
    let mut document = open(file)?;
    let path = real(path).unwrap_or_else(|_| path.to_owned());
    let names: Vec<&str> = tasks.iter().map(String::as_str).collect();
    let scopes: &[Scope] = if names.is_empty() {
        &[
            Scope::Once,
            Scope::Task,
            Scope::File,
            Scope::Directory,
            Scope::Deny,
        ]
    } else {
        &[Scope::Task, Scope::Deny]
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
    for table in entries.iter_mut().filter(|table| same(table)) {
        let Some(tasks) = table.get_mut("tasks").and_then(Item::as_array_mut) else {
            continue;
        };
        let before = tasks.len();
        tasks.retain(|task| !task.as_str().is_some_and(|task| names.contains(&task)));
        changed += usize::from(tasks.len() != before);
        for key in ["pins", "pin"] {
            if let Some(pins) = table.get_mut(key).and_then(Item::as_table_like_mut) {
                for name in names {
                    pins.remove(name);
                }
            }
        }
    }
    // A Deny that loses its last name must not become a Deny of the whole path.
    entries.retain(|table| {
        let empty = |item: &Item| item.as_array().is_some_and(toml_edit::Array::is_empty);
        !(same(table) && table.get("tasks").is_some_and(empty))
    });
    changed
}

/// Writes atomically: a new file beside the old one is flushed to disk and then replaces it.
fn write(file: &Path, text: &str) -> Result<(), EditError> {
    let failed = |source| EditError::Write {
        path: file.to_owned(),
        source,
    };
    let folder = create_folder(file).map_err(failed)?;
    let mut new = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    new.write_all(text.as_bytes()).map_err(failed)?;
    // Everyone may read the list of the system; one of a user is private.
    let mode = if is_of_system(text) { 0o644 } else { 0o600 };
    let mode = fs::Permissions::from_mode(mode);
    new.as_file().set_permissions(mode).map_err(failed)?;
    new.as_file().sync_all().map_err(failed)?;
    new.persist(file).map_err(|problem| failed(problem.error))?;
    let folder = fs::File::open(folder).map_err(failed)?;
    folder.sync_all().map_err(failed)
}
