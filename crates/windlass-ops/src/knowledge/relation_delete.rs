use crate::prelude::*;
use windlass_core::RelationType;

use super::lookup::ends;
use super::relation_create::{RelationChange, RelationName};

pub struct RelationDelete;

/// Remove a relation between two entities.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The source: number or id.
    pub source_id: Id,
    /// The type of the relation.
    pub relation_type: RelationName,
    /// The target.
    pub target_id: Id,
}

impl Operation for RelationDelete {
    type Input = Input;
    type Output = RelationChange;

    const DECLARATION: Declaration =
        Declaration::destructive("relation_delete", Toolset::Knowledge)
            .sdk("relations.delete")
            .cli(&["relation", "delete"])
            .examples(&[Example::new(
                "Task 2 no longer blocks task 3",
                &["relation", "delete", "2", "blocks", "3"],
                r#"{"source_id": "2", "relation_type": "blocks", "target_id": "3"}"#,
            )]);

    async fn run(context: Context, input: Input) -> Result<RelationChange> {
        let kind = RelationType::parse(&input.relation_type.0)?;
        context.write(|writer| {
            let (source, target) = ends(writer, &input.source_id, &input.target_id)?;
            writer.unrelate(&source, kind, &target)?;
            Ok(RelationChange::new(
                "No longer:",
                kind,
                &source,
                &target,
                true,
            ))
        })
    }
}
