//! What the operations on tasks of the plan share.

use serde_json::{Map, json};
use windlass_core::{
    Dialect, Entity, EntityType, Error, ErrorKind, Patch, RelationType, Result, TaskStatus,
};
use windlass_store::{Reader, Writer};

use crate::arguments::Number;

/// The task of that number.
pub fn find(reader: &Reader<'_>, field: &str, id: &Number) -> Result<Entity> {
    let not_found = |error: Error| match error.kind() {
        ErrorKind::EntityNotFound => Error::new(
            ErrorKind::EntityNotFound,
            format!("{field}: there is no task {}", id.0),
        )
        .with("id", id.0.0.as_str())
        .with("field", field)
        .with("value", id.0.0.as_str())
        .with_hint("[[plan.list_tasks]] lists all tasks."),
        _ => error,
    };
    let entity = reader.named(field, &id.0.0).map_err(not_found)?;
    if entity.kind == EntityType::Task {
        return Ok(entity);
    }
    Err(Error::validation(
        field,
        format!(
            "entity {} is a {}, not a task",
            entity.number,
            entity.kind.name()
        ),
    )
    .with("value", id.0.0.as_str()))
}

/// The status of a new task: draft or pending.
pub fn first_status(word: Option<&str>) -> Result<TaskStatus> {
    let word = word.unwrap_or("pending");
    match TaskStatus::parse_any(word) {
        Some(status @ (TaskStatus::Draft | TaskStatus::Pending)) => Ok(status),
        _ => Err(Error::invalid_enum("status", word, &["draft", "pending"])),
    }
}

/// Replaces the dependencies of the task by these.
pub fn set_dependencies(writer: &Writer<'_>, task: &Entity, wanted: &[Number]) -> Result<()> {
    let wanted = wanted
        .iter()
        .map(|id| find(writer, "depends_on", id))
        .collect::<Result<Vec<Entity>>>()?;
    set_blockers(writer, "depends_on", task, &wanted)
}

/// The same for tasks that the argument `field` has named.
pub fn set_blockers(
    writer: &Writer<'_>,
    field: &str,
    task: &Entity,
    wanted: &[Entity],
) -> Result<()> {
    for old in writer.dependencies(&task.id)? {
        if wanted.iter().all(|other| other.id != old.id) {
            writer.unrelate(&old, RelationType::Blocks, task)?;
        }
    }
    for other in wanted {
        writer
            .relate(other, RelationType::Blocks, task)
            .map_err(|error| about_dependency(field, task, other, error))?;
    }
    Ok(())
}

fn about_dependency(field: &str, task: &Entity, other: &Entity, error: Error) -> Error {
    let message = match error.kind() {
        ErrorKind::SelfReferentialRelation => {
            format!("{field}: task {} cannot depend on itself", task.number)
        }
        ErrorKind::RelationCycle => format!(
            "{field}: task {} cannot depend on {}: they would wait for each other",
            task.number, other.number
        ),
        _ => return error,
    };
    let cycle = error.data()["cycle"].clone();
    let refused = Error::new(error.kind(), message)
        .with("field", field)
        .with("value", other.number);
    if cycle.is_null() {
        return refused;
    }
    refused
        .with("cycle", cycle)
        .with_hint("Remove one of the tasks of the cycle.")
}

/// Sets the status of a task, given by its name in the plan.
pub fn set_status(writer: &Writer<'_>, task: &Entity, status: &str) -> Result<Entity> {
    let patch = Patch {
        properties: Map::from_iter([("status".to_owned(), json!(status))]),
        ..Patch::default()
    };
    writer.update(&task.id, &patch, Dialect::Plan)
}
