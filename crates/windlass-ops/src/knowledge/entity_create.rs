use crate::prelude::*;
use windlass_core::{Dialect, Draft, Entity};
use windlass_store::Writer;

use crate::arguments::TypeName;
use crate::entity_fields::PropertyArguments;
use crate::outputs::EntityOutput;

pub struct EntityCreate;

/// Create an entity. Returns it with its number, which all other tools accept.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its type.
    #[serde(rename = "type")]
    #[arg(id = "type", value_name = "TYPE")]
    pub kind: TypeName,
    /// 1 to 500 characters.
    pub title: String,
    /// Markdown, at most 100 KB.
    #[serde(default)]
    #[arg(long)]
    pub content: Option<String>,
    /// At most 50 of at most 100 characters.
    #[serde(default)]
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    #[serde(default)]
    #[command(flatten)]
    pub properties: PropertyArguments,
}

impl Operation for EntityCreate {
    type Input = Input;
    type Output = EntityOutput;

    const DECLARATION: Declaration = Declaration::write("entity_create", Toolset::Knowledge)
        .sdk("entities.create")
        .examples(&[
            Example::call("A task with a priority and a due date", r#"{"type": "task", "title": "Implement auth", "properties": {"priority": "high", "due_date": "2026-02-01"}}"#),
            Example::call("A decision with its reasons", r#"{"type": "decision", "title": "Use SQLite", "content": "One file, no server.", "tags": ["storage"], "properties": {"status": "accepted", "consequences": ["No network", "One writer at a time"]}}"#),
        ]);

    async fn run(context: Context, input: Input) -> Result<EntityOutput> {
        context
            .write(|writer| create(writer, &input))
            .map(EntityOutput::from)
    }
}

/// Also used by the batch.
pub fn create(writer: &Writer<'_>, input: &Input) -> Result<Entity> {
    let draft = Draft::new(
        input.kind.parse()?,
        &input.title,
        input.content.as_deref(),
        &input.tags,
        &input.properties.0,
        Dialect::Knowledge,
    )?;
    writer.create(draft)
}
