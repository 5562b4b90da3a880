use crate::prelude::*;
use std::convert::Infallible;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use windlass_core::{Entity, RelationType};
use windlass_store::Writer;

use super::lookup::ends;
use crate::outputs::{EntitySummary, number};

pub struct RelationCreate;

/// Relate entities: task implements decision, task blocks task, decision supersedes decision, task
/// belongs_to component, note documents component, child to parent, references.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The source: number or id.
    pub source_id: Id,
    /// The type of the relation.
    pub relation_type: RelationName,
    /// The target.
    pub target_id: Id,
}

/// The name of a relation type, checked by the operation.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RelationName(pub String);

impl FromStr for RelationName {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl JsonSchema for RelationName {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "RelationName".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "enum": RelationType::NAMES})
    }
}

/// A relation, and whether this call created or removed it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RelationChange {
    pub relation_type: String,
    pub source: EntitySummary,
    pub target: EntitySummary,
    /// False if nothing had to change.
    pub changed: bool,
    #[serde(skip)]
    verb: &'static str,
}

impl RelationChange {
    pub fn new(
        verb: &'static str,
        kind: RelationType,
        source: &Entity,
        target: &Entity,
        changed: bool,
    ) -> Self {
        Self {
            relation_type: kind.name().to_owned(),
            source: EntitySummary::from(source),
            target: EntitySummary::from(target),
            changed,
            verb,
        }
    }
}

impl Render for RelationChange {
    fn view(&self) -> View {
        let verb = if self.changed {
            self.verb
        } else {
            "Already there:"
        };
        View::default().line([
            Span::from(format!("{verb} ")),
            number(self.source.sequence_number),
            Span::from(format!(" {} ", self.source.title)),
            Span::new(self.relation_type.clone(), Style::Strong),
            Span::from(" "),
            number(self.target.sequence_number),
            Span::from(format!(" {}", self.target.title)),
        ])
    }
}

impl Operation for RelationCreate {
    type Input = Input;
    type Output = RelationChange;

    const DECLARATION: Declaration = Declaration::write("relation_create", Toolset::Knowledge)
        .sdk("relations.create")
        .cli(&["relation", "add"])
        .idempotent()
        .examples(&[Example::new(
            "Task 2 implements decision 1",
            &["relation", "add", "2", "implements", "1"],
            r#"{"source_id": "2", "relation_type": "implements", "target_id": "1"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<RelationChange> {
        let kind = RelationType::parse(&input.relation_type.0)?;
        context.write(|writer| {
            let (source, target) = ends(writer, &input.source_id, &input.target_id)?;
            let (_, new) = writer.relate(&source, kind, &target)?;
            Ok(RelationChange::new("Related", kind, &source, &target, new))
        })
    }
}

/// Relates the entities as a part of a larger write. Returns the source.
pub fn relate(writer: &Writer<'_>, input: &Input) -> Result<Entity> {
    let kind = RelationType::parse(&input.relation_type.0)?;
    let (source, target) = ends(writer, &input.source_id, &input.target_id)?;
    writer.relate(&source, kind, &target)?;
    Ok(source)
}
