//! The resource `graph`: entities by name, and the relations that start at them.

use serde_json::json;
use windlass_core::{Page, Result};
use windlass_store::EntityFilter;

use crate::context::ReadContext;
use crate::outputs::{EntitySummary, RelationOutput};

/// The most relations on one page of the graph.
const MAX_RELATIONS: usize = 500;

pub(super) fn text(context: &ReadContext, page: Page) -> Result<String> {
    context.read(|reader| {
        reader.consistently(|reader| {
            let (entities, total) = reader.entities_within(&EntityFilter::default(), page)?;
            let ids: Vec<_> = entities.iter().map(|entity| entity.id.clone()).collect();
            let mut relations: Vec<RelationOutput> = reader
                .relations_from(&ids)?
                .into_iter()
                .map(RelationOutput::from)
                .collect();
            let cut = relations.len() > MAX_RELATIONS;
            relations.truncate(MAX_RELATIONS);
            let entities: Vec<EntitySummary> = entities.iter().map(EntitySummary::from).collect();
            Ok(json!({
                "entities": entities,
                "relations": relations,
                "relations_truncated": cut,
                "total": total,
                "limit": page.limit,
                "offset": page.offset,
            })
            .to_string())
        })
    })
}
