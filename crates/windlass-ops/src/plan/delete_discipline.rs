use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::{EntityType, Result};

use super::answers::Deleted;
use super::named::delete;

use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct DeleteDiscipline;

/// Delete a discipline. Fails if tasks reference it, and names them.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The name of the discipline.
    pub name: String,
}

impl Operation for DeleteDiscipline {
    type Input = Input;
    type Output = Deleted;

    const DECLARATION: Declaration = Declaration {
        name: "delete_discipline",
        toolset: Toolset::Plan,
        cli: &["disciplines", "delete"],
        sdk: "disciplines.delete",
        effect: Effect::Destructive,
        idempotent: false,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "A discipline that nothing refers to",
            cli: &["disciplines", "delete", "docs"],
            input: r#"{"name": "docs"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<Deleted> {
        context.write(|writer| delete(writer, EntityType::Discipline, &input.name))
    }
}
