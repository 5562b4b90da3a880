use crate::outputs::EntityOutput;
use crate::prelude::*;

pub struct EntityGet;

/// Get one entity with all fields, or a piece of one long field.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number or id.
    pub id: Id,
    /// Only this field: content, or consequences.3 of a list.
    #[serde(default)]
    #[arg(long)]
    pub field: Option<String>,
    /// Skip this many of it.
    #[serde(default)]
    #[arg(long, default_value_t = 0)]
    pub from: u32,
    /// Skip characters of content.
    #[serde(default)]
    #[arg(long, default_value_t = 0)]
    pub content_from: u32,
}

impl ReadOperation for EntityGet {
    type Input = Input;
    type Output = EntityOutput;

    const DECLARATION: Declaration = Declaration::read("entity_get", Toolset::Knowledge)
        .sdk("entities.get")
        .cli(&["get"])
        .examples(&[Example::new("By number", &["get", "1"], r#"{"id": "1"}"#)]);

    async fn run(context: ReadContext, input: Input) -> Result<EntityOutput> {
        let entity = context.read(|reader| reader.named("id", &input.id.0))?;
        let from = input.from.max(input.content_from) as usize;
        match &input.field {
            Some(field) => EntityOutput::whole(entity).piece(field, from),
            None if from > 0 => EntityOutput::whole(entity).piece("content", from),
            None => Ok(EntityOutput::whole(entity)),
        }
    }
}
