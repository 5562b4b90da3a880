//! Creating, reading, listing, changing and deleting entities.

use rusqlite::types::Value as Sql;
use rusqlite::{Row, params_from_iter};
use serde_json::{Map, Value as Json, json};
use windlass_core::{
    Dialect, Draft, Entity, EntityId, EntityType, Error, ErrorKind, EventType, FieldKind, Page,
    Patch, Result, TaskStatus, Timestamp, Value,
};

use crate::document::Document;
use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::records::StoredRecords;
use crate::workflow::Mover;
use crate::writer::Writer;

/// The columns that [`entity_from_row`] reads, from a table with the alias `e`.
pub(crate) const ENTITY_COLUMNS: &str = "e.id, e.number, e.type, e.title, e.content, e.tags, e.properties, e.created_at, e.updated_at, e.former_numbers";

pub(crate) fn entity_from_row(row: &Row<'_>) -> rusqlite::Result<Entity> {
    Ok(Entity {
        id: EntityId::from_stored(row.get::<_, String>(0)?),
        number: row.get(1)?,
        kind: EntityType::parse(row.get_ref(2)?.as_str()?).map_err(|_| wrong_column(2))?,
        title: row.get(3)?,
        content: row.get(4)?,
        tags: from_json(row, 5)?,
        properties: from_json(row, 6)?,
        created_at: Timestamp::from_stored(row.get(7)?),
        updated_at: Timestamp::from_stored(row.get(8)?),
        former_numbers: from_json(row, 9)?,
    })
}

fn from_json<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    serde_json::from_str(row.get_ref(column)?.as_str()?).map_err(|_| wrong_column(column))
}

fn wrong_column(column: usize) -> rusqlite::Error {
    rusqlite::Error::InvalidColumnType(column, "entity".into(), rusqlite::types::Type::Text)
}

/// Which entities a list contains.
#[derive(Debug, Clone, Default)]
pub struct EntityFilter {
    pub kind: Option<EntityType>,
    /// A word of the dialect, for example `todo`.
    pub status: Option<String>,
    pub dialect: Option<Dialect>,
    pub tag: Option<String>,
    pub due_on: Option<String>,
    /// Excludes ended tasks and superseded decisions.
    pub active: bool,
    /// Tasks of the feature with that name.
    pub feature: Option<String>,
    /// Tasks of the discipline with that name.
    pub discipline: Option<String>,
}

impl EntityFilter {
    pub fn of(kind: EntityType) -> Self {
        Self {
            kind: Some(kind),
            ..Self::default()
        }
    }

    /// The conditions as SQL over a table `e`, and their values in order.
    fn conditions(&self) -> (String, Vec<Sql>) {
        let mut sql = String::from("e.deleted = 0");
        let mut values = Vec::new();
        let mut add = |condition: &str, value: String| {
            sql.push_str(" AND ");
            sql.push_str(condition);
            values.push(Sql::Text(value));
        };
        if let Some(kind) = self.kind {
            add("e.type = ?", kind.name().to_owned());
        }
        if let Some(tag) = &self.tag {
            add("e.row IN (SELECT row FROM tags WHERE tag = ?)", tag.clone());
        }
        if let Some(day) = &self.due_on {
            add("e.due_date = ?", day.clone());
        }
        if let Some(feature) = &self.feature {
            add("e.feature = ?", feature.clone());
        }
        if let Some(discipline) = &self.discipline {
            add("e.discipline = ?", discipline.clone());
        }
        if let Some(word) = &self.status {
            let words = stored_statuses(word, self.dialect.unwrap_or(Dialect::Knowledge));
            sql.push_str(" AND e.status IN (");
            sql.push_str(&vec!["?"; words.len()].join(", "));
            sql.push(')');
            values.extend(words.into_iter().map(Sql::Text));
        }
        if self.active {
            sql.push_str(
                " AND ifnull(e.status, '') NOT IN ('superseded', 'done', 'skipped', 'cancelled')",
            );
        }
        (sql, values)
    }
}

