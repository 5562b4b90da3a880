//! Which open tasks wait for which others, over the whole project.

use windlass_core::Result;

use crate::error::StorageContext as _;
use crate::reader::Reader;

/// One task that waits for another, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// The task that must be done first.
    pub blocker: i64,
    pub waiting: i64,
}

impl Reader<'_> {
    /// Every open task that waits, with each task that it waits for. A blocker that was cancelled or
    /// skipped is waited for as well: only a done one releases.
    pub fn open_waits(&self) -> Result<Vec<Wait>> {
        self.connection()
            .prepare_cached(
                "SELECT s.number, t.number
                 FROM relations r
                     CROSS JOIN entities t ON t.id = r.target AND t.deleted = 0
                         AND t.status NOT IN ('done', 'skipped', 'cancelled')
                     CROSS JOIN entities s ON s.id = r.source AND s.deleted = 0 AND s.status <> 'done'
                 WHERE r.type = 'blocks' ORDER BY s.number, t.number",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| {
                        Ok(Wait {
                            blocker: row.get(0)?,
                            waiting: row.get(1)?,
                        })
                    })?
                    .collect()
            })
            .stored()
    }
}
