//! Relations: stored in the source entity's document, under rules that prevent cycles of waiting
//! tasks.

use std::collections::{BTreeSet, HashMap, VecDeque};

use serde_json::json;
use windlass_core::{
    Entity, EntityId, Error, ErrorKind, EventType, Relation, RelationType, Result, Timestamp,
};

use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::writer::Writer;

/// A milestone, its tasks, their subtasks.
const MAX_LEVELS: usize = 3;

impl Writer<'_> {
    /// Adds a relation. Returns whether it is new; an existing one does not change.
    pub fn relate(
        &self,
        source: &Entity,
        kind: RelationType,
        target: &Entity,
    ) -> Result<(Relation, bool)> {
        self.relate_at(source, kind, target, Timestamp::now())
    }

    /// The same with the time since which the relation exists.
    pub(crate) fn relate_at(
        &self,
        source: &Entity,
        kind: RelationType,
        target: &Entity,
        created_at: Timestamp,
    ) -> Result<(Relation, bool)> {
        self.relate_all_at(source, kind, std::slice::from_ref(target), &created_at)?
            .pop()
            .ok_or_else(|| Error::internal("a relation was not made"))
    }

    /// Adds several relations of one entity. Its document is read and stored once, so that they cost
    /// no more each than one does.
    pub fn relate_all(
        &self,
        source: &Entity,
        kind: RelationType,
        targets: &[Entity],
    ) -> Result<Vec<(Relation, bool)>> {
        self.relate_all_at(source, kind, targets, &Timestamp::now())
    }

    fn relate_all_at(
        &self,
        source: &Entity,
        kind: RelationType,
        targets: &[Entity],
        created_at: &Timestamp,
    ) -> Result<Vec<(Relation, bool)>> {
        let mut document = None;
        let mut relations = Vec::new();
        for target in targets {
            if source.id == target.id {
                return Err(Error::new(
                    ErrorKind::SelfReferentialRelation,
                    format!("Entity {} cannot be related to itself", source.number),
                )
                .with("id", source.id.as_str()));
            }
            kind.check_types(source.kind, target.kind)?;
            let mut relation = Relation {
                source: source.id.clone(),
                kind,
                target: target.id.clone(),
                created_at: created_at.clone(),
            };
            if let Some(created_at) = self.relation_created_at(&relation)? {
                relation.created_at = created_at;
                relations.push((relation, false));
                continue;
            }
            self.check_waiting(source, kind, target)?;
            let (_, document) = match &mut document {
                Some(loaded) => loaded,
                empty => empty.insert(self.load_document(&source.id)?),
            };
            document.add_relation(kind, &target.id, &relation.created_at)?;
            self.insert_relation(&relation)?;
            relations.push((relation, true));
        }
        if let Some((row, document)) = &document {
            self.save_document(*row, &source.id, document)?;
        }
        for (target, (_, is_new)) in targets.iter().zip(&relations) {
            if *is_new {
                self.record_relation(EventType::RelationCreated, source, kind, target)?;
                self.after_relation_change(kind, source, target)?;
            }
        }
        Ok(relations)
    }

    pub fn unrelate(&self, source: &Entity, kind: RelationType, target: &Entity) -> Result<()> {
        if kind == RelationType::Parent {
            self.check_leave_parent(source, target)?;
        }
        let removed = self
            .connection()
            .prepare_cached("DELETE FROM relations WHERE source = ?1 AND type = ?2 AND target = ?3")
            .and_then(|mut statement| {
                statement.execute((source.id.as_str(), kind.name(), target.id.as_str()))
            })
            .stored()?;
        if removed == 0 {
            return Err(Error::new(
                ErrorKind::RelationNotFound,
                format!(
                    "There is no \"{}\" relation from {} to {}",
                    kind.name(),
                    source.number,
                    target.number
                ),
            )
            .with("source_id", source.id.as_str())
            .with("target_id", target.id.as_str())
            .with_hint("Use [[graph_relations]] to see the relations of an entity."));
        }
        let (row, document) = self.load_document(&source.id)?;
        document.remove_relation(kind, &target.id)?;
        self.save_document(row, &source.id, &document)?;
        self.record_relation(EventType::RelationDeleted, source, kind, target)?;
        self.after_relation_change(kind, source, target)
    }

    pub(crate) fn insert_relation(&self, relation: &Relation) -> Result<()> {
        self.connection()
            .prepare_cached(
                "INSERT OR REPLACE INTO relations (source, type, target, created_at) VALUES (?1, ?2, ?3, ?4)",
            )
            .and_then(|mut statement| {
                statement.execute((
                    relation.source.as_str(),
                    relation.kind.name(),
                    relation.target.as_str(),
                    relation.created_at.as_str(),
                ))
            })
            .stored()?;
        Ok(())
    }

    fn record_relation(
        &self,
        event: EventType,
        source: &Entity,
        kind: RelationType,
        target: &Entity,
    ) -> Result<()> {
        self.record_event(
            event,
            Some((&source.id, source.kind)),
            &json!({
                "number": source.number,
                "relation_type": kind.name(),
                "target_id": target.id,
                "target_number": target.number,
                "target_type": target.kind.name(),
            }),
        )
    }

    fn after_relation_change(
        &self,
        kind: RelationType,
        source: &Entity,
        target: &Entity,
    ) -> Result<()> {
        let waiting = match kind {
            RelationType::Blocks => self.task_and_descendants(&target.id)?,
            RelationType::Parent => self.task_and_descendants(&source.id)?,
            _ => BTreeSet::new(),
        };
        self.refresh_queue(&waiting)
    }
}

