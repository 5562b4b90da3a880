//! Taking a write back by a new write.
//!
//! What is taken back is a whole write: everything that one call stored in one transaction, so a batch
//! is one. A field gets its value from before only if it still has the value that the write gave it:
//! what somebody changed since stays, unless the caller insists. Claims, reviews, gates, questions,
//! jobs, runs and sessions are not values, and cannot be taken back.

use rusqlite::OptionalExtension as _;
use windlass_core::{
    Actor, Entity, EntityId, Error, ErrorKind, Event, EventType, RelationType, Result,
};

use crate::error::StorageContext as _;
use crate::events::{EVENT_COLUMNS, event_from_row};
use crate::reader::Reader;
use crate::records::StoredRecord;
use crate::replaced::{field_of, set_field};
use crate::workflow::Mover;
use crate::writer::Writer;

/// What is to be taken back.
#[derive(Debug, Clone, Copy, Default)]
pub struct Undo {
    /// The write that this event belongs to; by default the caller's last write.
    pub event: Option<i64>,
    /// Also what was changed since.
    pub force: bool,
}

/// What was taken back.
#[derive(Debug, Clone, PartialEq)]
pub struct Undone {
    /// The events of the write that was taken back.
    pub events: Vec<Event>,
    /// What was done, in words.
    pub changes: Vec<String>,
    /// What was left as it is, in words.
    pub left: Vec<String>,
}

/// What an event means for `undo`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// Its change can be taken back.
    Change,
    /// It only reports a change that another event of the same write stands for.
    Report,
    /// It stands for something that cannot be taken back.
    Final,
}

fn meaning(kind: &str) -> Meaning {
    use EventType as E;
    match EventType::parse(kind) {
        Some(
            E::EntityCreated
            | E::EntityUpdated
            | E::EntityDeleted
            | E::EntityRestored
            | E::RelationCreated
            | E::RelationDeleted
            | E::CommentAdded
            | E::CommentUpdated
            | E::CommentDeleted
            | E::LearningAdded
            | E::LearningBubbled
            | E::MemoryConfirmed
            | E::MemoryRetired,
        ) => Meaning::Change,
        Some(
            E::TaskCreated
            | E::TaskUpdated
            | E::TaskDeleted
            | E::TaskStarted
            | E::TaskCompleted
            | E::TaskCancelled
            | E::TaskStatusChanged
            | E::TaskClaimed
            | E::TaskReleased
            | E::BlockerAdded
            | E::BlockerRemoved,
        ) => Meaning::Report,
        _ => Meaning::Final,
    }
}

impl Reader<'_> {
    fn event(&self, seq: i64) -> Result<Option<(Event, Option<i64>)>> {
        self.connection()
            .prepare_cached(&format!(
                "SELECT {EVENT_COLUMNS}, first_event FROM events WHERE seq = ?1"
            ))
            .and_then(|mut statement| {
                statement
                    .query_row([seq], |row| Ok((event_from_row(row)?, row.get(11)?)))
                    .optional()
            })
            .stored()
    }

    /// The events of one write, the newest first.
    fn events_of_write(&self, first: i64) -> Result<Vec<Event>> {
        self.connection()
            .prepare_cached(&format!(
                "SELECT {EVENT_COLUMNS} FROM events WHERE first_event = ?1 ORDER BY seq DESC"
            ))
            .and_then(|mut statement| statement.query_map([first], event_from_row)?.collect())
            .stored()
    }

    fn is_undone(&self, event: i64) -> Result<bool> {
        self.connection()
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM undone WHERE seq = ?1)")
            .and_then(|mut statement| statement.query_row([event], |row| row.get(0)))
            .stored()
    }

    /// The newest write of a person, or of an agent's session, that is neither taken back nor the
    /// taking back of another.
    fn last_write(&self, actor: Actor, session: &str) -> Result<Option<i64>> {
        let session = (actor == Actor::Agent).then_some(session);
        self.connection()
            .prepare_cached(
                "SELECT first_event FROM events e
                 WHERE actor = ?1 AND (?2 IS NULL OR session = ?2) AND first_event IS NOT NULL
                     AND type NOT IN ('entity.merged', 'entity.renumbered')
                     AND NOT EXISTS (SELECT 1 FROM undone u WHERE u.seq = e.seq)
                     AND NOT EXISTS (SELECT 1 FROM undone u WHERE u.undone_by = e.first_event)
                 ORDER BY seq DESC LIMIT 1",
            )
            .and_then(|mut statement| {
                statement
                    .query_row((actor.name(), session), |row| row.get(0))
                    .optional()
            })
            .stored()
    }

    /// Whether others have changed the entity since the event.
    fn changed_by_others_since(&self, id: &EntityId, event: &Event) -> Result<Option<i64>> {
        self.connection()
            .prepare_cached(
                "SELECT seq FROM events WHERE entity = ?1 AND seq > ?2
                     AND (actor <> ?3 OR (actor = 'agent' AND session <> ?4))
                 ORDER BY seq LIMIT 1",
            )
            .and_then(|mut statement| {
                statement
                    .query_row(
                        (id.as_str(), event.seq, &event.actor, &event.session),
                        |row| row.get(0),
                    )
                    .optional()
            })
            .stored()
    }
}

