//! Reads the history of all changes.

use rusqlite::{OptionalExtension as _, Row};
use windlass_core::{Event, Result, Timestamp};

use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::store::Store;

/// Which events are requested.
#[derive(Debug, Clone, Default)]
pub struct EventFilter {
    /// Only events with a higher number.
    pub after: i64,
    /// The full id of an entity.
    pub entity: Option<String>,
    pub kind: Option<String>,
    pub correlation_id: Option<String>,
    /// human or agent.
    pub actor: Option<String>,
    /// The newest ones, newest first, instead of the oldest after `after`.
    pub newest_first: bool,
    pub limit: u32,
    pub offset: u32,
}

impl EventFilter {
    /// Which events match; their values are those of `EventFilter::values`.
    fn conditions(&self) -> String {
        // Written as a literal condition, so that SQLite uses the index for the history of one
        // entity.
        let of_entity = if self.entity.is_some() {
            "entity = ?2"
        } else {
            "?2 IS NULL"
        };
        format!(
            "seq > ?1 AND {of_entity} AND (?3 IS NULL OR type = ?3)
                 AND (?4 IS NULL OR correlation_id = ?4) AND (?5 IS NULL OR actor = ?5)"
        )
    }

    fn values(&self) -> impl rusqlite::Params {
        (
            self.after,
            &self.entity,
            &self.kind,
            &self.correlation_id,
            &self.actor,
        )
    }
}

/// The columns that [`event_from_row`] reads.
pub(crate) const EVENT_COLUMNS: &str =
    "seq, id, at, actor, source, session, correlation_id, type, entity, entity_type, payload";

pub(crate) fn event_from_row(row: &Row<'_>) -> rusqlite::Result<Event> {
    Ok(Event {
        seq: row.get(0)?,
        id: row.get(1)?,
        at: Timestamp::from_stored(row.get(2)?),
        actor: row.get(3)?,
        source: row.get(4)?,
        session: row.get(5)?,
        correlation_id: row.get(6)?,
        kind: row.get(7)?,
        entity: row.get(8)?,
        entity_type: row.get(9)?,
        payload: serde_json::from_str(row.get_ref(10)?.as_str()?).unwrap_or_default(),
    })
}

impl Reader<'_> {
    pub fn events(&self, filter: &EventFilter) -> Result<Vec<Event>> {
        let order = if filter.newest_first { "DESC" } else { "ASC" };
        // The limits are numbers of ours, so they can be part of the text.
        self.connection()
            .prepare_cached(&format!(
                "SELECT {EVENT_COLUMNS}
                 FROM events WHERE {} ORDER BY seq {order} LIMIT {} OFFSET {}",
                filter.conditions(),
                filter.limit,
                filter.offset,
            ))
            .and_then(|mut statement| {
                statement
                    .query_map(filter.values(), event_from_row)?
                    .collect()
            })
            .stored()
    }

    /// How many events match, whatever the limit.
    pub fn count_events(&self, filter: &EventFilter) -> Result<u64> {
        let sql = format!("SELECT count(*) FROM events WHERE {}", filter.conditions());
        let count: i64 = self
            .connection()
            .prepare_cached(&sql)
            .and_then(|mut statement| statement.query_row(filter.values(), |row| row.get(0)))
            .stored()?;
        Ok(u64::try_from(count).unwrap_or(0))
    }
}

impl Reader<'_> {
    /// The time of the first event.
    pub fn first_event_at(&self) -> Result<Option<Timestamp>> {
        self.connection()
            .prepare_cached("SELECT at FROM events ORDER BY seq LIMIT 1")
            .and_then(|mut statement| {
                statement
                    .query_row([], |row| row.get(0).map(Timestamp::from_stored))
                    .optional()
            })
            .stored()
    }
}

impl Store {
    /// The number of the newest event. Cheap enough to call many times a second; if it changed,
    /// some process has written.
    pub fn last_event(&self) -> Result<i64> {
        self.read(None, |reader| {
            reader
                .connection()
                .prepare_cached("SELECT ifnull(max(seq), 0) FROM events")
                .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
                .stored()
        })
    }

    /// Events after `seq`, oldest first.
    pub fn events_after(&self, seq: i64, limit: u32) -> Result<Vec<Event>> {
        let filter = EventFilter {
            after: seq,
            limit,
            ..EventFilter::default()
        };
        self.read(None, |reader| reader.events(&filter))
    }
}
