use serde_json::Value as Json;
use windlass_core::Entity;

use crate::outputs::EntityOutput;
use crate::prelude::*;

pub struct EntityGet;

/// Get one entity with all fields, or a piece of one long field.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number or id.
    pub id: Id,
    /// Only this field, for example content.
    #[serde(default)]
    #[arg(long)]
    pub field: Option<String>,
    /// Skip this many characters or items of it.
    #[serde(default)]
    #[arg(long, default_value_t = 0)]
    pub from: u32,
    /// Skip this many characters of content.
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
            Some(field) => piece(entity, field, from),
            None if from > 0 => piece(entity, "content", from),
            None => Ok(EntityOutput::whole(entity)),
        }
    }
}

/// The entity with one of its fields only, from a position on.
fn piece(entity: Entity, field: &str, from: usize) -> Result<EntityOutput> {
    let mut output = EntityOutput::whole(entity);
    let content = output.content.take();
    let mut properties = std::mem::take(&mut output.properties);
    if field == "content" {
        output.content = Some(rest(content.unwrap_or_default(), from));
        return Ok(output.starting_at(from));
    }
    let value = match properties.remove(field) {
        Some(Json::String(text)) => Json::String(rest(text, from)),
        Some(Json::Array(items)) => items.into_iter().skip(from).collect(),
        Some(other) => other,
        None => {
            let mut known = vec!["content"];
            known.extend(properties.keys().map(String::as_str));
            return Err(Error::invalid_enum("field", field, &known));
        }
    };
    output.properties.insert(field.to_owned(), value);
    Ok(output.starting_at(from))
}

fn rest(text: String, from: usize) -> String {
    if from == 0 {
        return text;
    }
    text.chars().skip(from).collect()
}
