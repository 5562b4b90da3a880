use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use crate::answers::{EntitySummary, more_line};
use crate::arguments::TypeName;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};
use crate::paging::{Limit, PageInfo, read_page};
use crate::view::{Render, View};

pub struct GraphOrphans;

/// List entities that nothing is related to: knowledge that hangs in the air.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only entities of this type.
    #[serde(rename = "type", default)]
    #[arg(id = "type", value_name = "TYPE")]
    pub kind: Option<TypeName>,
    /// How many to answer, 1 to 100.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub limit: Limit<50>,
    /// How many to skip.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub offset: u32,
}

/// Entities without relations.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Orphans {
    pub entities: Vec<EntitySummary>,
    #[serde(flatten)]
    pub page: PageInfo,
}

impl Render for Orphans {
    fn view(&self) -> View {
        if self.entities.is_empty() {
            return View::nothing("Everything is related to something.");
        }
        let view = self
            .entities
            .iter()
            .fold(View::default(), |view, entity| view.line(entity.spans()));
        if self.page.has_more {
            return more_line(view, self.entities.len(), self.page.offset, None);
        }
        view
    }
}

impl Operation for GraphOrphans {
    type Input = Input;
    type Output = Orphans;

    const DECLARATION: Declaration = Declaration {
        name: "graph_orphans",
        toolset: Toolset::Knowledge,
        cli: &["graph", "orphans"],
        sdk: "graph.orphans",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Code,
        examples: &[Example {
            about: "Notes that belong to nothing",
            cli: &["graph", "orphans", "note"],
            input: r#"{"type": "note"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<Orphans> {
        let kind = input.kind.as_ref().map(TypeName::parse).transpose()?;
        let page = input.limit.page(input.offset)?;
        let (entities, page) = read_page(page, context.answer_budget, |page| {
            let orphans = context.read(|reader| reader.orphans(kind, page))?;
            Ok(orphans.iter().map(EntitySummary::from).collect())
        })?;
        Ok(Orphans { entities, page })
    }
}