/// The stored statuses that a word means in this dialect; the word itself for types other than
/// task.
pub(crate) fn stored_statuses(word: &str, dialect: Dialect) -> Vec<String> {
    let mut words: Vec<String> = dialect
        .statuses_shown_as(word)
        .map(|status: TaskStatus| status.name().to_owned())
        .collect();
    if !words.iter().any(|have| have == word) {
        words.push(word.to_owned());
    }
    words
}

impl Reader<'_> {
    /// The entity with that id; an error if it was deleted.
    pub fn entity(&self, id: &EntityId) -> Result<Entity> {
        self.find_entity(id)?
            .ok_or_else(|| Error::entity_not_found(id.as_str()))
    }

    /// The same, or `None` if it was deleted.
    pub fn find_entity(&self, id: &EntityId) -> Result<Option<Entity>> {
        use rusqlite::OptionalExtension as _;
        self.connection()
            .prepare_cached(&format!(
                "SELECT {ENTITY_COLUMNS} FROM entities e WHERE e.id = ?1 AND e.deleted = 0"
            ))
            .and_then(|mut statement| {
                statement
                    .query_row([id.as_str()], entity_from_row)
                    .optional()
            })
            .stored()
    }

    /// One page of the entities that match, by number, and the total number of matches.
    pub fn entities(&self, filter: &EntityFilter, page: Page) -> Result<(Vec<Entity>, u64)> {
        self.consistently(|reader| reader.entities_within(filter, page))
    }

    /// The same, for a caller that already reads from one consistent state.
    pub fn entities_within(&self, filter: &EntityFilter, page: Page) -> Result<(Vec<Entity>, u64)> {
        let (conditions, values) = filter.conditions();
        let total: i64 = self
            .connection()
            .prepare_cached(&format!(
                "SELECT count(*) FROM entities e WHERE {conditions}"
            ))
            .and_then(|mut statement| {
                statement.query_row(params_from_iter(&values), |row| row.get(0))
            })
            .stored()?;
        let entities = self
            .connection()
            .prepare_cached(&format!(
                "SELECT {ENTITY_COLUMNS} FROM entities e WHERE {conditions}
                     ORDER BY e.number LIMIT {} OFFSET {}",
                page.limit, page.offset
            ))
            .and_then(|mut statement| {
                statement
                    .query_map(params_from_iter(&values), entity_from_row)?
                    .collect::<rusqlite::Result<Vec<_>>>()
            })
            .stored()?;
        Ok((entities, u64::try_from(total).unwrap_or(0)))
    }
}

