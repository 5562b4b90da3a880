use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::{RelationType, Result};

use super::lookup::ends;
use super::relation_create::{RelationChange, RelationName};
use crate::arguments::Id;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct RelationDelete;

/// Remove a relation between two entities. Removing "blocks" releases the task that waited.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Where the relation starts.
    pub source_id: Id,
    /// What the relation says.
    pub relation_type: RelationName,
    /// Where the relation ends.
    pub target_id: Id,
}

impl Operation for RelationDelete {
    type Input = Input;
    type Output = RelationChange;

    const DECLARATION: Declaration = Declaration {
        name: "relation_delete",
        toolset: Toolset::Knowledge,
        cli: &["relation", "delete"],
        sdk: "relations.delete",
        effect: Effect::Destructive,
        idempotent: false,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Code,
        examples: &[Example {
            about: "Task 2 no longer blocks task 3",
            cli: &["relation", "delete", "2", "blocks", "3"],
            input: r#"{"source_id": "2", "relation_type": "blocks", "target_id": "3"}"#,
        }],
    };

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
