use crate::budget::shorten;
use crate::outputs::EntityOutput;
use crate::prelude::*;

pub struct EntityGet;

/// Get one entity with everything it holds, by number or by the start of its id.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number, or at least 4 hex digits of its id.
    pub id: Id,
    /// Skip this many characters of the content: where an earlier answer was truncated, go on here.
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
        let mut view = EntityOutput::from(entity);
        if input.content_from > 0 {
            view.content = view
                .content
                .map(|text| text.chars().skip(input.content_from as usize).collect());
        }
        Ok(shorten(view, context.output_budget))
    }
}
