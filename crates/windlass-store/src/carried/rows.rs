//! Rows as entries of a document.

use serde::Serialize;
use serde_json::Value as Json;
use windlass_core::{EntityId, Error, Result};

use super::bodies::{CommentBody, HelpBody, NumberBody, ResultBody, ReviewBody};
use super::{Carried, Entries};
use crate::reader::Reader;

fn json(body: &impl Serialize) -> Result<Json> {
    serde_json::to_value(body)
        .map_err(|problem| Error::internal(format!("A row cannot be carried: {problem}")))
}

fn numbered(entries: &mut Entries, id: &str, number: i64, former: &[i64]) -> Result<()> {
    let body = NumberBody {
        number,
        former: former.to_vec(),
    };
    entries.insert(format!("numbers/{id}"), json(&body)?);
    Ok(())
}

impl Reader<'_> {
    /// What the document of a task has to say about a row; nothing if the change to it was taken
    /// back.
    pub(super) fn entries_of(&self, what: &Carried) -> Result<Option<(EntityId, Entries)>> {
        let mut entries = Entries::new();
        let task = match what {
            Carried::Review(id) => {
                let Some(review) = self.find_review(id)? else {
                    return Ok(None);
                };
                numbered(&mut entries, id, review.number, &review.former_numbers)?;
                entries.insert(format!("reviews/{id}"), json(&ReviewBody::of(&review))?);
                if !review.status.is_active() {
                    // Beside the review, so that no concurrent change to it makes it active again.
                    let key = format!("ends/{id}/{}", review.status.name());
                    entries.insert(key, Json::Bool(true));
                }
                review.task
            }
            Carried::Comment(id) => {
                let Some(comment) = self.find_comment(id)? else {
                    return Ok(None);
                };
                numbered(&mut entries, id, comment.number, &comment.former_numbers)?;
                entries.insert(format!("comments/{id}"), json(&CommentBody::of(&comment))?);
                comment.task
            }
            Carried::Results(id) => {
                let Some(review) = self.find_review(id)? else {
                    return Ok(None);
                };
                for result in self.gate_results(&review)? {
                    if result.here && !result.status.is_open() {
                        let body = ResultBody::of(&result);
                        entries.insert(body.key(), json(&body)?);
                    }
                }
                review.task
            }
            Carried::Help(id) => {
                let Some(request) = self.find_help(id)? else {
                    return Ok(None);
                };
                numbered(&mut entries, id, request.number, &request.former_numbers)?;
                entries.insert(format!("help/{id}"), json(&HelpBody::of(&request))?);
                request.task
            }
        };
        Ok(Some((task, entries)))
    }
}
