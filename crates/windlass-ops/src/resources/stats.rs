//! The resource `stats`: numbers about the project.

use serde_json::json;
use windlass_core::Result;

use crate::context::ReadContext;

pub(super) fn text(context: &ReadContext) -> Result<String> {
    let statistics = context.read(|reader| reader.statistics())?;
    Ok(json!({
        "entity_counts": statistics.entities,
        "relation_count": statistics.relations,
        "last_modified": statistics.last_modified,
        "windlass_version": env!("CARGO_PKG_VERSION"),
    })
    .to_string())
}
