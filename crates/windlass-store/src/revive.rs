//! Bringing a deleted entity back, with its relations and records: a new write, which other clones
//! get like any other.

use serde_json::json;
use windlass_core::{
    Entity, EntityId, EntityRef, EntityType, Error, ErrorKind, EventType, Relation, RelationType,
    Result, TaskStatus, Timestamp, Value,
};

use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::workflow::Mover;
use crate::writer::Writer;

/// An entity that was brought back.
#[derive(Debug, Clone, PartialEq)]
pub struct Revived {
    pub entity: Entity,
    /// How many relations came back with it.
    pub relations: usize,
    /// Relations that no longer fit, in words: they are removed for good.
    pub dropped: Vec<String>,
}

/// A relation from or to an entity that comes back.
struct Edge {
    source: EntityId,
    kind: RelationType,
    target: EntityId,
    created_at: Timestamp,
}

impl Reader<'_> {
    /// The deleted entity that `text` refers to by number or full id.
    pub fn resolve_deleted(&self, text: &str) -> Result<EntityId> {
        use rusqlite::OptionalExtension as _;
        let (column, value) = match EntityRef::parse("id", text)? {
            EntityRef::Number(number) => ("number", number.to_string()),
            EntityRef::Prefix(prefix) => ("id", prefix),
        };
        let found: Option<String> = self
            .connection()
            .prepare_cached(&format!(
                "SELECT id FROM entities WHERE {column} = ?1 AND deleted = 1 LIMIT 1"
            ))
            .and_then(|mut statement| statement.query_row([&value], |row| row.get(0)).optional())
            .stored()?;
        if let Some(id) = found {
            return Ok(EntityId::from_stored(id));
        }
        let text = text.trim();
        match self.resolve("id", text) {
            Ok(_) => Err(Error::new(
                ErrorKind::InvalidTransition,
                format!("Entity {text} is not deleted, so there is nothing to restore"),
            )
            .with("id", text)
            .with_hint("Use [[board.undo]] to take back its last change.")),
            Err(_) => Err(Error::entity_not_found(text)
                .with_hint("Nothing with this number was ever here. [[event_list]] with type entity.deleted shows what was deleted.")),
        }
    }

    /// Relations of living entities to this one, as their documents have them.
    fn edges_to(&self, id: &EntityId) -> Result<Vec<Edge>> {
        let rows: Vec<i64> = self
            .connection()
            .prepare("SELECT row FROM entities WHERE deleted = 0 AND id <> ?1 ORDER BY row")
            .and_then(|mut statement| {
                statement
                    .query_map([id.as_str()], |row| row.get(0))?
                    .collect()
            })
            .stored()?;
        let mut edges = Vec::new();
        for row in rows {
            // Nothing is changed through this document, so its peer id does not matter.
            let Ok(document) = self.document_in(row, 1) else {
                continue;
            };
            let relations = document.relations();
            let to_it = relations
                .into_iter()
                .filter(|((_, target), _)| target == id);
            let to_it: Vec<_> = to_it.collect();
            if to_it.is_empty() {
                continue;
            }
            let source = document.record()?.entity.id;
            edges.extend(to_it.into_iter().map(|((kind, target), created_at)| Edge {
                source: source.clone(),
                kind,
                target,
                created_at,
            }));
        }
        Ok(edges)
    }
}

impl Writer<'_> {
    /// Makes the relations of others to an entity visible again.
    pub(crate) fn relate_again(&self, id: &EntityId) -> Result<()> {
        for edge in self.edges_to(id)? {
            self.insert_relation(&edge.relation())?;
        }
        Ok(())
    }

    /// Brings a deleted entity back.
    pub fn restore(&self, id: &EntityId) -> Result<Revived> {
        let (row, document) = self.load_document(id)?;
        let record = document.record()?;
        if !record.deleted {
            return Err(Error::internal("the entity is not deleted"));
        }
        let mut entity = record.entity.clone();
        self.check_names(None, &entity)?;
        self.check_people_fields(None, &entity)?;
        let now = Timestamp::now();
        document.revive(&now)?;
        self.save_document(row, id, &document)?;
        entity.updated_at = now;
        self.revive_row(row, &entity)?;
        self.replace_records(row, &record.records)?;
        self.record_event(
            EventType::EntityRestored,
            Some((id, entity.kind)),
            &json!({"number": entity.number, "title": entity.title}),
        )?;
        let own = record.relations.iter().map(|((kind, target), at)| Edge {
            source: id.clone(),
            kind: *kind,
            target: target.clone(),
            created_at: at.clone(),
        });
        let mut edges: Vec<Edge> = own.collect();
        edges.extend(self.edges_to(id)?);
        let mut dropped = Vec::new();
        let mut relations = 0;
        for edge in edges {
            match self.fits(&edge)? {
                Fit::Yes => {
                    self.insert_relation(&edge.relation())?;
                    relations += 1;
                }
                Fit::EndIsGone => {}
                Fit::No(why) => {
                    self.drop_edge(&edge)?;
                    dropped.push(why);
                }
            }
        }
        let mut waiting = self.tasks_that_wait_for(id)?;
        waiting.extend(self.task_and_descendants(id)?);
        self.refresh_queue(&waiting)?;
        let entity = self.without_lost_review(self.entity(id)?)?;
        Ok(Revived {
            entity,
            relations,
            dropped,
        })
    }

    /// A review or a question ends with its task, so a task cannot come back waiting for one.
    fn without_lost_review(&self, entity: Entity) -> Result<Entity> {
        let Some(status @ (TaskStatus::InReview | TaskStatus::AwaitingHuman)) =
            entity.task_status()
        else {
            return Ok(entity);
        };
        let is_there = match status {
            TaskStatus::InReview => self.active_review(&entity.id)?.is_some(),
            _ => self.active_help(&entity.id)?.is_some(),
        };
        if is_there {
            return Ok(entity);
        }
        let mut after = entity.clone();
        let status = TaskStatus::InProgress.name().to_owned();
        after
            .properties
            .insert("status".to_owned(), Value::Text(status));
        self.store_change(&entity, after, Mover::Return)
    }

    fn fits(&self, edge: &Edge) -> Result<Fit> {
        let (Some(source), Some(target)) = (
            self.find_entity(&edge.source)?,
            self.find_entity(&edge.target)?,
        ) else {
            return Ok(Fit::EndIsGone);
        };
        if source.kind != EntityType::Task || target.kind != EntityType::Task {
            return Ok(Fit::Yes);
        }
        Ok(match self.check_waiting(&source, edge.kind, &target) {
            Ok(()) => Fit::Yes,
            Err(error) => Fit::No(error.message().to_owned()),
        })
    }

    fn drop_edge(&self, edge: &Edge) -> Result<()> {
        let (row, document) = self.load_document(&edge.source)?;
        document.remove_relation(edge.kind, &edge.target)?;
        self.save_document(row, &edge.source, &document)
    }
}

/// Whether a relation can come back.
enum Fit {
    Yes,
    /// The other end is deleted: the relation stays hidden, and comes back with it.
    EndIsGone,
    No(String),
}

impl Edge {
    fn relation(&self) -> Relation {
        Relation {
            source: self.source.clone(),
            kind: self.kind,
            target: self.target.clone(),
            created_at: self.created_at.clone(),
        }
    }
}
