//! The entries of a document, read and weighed. They may come from anyone: what is not valid is
//! skipped.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;
use windlass_core::EntityId;
use windlass_core::workflow::{HelpStatus, ReviewStatus};

use super::bodies::{CommentBody, HelpBody, MAX_ENTRY_BYTES, NumberBody, ResultBody, ReviewBody};
use crate::document::Record;

/// The entries of a document, read.
pub(super) struct Work<'r> {
    pub(super) task: &'r EntityId,
    pub(super) numbers: BTreeMap<&'r str, NumberBody>,
    pub(super) reviews: BTreeMap<&'r str, ReviewBody>,
    ends: BTreeMap<&'r str, BTreeSet<&'r str>>,
    pub(super) comments: BTreeMap<&'r str, CommentBody>,
    pub(super) results: Vec<ResultBody>,
    pub(super) help: BTreeMap<&'r str, HelpBody>,
}

fn read<T: DeserializeOwned>(text: &str) -> Option<T> {
    (text.len() <= MAX_ENTRY_BYTES)
        .then(|| serde_json::from_str(text).ok())
        .flatten()
}

fn is_id(text: &str) -> bool {
    uuid::Uuid::parse_str(text).is_ok_and(|id| id.to_string() == text)
}

impl<'r> Work<'r> {
    pub(super) fn of(record: &'r Record) -> Self {
        let mut work = Self {
            task: &record.entity.id,
            numbers: BTreeMap::new(),
            reviews: BTreeMap::new(),
            ends: BTreeMap::new(),
            comments: BTreeMap::new(),
            results: Vec::new(),
            help: BTreeMap::new(),
        };
        for (key, text) in &record.work {
            let Some((kind, rest)) = key.split_once('/') else {
                continue;
            };
            match kind {
                "gates" => {
                    let body = read::<ResultBody>(text).filter(ResultBody::is_valid);
                    work.results.extend(body.filter(|body| body.key() == *key));
                }
                "ends" => {
                    if let Some((id, end)) = rest.split_once('/') {
                        work.ends.entry(id).or_default().insert(end);
                    }
                }
                _ if !is_id(rest) => {}
                "numbers" => {
                    let body = read::<NumberBody>(text).filter(NumberBody::is_valid);
                    work.numbers.extend(body.map(|body| (rest, body)));
                }
                "reviews" => {
                    let body = read::<ReviewBody>(text).filter(ReviewBody::is_valid);
                    work.reviews.extend(body.map(|body| (rest, body)));
                }
                "comments" => work.comments.extend(read(text).map(|body| (rest, body))),
                "help" => {
                    let body = read::<HelpBody>(text).filter(HelpBody::is_valid);
                    work.help.extend(body.map(|body| (rest, body)));
                }
                _ => {}
            }
        }
        work
    }

    /// How the review stands. One that has ended stays so; requested changes outweigh an approval
    /// that was given elsewhere at the same time.
    fn status(&self, id: &str, body: &ReviewBody) -> ReviewStatus {
        use ReviewStatus as S;
        let said = S::parse(&body.status).unwrap_or(S::Withdrawn);
        let has =
            |end: S| said == end || self.ends.get(id).is_some_and(|it| it.contains(end.name()));
        [S::ChangesRequested, S::Approved, S::Withdrawn]
            .into_iter()
            .find(|end| has(*end))
            .unwrap_or(said)
    }

    /// The reviews as rows should have them, those that have ended first. Of several active ones the
    /// last submission stands; the others are withdrawn.
    pub(super) fn reviews(&self) -> Vec<(&'r str, &ReviewBody, ReviewStatus)> {
        let mut found: Vec<_> = self
            .reviews
            .iter()
            .map(|(id, body)| (*id, body, self.status(id, body)))
            .collect();
        let last = found
            .iter()
            .filter(|(_, _, status)| status.is_active())
            .max_by_key(|(id, body, _)| (body.turn, &body.submitted_at, *id))
            .map(|(id, ..)| *id);
        for (id, _, status) in &mut found {
            if status.is_active() && Some(*id) != last {
                *status = ReviewStatus::Withdrawn;
            }
        }
        found.sort_by_key(|(_, _, status)| status.is_active());
        found
    }

    /// Of several open questions the answered or else the oldest one stays; the others are
    /// cancelled.
    pub(super) fn help(&self) -> Vec<(&'r str, &HelpBody, HelpStatus)> {
        let is_open =
            |status: HelpStatus| matches!(status, HelpStatus::Pending | HelpStatus::Responded);
        let mut found: Vec<_> = self
            .help
            .iter()
            .map(|(id, body)| {
                let status = HelpStatus::parse(&body.status).unwrap_or(HelpStatus::Cancelled);
                (*id, body, status)
            })
            .collect();
        let kept = found
            .iter()
            .filter(|(_, _, status)| is_open(*status))
            .min_by_key(|(id, body, status)| {
                (*status != HelpStatus::Responded, &body.created_at, *id)
            })
            .map(|(id, ..)| *id);
        for (id, _, status) in &mut found {
            if is_open(*status) && Some(*id) != kept {
                *status = HelpStatus::Cancelled;
            }
        }
        found.sort_by_key(|(_, _, status)| is_open(*status));
        found
    }
}
