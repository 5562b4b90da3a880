//! Output types that several operations share, and how a person sees them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json};
use windlass_core::{Dialect, Entity, Error, Priority, Result, TaskStatus};
use windlass_store::{QueuedTask, RelationRow};

use crate::budget::rest_of_entity;
use crate::view::{Column, Render, Span, Style, View};

/// A whole entity.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EntityOutput {
    pub id: String,
    /// The project-wide number.
    pub sequence_number: i64,
    #[serde(rename = "type")]
    pub kind: String,
    pub title: String,
    /// The status of a task as people read it, whatever the dialect of the properties.
    #[serde(skip)]
    canonical_status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The beginning of a long content that a list does not have whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    pub tags: Vec<String>,
    pub created_at: String,
    pub updated_at: String,
    /// The fields of the entity's type.
    pub properties: Map<String, Json>,
    /// Numbers that the entity had before two clones were merged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub former_numbers: Vec<i64>,
    /// The position in the whole field at which this piece begins, if it is one.
    #[serde(skip)]
    position: Option<usize>,
}

/// Properties that say where an entity comes from. Only who asks for one entity gets them.
const ORIGINS: &[&str] = &["provenance"];

/// How much of a content a list shows, in characters.
const EXCERPT: usize = 200;

/// Without where it comes from.
impl From<Entity> for EntityOutput {
    fn from(entity: Entity) -> Self {
        let mut output = Self::whole(entity);
        for name in ORIGINS {
            output.properties.shift_remove(*name);
        }
        output
    }
}

impl EntityOutput {
    /// With every field.
    pub fn whole(entity: Entity) -> Self {
        Self::in_dialect(entity, Dialect::Knowledge)
    }

    /// With the values of a dialect in its properties.
    pub fn in_dialect(entity: Entity, dialect: Dialect) -> Self {
        let properties = entity.properties_in(dialect);
        Self {
            canonical_status: entity.task_status().map(TaskStatus::name),
            id: entity.id.as_str().to_owned(),
            sequence_number: entity.number,
            kind: entity.kind.name().to_owned(),
            title: entity.title,
            content: entity.content,
            excerpt: None,
            tags: entity.tags,
            created_at: entity.created_at.to_seconds(),
            updated_at: entity.updated_at.to_seconds(),
            properties,
            former_numbers: entity.former_numbers,
            position: None,
        }
    }

    /// With only the beginning of a long content, under another name, so that nobody takes it for the
    /// whole.
    #[must_use]
    pub fn excerpted(mut self) -> Self {
        let content = self.content.as_deref().unwrap_or_default();
        if let Some((end, _)) = content.char_indices().nth(EXCERPT) {
            self.excerpt = content.get(..end).map(|begin| format!("{begin}…"));
            self.content = None;
        }
        self
    }

    /// The entity with one of its fields only, from a position on: characters of a text, items of a
    /// list. `consequences.3` is one item of a list.
    pub fn piece(mut self, field: &str, from: usize) -> Result<Self> {
        self.position = Some(from);
        let content = self.content.take();
        let mut properties = std::mem::take(&mut self.properties);
        if ["content", "description"].contains(&field) {
            self.content = Some(rest(content.unwrap_or_default(), from));
            return Ok(self);
        }
        let found = properties.get_mut(field).map(Json::take).or_else(|| {
            let (list, item) = field.split_once('.')?;
            let items = properties.get_mut(list)?.as_array_mut()?;
            items.get_mut(item.parse::<usize>().ok()?).map(Json::take)
        });
        let value = match found {
            Some(Json::String(text)) => Json::String(rest(text, from)),
            Some(Json::Array(items)) => items.into_iter().skip(from).collect(),
            Some(other) => other,
            None => {
                let mut known = vec!["content"];
                known.extend(properties.keys().map(String::as_str));
                return Err(Error::invalid_enum("field", field, &known));
            }
        };
        self.properties.insert(field.to_owned(), value);
        Ok(self)
    }

    /// The field that was cut and how much of it has been read, counted in the whole field.
    pub fn place_of_rest(&self, field: &str, shown: usize) -> (String, usize) {
        let begin = self.position.unwrap_or(0);
        if self.properties.contains_key(field) || field == "content" {
            return (field.to_owned(), begin + shown);
        }
        let item = field.split_once('.').and_then(|(list, item)| {
            let item: usize = item.parse().ok()?;
            self.properties.contains_key(list).then_some((list, item))
        });
        match item {
            Some((list, item)) => (format!("{list}.{}", begin + item), shown),
            None => (field.to_owned(), begin + shown),
        }
    }

