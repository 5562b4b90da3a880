//! All details of an entity of any type.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json};
use windlass_core::{Dialect, Entity, EntityType, Result};
use windlass_store::{EffectiveGate, Reader};

use super::outputs::{RelationReference, more, task_status_span};
use super::task_details::TaskDetails;
use crate::budget::rest_of_entity;
use crate::context::ReadContext;
use crate::outputs::{EntityOutput, number, priority_span};
use crate::view::{Render, Span, Style, View};
use crate::workflow::file_gates;

/// How many relations are shown.
const SHOWN_RELATIONS: u32 = 20;

/// An entity with all details.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BoardEntity {
    pub number: i64,
    pub id: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub title: String,
    /// The long text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub tags: Vec<String>,
    /// The fields of its type by name, with canonical values. Unset fields are absent.
    #[serde(flatten)]
    pub fields: Map<String, Json>,
    /// Details that only tasks have.
    #[serde(flatten)]
    pub task: Option<TaskDetails>,
    /// Relations other than blockers and parents; at most twenty.
    pub relations: Vec<RelationReference>,
    pub relations_total: u64,
    pub created_at: String,
    pub updated_at: String,
    /// Numbers that it had before two clones were merged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub former_numbers: Vec<i64>,
    /// The field and the position at which a piece of it begins, if this is one.
    #[serde(skip)]
    piece: Option<EntityOutput>,
}

