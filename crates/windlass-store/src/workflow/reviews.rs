//! Reviews: created by a submission, moved by their gates and by reviewers.

use rusqlite::{OptionalExtension as _, Row, params};
use serde_json::{Value as Json, json};
use windlass_core::workflow::{Phases, ReviewAction, ReviewStatus};
use windlass_core::{
    Actor, Entity, EntityId, EntityType, Error, ErrorKind, EventType, Page, Result, Timestamp,
};

use super::local::{Noun, fresh_id};
use super::submission::Submission;
use crate::carried::{Carried, numbers_in};
use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::writer::Writer;

const NOUN: Noun = Noun {
    table: "reviews",
    name: "review",
    missing: ErrorKind::ReviewNotFound,
    list: "review_list",
};

const COLUMNS: &str = "id, number, task, repo, status, session, round, summary, owner,
    submitted_at, gates_completed_at, agent_completed_at, human_completed_at, created_at, updated_at,
    actor, start_commit, start_tree, submit_commit, submit_tree, turn, place, here, former_numbers";

const ACTIVE: &str =
    "status IN ('gates_pending', 'gates_escalated', 'agent_pending', 'human_pending')";

/// Another session counts as active if it did something within the duration of a default lease.
const ACTIVE_MILLIS: i64 = 30 * 60 * 1000;
/// How many of the latest events are searched for other sessions.
const SEARCHED_EVENTS: u32 = 5_000;

/// The review of one submission, including its gates.
#[derive(Debug, Clone, PartialEq)]
pub struct Review {
    pub id: String,
    pub number: i64,
    pub task: EntityId,
    /// The id of the repository in which its gates run; empty if the work was submitted on another
    /// clone.
    pub repo: String,
    /// Whether the work was submitted on this machine, so that its gates run here.
    pub here: bool,
    /// Counts the submissions of the task, so that clones agree on the last one.
    pub turn: i64,
    /// Identifies the last submission.
    pub place: String,
    pub former_numbers: Vec<i64>,
    pub status: ReviewStatus,
    /// The session that submitted the work.
    pub session: String,
    /// Who submitted it: `human` or `agent`.
    pub actor: String,
    /// Where the work began.
    pub start_commit: Option<String>,
    pub start_tree: Option<String>,
    /// What was submitted last.
    pub submit_commit: Option<String>,
    pub submit_tree: Option<String>,
    /// How often the work was submitted for this review.
    pub round: i64,
    pub summary: Option<String>,
    /// The process that runs its gates.
    pub owner: Json,
    pub submitted_at: Timestamp,
    pub gates_completed_at: Option<Timestamp>,
    pub agent_completed_at: Option<Timestamp>,
    pub human_completed_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Review {
    /// Its name in error messages.
    pub fn what(&self) -> String {
        format!("review {}", self.number)
    }
}

/// Which reviews are requested. Newest first.
#[derive(Debug, Clone, Default)]
pub struct ReviewFilter {
    pub task: Option<EntityId>,
    pub status: Option<ReviewStatus>,
    pub active: bool,
}

fn review(row: &Row<'_>) -> rusqlite::Result<Review> {
    let moment = |at: usize| -> rusqlite::Result<Option<Timestamp>> {
        Ok(row
            .get::<_, Option<String>>(at)?
            .map(Timestamp::from_stored))
    };
    Ok(Review {
        id: row.get(0)?,
        number: row.get(1)?,
        task: EntityId::from_stored(row.get::<_, String>(2)?),
        repo: row.get(3)?,
        // A status of a newer binary cannot occur: a newer database is refused.
        status: ReviewStatus::parse(row.get_ref(4)?.as_str()?).unwrap_or(ReviewStatus::Withdrawn),
        session: row.get(5)?,
        round: row.get(6)?,
        summary: row.get(7)?,
        owner: serde_json::from_str(row.get_ref(8)?.as_str()?).unwrap_or_default(),
        submitted_at: Timestamp::from_stored(row.get(9)?),
        gates_completed_at: moment(10)?,
        agent_completed_at: moment(11)?,
        human_completed_at: moment(12)?,
        created_at: Timestamp::from_stored(row.get(13)?),
        updated_at: Timestamp::from_stored(row.get(14)?),
        actor: row.get(15)?,
        start_commit: row.get(16)?,
        start_tree: row.get(17)?,
        submit_commit: row.get(18)?,
        submit_tree: row.get(19)?,
        turn: row.get(20)?,
        place: row.get(21)?,
        here: row.get(22)?,
        former_numbers: numbers_in(row.get_ref(23)?.as_str()?),
    })
}

impl Reader<'_> {
    /// The review that `text` refers to: a number, an id or an id prefix.
    pub fn review(&self, text: &str) -> Result<Review> {
        let id = self.local_id(NOUN, text)?;
        self.one_review("id = ?1", &id)?
            .ok_or_else(|| NOUN.not_found(text))
    }