    pub fn is_a_piece(&self) -> bool {
        self.position.is_some()
    }

    fn property(&self, name: &str) -> Option<&str> {
        self.properties.get(name).and_then(Json::as_str)
    }

    /// The row in a list.
    pub fn row(&self) -> Vec<Span> {
        let mut title = self.title.clone();
        if !self.tags.is_empty() {
            title = format!("{title}  [{}]", self.tags.join(", "));
        }
        vec![
            number(self.sequence_number),
            Span::from(self.kind.clone()),
            self.status_span(),
            Span::from(title),
        ]
    }
}

impl EntityOutput {
    fn status_span(&self) -> Span {
        let word = self.canonical_status.or_else(|| self.property("status"));
        status_span(word.unwrap_or_default())
    }
}

fn rest(text: String, from: usize) -> String {
    if from == 0 {
        return text;
    }
    text.chars().skip(from).collect()
}

/// The columns that [`EntityOutput::row`] fills.
pub fn entity_columns() -> Vec<Column> {
    vec![
        Column::new("#").right(),
        Column::new("TYPE"),
        Column::new("STATUS"),
        Column::new("TITLE").shrinking(),
    ]
}

pub fn number(number: i64) -> Span {
    Span::new(format!("#{number}"), Style::Id)
}

pub fn status_span(word: &str) -> Span {
    let style = match word {
        "done" | "accepted" | "active" => Style::Good,
        "in_progress" | "proposed" | "planned" => Style::Warning,
        "blocked" | "superseded" | "deprecated" => Style::Bad,
        _ => Style::Plain,
    };
    Span::new(word, style)
}

pub fn priority_span(word: &str) -> Span {
    let style = match Priority::parse_any(word) {
        Some(Priority::Urgent) => Style::Bad,
        Some(Priority::High) => Style::Warning,
        Some(Priority::Low) => Style::Dim,
        _ => Style::Plain,
    };
    Span::new(word, style)
}

impl Render for EntityOutput {
    fn rest_of(&self, field: &str, shown: usize) -> Option<String> {
        let (field, from) = self.place_of_rest(field, shown);
        Some(rest_of_entity(self.sequence_number, &field, from))
    }

    fn is_piece(&self) -> bool {
        self.is_a_piece()
    }

    fn view(&self) -> View {
        let mut fields = vec![
            ("type".to_owned(), Span::from(self.kind.clone())),
            ("id".to_owned(), Span::new(self.id.clone(), Style::Dim)),
        ];
        let mut texts: Vec<(&str, String)> = Vec::new();
        for (name, value) in &self.properties {
            match value {
                Json::String(text) if text.contains('\n') => texts.push((name, text.clone())),
                Json::String(_) if name == "status" => {
                    fields.push((name.clone(), self.status_span()));
                }
                Json::String(text) => fields.push((name.clone(), Span::from(text.clone()))),
                Json::Array(items) => {
                    let lines: Vec<String> = items
                        .iter()
                        .filter_map(|item| item.as_str().map(|text| format!("- {text}")))
                        .collect();
                    texts.push((name, lines.join("\n")));
                }
                other => fields.push((name.clone(), Span::from(other.to_string()))),
            }
        }
        if !self.tags.is_empty() {
            fields.push(("tags".to_owned(), Span::from(self.tags.join(", "))));
        }
        if !self.former_numbers.is_empty() {
            let numbers: Vec<String> = self
                .former_numbers
                .iter()
                .map(|n| format!("#{n}"))
                .collect();
            fields.push(("formerly".to_owned(), Span::from(numbers.join(", "))));
        }
        fields.push((
            "created".to_owned(),
            Span::new(self.created_at.clone(), Style::Moment),
        ));
        fields.push((
            "updated".to_owned(),
            Span::new(self.updated_at.clone(), Style::Moment),
        ));
        let mut view = View::default()
            .line([
                number(self.sequence_number),
                Span::from("  "),
                Span::new(self.title.clone(), Style::Strong),
            ])
            .fields(fields);
        for (name, text) in texts {
            view = view
                .blank()
                .line([Span::new(name, Style::Strong)])
                .text(text);
        }
        if let Some(content) = &self.content {
            view = view.blank().text(content.clone());
        }
        view
    }
}

