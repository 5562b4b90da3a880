use crate::prelude::*;
use windlass_core::{Dialect, Entity, Patch};
use windlass_store::Writer;

use crate::arguments::Id;
use crate::entity_fields::PropertyArguments;
use crate::outputs::EntityOutput;

pub struct EntityUpdate;

/// Change the given fields of an entity.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number or id.
    pub id: Id,
    /// The new title.
    #[serde(default)]
    #[arg(long)]
    pub title: Option<String>,
    /// An empty text removes it.
    #[serde(default)]
    #[arg(long)]
    pub content: Option<String>,
    /// Replaces all tags.
    #[serde(default)]
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Option<Vec<String>>,
    /// Tags to add.
    #[serde(default)]
    #[arg(long = "add-tag", value_name = "TAG")]
    pub add_tags: Vec<String>,
    /// Tags to remove.
    #[serde(default)]
    #[arg(long = "remove-tag", value_name = "TAG")]
    pub remove_tags: Vec<String>,
    /// As in entity_create; null clears one.
    #[serde(default)]
    #[command(flatten)]
    pub properties: PropertyArguments,
}

impl Operation for EntityUpdate {
    type Input = Input;
    type Output = EntityOutput;

    const DECLARATION: Declaration = Declaration::write("entity_update", Toolset::Knowledge)
        .sdk("entities.update")
        .cli(&["update"])
        .idempotent()
        .examples(&[Example::new("A new title, and a status", &[ "update", "2", "--title", "Implement login", "--status", "in_progress", "--add-tag", "web", ], r#"{"id": "2", "title": "Implement login", "add_tags": ["web"], "properties": {"status": "in_progress"}}"#)]);

    async fn run(context: Context, input: Input) -> Result<EntityOutput> {
        context
            .write(|writer| update(writer, &input))
            .map(EntityOutput::from)
    }
}

/// Also used by the batch.
pub fn update(writer: &Writer<'_>, input: &Input) -> Result<Entity> {
    let id = writer.resolve("id", &input.id.0)?;
    let patch = Patch {
        title: input.title.clone(),
        content: input.content.clone().map(Some),
        tags: input.tags.clone(),
        add_tags: input.add_tags.clone(),
        remove_tags: input.remove_tags.clone(),
        properties: input.properties.0.clone(),
        ..Patch::default()
    };
    writer.update(&id, &patch, Dialect::Knowledge)
}