    /// The active review of the task, if there is one.
    pub fn active_review(&self, task: &EntityId) -> Result<Option<Review>> {
        self.one_review(&format!("task = ?1 AND {ACTIVE}"), task.as_str())
    }

    pub(crate) fn find_review(&self, id: &str) -> Result<Option<Review>> {
        self.one_review("id = ?1", id)
    }

    /// The review of the last submission of the task.
    pub(crate) fn last_review(&self, task: &EntityId) -> Result<Option<Review>> {
        self.one_review(
            "task = ?1 ORDER BY turn DESC, submitted_at DESC, id DESC LIMIT 1",
            task.as_str(),
        )
    }

    fn next_turn(&self, task: &EntityId) -> Result<i64> {
        let last = self.last_review(task)?;
        Ok(last.map_or(1, |review| review.turn + 1))
    }

    fn one_review(&self, condition: &str, value: &str) -> Result<Option<Review>> {
        self.connection()
            .prepare_cached(&format!("SELECT {COLUMNS} FROM reviews WHERE {condition}"))
            .and_then(|mut statement| statement.query_row([value], review).optional())
            .stored()
    }

    pub fn reviews(&self, filter: &ReviewFilter, page: Page) -> Result<Vec<Review>> {
        let active = if filter.active { ACTIVE } else { "1" };
        self.connection()
            .prepare_cached(&format!(
                "SELECT {COLUMNS} FROM reviews
                 WHERE {active} AND (?1 IS NULL OR task = ?1) AND (?2 IS NULL OR status = ?2)
                 ORDER BY number DESC LIMIT ?3 OFFSET ?4"
            ))
            .and_then(|mut statement| {
                let values = (
                    filter.task.as_ref().map(EntityId::as_str),
                    filter.status.map(ReviewStatus::name),
                    page.limit,
                    page.offset,
                );
                statement.query_map(values, review)?.collect()
            })
            .stored()
    }

    /// Whether an agent in another session was recently active.
    pub(crate) fn another_agent_is_active(&self, session: &str) -> Result<bool> {
        let since = Timestamp::from_millis(Timestamp::now().as_millis() - ACTIVE_MILLIS);
        self.connection()
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM
                     (SELECT at, actor, session FROM events ORDER BY seq DESC LIMIT ?3)
                 WHERE at > ?1 AND actor = 'agent' AND session <> ?2)",
            )
            .and_then(|mut statement| {
                statement.query_row((since.as_str(), session, SEARCHED_EVENTS), |row| row.get(0))
            })
            .stored()
    }
}

