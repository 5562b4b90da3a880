use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use crate::answers::EntityView;
use crate::arguments::Id;
use crate::budget::shorten;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

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

impl Operation for EntityGet {
    type Input = Input;
    type Output = EntityView;

    const DECLARATION: Declaration = Declaration {
        name: "entity_get",
        toolset: Toolset::Knowledge,
        cli: &["get"],
        sdk: "entities.get",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Code,
        examples: &[Example {
            about: "By number",
            cli: &["get", "1"],
            input: r#"{"id": "1"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<EntityView> {
        let entity = context.read(|reader| reader.named("id", &input.id.0))?;
        let mut view = EntityView::from(entity);
        if input.content_from > 0 {
            view.content = view
                .content
                .map(|text| text.chars().skip(input.content_from as usize).collect());
        }
        Ok(shorten(view, context.answer_budget))
    }
}
