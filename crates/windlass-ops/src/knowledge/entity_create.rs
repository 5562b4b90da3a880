use crate::prelude::*;
use windlass_core::{Dialect, Draft, Entity, EntityType};
use windlass_store::Writer;

use crate::arguments::TypeName;
use crate::entity_fields::PropertyArguments;
use crate::memory::{Similar, similar_to};
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
    type Output = Created;

    const DECLARATION: Declaration = Declaration::write("entity_create", Toolset::Knowledge)
        .sdk("entities.create")
        .examples(&[
            Example::call("A task with a priority and a due date", r#"{"type": "task", "title": "Implement auth", "properties": {"priority": "high", "due_date": "2026-02-01"}}"#),
            Example::call("A decision with its reasons", r#"{"type": "decision", "title": "Use SQLite", "content": "One file, no server.", "tags": ["storage"], "properties": {"status": "accepted", "consequences": ["No network", "One writer at a time"]}}"#),
        ]);

    async fn run(context: Context, input: Input) -> Result<Created> {
        let entity = context.write(|writer| create(writer, &input))?;
        let similar = said_before(&context, &entity)?;
        Ok(Created {
            entity: EntityOutput::from(entity),
            similar,
        })
    }
}

/// The new entity, and what says nearly the same.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Created {
    #[serde(flatten)]
    pub entity: EntityOutput,
    /// Notes and learnings that say nearly the same as the new note. Nothing is merged by itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub similar: Vec<Similar>,
}

impl Render for Created {
    fn view(&self) -> View {
        let view = self.similar.iter().fold(self.entity.view(), |view, it| {
            view.line([
                Span::new("Says nearly the same: ", Style::Dim),
                Span::new(format!("{} ", it.reference), Style::Id),
                Span::from(it.text.clone()),
            ])
        });
        let Some(first) = self.similar.first() else {
            return view;
        };
        let (this, other) = (self.entity.sequence_number, &first.reference);
        let keep = format!("To keep one: windlass memory retire {this} --replaced-by '{other}'");
        view.line([Span::new(keep, Style::Dim)])
    }
}

/// Notes are memory: one that says the same as another is pointed out.
pub fn said_before(context: &Context, entity: &Entity) -> Result<Vec<Similar>> {
    if entity.kind != EntityType::Note || !context.workspace.models().is_installed() {
        return Ok(Vec::new());
    }
    let content = entity.content.as_deref().unwrap_or_default();
    let text = format!("{}\n{content}", entity.title);
    let itself = format!("#{}", entity.number);
    similar_to(context, &text, Some(&itself))
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