impl Reader<'_> {
    fn relation_created_at(&self, relation: &Relation) -> Result<Option<Timestamp>> {
        use rusqlite::OptionalExtension as _;
        self.connection()
            .prepare_cached(
                "SELECT created_at FROM relations WHERE source = ?1 AND type = ?2 AND target = ?3",
            )
            .and_then(|mut statement| {
                statement
                    .query_row(
                        (
                            relation.source.as_str(),
                            relation.kind.name(),
                            relation.target.as_str(),
                        ),
                        |row| row.get(0).map(Timestamp::from_stored),
                    )
                    .optional()
            })
            .stored()
    }

    pub(crate) fn is_related(
        &self,
        source: &EntityId,
        kind: RelationType,
        target: &EntityId,
    ) -> Result<bool> {
        let relation = Relation {
            source: source.clone(),
            kind,
            target: target.clone(),
            created_at: Timestamp::now(),
        };
        Ok(self.relation_created_at(&relation)?.is_some())
    }

    /// The rules between tasks: one parent, three levels, and no cycles.
    pub(crate) fn check_waiting(
        &self,
        source: &Entity,
        kind: RelationType,
        target: &Entity,
    ) -> Result<()> {
        if kind == RelationType::Parent {
            self.check_hierarchy(source, target)?;
        }
        // A blocked task waits for its blocker, and a child for everything its parent waits for.
        let (waiting, awaited) = match kind {
            RelationType::Blocks => (target, source),
            RelationType::Parent => (source, target),
            _ => return Ok(()),
        };
        let Some(circle) = self.waiting_path(&awaited.id, &waiting.id)? else {
            return Ok(());
        };
        let numbers = self.numbers(&circle)?;
        let shown: Vec<String> = numbers.iter().map(|number| format!("#{number}")).collect();
        Err(Error::new(
            ErrorKind::RelationCycle,
            format!(
                "\"{}\" from {} to {} would make tasks wait in a cycle: {}",
                kind.name(),
                source.number,
                target.number,
                shown.join(" waits for ")
            ),
        )
        .with("cycle", numbers)
        .with_hint("Remove one of these relations first."))
    }

    fn check_hierarchy(&self, child: &Entity, parent: &Entity) -> Result<()> {
        if let Some(other) = self.parent_of(&child.id)? {
            return Err(Error::validation(
                "relation_type",
                format!("task {} already has a parent", child.number),
            )
            .with("parent", other.as_str())
            .with_hint("Remove that parent relation first."));
        }
        let above = self.levels_above(&parent.id)? + 1;
        let below = self.levels_below(&child.id)?;
        if above + 1 + below > MAX_LEVELS {
            return Err(Error::validation(
                "relation_type",
                format!("tasks are at most {MAX_LEVELS} levels deep: milestone, task, subtask"),
            ));
        }
        Ok(())
    }

    pub(crate) fn parent_of(&self, id: &EntityId) -> Result<Option<EntityId>> {
        Ok(self
            .neighbours(
                "SELECT target FROM relations WHERE source = ?1 AND type = 'parent'",
                id,
            )?
            .into_iter()
            .next())
    }

    fn levels_above(&self, id: &EntityId) -> Result<usize> {
        let mut levels = 0;
        let mut at = id.clone();
        while let Some(parent) = self.parent_of(&at)? {
            levels += 1;
            if levels >= MAX_LEVELS {
                break;
            }
            at = parent;
        }
        Ok(levels)
    }

    fn levels_below(&self, id: &EntityId) -> Result<usize> {
        let mut levels = 0;
        let mut row = vec![id.clone()];
        while levels < MAX_LEVELS {
            let mut next = Vec::new();
            for id in &row {
                next.extend(self.neighbours(
                    "SELECT source FROM relations WHERE target = ?1 AND type = 'parent'",
                    id,
                )?);
            }
            if next.is_empty() {
                break;
            }
            levels += 1;
            row = next;
        }
        Ok(levels)
    }

    /// The path along which `from` waits for `to`, if there is one.
    fn waiting_path(&self, from: &EntityId, to: &EntityId) -> Result<Option<Vec<EntityId>>> {
        path_between(from, to, |side, id| {
            let step = match side {
                Side::Ahead => AWAITED_BY_TASK,
                Side::Behind => WAITING_FOR_TASK,
            };
            self.neighbours(step, id)
        })
    }

    pub(crate) fn neighbours(&self, sql: &str, id: &EntityId) -> Result<Vec<EntityId>> {
        self.connection()
            .prepare_cached(sql)
            .and_then(|mut statement| {
                statement
                    .query_map([id.as_str()], |row| {
                        row.get::<_, String>(0).map(EntityId::from_stored)
                    })?
                    .collect()
            })
            .stored()
    }

    fn numbers(&self, ids: &[EntityId]) -> Result<Vec<i64>> {
        ids.iter()
            .map(|id| {
                self.connection()
                    .prepare_cached("SELECT number FROM entities WHERE id = ?1")
                    .and_then(|mut statement| statement.query_row([id.as_str()], |row| row.get(0)))
                    .stored()
            })
            .collect()
    }
}

