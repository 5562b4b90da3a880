//! Comments of reviewers, on a file or on the whole submission.

use rusqlite::{OptionalExtension as _, Row};
use serde_json::json;
use windlass_core::{EntityId, Error, ErrorKind, EventType, Page, Result, Timestamp};

use super::local::{Noun, fresh_id};
use super::reviews::Review;
use crate::carried::{Carried, numbers_in};
use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::writer::Writer;

const NOUN: Noun = Noun {
    table: "review_comments",
    name: "comment",
    missing: ErrorKind::CommentNotFound,
    list: "review_list_comments",
};

const COLUMNS: &str = "id, number, review, task, author, session, file_path, line_start, line_end,
    side, body, created_at, resolved_at, former_numbers";

const MAX_BODY_BYTES: usize = 20 * 1024;
const MAX_PATH_CHARS: usize = 1_000;

/// A comment to be added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewComment {
    pub file_path: Option<String>,
    pub line_start: Option<i64>,
    pub line_end: Option<i64>,
    /// `left` is the version before the change, `right` the one after it.
    pub side: Option<String>,
    pub body: String,
}

impl NewComment {
    fn check(&self) -> Result<()> {
        if self.body.trim().is_empty() || self.body.len() > MAX_BODY_BYTES {
            return Err(Error::validation(
                "body",
                format!("must have 1 to {MAX_BODY_BYTES} bytes"),
            ));
        }
        let path = self.file_path.as_deref();
        if path.is_some_and(|path| path.is_empty() || path.chars().count() > MAX_PATH_CHARS) {
            return Err(Error::validation(
                "file_path",
                format!("must have 1 to {MAX_PATH_CHARS} characters"),
            ));
        }
        if self.line_start.is_some() && path.is_none() {
            return Err(Error::validation("line_start", "requires a file_path"));
        }
        let (start, end) = (self.line_start, self.line_end);
        if start.is_some_and(|line| line < 1) || (end.is_some() && start.is_none()) {
            return Err(Error::validation(
                "line_start",
                "must be at least 1, and requires line_end",
            ));
        }
        if end.is_some_and(|end| Some(end) < start) {
            return Err(Error::validation("line_end", "is before line_start"));
        }
        match self.side.as_deref() {
            None | Some("left" | "right") => Ok(()),
            Some(other) => Err(Error::invalid_enum("side", other, &["left", "right"])),
        }
    }
}

/// A comment on a review. It cannot change, except that it can be resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    pub id: String,
    pub number: i64,
    pub review: String,
    pub task: EntityId,
    pub author: String,
    pub session: String,
    pub file_path: Option<String>,
    pub line_start: Option<i64>,
    pub line_end: Option<i64>,
    pub side: Option<String>,
    pub body: String,
    pub created_at: Timestamp,
    pub resolved_at: Option<Timestamp>,
    pub former_numbers: Vec<i64>,
}

fn comment(row: &Row<'_>) -> rusqlite::Result<Comment> {
    Ok(Comment {
        id: row.get(0)?,
        number: row.get(1)?,
        review: row.get(2)?,
        task: EntityId::from_stored(row.get::<_, String>(3)?),
        author: row.get(4)?,
        session: row.get(5)?,
        file_path: row.get(6)?,
        line_start: row.get(7)?,
        line_end: row.get(8)?,
        side: row.get(9)?,
        body: row.get(10)?,
        created_at: Timestamp::from_stored(row.get(11)?),
        resolved_at: row
            .get::<_, Option<String>>(12)?
            .map(Timestamp::from_stored),
        former_numbers: numbers_in(row.get_ref(13)?.as_str()?),
    })
}

impl Reader<'_> {
    /// The comments of a review, oldest first.
    pub fn comments(&self, review: &Review, open_only: bool, page: Page) -> Result<Vec<Comment>> {
        self.connection()
            .prepare_cached(&format!(
                "SELECT {COLUMNS} FROM review_comments
                 WHERE review = ?1 AND (NOT ?2 OR resolved_at IS NULL)
                 ORDER BY number LIMIT ?3 OFFSET ?4"
            ))
            .and_then(|mut statement| {
                let values = (&review.id, open_only, page.limit, page.offset);
                statement.query_map(values, comment)?.collect()
            })
            .stored()
    }

    pub fn comment(&self, text: &str) -> Result<Comment> {
        let id = self.local_id(NOUN, text)?;
        self.find_comment(&id)?.ok_or_else(|| NOUN.not_found(text))
    }

    pub(crate) fn find_comment(&self, id: &str) -> Result<Option<Comment>> {
        self.connection()
            .prepare_cached(&format!(
                "SELECT {COLUMNS} FROM review_comments WHERE id = ?1"
            ))
            .and_then(|mut statement| statement.query_row([id], comment).optional())
            .stored()
    }
}

impl Writer<'_> {
    pub fn add_comment(&self, review: &Review, new: &NewComment) -> Result<Comment> {
        new.check()?;
        let (id, number) = (fresh_id(), self.next_work_number(NOUN.table)?);
        self.connection()
            .prepare_cached(
                "INSERT INTO review_comments (id, review, task, author, session, file_path, line_start,
                     line_end, side, body, created_at, number)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )
            .and_then(|mut statement| {
                statement.execute((
                    &id,
                    &review.id,
                    review.task.as_str(),
                    self.origin.actor.name(),
                    &self.origin.session,
                    &new.file_path,
                    new.line_start,
                    new.line_end,
                    &new.side,
                    &new.body,
                    Timestamp::now().as_str(),
                    number,
                ))
            })
            .stored()?;
        self.carry(Carried::Comment(id.clone()));
        let created = self.comment(&id)?;
        let more = json!({"comment_id": created.id, "comment": created.number, "file_path": created.file_path});
        self.review_event(EventType::CommentAdded, review, more)?;
        Ok(created)
    }

    /// Marks a comment as resolved. A resolved one does not change.
    pub fn resolve_comment(&self, text: &str) -> Result<Comment> {
        let comment = self.comment(text)?;
        if comment.resolved_at.is_some() {
            return Ok(comment);
        }
        self.connection()
            .prepare_cached("UPDATE review_comments SET resolved_at = ?2 WHERE id = ?1")
            .and_then(|mut statement| statement.execute((&comment.id, Timestamp::now().as_str())))
            .stored()?;
        self.carry(Carried::Comment(comment.id.clone()));
        let review = self.review(&comment.review)?;
        let more = json!({"comment_id": comment.id, "comment": comment.number});
        self.review_event(EventType::CommentResolved, &review, more)?;
        self.comment(&comment.id)
    }
}