impl BoardEntity {
    /// Reads the entity that `find` returns and everything related to it, in one snapshot.
    pub fn load(
        context: &ReadContext,
        find: impl FnOnce(&Reader<'_>) -> Result<Entity>,
    ) -> Result<Self> {
        let gates = file_gates(&context.workspace);
        context.read(|reader| {
            reader.consistently(|reader| {
                let entity = find(reader)?;
                Self::read(reader, entity, gates)
            })
        })
    }

    pub fn read(
        reader: &Reader<'_>,
        entity: Entity,
        file_gates: Vec<EffectiveGate>,
    ) -> Result<Self> {
        let task = if entity.kind == EntityType::Task {
            Some(TaskDetails::read(reader, &entity, file_gates)?)
        } else {
            None
        };
        let (relations, relations_total) = reader.other_relations(&entity.id, SHOWN_RELATIONS)?;
        let relations = relations
            .into_iter()
            .map(|relation| RelationReference::new(relation, &entity.id));
        let relations = relations.collect();
        let fields = EntityOutput::in_dialect(entity, Dialect::Canonical);
        let mut properties = fields.properties;
        // Derived from its position in the tree if it is not set.
        if task.is_some() {
            properties.remove("kind");
        }
        Ok(Self {
            number: fields.sequence_number,
            id: fields.id,
            kind: fields.kind,
            title: fields.title,
            description: fields.content,
            tags: fields.tags,
            fields: properties,
            task,
            relations,
            relations_total,
            created_at: fields.created_at,
            updated_at: fields.updated_at,
            former_numbers: fields.former_numbers,
            piece: None,
        })
    }

    /// The entity with one of its fields only, from a position on.
    pub fn piece(entity: Entity, field: &str, from: usize) -> Result<Self> {
        let piece = EntityOutput::in_dialect(entity, Dialect::Canonical).piece(field, from)?;
        let shown = piece.clone();
        Ok(Self {
            number: shown.sequence_number,
            id: shown.id,
            kind: shown.kind,
            title: shown.title,
            description: shown.content,
            tags: shown.tags,
            fields: shown.properties,
            task: None,
            relations: Vec::new(),
            relations_total: 0,
            created_at: shown.created_at,
            updated_at: shown.updated_at,
            former_numbers: shown.former_numbers,
            piece: Some(piece),
        })
    }

    /// Short fields one a line, in a fixed order of importance.
    fn short_fields(&self) -> Vec<(String, Span)> {
        let mut shown = Vec::new();
        let mut add = |name: &str, value: Span| shown.push((name.replace('_', " "), value));
        if self.task.is_none() {
            add("type", Span::from(self.kind.clone()));
        }
        for (name, value) in &self.fields {
            match (name.as_str(), one_line(value)) {
                ("status", Some(word)) if self.task.is_some() => {
                    add(name, task_status_span(&word));
                }
                ("priority", Some(word)) => add(name, priority_span(&word)),
                (name, Some(moment)) if name.ends_with("_at") => {
                    add(name, Span::new(moment, Style::Moment));
                }
                (name, Some(text)) => add(name, Span::from(text)),
                (_, None) => {}
            }
        }
        if let Some(task) = &self.task {
            task.add_fields(&mut add);
        }
        if !self.tags.is_empty() {
            add("tags", Span::from(self.tags.join(", ")));
        }
        if !self.former_numbers.is_empty() {
            let numbers = super::outputs::numbers(&self.former_numbers);
            add("formerly", Span::from(numbers));
        }
        for (name, value, style) in [
            ("created", &self.created_at, Style::Moment),
            ("updated", &self.updated_at, Style::Moment),
            ("id", &self.id, Style::Dim),
        ] {
            add(name, Span::new(value.clone(), style));
        }
        shown
    }
}

/// The value if it is a single line.
fn one_line(value: &Json) -> Option<String> {
    match value {
        Json::String(text) if text.contains('\n') || text.chars().count() > 60 => None,
        Json::String(text) => Some(text.clone()),
        Json::Array(_) | Json::Object(_) | Json::Null => None,
        other => Some(other.to_string()),
    }
}

/// The value as a paragraph, if it is longer than one line.
fn paragraph(value: &Json) -> Option<String> {
    match value {
        Json::Array(items) => {
            let lines = items.iter().map(|item| match item.as_str() {
                Some(text) => format!("- {text}"),
                None => format!("- {item}"),
            });
            let lines: Vec<String> = lines.collect();
            (!lines.is_empty()).then(|| lines.join("\n"))
        }
        Json::Object(_) => Some(format!("{value:#}")),
        Json::String(text) if one_line(value).is_none() => Some(text.clone()),
        _ => None,
    }
}

/// A longer text under its name.
fn section(view: View, name: &str, text: String) -> View {
    view.blank()
        .line([Span::new(heading(name), Style::Strong)])
        .text(text)
}

/// `acceptance_criteria` as a heading: `Acceptance criteria`.
fn heading(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

impl Render for BoardEntity {
    fn rest_of(&self, field: &str, shown: usize) -> Option<String> {
        let number = self.number;
        let stored = if field == "description" {
            "content"
        } else {
            field
        };
        let (place, from) = match &self.piece {
            Some(piece) => piece.place_of_rest(stored, shown),
            None => (stored.to_owned(), shown),
        };
        let is_own = |place: &str| {
            let root = place.split('.').next().unwrap_or_default();
            place == "content" || self.fields.contains_key(place) || self.fields.contains_key(root)
        };
        if is_own(&place) {
            return Some(format!(
                "{field}: [[board_show]] with id {number}, field \"{place}\" and from {from}"
            ));
        }
        Some(rest_of_entity(number, field, shown))
    }

    fn is_piece(&self) -> bool {
        self.piece.is_some()
    }

    fn view(&self) -> View {
        let mut view = View::default()
            .line([
                number(self.number),
                Span::from("  "),
                Span::new(self.title.clone(), Style::Strong),
            ])
            .fields(self.short_fields());
        if let Some(text) = &self.description {
            view = section(view, "description", text.clone());
        }
        for (name, value) in &self.fields {
            if let Some(text) = paragraph(value) {
                view = section(view, name, text);
            }
        }
        if let Some(task) = &self.task {
            view = task.add_around(view);
        }
        if !self.relations.is_empty() {
            view = view.blank().line([Span::new("Relations", Style::Strong)]);
            for relation in &self.relations {
                view = view.line(relation.spans());
            }
            view = more(view, self.relations.len(), self.relations_total);
        }
        match &self.task {
            Some(task) => task.add_work(view),
            None => view,
        }
    }
}