/// An entity by name only.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EntitySummary {
    pub id: String,
    pub sequence_number: i64,
    #[serde(rename = "type")]
    pub kind: String,
    pub title: String,
}

impl From<&Entity> for EntitySummary {
    fn from(entity: &Entity) -> Self {
        Self {
            id: entity.id.as_str().to_owned(),
            sequence_number: entity.number,
            kind: entity.kind.name().to_owned(),
            title: entity.title.clone(),
        }
    }
}

impl EntitySummary {
    /// `#7 title`, for a line of its own.
    pub fn spans(&self) -> Vec<Span> {
        vec![
            number(self.sequence_number),
            Span::from(format!(" {}", self.title)),
            Span::new(format!("  {}", self.kind), Style::Dim),
        ]
    }
}

/// A task in the queue.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct QueuedTaskOutput {
    pub id: String,
    pub sequence_number: i64,
    pub title: String,
    pub status: String,
    /// The same as people read it.
    #[serde(skip)]
    pub canonical_status: &'static str,
    pub priority: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    pub tags: Vec<String>,
    /// The session that works on it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
}

impl From<QueuedTask> for QueuedTaskOutput {
    fn from(queued: QueuedTask) -> Self {
        let task = queued.task;
        let text = |name: &str| task.text(name).map(str::to_owned);
        Self {
            id: task.id.as_str().to_owned(),
            sequence_number: task.number,
            status: task
                .task_status()
                .map(|status| Dialect::Knowledge.status(status).to_owned())
                .unwrap_or_default(),
            canonical_status: task.task_status().map_or("", TaskStatus::name),
            priority: text("priority").unwrap_or_default(),
            due_date: text("due_date"),
            assignee: text("assignee"),
            tags: task.tags.clone(),
            title: task.title,
            claimed_by: queued.claimed_by,
        }
    }
}

impl QueuedTaskOutput {
    pub fn row(&self) -> Vec<Span> {
        vec![
            number(self.sequence_number),
            priority_span(&self.priority),
            Span::from(self.due_date.clone().unwrap_or_default()),
            status_span(self.canonical_status),
            Span::from(self.title.clone()),
        ]
    }
}

/// The columns that [`QueuedTaskOutput::row`] fills.
pub fn task_columns() -> Vec<Column> {
    vec![
        Column::new("#").right(),
        Column::new("PRIORITY"),
        Column::new("DUE"),
        Column::new("STATUS"),
        Column::new("TITLE").shrinking(),
    ]
}

/// One edge with both of its ends.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RelationOutput {
    pub relation_type: String,
    pub source_id: String,
    pub source_number: i64,
    pub source_type: String,
    pub source_title: String,
    pub target_id: String,
    pub target_number: i64,
    pub target_type: String,
    pub target_title: String,
    pub created_at: String,
}

impl From<RelationRow> for RelationOutput {
    fn from(relation: RelationRow) -> Self {
        let (source_id, source_number, source_type, source_title) = relation.source;
        let (target_id, target_number, target_type, target_title) = relation.target;
        Self {
            relation_type: relation.kind,
            source_id: source_id.as_str().to_owned(),
            source_number,
            source_type,
            source_title,
            target_id: target_id.as_str().to_owned(),
            target_number,
            target_type,
            target_title,
            created_at: relation.created_at.to_seconds(),
        }
    }
}

impl RelationOutput {
    pub fn row(&self) -> Vec<Span> {
        vec![
            Span::from(format!("#{} {}", self.source_number, self.source_title)),
            Span::new(self.relation_type.clone(), Style::Strong),
            Span::from(format!("#{} {}", self.target_number, self.target_title)),
        ]
    }
}

pub fn relation_columns() -> Vec<Column> {
    vec![
        Column::new("FROM").shrinking(),
        Column::new("RELATION"),
        Column::new("TO").shrinking(),
    ]
}

/// Shows a person how to see the rest of a list.
pub fn more_line(view: View, shown: usize, offset: u32, total: Option<u64>) -> View {
    let from = u64::from(offset) + 1;
    let to = u64::from(offset) + shown as u64;
    let text = match total {
        Some(total) if total > to || offset > 0 => {
            format!("{from}–{to} of {total}; continue with --offset {to}")
        }
        Some(_) => return view,
        None => format!("{from}–{to}; continue with --offset {to}"),
    };
    view.line([Span::new(text, Style::Dim)])
}
