use crate::outputs::{EntitySummary, more_line};
use crate::prelude::*;

pub struct GraphOrphans;

/// List entities without relations.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only this type.
    #[serde(rename = "type", default)]
    #[arg(id = "type", value_name = "TYPE")]
    pub kind: Option<TypeName>,
    #[serde(flatten, deserialize_with = "crate::input::part")]
    #[command(flatten)]
    pub paging: Paging<50>,
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
            return View::nothing("Every entity has relations.");
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

impl ReadOperation for GraphOrphans {
    type Input = Input;
    type Output = Orphans;

    const DECLARATION: Declaration = Declaration::read("graph_orphans", Toolset::Knowledge)
        .sdk("graph.orphans")
        .cli(&["graph", "orphans"])
        .examples(&[Example::new(
            "Notes without relations",
            &["graph", "orphans", "note"],
            r#"{"type": "note"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<Orphans> {
        let kind = input.kind.as_ref().map(TypeName::parse).transpose()?;
        let page = input.paging.page()?;
        let (entities, page) = read_page(page, |page| {
            let orphans = context.read(|reader| reader.orphans(kind, page))?;
            Ok(orphans.iter().map(EntitySummary::from).collect())
        })?;
        Ok(Orphans { entities, page })
    }
}
