//! Comments on tasks: their fields, and what the three operations on them share.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use windlass_core::{
    Dialect, Entity, EntityType, Error, ErrorKind, EventType, Priority, Result, Timestamp,
};
use windlass_store::{AttachedRecord, Collection, Reader, RecordEdit, Writer};

use crate::view::{Render, Span, Style, View};

const MAX_BODY_CHARS: usize = 10_000;
const MAX_AUTHOR_CHARS: usize = 100;

/// A comment as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Comment {
    pub author: String,
    pub body: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discipline: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    pub created_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

impl Comment {
    pub fn new(author: &str, body: &str) -> Result<Self> {
        let author = author.trim();
        let count = author.chars().count();
        if !(1..=MAX_AUTHOR_CHARS).contains(&count) {
            return Err(Error::validation(
                "author",
                format!("has {count} characters, 1 to {MAX_AUTHOR_CHARS} are allowed"),
            ));
        }
        Ok(Self {
            author: author.to_owned(),
            body: check_body(body)?,
            discipline: None,
            priority: None,
            created_at: Timestamp::now(),
            updated_at: None,
        })
    }

    pub fn with_priority(mut self, word: Option<&str>) -> Result<Self> {
        self.priority = word
            .map(|word| {
                let known = Priority::parse_any(word).ok_or_else(|| {
                    Error::invalid_enum("priority", word, Dialect::Plan.priorities())
                })?;
                Ok::<_, Error>(Dialect::Plan.priority(known).to_owned())
            })
            .transpose()?;
        Ok(self)
    }

    pub fn in_discipline(mut self, reader: &Reader<'_>, name: Option<&str>) -> Result<Self> {
        if let Some(name) = name {
            reader.by_name("discipline", EntityType::Discipline, name)?;
        }
        self.discipline = name.map(str::to_owned);
        Ok(self)
    }

    /// Adds the comment to the task.
    pub fn add(self, writer: &Writer<'_>, task: &Entity) -> Result<TaskCommentOutput> {
        let payload = json!({"number": task.number, "author": self.author});
        let edits = [RecordEdit::Add(json!(self))];
        let event = (EventType::CommentAdded, &payload);
        let numbers = writer.edit_records(task, Collection::Comments, &edits, event)?;
        Ok(TaskCommentOutput {
            id: numbers.first().copied().unwrap_or_default(),
            comment: self.into(),
        })
    }
}

pub fn check_body(given: &str) -> Result<String> {
    let body = given.trim();
    let count = body.chars().count();
    if (1..=MAX_BODY_CHARS).contains(&count) {
        return Ok(body.to_owned());
    }
    Err(Error::validation(
        "body",
        format!("has {count} characters, 1 to {MAX_BODY_CHARS} are allowed"),
    ))
}

/// The comment of that number on a task.
pub fn find(reader: &Reader<'_>, task: &Entity, id: i64) -> Result<Comment> {
    let comments = reader.records(&task.id, Collection::Comments)?;
    let known: Vec<i64> = comments.iter().map(|comment| comment.number).collect();
    let found = comments.into_iter().find(|comment| comment.number == id);
    found
        .and_then(|record| serde_json::from_value(record.body).ok())
        .ok_or_else(|| {
            Error::new(
                ErrorKind::CommentNotFound,
                format!("comment_id: task {} has no comment {id}", task.number),
            )
            .with("field", "comment_id")
            .with("value", id)
            .with("known", known)
            .with_hint("[[get_task]] shows the comments of a task.")
        })
}

/// A comment with its number within the task.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TaskCommentOutput {
    pub id: i64,
    #[serde(flatten)]
    pub comment: CommentFields,
}

/// The text and fields of a comment.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CommentFields {
    pub author: String,
    pub body: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discipline: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    pub created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

impl From<Comment> for CommentFields {
    fn from(comment: Comment) -> Self {
        Self {
            author: comment.author,
            body: comment.body,
            discipline: comment.discipline,
            priority: comment.priority,
            created_at: comment.created_at.as_str().to_owned(),
            updated_at: comment.updated_at.map(|at| at.as_str().to_owned()),
        }
    }
}

impl TaskCommentOutput {
    pub fn of(record: &AttachedRecord) -> Option<Self> {
        let comment: Comment = serde_json::from_value(record.body.clone()).ok()?;
        Some(Self {
            id: record.number,
            comment: comment.into(),
        })
    }
}

impl Render for TaskCommentOutput {
    fn view(&self) -> View {
        let comment = &self.comment;
        let about = [&comment.discipline, &comment.priority];
        let about = about.into_iter().flatten();
        let about: Vec<String> = about.map(|word| format!(", {word}")).collect();
        View::default()
            .line([
                Span::new(format!("comment {}", self.id), Style::Id),
                Span::new(format!("  {}  ", comment.author), Style::Strong),
                Span::new(comment.created_at.clone(), Style::Time),
                Span::new(about.concat(), Style::Dim),
            ])
            .text(comment.body.clone())
    }
}
