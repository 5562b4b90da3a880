//! What this clone knows about object storage that it exchanges packs with.

use rusqlite::{OptionalExtension as _, Row};
use serde_json::Value as Json;
use windlass_core::{Result, Timestamp};

use crate::error::StorageContext as _;
use crate::packs::PackName;
use crate::reader::Reader;
use crate::writer::Writer;

/// A remote that was used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RemoteState {
    pub url: String,
    /// The newest stamp that was listed.
    pub cursor: i64,
    /// When all of its packs were listed, in milliseconds; 0 if never.
    pub listed_at: i64,
    /// How many packs it had then.
    pub packs: i64,
    pub attempted_at: i64,
    pub succeeded_at: Option<i64>,
    /// Failures since the last success, and the last of them.
    pub failures: u32,
    pub error: Option<String>,
    /// When a pass last sent or brought something, and what.
    pub changed_at: Option<i64>,
    pub report: Option<Json>,
}

/// What a pass found out about a remote.
#[derive(Debug, Clone, Default)]
pub struct RemoteProgress {
    pub cursor: i64,
    /// How many packs it has, if all were listed.
    pub listed: Option<usize>,
    /// What the pass did, if it sent or brought something.
    pub report: Option<Json>,
}

fn remote_from_row(row: &Row<'_>) -> rusqlite::Result<RemoteState> {
    let report: Option<String> = row.get(9)?;
    Ok(RemoteState {
        url: row.get(0)?,
        cursor: row.get(1)?,
        listed_at: row.get(2)?,
        packs: row.get(3)?,
        attempted_at: row.get(4)?,
        succeeded_at: row.get(5)?,
        failures: row.get(6)?,
        error: row.get(7)?,
        changed_at: row.get(8)?,
        report: report.and_then(|text| serde_json::from_str(&text).ok()),
    })
}

impl Reader<'_> {
    /// The remotes that this clone has used.
    pub fn remotes(&self) -> Result<Vec<RemoteState>> {
        self.connection()
            .prepare_cached(
                "SELECT url, cursor, listed_at, packs, attempted_at, succeeded_at, failures, error,
                     changed_at, report FROM remotes ORDER BY url",
            )
            .and_then(|mut statement| statement.query_map([], remote_from_row)?.collect())
            .stored()
    }

    /// One of them; an empty one if it was never used.
    pub fn remote(&self, url: &str) -> Result<RemoteState> {
        let found = self.remotes()?.into_iter().find(|remote| remote.url == url);
        Ok(found.unwrap_or_else(|| RemoteState {
            url: url.to_owned(),
            ..RemoteState::default()
        }))
    }

    /// The known packs that the remote never had, as far as this clone has seen.
    pub fn packs_to_send(&self, url: &str) -> Result<Vec<PackName>> {
        self.connection()
            .prepare_cached(
                "SELECT name FROM packs p WHERE standing = 'known' AND NOT EXISTS
                     (SELECT 1 FROM remote_packs r WHERE r.url = ?1 AND r.name = p.name)
                 ORDER BY at, name",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([url], |row| row.get(0).map(PackName::from_stored))?
                    .collect()
            })
            .stored()
    }

    /// Why a pack of the remote could not be imported, if that was tried.
    pub fn unusable_pack(&self, url: &str, name: &PackName) -> Result<Option<String>> {
        let found: Option<Option<String>> = self
            .connection()
            .prepare_cached("SELECT unusable FROM remote_packs WHERE url = ?1 AND name = ?2")
            .and_then(|mut statement| {
                statement
                    .query_row((url, name.as_str()), |row| row.get(0))
                    .optional()
            })
            .stored()?;
        Ok(found.flatten())
    }
}

impl Writer<'_> {
    fn remote_row(&self, url: &str) -> Result<()> {
        self.connection()
            .prepare_cached("INSERT OR IGNORE INTO remotes (url) VALUES (?1)")
            .and_then(|mut statement| statement.execute([url]))
            .stored()?;
        Ok(())
    }

    /// Records that a pass begins, unless another process began one since `not_since`. Returns
    /// whether it may.
    pub fn begin_pass(&self, url: &str, not_since: i64) -> Result<bool> {
        self.remote_row(url)?;
        let now = Timestamp::now().as_millis();
        let changed = self
            .connection()
            .prepare_cached(
                // A time in the future was written before the clock was set back.
                "UPDATE remotes SET attempted_at = ?2
                 WHERE url = ?1 AND (attempted_at < ?3 OR attempted_at > ?2)",
            )
            .and_then(|mut statement| statement.execute((url, now, not_since)))
            .stored()?;
        Ok(changed > 0)
    }

    /// Records that a pass reached its end.
    pub fn pass_succeeded(&self, url: &str, progress: &RemoteProgress) -> Result<()> {
        self.remote_row(url)?;
        let now = Timestamp::now().as_millis();
        let listed = progress
            .listed
            .map(|count| i64::try_from(count).unwrap_or(i64::MAX));
        let report = progress.report.as_ref().map(Json::to_string);
        self.connection()
            .prepare_cached(
                "UPDATE remotes SET succeeded_at = ?2, failures = 0, error = NULL,
                     cursor = max(cursor, ?3),
                     listed_at = iif(?4 IS NULL, listed_at, ?2), packs = ifnull(?4, packs),
                     changed_at = iif(?5 IS NULL, changed_at, ?2), report = ifnull(?5, report)
                 WHERE url = ?1",
            )
            .and_then(|mut statement| {
                statement.execute((url, now, progress.cursor, listed, report))
            })
            .stored()?;
        Ok(())
    }

    /// Records that a pass failed.
    pub fn pass_failed(&self, url: &str, error: &str) -> Result<()> {
        self.remote_row(url)?;
        self.connection()
            .prepare_cached("UPDATE remotes SET failures = failures + 1, error = ?2 WHERE url = ?1")
            .and_then(|mut statement| statement.execute((url, error)))
            .stored()?;
        Ok(())
    }

    /// Records packs that the remote has.
    pub fn remote_has<'n>(
        &self,
        url: &str,
        names: impl IntoIterator<Item = &'n PackName>,
    ) -> Result<()> {
        for name in names {
            self.connection()
                .prepare_cached("INSERT OR IGNORE INTO remote_packs (url, name) VALUES (?1, ?2)")
                .and_then(|mut statement| statement.execute((url, name.as_str())))
                .stored()?;
        }
        Ok(())
    }

    /// Records that the remote has exactly these packs: what somebody removed there is sent again.
    pub fn remote_has_only<'n>(
        &self,
        url: &str,
        names: impl IntoIterator<Item = &'n PackName>,
    ) -> Result<()> {
        self.connection()
            .prepare_cached("DELETE FROM remote_packs WHERE url = ?1")
            .and_then(|mut statement| statement.execute([url]))
            .stored()?;
        self.remote_has(url, names)
    }

    /// Records that a pack of the remote cannot be imported, so that it is not fetched again.
    pub fn pack_is_unusable(&self, url: &str, name: &PackName, why: &str) -> Result<()> {
        self.connection()
            .prepare_cached(
                "INSERT INTO remote_packs (url, name, unusable) VALUES (?1, ?2, ?3)
                 ON CONFLICT (url, name) DO UPDATE SET unusable = ?3",
            )
            .and_then(|mut statement| statement.execute((url, name.as_str(), why)))
            .stored()?;
        Ok(())
    }
}
