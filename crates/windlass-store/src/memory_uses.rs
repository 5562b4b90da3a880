//! How often notes and learnings were given to agents, so that those that nobody uses can be found.

use std::collections::BTreeMap;

use windlass_core::{Result, Timestamp};

use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::writer::Writer;

/// How often something was given to an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryUse {
    pub uses: i64,
    pub last_used: Timestamp,
}

impl Reader<'_> {
    /// The uses of everything that was used, by key.
    pub fn memory_uses(&self) -> Result<BTreeMap<String, MemoryUse>> {
        self.connection()
            .prepare_cached("SELECT key, uses, last_used FROM memory_uses")
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| {
                        let used = MemoryUse {
                            uses: row.get(1)?,
                            last_used: Timestamp::from_stored(row.get(2)?),
                        };
                        Ok((row.get(0)?, used))
                    })?
                    .collect()
            })
            .stored()
    }
}

impl Writer<'_> {
    /// Counts that an agent was given these.
    pub fn count_uses(&self, keys: &[String]) -> Result<()> {
        let now = Timestamp::now();
        for key in keys {
            self.connection()
                .prepare_cached(
                    "INSERT INTO memory_uses (key, uses, last_used) VALUES (?1, 1, ?2)
                     ON CONFLICT (key) DO UPDATE SET uses = uses + 1, last_used = ?2",
                )
                .and_then(|mut statement| statement.execute((key, now.as_str())))
                .stored()?;
        }
        Ok(())
    }
}