/// What a task waits for: its blockers, and everything its parent waits for.
const AWAITED_BY_TASK: &str = "SELECT source FROM relations WHERE target = ?1 AND type = 'blocks'
     UNION SELECT target FROM relations WHERE source = ?1 AND type = 'parent'";
/// The same relations in the other direction.
const WAITING_FOR_TASK: &str = "SELECT target FROM relations WHERE source = ?1 AND type = 'blocks'
     UNION SELECT source FROM relations WHERE target = ?1 AND type = 'parent'";

/// From which end of a path a search goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Ahead,
    Behind,
}

/// Searched from both ends, first from the one that has seen less: few tasks wait for most tasks, so
/// one side is soon exhausted, however much there is on the other.
fn path_between(
    from: &EntityId,
    to: &EntityId,
    neighbours: impl Fn(Side, &EntityId) -> Result<Vec<EntityId>>,
) -> Result<Option<Vec<EntityId>>> {
    let mut ahead = Search::from(from);
    let mut behind = Search::from(to);
    while !ahead.queue.is_empty() && !behind.queue.is_empty() {
        let (search, other, side) = if ahead.came_from.len() <= behind.came_from.len() {
            (&mut ahead, &behind, Side::Ahead)
        } else {
            (&mut behind, &ahead, Side::Behind)
        };
        if let Some(meeting) = search.advance(other, |id| neighbours(side, id))? {
            let mut path = ahead.path_to(meeting.clone());
            path.extend(behind.path_to(meeting).into_iter().rev().skip(1));
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// A running breadth-first search.
pub(crate) struct Search {
    came_from: HashMap<EntityId, Option<EntityId>>,
    queue: VecDeque<EntityId>,
}

impl Search {
    pub(crate) fn from(start: &EntityId) -> Self {
        Self {
            came_from: HashMap::from([(start.clone(), None)]),
            queue: VecDeque::from([start.clone()]),
        }
    }

    /// How many entities still have to be expanded.
    pub(crate) fn frontier(&self) -> usize {
        self.queue.len()
    }

    /// Expands the next entity. Returns where this search meets the other.
    pub(crate) fn advance(
        &mut self,
        other: &Self,
        neighbours: impl FnOnce(&EntityId) -> Result<Vec<EntityId>>,
    ) -> Result<Option<EntityId>> {
        let Some(at) = self.queue.pop_front() else {
            return Ok(None);
        };
        if other.came_from.contains_key(&at) {
            return Ok(Some(at));
        }
        for next in neighbours(&at)? {
            if other.came_from.contains_key(&next) {
                self.came_from.entry(next.clone()).or_insert(Some(at));
                return Ok(Some(next));
            }
            if !self.came_from.contains_key(&next) {
                self.came_from.insert(next.clone(), Some(at.clone()));
                self.queue.push_back(next);
            }
        }
        Ok(None)
    }

    /// The path from the start of the search to `end`.
    pub(crate) fn path_to(&self, end: EntityId) -> Vec<EntityId> {
        let mut path = vec![end];
        while let Some(Some(before)) = path.last().and_then(|id| self.came_from.get(id)) {
            path.push(before.clone());
        }
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Tasks 1 to `length`, each waiting for the one before.
    fn steps_in_chain(length: u32, from: u32, to: u32) -> (bool, u32) {
        let id = |number: u32| EntityId::from_stored(number.to_string());
        let steps = Cell::new(0);
        let path = path_between(&id(from), &id(to), |side, at| {
            steps.set(steps.get() + 1);
            let at: u32 = at.as_str().parse().expect("a number");
            let next = match side {
                Side::Ahead => at.checked_sub(1).filter(|next| *next > 0),
                Side::Behind => Some(at + 1),
            };
            Ok(next
                .filter(|next| *next <= length)
                .map(id)
                .into_iter()
                .collect())
        });
        (path.expect("searched").is_some(), steps.get())
    }

    #[test]
    fn adding_to_either_end_of_a_chain_looks_at_its_end_only() {
        for length in [10, 10_000] {
            // Task `length + 1` is to wait for task `length`, and task 0 for nothing.
            let (found, steps) = steps_in_chain(length, length, length + 1);
            assert!(!found && steps <= 4, "{steps} steps in {length}");
            let (found, steps) = steps_in_chain(length, 1, length + 1);
            assert!(!found && steps <= 4, "{steps} steps in {length}");
        }
        let (found, _) = steps_in_chain(100, 100, 1);
        assert!(found, "the last waits for the first");
    }
}
