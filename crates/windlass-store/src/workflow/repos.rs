//! Registered folders in which work is checked.

use rusqlite::{OptionalExtension as _, Row};
use serde_json::json;
use windlass_core::{ErrorKind, EventType, Result, Timestamp};

use super::local::{Noun, fresh_id};
use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::writer::Writer;

const NOUN: Noun = Noun {
    table: "repos",
    name: "repository",
    missing: ErrorKind::RepoNotFound,
    list: "repo_list",
};

const COLUMNS: &str = "id, number, path, name, vcs_type, created_at, updated_at";

/// A folder in which work is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repo {
    pub id: String,
    pub number: i64,
    /// Absolute, with symbolic links resolved.
    pub path: String,
    /// The name of its folder.
    pub name: String,
    pub vcs_type: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

fn repo(row: &Row<'_>) -> rusqlite::Result<Repo> {
    Ok(Repo {
        id: row.get(0)?,
        number: row.get(1)?,
        path: row.get(2)?,
        name: row.get(3)?,
        vcs_type: row.get(4)?,
        created_at: Timestamp::from_stored(row.get(5)?),
        updated_at: Timestamp::from_stored(row.get(6)?),
    })
}

impl Reader<'_> {
    /// The repository that `text` refers to: a number, an id or an id prefix.
    pub fn repo(&self, text: &str) -> Result<Repo> {
        let id = self.local_id(NOUN, text)?;
        self.find_repo("id", &id)?
            .ok_or_else(|| NOUN.not_found(text))
    }

    pub fn repo_at(&self, path: &str) -> Result<Option<Repo>> {
        self.find_repo("path", path)
    }

    fn find_repo(&self, column: &str, value: &str) -> Result<Option<Repo>> {
        self.connection()
            .prepare_cached(&format!("SELECT {COLUMNS} FROM repos WHERE {column} = ?1"))
            .and_then(|mut statement| statement.query_row([value], repo).optional())
            .stored()
    }

    pub fn repos(&self) -> Result<Vec<Repo>> {
        self.connection()
            .prepare_cached(&format!("SELECT {COLUMNS} FROM repos ORDER BY number"))
            .and_then(|mut statement| statement.query_map([], repo)?.collect())
            .stored()
    }
}

impl Writer<'_> {
    /// Registers a repository; a known one is updated.
    pub fn register_repo(&self, path: &str, vcs_type: Option<&str>) -> Result<Repo> {
        let now = Timestamp::now();
        if let Some(known) = self.repo_at(path)? {
            if known.vcs_type.as_deref() == vcs_type {
                return Ok(known);
            }
            self.connection()
                .prepare_cached("UPDATE repos SET vcs_type = ?2, updated_at = ?3 WHERE path = ?1")
                .and_then(|mut statement| statement.execute((path, vcs_type, now.as_str())))
                .stored()?;
            return self.repo_at(path)?.ok_or_else(|| NOUN.not_found(path));
        }
        let name = path.rsplit('/').find(|part| !part.is_empty());
        let (id, name) = (fresh_id(), name.unwrap_or(path));
        self.connection()
            .prepare_cached(
                "INSERT INTO repos (id, path, name, vcs_type, created_at, updated_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?5)",
            )
            .and_then(|mut statement| statement.execute((&id, path, name, vcs_type, now.as_str())))
            .stored()?;
        let payload = json!({"repo_id": id, "path": path, "name": name});
        self.record_event(EventType::RepoRegistered, None, &payload)?;
        self.repo(&id)
    }

    pub fn unregister_repo(&self, text: &str) -> Result<Repo> {
        let repo = self.repo(text)?;
        self.connection()
            .prepare_cached("DELETE FROM repos WHERE id = ?1")
            .and_then(|mut statement| statement.execute([&repo.id]))
            .stored()?;
        let payload = json!({"repo_id": repo.id, "path": repo.path, "name": repo.name});
        self.record_event(EventType::RepoUnregistered, None, &payload)?;
        Ok(repo)
    }
}