impl Writer<'_> {
    /// Takes a write back.
    pub fn undo(&self, undo: Undo) -> Result<Undone> {
        let first = self.write_to_undo(undo)?;
        let events = self.events_of_write(first)?;
        self.check_undoable(&events)?;
        let mut undone = Undone {
            events,
            changes: Vec::new(),
            left: Vec::new(),
        };
        let events = std::mem::take(&mut undone.events);
        for event in &events {
            if meaning(&event.kind) == Meaning::Change {
                self.undo_event(event, undo.force, &mut undone)?;
            }
        }
        undone.events = events;
        if undone.changes.is_empty() {
            return Err(conflict(&undone));
        }
        self.note_undone(first, &undone.events)?;
        Ok(undone)
    }

    fn write_to_undo(&self, undo: Undo) -> Result<i64> {
        let Some(seq) = undo.event else {
            let last = self.last_write(self.origin.actor, &self.origin.session)?;
            return last.ok_or_else(|| {
                Error::new(
                    ErrorKind::NotUndoable,
                    "There is nothing of yours to take back",
                )
                .with_hint("[[event_list]] shows what changed. Give the number of an event to take back the write that it belongs to.")
            });
        };
        let Some((event, first)) = self.event(seq)? else {
            return Err(
                Error::new(ErrorKind::NotUndoable, format!("There is no event {seq}"))
                    .with("event", seq)
                    .with_hint("[[event_list]] shows the events with their numbers."),
            );
        };
        if self.origin.actor == Actor::Agent && event.actor != Actor::Agent.name() {
            return Err(Error::new(
                ErrorKind::HumanOnly,
                format!("Event {seq} is a person's change: only a person can take it back"),
            )
            .with("event", seq)
            .with_hint("Ask a person to take it back."));
        }
        if self.is_undone(seq)? {
            return Err(Error::new(
                ErrorKind::NotUndoable,
                format!("Event {seq} was taken back already"),
            )
            .with("event", seq));
        }
        first.ok_or_else(|| {
            Error::new(
                ErrorKind::NotUndoable,
                format!("Event {seq} is from before the database kept what changes replaced"),
            )
            .with("event", seq)
        })
    }

    fn check_undoable(&self, events: &[Event]) -> Result<()> {
        let fatal = events
            .iter()
            .find(|event| meaning(&event.kind) == Meaning::Final);
        let only_reports = events
            .iter()
            .all(|event| meaning(&event.kind) != Meaning::Change);
        let culprit = fatal.or_else(|| events.first().filter(|_| only_reports));
        let Some(event) = culprit else {
            return Ok(());
        };
        let earlier = self.earlier_undoable(event.seq)?;
        let hint = match earlier {
            Some(seq) => format!(
                "Claims, reviews, gates, questions, jobs, runs, sessions and merges cannot be taken back. \
                 Before it there is event {seq}: give its number to take that back."
            ),
            None => "Claims, reviews, gates, questions, jobs, runs, sessions and merges cannot be taken back."
                .to_owned(),
        };
        Err(Error::new(
            ErrorKind::NotUndoable,
            format!("Event {} ({}) cannot be taken back", event.seq, event.kind),
        )
        .with("event", event.seq)
        .with("type", event.kind.as_str())
        .with_hint(hint))
    }

    /// The newest of the caller's events before this one that can be taken back.
    fn earlier_undoable(&self, before: i64) -> Result<Option<i64>> {
        let session = (self.origin.actor == Actor::Agent).then_some(self.origin.session.as_str());
        let rows: Vec<(i64, String)> = self
            .connection()
            .prepare_cached(
                "SELECT seq, type FROM events e
                 WHERE seq < ?1 AND actor = ?2 AND (?3 IS NULL OR session = ?3)
                     AND first_event IS NOT NULL
                     AND NOT EXISTS (SELECT 1 FROM undone u WHERE u.seq = e.seq)
                     AND NOT EXISTS (SELECT 1 FROM undone u WHERE u.undone_by = e.first_event)
                 ORDER BY seq DESC LIMIT 50",
            )
            .and_then(|mut statement| {
                statement
                    .query_map((before, self.origin.actor.name(), session), |row| {
                        Ok((row.get(0)?, row.get(1)?))
                    })?
                    .collect()
            })
            .stored()?;
        let found = rows
            .into_iter()
            .find(|(_, kind)| meaning(kind) == Meaning::Change);
        Ok(found.map(|(seq, _)| seq))
    }

    fn undo_event(&self, event: &Event, force: bool, undone: &mut Undone) -> Result<()> {
        use EventType as E;
        let Some(id) = event.entity.as_deref().map(EntityId::from_stored) else {
            return Ok(());
        };
        match EventType::parse(&event.kind) {
            Some(E::EntityCreated | E::EntityRestored) => {
                self.undo_creation(&id, event, force, undone)
            }
            Some(E::EntityUpdated) => {
                self.undo_update(&id, event, force, undone)?;
                self.undo_records(&id, event, force, undone)
            }
            Some(E::EntityDeleted) => self.undo_deletion(&id, undone),
            Some(E::RelationCreated) => self.undo_relation(&id, event, Wanted::Gone, undone),
            Some(E::RelationDeleted) => self.undo_relation(&id, event, Wanted::There, undone),
            _ => self.undo_records(&id, event, force, undone),
        }
    }

    fn undo_creation(
        &self,
        id: &EntityId,
        event: &Event,
        force: bool,
        undone: &mut Undone,
    ) -> Result<()> {
        let Some(entity) = self.find_entity(id)? else {
            undone.left.push("it is deleted already".to_owned());
            return Ok(());
        };
        let changed = self.changed_by_others_since(id, event)?;
        if let Some(seq) = changed.filter(|_| !force) {
            let number = entity.number;
            undone.left.push(format!(
                "#{number} was changed by others since (event {seq})"
            ));
            return Ok(());
        }
        self.delete(id)?;
        undone
            .changes
            .push(format!("deleted #{} {}", entity.number, entity.title));
        Ok(())
    }

    fn undo_deletion(&self, id: &EntityId, undone: &mut Undone) -> Result<()> {
        if let Some(entity) = self.find_entity(id)? {
            undone
                .left
                .push(format!("#{} was restored already", entity.number));
            return Ok(());
        }
        let revived = self.restore(id)?;
        let Entity { number, title, .. } = revived.entity;
        undone.changes.push(format!("restored #{number} {title}"));
        undone.left.extend(revived.dropped);
        Ok(())
    }

    fn undo_update(
        &self,
        id: &EntityId,
        event: &Event,
        force: bool,
        undone: &mut Undone,
    ) -> Result<()> {
        let Some(replaced) = self.replaced(event.seq)? else {
            return Err(not_kept(event));
        };
        let Some(now) = self.find_entity(id)? else {
            let number = event.payload["number"].as_i64().unwrap_or_default();
            undone.left.push(format!("#{number} is deleted"));
            return Ok(());
        };
        let mut after = now.clone();
        let mut fields = Vec::new();
        for change in &replaced.fields {
            let current = field_of(&now, &change.field);
            if current == change.before {
                continue;
            }
            if current != change.after() && !force {
                undone.left.push(format!(
                    "{} of #{} was changed since",
                    change.field, now.number
                ));
                continue;
            }
            set_field(&mut after, &change.field, &change.before);
            fields.push(change.field.as_str());
        }
        if fields.is_empty() {
            return Ok(());
        }
        self.resolve_properties(Some(&now), &mut after)?;
        self.check_names(Some(&now), &after)?;
        self.check_people_fields(Some(&now), &after)?;
        self.check_lifecycle(&now, &after)?;
        self.store_change(&now, after, Mover::Other)?;
        let fields = fields.join(", ");
        undone
            .changes
            .push(format!("#{}: {fields} as before", now.number));
        Ok(())
    }

    fn undo_relation(
        &self,
        id: &EntityId,
        event: &Event,
        wanted: Wanted,
        undone: &mut Undone,
    ) -> Result<()> {
        let payload = &event.payload;
        let kind = RelationType::parse(payload["relation_type"].as_str().unwrap_or_default())?;
        let target = payload["target_id"].as_str().map(EntityId::from_stored);
        let source = self.find_entity(id)?;
        let target = target
            .map(|id| self.find_entity(&id))
            .transpose()?
            .flatten();
        let (Some(source), Some(target)) = (source, target) else {
            // Together with an entity its relations go and come back.
            return Ok(());
        };
        let shown = format!("#{} {} #{}", source.number, kind.name(), target.number);
        let is_there = self.is_related(&source.id, kind, &target.id)?;
        match wanted {
            Wanted::Gone if is_there => {
                self.unrelate(&source, kind, &target)?;
                undone.changes.push(format!("removed the relation {shown}"));
            }
            Wanted::There if !is_there => {
                self.relate(&source, kind, &target)?;
                undone.changes.push(format!("added the relation {shown}"));
            }
            Wanted::Gone => undone
                .left
                .push(format!("the relation {shown} is gone already")),
            Wanted::There => undone
                .left
                .push(format!("the relation {shown} is there already")),
        }
        Ok(())
    }

    fn undo_records(
        &self,
        id: &EntityId,
        event: &Event,
        force: bool,
        undone: &mut Undone,
    ) -> Result<()> {
        let Some(replaced) = self.replaced(event.seq)? else {
            return Err(not_kept(event));
        };
        let Some(entity) = self.find_entity(id)? else {
            return Ok(());
        };
        let (row, document) = self.load_document(id)?;
        let mut records = self.record_rows(row)?;
        let before = records.clone();
        let mut shown = Vec::new();
        for change in &replaced.records {
            let key = (change.collection.clone(), change.key.clone());
            let name = format!("{} {}", change.collection, change.after.number);
            let body = change
                .before
                .as_ref()
                .and_then(|record| record.body.clone());
            let now = records.get(&key).and_then(|record| record.body.clone());
            if now == body {
                continue;
            }
            if now != change.after.body && !force {
                undone
                    .left
                    .push(format!("{name} of #{} was changed since", entity.number));
                continue;
            }
            let number = records
                .get(&key)
                .map_or(change.after.number, |it| it.number);
            let record = StoredRecord { number, body };
            document.put_record(&key, &record)?;
            records.insert(key, record);
            shown.push(name);
        }
        if shown.is_empty() {
            return Ok(());
        }
        document.commit();
        self.save_document(row, id, &document)?;
        self.replace_records(row, &records)?;
        let kind = match event.kind.as_str() {
            "comment.added" => EventType::CommentDeleted,
            "comment.deleted" => EventType::CommentAdded,
            "comment.updated" => EventType::CommentUpdated,
            _ => EventType::EntityUpdated,
        };
        let payload = serde_json::json!({"number": entity.number, "records": shown});
        let new = self.record_numbered_event(kind, Some((id, entity.kind)), &payload)?;
        self.keep_records(new, &before, &records)?;
        undone.changes.push(format!(
            "#{}: {} as before",
            entity.number,
            shown.join(", ")
        ));
        Ok(())
    }

    /// Remembers it, so that the next `undo` takes back what was before; what takes an `undo` back
    /// makes the first write count again.
    fn note_undone(&self, first: i64, events: &[Event]) -> Result<()> {
        let Some(by) = self.first_event() else {
            return Ok(());
        };
        self.connection()
            .execute("DELETE FROM undone WHERE undone_by = ?1", [first])
            .stored()?;
        for event in events {
            self.connection()
                .prepare_cached("INSERT OR REPLACE INTO undone (seq, undone_by) VALUES (?1, ?2)")
                .and_then(|mut statement| statement.execute((event.seq, by)))
                .stored()?;
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum Wanted {
    There,
    Gone,
}

fn not_kept(event: &Event) -> Error {
    Error::new(
        ErrorKind::NotUndoable,
        format!("What event {} replaced is not kept any more", event.seq),
    )
    .with("event", event.seq)
    .with_hint("Only the newest changes keep what they replaced.")
}

fn conflict(undone: &Undone) -> Error {
    let first = undone.events.last().map_or(0, |event| event.seq);
    if undone.left.is_empty() {
        return Error::new(
            ErrorKind::NotUndoable,
            format!(
                "Everything is as it was before event {first}, so there is nothing to take back"
            ),
        )
        .with("event", first);
    }
    Error::new(
        ErrorKind::UndoConflict,
        format!("Nothing was taken back: {}", undone.left.join("; ")),
    )
    .with("event", first)
    .with("left", undone.left.clone())
    .with_hint("Use force to put the old values back all the same.")
}
