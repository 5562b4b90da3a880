//! Resources of the plan: a task, a feature, a discipline.

use windlass_core::{EntityId, EntityType, Result};

use super::{json, nothing_there};
use crate::arguments::{Id, Number};
use crate::context::ReadContext;
use crate::plan::{DisciplineOutput, FeatureOutput, TaskDetail, find_task};

pub(super) fn task(context: &ReadContext, id: &str) -> Result<String> {
    context.read(|reader| {
        reader.consistently(|reader| {
            let task = find_task(reader, "id", &Number(Id(id.to_owned())))?;
            TaskDetail::read(reader, &task).map(|detail| json(&detail))
        })
    })
}

pub(super) fn feature(context: &ReadContext, name: &str) -> Result<String> {
    context.read(|reader| {
        reader.consistently(|reader| {
            let feature = reader.by_name("name", EntityType::Feature, name)?;
            FeatureOutput::read(reader, &feature).map(|view| json(&view))
        })
    })
}

pub(super) fn discipline(context: &ReadContext, name: &str) -> Result<String> {
    context.read(|reader| {
        let discipline = reader.by_name("name", EntityType::Discipline, name)?;
        Ok(json(&DisciplineOutput::from(&discipline)))
    })
}

/// The entity behind a name, to be watched.
pub(super) fn id_of(
    context: &ReadContext,
    kind: EntityType,
    name: &str,
    uri: &str,
) -> Result<EntityId> {
    context
        .read(|reader| reader.by_name("name", kind, name))
        .map(|entity| entity.id)
        .map_err(|error| nothing_there(uri, error))
}