impl Writer<'_> {
    pub fn create(&self, draft: Draft) -> Result<Entity> {
        let now = Timestamp::now();
        let entity = Entity {
            id: EntityId::random(),
            number: self.next_number()?,
            kind: draft.kind,
            title: draft.title,
            content: draft.content,
            tags: draft.tags,
            properties: draft.properties,
            created_at: now.clone(),
            updated_at: now,
            former_numbers: Vec::new(),
        };
        self.insert_new(entity, &StoredRecords::new(), None)
    }

    /// Stores a new entity and its records, in one change of its document.
    pub(crate) fn insert_new(
        &self,
        mut entity: Entity,
        records: &StoredRecords,
        imported_from: Option<&str>,
    ) -> Result<Entity> {
        self.resolve_properties(None, &mut entity)?;
        self.check_names(None, &entity)?;
        self.check_people_fields(None, &entity)?;
        if let Some(status) = entity.task_status() {
            self.check_reason_for(&entity, status)?;
        }
        let document = Document::create(&entity, self.peer.get())?;
        if !records.is_empty() {
            for (key, record) in records {
                document.put_record(key, record)?;
            }
            document.commit();
        }
        // The first snapshot of a document is all its updates: one export serves the row and the
        // outbox.
        let update = document.update()?;
        let row = self.insert_row(&entity)?;
        self.store_new(row, &update)?;
        self.index(row)?;
        if !records.is_empty() {
            self.replace_records(row, records)?;
        }
        for former in &entity.former_numbers {
            self.add_alias(*former, &entity.id)?;
        }
        self.put_in_outbox(&entity.id, &update)?;
        self.record_event(
            EventType::EntityCreated,
            Some((&entity.id, entity.kind)),
            &with_source(
                json!({"number": entity.number, "title": entity.title}),
                imported_from,
            ),
        )?;
        Ok(entity)
    }

    /// Changes an entity. A patch that changes nothing writes nothing.
    pub fn update(&self, id: &EntityId, patch: &Patch, dialect: Dialect) -> Result<Entity> {
        self.update_by(id, patch, dialect, Mover::Other)
    }

    /// The same, also for the lifecycle, which alone may move a task in review.
    pub(crate) fn update_by(
        &self,
        id: &EntityId,
        patch: &Patch,
        dialect: Dialect,
        mover: Mover,
    ) -> Result<Entity> {
        let before = self.entity(id)?;
        let mut after = self.checked_change(&before, patch, dialect)?;
        if after == before {
            return Ok(before);
        }
        if mover == Mover::Other {
            self.check_lifecycle(&before, &after)?;
        }
        set_status_times(&before, &mut after);
        self.store_change(&before, after, mover)
    }

    /// Stores a change that has been checked, whoever asked for it.
    pub(crate) fn store_change(
        &self,
        before: &Entity,
        mut after: Entity,
        mover: Mover,
    ) -> Result<Entity> {
        after.updated_at = Timestamp::now();
        self.write_change(before, &after, None)?;
        self.after_status_change(before, &after, mover)?;
        Ok(after)
    }

    /// The entity after a change, under the rules for its fields.
    pub(crate) fn checked_change(
        &self,
        before: &Entity,
        patch: &Patch,
        dialect: Dialect,
    ) -> Result<Entity> {
        let mut after = patch.apply(before, dialect)?;
        self.resolve_properties(Some(before), &mut after)?;
        self.check_names(Some(before), &after)?;
        self.check_people_fields(Some(before), &after)?;
        Ok(after)
    }

    /// Writes a change into the document, the row and the history.
    pub(crate) fn write_change(
        &self,
        before: &Entity,
        after: &Entity,
        imported_from: Option<&str>,
    ) -> Result<()> {
        let (row, document) = self.load_document(&before.id)?;
        document.change(before, after)?;
        self.save_document(row, &before.id, &document)?;
        self.replace_row(row, before, after)?;
        let event = self.record_numbered_event(
            EventType::EntityUpdated,
            Some((&before.id, after.kind)),
            &with_source(
                json!({"number": after.number, "title": after.title, "changes": changes(before, after)}),
                imported_from,
            ),
        )?;
        self.keep_fields(event, before, after)
    }

    /// Marks an entity as deleted: readers no longer see it, and its relations are removed.
    pub fn delete(&self, id: &EntityId) -> Result<Entity> {
        let entity = self.entity(id)?;
        self.check_nothing_depends_on(&entity)?;
        self.check_delete(&entity)?;
        let waiting = self.tasks_that_wait_for(id)?;
        let (row, document) = self.load_document(id)?;
        document.delete(&Timestamp::now())?;
        self.save_document(row, id, &document)?;
        self.mark_row_deleted(row, &entity)?;
        self.record_event(
            EventType::EntityDeleted,
            Some((id, entity.kind)),
            &json!({"number": entity.number, "title": entity.title}),
        )?;
        self.refresh_queue(&waiting)?;
        Ok(entity)
    }

    fn check_nothing_depends_on(&self, entity: &Entity) -> Result<()> {
        self.check_name_is_unused(entity)?;
        if entity.kind != EntityType::Task {
            return Ok(());
        }
        let dependants: Vec<i64> = self
            .connection()
            .prepare_cached(
                "SELECT e.number FROM relations r JOIN entities e ON e.id = r.target
                 WHERE r.source = ?1 AND r.type = 'blocks' AND e.deleted = 0 ORDER BY e.number LIMIT 10",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([entity.id.as_str()], |row| row.get(0))?
                    .collect()
            })
            .stored()?;
        let Some(first) = dependants.first() else {
            return Ok(());
        };
        Err(Error::new(
            ErrorKind::ValidationFailed,
            format!(
                "Cannot delete task {}: task {first} depends on it",
                entity.number
            ),
        )
        .with("field", "id")
        .with("message", "other tasks depend on it")
        .with("dependants", dependants)
        .with_hint("Remove the \"blocks\" relations first, with [[relation_delete]]."))
    }

    /// Numbers are never reused, so deleted and renumbered entities count too.
    pub(crate) fn next_number(&self) -> Result<i64> {
        self.connection()
            .prepare_cached(
                "SELECT 1 + max(ifnull((SELECT max(number) FROM entities), 0),
                                ifnull((SELECT max(number) FROM aliases), 0))",
            )
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
            .stored()
    }

    /// Fields that refer to another entity are stored as its full id.
    pub(crate) fn resolve_properties(
        &self,
        before: Option<&Entity>,
        entity: &mut Entity,
    ) -> Result<()> {
        self.check_named_fields(before, entity)?;
        for field in entity.kind.declaration().fields {
            if field.kind != FieldKind::Entity {
                continue;
            }
            let Some(named) = entity.text(field.name).map(str::to_owned) else {
                continue;
            };
            let id = self.resolve(field.name, &named).map_err(|error| {
                if error.kind() == ErrorKind::EntityNotFound {
                    Error::relation_target_not_found(&named).with("field", field.name)
                } else {
                    error
                }
            })?;
            entity
                .properties
                .insert(field.name.to_owned(), Value::Text(id.as_str().to_owned()));
        }
        Ok(())
    }
}

