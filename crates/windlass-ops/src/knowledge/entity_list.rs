use crate::prelude::*;
use windlass_core::{Dialect, EntityType, Page, TaskStatus};
use windlass_store::EntityFilter;

use crate::outputs::{EntityOutput, entity_columns, more_line};

pub struct EntityList;

/// List entities by number, filtered by type, status and tag.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only this type.
    #[serde(rename = "type", default)]
    #[arg(id = "type", value_name = "TYPE")]
    pub kind: Option<TypeName>,
    /// For example todo.
    #[serde(default)]
    #[arg(long)]
    pub status: Option<String>,
    /// Only with this tag.
    #[serde(default)]
    #[arg(long)]
    pub tag: Option<String>,
    #[serde(flatten, deserialize_with = "crate::input::part")]
    #[command(flatten)]
    pub paging: Paging<50>,
    /// Whole contents.
    #[serde(default)]
    #[arg(long)]
    pub verbose: bool,
}

/// A page of entities.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EntityPage {
    pub entities: Vec<EntityOutput>,
    /// How many match in all.
    pub total: u64,
    pub limit: u32,
    pub offset: u32,
    /// Where the next page begins, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u32>,
}

impl EntityPage {
    /// The entities that match `filter`, as many as fit into the output.
    pub fn read(context: &ReadContext, filter: &EntityFilter, page: Page) -> Result<Self> {
        let (entities, total) = context.read(|reader| reader.entities(filter, page))?;
        let entities: Vec<EntityOutput> = entities.into_iter().map(EntityOutput::from).collect();
        let reached = page.offset + u32::try_from(entities.len()).unwrap_or(u32::MAX);
        Ok(Self {
            entities,
            total,
            limit: page.limit,
            offset: page.offset,
            next_offset: (u64::from(reached) < total).then_some(reached),
        })
    }
}

impl Render for EntityPage {
    fn view(&self) -> View {
        if self.entities.is_empty() {
            return View::nothing("Nothing here yet. `windlass add TYPE TITLE` creates an entity.");
        }
        let rows = self.entities.iter().map(EntityOutput::row).collect();
        let view = View::default().table(entity_columns(), rows);
        more_line(view, self.entities.len(), self.offset, Some(self.total))
    }
}

impl ReadOperation for EntityList {
    type Input = Input;
    type Output = EntityPage;

    const DECLARATION: Declaration = Declaration::read("entity_list", Toolset::Knowledge)
        .sdk("entities.list")
        .cli(&["list"])
        .examples(&[
            Example::new(
                "All decisions",
                &["list", "decisions"],
                r#"{"type": "decision"}"#,
            ),
            Example::new(
                "Open tasks with a tag",
                &["list", "task", "--status", "todo", "--tag", "auth"],
                r#"{"type": "task", "status": "todo", "tag": "auth"}"#,
            ),
        ]);

    async fn run(context: ReadContext, input: Input) -> Result<EntityPage> {
        let kind = input.kind.as_ref().map(TypeName::parse).transpose()?;
        if let Some(status) = &input.status {
            check_status(kind, status)?;
        }
        let filter = EntityFilter {
            kind,
            status: input.status,
            dialect: Some(Dialect::Knowledge),
            tag: input.tag,
            ..EntityFilter::default()
        };
        let mut page = EntityPage::read(&context, &filter, input.paging.page()?)?;
        if !input.verbose {
            page.entities = page
                .entities
                .into_iter()
                .map(EntityOutput::excerpted)
                .collect();
        }
        Ok(page)
    }
}

/// A status that no entity can have is an error, not an empty list.
fn check_status(kind: Option<EntityType>, status: &str) -> Result<()> {
    let kinds = kind.map_or_else(|| EntityType::ALL.to_vec(), |kind| vec![kind]);
    let mut known: Vec<&str> = Vec::new();
    for word in kinds
        .iter()
        .flat_map(|kind| kind.statuses(Dialect::Knowledge))
    {
        if !known.contains(word) {
            known.push(word);
        }
    }
    let of_a_task = kinds.contains(&EntityType::Task) && TaskStatus::parse_any(status).is_some();
    if known.contains(&status) || of_a_task {
        return Ok(());
    }
    Err(Error::invalid_enum("status", status, &known))
}
