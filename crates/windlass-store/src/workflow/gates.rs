//! Gates that people added, and which gates apply to a task.

use rusqlite::{OptionalExtension as _, Row};
use serde_json::json;
use windlass_core::workflow::GateDefinition;
use windlass_core::{EntityId, EntityType, Error, ErrorKind, EventType, Result, Timestamp};

use super::local::{Noun, fresh_id};
use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::writer::Writer;

const NOUN: Noun = Noun {
    table: "gates",
    name: "gate",
    missing: ErrorKind::GateNotFound,
    list: "gate_list",
};

const COLUMNS: &str = "id, number, task, name, command, timeout_secs, max_retries,
    poll_interval_secs, max_pending_secs, created_at, updated_at";

/// Which work a gate checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateScope {
    /// All work of the project.
    Repo,
    /// The work of one task and its descendants.
    Task(EntityId),
}

impl GateScope {
    pub fn task(&self) -> Option<&EntityId> {
        match self {
            Self::Repo => None,
            Self::Task(id) => Some(id),
        }
    }

    /// `repo`, or the task's id.
    pub fn stored(&self) -> &str {
        self.task().map_or("repo", EntityId::as_str)
    }
}

/// A gate that a person added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    pub id: String,
    pub number: i64,
    pub scope: GateScope,
    pub definition: GateDefinition,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A gate that applies to a task, from any source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveGate {
    /// The id of an added gate, or `file:NAME`.
    pub id: String,
    /// The number of an added gate.
    pub number: Option<i64>,
    pub scope: GateScope,
    pub definition: GateDefinition,
    /// What a person must do before it can run.
    pub waiting: Option<String>,
}

impl From<Gate> for EffectiveGate {
    fn from(gate: Gate) -> Self {
        Self {
            id: gate.id,
            number: Some(gate.number),
            scope: gate.scope,
            definition: gate.definition,
            waiting: None,
        }
    }
}

fn gate(row: &Row<'_>) -> rusqlite::Result<Gate> {
    let task: Option<String> = row.get(2)?;
    Ok(Gate {
        id: row.get(0)?,
        number: row.get(1)?,
        scope: task.map_or(GateScope::Repo, |id| {
            GateScope::Task(EntityId::from_stored(id))
        }),
        definition: definition(row, 3)?,
        created_at: Timestamp::from_stored(row.get(9)?),
        updated_at: Timestamp::from_stored(row.get(10)?),
    })
}

/// Six columns in the order of the fields.
pub(super) fn definition(row: &Row<'_>, at: usize) -> rusqlite::Result<GateDefinition> {
    Ok(GateDefinition {
        name: row.get(at)?,
        command: row.get(at + 1)?,
        timeout_secs: row.get(at + 2)?,
        max_retries: row.get(at + 3)?,
        poll_interval_secs: row.get(at + 4)?,
        max_pending_secs: row.get(at + 5)?,
    })
}

impl Reader<'_> {
    /// The gate that `text` refers to: a number, an id, an id prefix, or a unique name.
    pub fn gate(&self, text: &str) -> Result<Gate> {
        let id = match self.local_id(NOUN, text) {
            Ok(id) => id,
            Err(error) => match self.gates_where("name = ?1", text.trim())?.as_slice() {
                [only] => only.id.clone(),
                [] => return Err(error),
                _ => {
                    return Err(Error::new(
                        ErrorKind::AmbiguousId,
                        format!("Several gates have the name \"{text}\""),
                    )
                    .with_hint("Give the number or the id; [[gate_list]] shows both."));
                }
            },
        };
        self.connection()
            .prepare_cached(&format!("SELECT {COLUMNS} FROM gates WHERE id = ?1"))
            .and_then(|mut statement| statement.query_row([&id], gate).optional())
            .stored()?
            .ok_or_else(|| NOUN.not_found(text))
    }

    /// All gates that people added, those for all work first.
    pub fn gates(&self) -> Result<Vec<Gate>> {
        self.gates_where("?1 IS NOT NULL", "")
    }

    pub fn gates_of(&self, scope: &GateScope) -> Result<Vec<Gate>> {
        match scope.task() {
            None => self.gates_where("task IS NULL AND ?1 IS NOT NULL", ""),
            Some(id) => self.gates_where("task = ?1", id.as_str()),
        }
    }

    fn gates_where(&self, condition: &str, value: &str) -> Result<Vec<Gate>> {
        self.connection()
            .prepare_cached(&format!(
                "SELECT {COLUMNS} FROM gates WHERE {condition}
                 ORDER BY task IS NOT NULL, number"
            ))
            .and_then(|mut statement| statement.query_map([value], gate)?.collect())
            .stored()
    }

    /// The added gates that apply to a task: the project's, then those of its ancestors from the
    /// top, then its own. None can be disabled further down.
    pub fn effective_gates(&self, task: &EntityId) -> Result<Vec<EffectiveGate>> {
        let mut gates = self.gates_of(&GateScope::Repo)?;
        for ancestor in self.ancestors(task)? {
            gates.extend(self.gates_of(&GateScope::Task(ancestor.id))?);
        }
        gates.extend(self.gates_of(&GateScope::Task(task.clone()))?);
        Ok(gates.into_iter().map(EffectiveGate::from).collect())
    }
}