/// Adds to an event where its change came from, if that is another tool.
fn with_source(mut payload: Json, imported_from: Option<&str>) -> Json {
    if let Some(from) = imported_from {
        payload["imported_from"] = json!(from);
    }
    payload
}

/// Sets the start and completion times when work begins or ends; a reopened task has no completion
/// time.
fn set_status_times(before: &Entity, after: &mut Entity) {
    let (Some(was), Some(is)) = (before.task_status(), after.task_status()) else {
        return;
    };
    if was == is {
        return;
    }
    let now = || Value::Text(Timestamp::now().as_str().to_owned());
    if is == TaskStatus::InProgress && after.text("started_at").is_none() {
        after.properties.insert("started_at".to_owned(), now());
    }
    if is == TaskStatus::Done {
        after.properties.insert("completed_at".to_owned(), now());
    } else {
        after.properties.remove("completed_at");
    }
}

/// The changes of an update, for the history: short values before and after, long ones by name
/// only.
fn changes(before: &Entity, after: &Entity) -> Json {
    let mut out = Map::new();
    if before.title != after.title {
        out.insert("title".into(), json!([before.title, after.title]));
    }
    if before.content != after.content {
        out.insert("content".into(), json!("changed"));
    }
    if before.tags != after.tags {
        out.insert("tags".into(), json!([before.tags, after.tags]));
    }
    let names = before.properties.keys().chain(after.properties.keys());
    for name in names {
        let pair = (before.properties.get(name), after.properties.get(name));
        if pair.0 == pair.1 {
            continue;
        }
        let short = |value: Option<&Value>| match value {
            Some(Value::Text(text)) if text.len() <= 200 => json!(text),
            Some(_) => json!("…"),
            None => Json::Null,
        };
        out.insert(name.clone(), json!([short(pair.0), short(pair.1)]));
    }
    Json::Object(out)
}