impl Writer<'_> {
    pub(super) fn create_review(
        &self,
        task: &Entity,
        submission: &Submission,
        status: ReviewStatus,
    ) -> Result<Review> {
        let (id, now) = (fresh_id(), Timestamp::now());
        let (number, turn) = (
            self.next_work_number(NOUN.table)?,
            self.next_turn(&task.id)?,
        );
        let gates_done = (status != ReviewStatus::GatesPending).then(|| now.as_str().to_owned());
        self.connection()
            .prepare_cached(
                "INSERT INTO reviews (id, task, repo, status, session, round, owner, submitted_at,
                     gates_completed_at, created_at, updated_at, actor, start_commit, start_tree,
                     submit_commit, submit_tree, number, turn, place)
                 VALUES (?1, ?2, ?3, ?4, ?5, 1, '{}', ?6, ?7, ?6, ?6, ?8, ?9, ?10, ?11, ?12, ?13,
                     ?14, ?15)",
            )
            .and_then(|mut statement| {
                statement.execute(params![
                    &id,
                    task.id.as_str(),
                    &submission.repo,
                    status.name(),
                    &self.origin.session,
                    now.as_str(),
                    gates_done,
                    self.origin.actor.name(),
                    task.text("start_commit"),
                    task.text("start_tree"),
                    &submission.place.commit,
                    &submission.place.tree,
                    number,
                    turn,
                    fresh_id(),
                ])
            })
            .stored()?;
        self.carry(Carried::Review(id.clone()));
        let review = self.review(&id)?;
        self.review_event(EventType::ReviewCreated, &review, json!({}))?;
        Ok(review)
    }

    /// Moves a review, stores when its phases ended, and records the event.
    pub(crate) fn move_review(
        &self,
        review: &Review,
        action: ReviewAction,
        phases: Phases,
        more: Json,
    ) -> Result<Review> {
        let actor = self.origin.actor;
        let next = action.apply(&review.what(), review.status, actor, phases)?;
        let ended = |phase: bool| phase.then(|| Timestamp::now().as_str().to_owned());
        let judged = matches!(action, ReviewAction::Approve | ReviewAction::RequestChanges);
        let by_person = actor == Actor::Human;
        self.connection()
            .prepare_cached(
                "UPDATE reviews SET status = ?2, updated_at = ?3,
                     gates_completed_at = ifnull(gates_completed_at, ?4),
                     agent_completed_at = ifnull(agent_completed_at, ?5),
                     human_completed_at = ifnull(human_completed_at, ?6)
                 WHERE id = ?1",
            )
            .and_then(|mut statement| {
                statement.execute((
                    &review.id,
                    next.name(),
                    Timestamp::now().as_str(),
                    ended(!matches!(
                        next,
                        ReviewStatus::GatesPending
                            | ReviewStatus::GatesEscalated
                            | ReviewStatus::Withdrawn
                    )),
                    ended(judged && review.status == ReviewStatus::AgentPending),
                    ended(judged && by_person && review.status != ReviewStatus::GatesEscalated),
                ))
            })
            .stored()?;
        self.carry(Carried::Review(review.id.clone()));
        let moved = self.review(&review.id)?;
        let event = match next {
            ReviewStatus::Approved => EventType::ReviewApproved,
            ReviewStatus::ChangesRequested => EventType::ChangesRequested,
            ReviewStatus::Withdrawn => EventType::ReviewWithdrawn,
            ReviewStatus::GatesPending => EventType::ReviewResubmitted,
            ReviewStatus::GatesEscalated => EventType::GateEscalated,
            ReviewStatus::AgentPending | ReviewStatus::HumanPending => EventType::ReviewAdvanced,
        };
        self.review_event(event, &moved, more)?;
        Ok(moved)
    }

    pub(super) fn review_event(&self, kind: EventType, review: &Review, more: Json) -> Result<()> {
        let number = self.find_entity(&review.task)?.map(|task| task.number);
        let mut payload = json!({
            "number": number,
            "review_id": review.id,
            "review": review.number,
            "status": review.status.name(),
        });
        if let (Some(all), Json::Object(more)) = (payload.as_object_mut(), more) {
            all.extend(more);
        }
        self.record_event(kind, Some((&review.task, EntityType::Task)), &payload)
    }

    pub(super) fn set_review_round(
        &self,
        review: &Review,
        round: i64,
        submission: &Submission,
    ) -> Result<()> {
        let turn = self.next_turn(&review.task)?;
        self.connection()
            .prepare_cached(
                "UPDATE reviews SET round = ?2, session = ?3, submitted_at = ?4, actor = ?5,
                     submit_commit = ?6, submit_tree = ?7, turn = ?8, place = ?9, here = 1,
                     repo = iif(here, repo, ?10), owner = iif(here, owner, '{}') WHERE id = ?1",
            )
            .and_then(|mut statement| {
                let now = Timestamp::now();
                statement.execute((
                    &review.id,
                    round,
                    &self.origin.session,
                    now.as_str(),
                    self.origin.actor.name(),
                    &submission.place.commit,
                    &submission.place.tree,
                    turn,
                    fresh_id(),
                    &submission.repo,
                ))
            })
            .stored()?;
        self.carry(Carried::Review(review.id.clone()));
        Ok(())
    }

    pub(super) fn set_review_summary(&self, review: &Review, summary: &str) -> Result<()> {
        self.connection()
            .prepare_cached("UPDATE reviews SET summary = ?2 WHERE id = ?1")
            .and_then(|mut statement| statement.execute((&review.id, summary)))
            .stored()?;
        self.carry(Carried::Review(review.id.clone()));
        Ok(())
    }

    /// Takes over the gates of a review for execution, from an owner that the caller knows to have
    /// exited. If several try, one gets it.
    pub fn own_review(&self, id: &str, seen: &Json, owner: &Json) -> Result<bool> {
        let taken = self
            .connection()
            .prepare_cached(
                "UPDATE reviews SET owner = ?3
                 WHERE id = ?1 AND owner = ?2 AND status = 'gates_pending'",
            )
            .and_then(|mut statement| statement.execute((id, seen.to_string(), owner.to_string())))
            .stored()?;
        Ok(taken > 0)
    }

    /// Refuses approval of one's own work if another agent could review it.
    pub(super) fn check_other_session(&self, review: &Review) -> Result<()> {
        let own = self.origin.actor == Actor::Agent && self.origin.session == review.session;
        if !own
            || review.status != ReviewStatus::AgentPending
            || !self.another_agent_is_active(&review.session)?
        {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::OwnReview,
            format!(
                "Review {} is of this session's own work, and another session is active that can review it",
                review.number
            ),
        )
        .with("review_id", review.id.as_str())
        .with_hint("Let another session or a person approve it; use [[work_next_ready]] to find other work."))
    }
}
