//! Resources of the plan: a task, a feature, a discipline.

use windlass_core::{EntityId, EntityType, Result};

use super::{json, nothing_there};
use crate::arguments::{Id, Number};
use crate::context::Context;
use crate::plan::{DisciplineView, FeatureView, TaskDetail, find_task};

pub(super) fn task(context: &Context, id: &str) -> Result<String> {
    context.read(|reader| {
        reader.consistently(|reader| {
            let task = find_task(reader, "id", &Number(Id(id.to_owned())))?;
            TaskDetail::read(reader, &task).map(|detail| json(&detail))
        })
    })
}

pub(super) fn feature(context: &Context, name: &str) -> Result<String> {
    context.read(|reader| {
        reader.consistently(|reader| {
            let feature = reader.by_name("name", EntityType::Feature, name)?;
            FeatureView::read(reader, &feature).map(|view| json(&view))
        })
    })
}

pub(super) fn discipline(context: &Context, name: &str) -> Result<String> {
    context.read(|reader| {
        let discipline = reader.by_name("name", EntityType::Discipline, name)?;
        Ok(json(&DisciplineView::from(&discipline)))
    })
}

/// The entity behind a name, to be watched.
pub(super) fn id_of(
    context: &Context,
    kind: EntityType,
    name: &str,
    uri: &str,
) -> Result<EntityId> {
    context
        .read(|reader| reader.by_name("name", kind, name))
        .map(|entity| entity.id)
        .map_err(|error| nothing_there(uri, error))
}
