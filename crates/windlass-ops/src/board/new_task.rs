//! Creates a task; shared by all tools that do.

use serde_json::{Map, Value as Json};
use windlass_core::workflow::TaskKind;
use windlass_core::{Actor, Dialect, Draft, Entity, EntityType, Error, RelationType, Result};
use windlass_store::Writer;

use crate::workflow::check_open;

/// A task that does not exist yet.
pub struct NewTask<'a> {
    pub title: &'a str,
    pub description: Option<&'a str>,
    pub tags: &'a [String],
    /// The fields of the type, with the values of the dialect.
    pub fields: Map<String, Json>,
    pub dialect: Dialect,
    pub parent: Option<&'a Entity>,
    /// Who creates it.
    pub actor: Actor,
}

impl NewTask<'_> {
    /// Creates the task under its parent.
    pub fn create(self, writer: &Writer<'_>) -> Result<Entity> {
        let draft = Draft::new(
            EntityType::Task,
            self.title,
            self.description,
            self.tags,
            &self.fields,
            self.dialect,
        )?
        .with_managed("provenance", self.actor.name());
        let task = writer.create(draft)?;
        if let Some(parent) = self.parent {
            check_open(parent, self.dialect)?;
            writer.relate(&task, RelationType::Parent, parent)?;
        }
        Ok(task)
    }
}

/// The kind of a task under that parent: the given one if it is valid there, or the default.
pub fn kind_below(
    writer: &Writer<'_>,
    parent: Option<&Entity>,
    word: Option<&str>,
) -> Result<TaskKind> {
    let above = parent
        .map(|parent| writer.task_kind(&parent.id))
        .transpose()?;
    let Some(word) = word else {
        return TaskKind::below(above);
    };
    let kind =
        TaskKind::parse(word).ok_or_else(|| Error::invalid_enum("kind", word, &TaskKind::NAMES))?;
    kind.check_below(above)?;
    Ok(kind)
}