impl Writer<'_> {
    /// Adds a gate. Active reviews keep the gates that they were submitted with; it counts from the
    /// next submission.
    pub fn add_gate(&self, scope: &GateScope, definition: &GateDefinition) -> Result<Gate> {
        definition.check()?;
        self.check_gate_name(scope, &definition.name, None)?;
        let (id, now) = (fresh_id(), Timestamp::now());
        self.connection()
            .prepare_cached(
                "INSERT INTO gates (id, task, name, command, timeout_secs, max_retries,
                     poll_interval_secs, max_pending_secs, created_at, updated_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)",
            )
            .and_then(|mut statement| {
                statement.execute((
                    &id,
                    scope.task().map(EntityId::as_str),
                    &definition.name,
                    &definition.command,
                    definition.timeout_secs,
                    definition.max_retries,
                    definition.poll_interval_secs,
                    definition.max_pending_secs,
                    now.as_str(),
                ))
            })
            .stored()?;
        let gate = self.gate(&id)?;
        self.gate_event(EventType::GateAdded, &gate)?;
        Ok(gate)
    }

    /// Changes a gate; `change` gets its current definition.
    pub fn update_gate(
        &self,
        text: &str,
        change: impl FnOnce(&mut GateDefinition),
    ) -> Result<Gate> {
        let mut gate = self.gate(text)?;
        self.check_no_review_runs(&gate)?;
        change(&mut gate.definition);
        let definition = &gate.definition;
        definition.check()?;
        self.check_gate_name(&gate.scope, &definition.name, Some(&gate.id))?;
        self.connection()
            .prepare_cached(
                "UPDATE gates SET name = ?2, command = ?3, timeout_secs = ?4, max_retries = ?5,
                     poll_interval_secs = ?6, max_pending_secs = ?7, updated_at = ?8 WHERE id = ?1",
            )
            .and_then(|mut statement| {
                statement.execute((
                    &gate.id,
                    &definition.name,
                    &definition.command,
                    definition.timeout_secs,
                    definition.max_retries,
                    definition.poll_interval_secs,
                    definition.max_pending_secs,
                    Timestamp::now().as_str(),
                ))
            })
            .stored()?;
        let gate = self.gate(&gate.id)?;
        self.gate_event(EventType::GateUpdated, &gate)?;
        Ok(gate)
    }

    pub fn remove_gate(&self, text: &str) -> Result<Gate> {
        let gate = self.gate(text)?;
        self.check_no_review_runs(&gate)?;
        self.connection()
            .prepare_cached("DELETE FROM gates WHERE id = ?1")
            .and_then(|mut statement| statement.execute([&gate.id]))
            .stored()?;
        self.gate_event(EventType::GateRemoved, &gate)?;
        Ok(gate)
    }

    fn check_gate_name(&self, scope: &GateScope, name: &str, but: Option<&str>) -> Result<()> {
        let taken = self
            .gates_of(scope)?
            .into_iter()
            .find(|gate| gate.definition.name == name && Some(gate.id.as_str()) != but);
        let Some(taken) = taken else { return Ok(()) };
        Err(Error::new(
            ErrorKind::GateExists,
            format!(
                "Gate {} of this scope already has the name \"{name}\"",
                taken.number
            ),
        )
        .with("name", name)
        .with("gate_id", taken.id.as_str())
        .with_hint("Change that one with [[gate_update]], or choose another name."))
    }

    /// A gate must not change during a review that it is part of.
    fn check_no_review_runs(&self, gate: &Gate) -> Result<()> {
        let found: Option<String> = self
            .connection()
            .prepare_cached("SELECT DISTINCT review FROM gate_results WHERE gate = ?1")
            .and_then(|mut statement| {
                statement
                    .query_map([&gate.id], |row| row.get(0))?
                    .collect::<rusqlite::Result<Vec<String>>>()
            })
            .stored()?
            .into_iter()
            .find(|id| {
                self.review(id)
                    .is_ok_and(|review| review.status.is_active())
            });
        let Some(review) = found.map(|id| self.review(&id)).transpose()? else {
            return Ok(());
        };
        let number = self
            .find_entity(&review.task)?
            .map_or(0, |task| task.number);
        Err(Error::new(
            ErrorKind::ReviewActive,
            format!(
                "Gate \"{}\" cannot change while review {} of task {number}, which runs it, is {}",
                gate.definition.name,
                review.number,
                review.status.name()
            ),
        )
        .with("review_id", review.id.as_str())
        .with("state", review.status.name())
        .with_hint(
            "Add a gate under another name, or end the review first: approve it, request \
             changes, or cancel the task.",
        ))
    }

    fn gate_event(&self, kind: EventType, gate: &Gate) -> Result<()> {
        let payload = json!({
            "gate_id": gate.id,
            "gate": gate.number,
            "name": gate.definition.name,
            "scope": gate.scope.stored(),
        });
        let task = gate.scope.task().map(|id| (id, EntityType::Task));
        self.record_event(kind, task, &payload)
    }
}
