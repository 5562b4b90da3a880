//! The relations of a task that inputs give as lists: replaced as a whole, added or removed.

use windlass_core::workflow::TaskKind;
use windlass_core::{Dialect, Entity, Error, Page, RelationType, Result};
use windlass_store::{Direction, Writer};

use super::new_task::kind_below;
use super::task_fields::TaskFields;
use crate::arguments::Id;
use crate::plan::set_blockers;
use crate::workflow::{check_open, task_named};

/// An upper limit of relations of one type.
const ALL: Page = Page {
    limit: 10_000,
    offset: 0,
};

/// The tasks that an argument names. Empty texts clear a list on a command line.
pub fn tasks(writer: &Writer<'_>, field: &str, ids: &[Id]) -> Result<Vec<Entity>> {
    let given = ids.iter().filter(|id| !id.0.trim().is_empty());
    given.map(|id| task_named(writer, field, id)).collect()
}

/// Replaces the relations of each given list.
pub fn replace(writer: &Writer<'_>, task: &Entity, fields: &TaskFields<'_>) -> Result<()> {
    if let Some(ids) = fields.blocked_by {
        set_blockers(
            writer,
            "blocked_by",
            task,
            &tasks(writer, "blocked_by", ids)?,
        )?;
    }
    if let Some(ids) = fields.blocks {
        let wanted = tasks(writer, "blocks", ids)?;
        for old in writer.dependants(&task.id)? {
            if wanted.iter().all(|other| other.id != old.id) {
                writer.unrelate(task, RelationType::Blocks, &old)?;
            }
        }
        writer.relate_all(task, RelationType::Blocks, &wanted)?;
    }
    for (field, ids, kind) in [
        ("implements", fields.implements, RelationType::Implements),
        ("belongs_to", fields.belongs_to, RelationType::BelongsTo),
    ] {
        if let Some(ids) = ids {
            replace_targets(writer, task, (field, ids), kind)?;
        }
    }
    Ok(())
}

fn replace_targets(
    writer: &Writer<'_>,
    task: &Entity,
    (field, ids): (&str, &[Id]),
    kind: RelationType,
) -> Result<()> {
    let given = ids.iter().filter(|id| !id.0.trim().is_empty());
    let wanted = given
        .map(|id| writer.named(field, &id.0))
        .collect::<Result<Vec<Entity>>>()?;
    for old in writer.relations(&task.id, Direction::From, ALL)? {
        if old.kind == kind.name() && wanted.iter().all(|other| other.id != old.target.0) {
            let target = writer.entity(&old.target.0)?;
            writer.unrelate(task, kind, &target)?;
        }
    }
    writer.relate_all(task, kind, &wanted)?;
    Ok(())
}

/// The parent that an argument names; an empty text or `none` means no parent.
pub fn parent_named(writer: &Writer<'_>, id: &Id) -> Result<Option<Entity>> {
    match id.0.trim() {
        "" | "none" => Ok(None),
        _ => task_named(writer, "parent", id).map(Some),
    }
}

/// Puts a task under another one, or under none.
pub fn move_under(writer: &Writer<'_>, task: &Entity, parent: Option<&Entity>) -> Result<()> {
    let old = writer.ancestors(&task.id)?.pop();
    if old.as_ref().map(|it| &it.id) == parent.map(|it| &it.id) {
        return Ok(());
    }
    if let Some(old) = old {
        writer.unrelate(task, RelationType::Parent, &old)?;
    }
    if let Some(parent) = parent {
        check_open(parent, Dialect::Canonical)?;
        writer.relate(task, RelationType::Parent, parent)?;
    }
    Ok(())
}

/// The kind to store for a task; none where its position in the tree implies it.
pub fn kind_in_place(
    writer: &Writer<'_>,
    task: &Entity,
    word: Option<&str>,
) -> Result<Option<TaskKind>> {
    let parent = writer.ancestors(&task.id)?.pop();
    if let Some(word) = word.filter(|word| !word.trim().is_empty()) {
        let kind = kind_below(writer, parent.as_ref(), Some(word))?;
        if kind == TaskKind::Subtask && !writer.children(&task.id)?.is_empty() {
            let problem = format!("task {} has children, and a subtask has none", task.number);
            return Err(Error::validation("kind", problem));
        }
        return Ok(Some(kind));
    }
    // The stored kind may not be valid under the new parent.
    let said = task.text("kind").filter(|_| word.is_none());
    match said {
        Some(said) if kind_below(writer, parent.as_ref(), Some(said)).is_ok() => {
            Ok(TaskKind::parse(said))
        }
        Some(_) => kind_below(writer, parent.as_ref(), None).map(Some),
        None => Ok(None),
    }
}
