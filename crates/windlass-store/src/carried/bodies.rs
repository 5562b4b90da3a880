//! What an entry says. Fields that this binary does not know stay in the document.

use serde::{Deserialize, Serialize};
use windlass_core::Timestamp;
use windlass_core::workflow::{GateStatus, HelpCategory, HelpStatus, ReviewStatus};

use crate::workflow::{Comment, GateResult, HelpRequest, Review};

/// Beyond this no clone counts; a document that says so is wrong.
pub(crate) const MAX_NUMBER: i64 = 1_000_000_000_000;
/// A longer entry is not one of ours.
pub(super) const MAX_ENTRY_BYTES: usize = 256 << 10;
/// How much of each output stream of a gate travels: its end.
const MAX_OUTPUT_BYTES: usize = 4 << 10;

/// The number of a review, a comment or a help request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct NumberBody {
    pub(super) number: i64,
    #[serde(default)]
    pub(super) former: Vec<i64>,
}

impl NumberBody {
    pub(super) fn is_valid(&self) -> bool {
        let valid = |number: &i64| (1..=MAX_NUMBER).contains(number);
        valid(&self.number) && self.former.iter().all(valid)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ReviewBody {
    pub(super) turn: i64,
    pub(super) place: String,
    pub(super) status: String,
    pub(super) session: String,
    pub(super) actor: String,
    pub(super) round: i64,
    pub(super) summary: Option<String>,
    pub(super) start_commit: Option<String>,
    pub(super) start_tree: Option<String>,
    pub(super) submit_commit: Option<String>,
    pub(super) submit_tree: Option<String>,
    pub(super) submitted_at: Timestamp,
    pub(super) gates_completed_at: Option<Timestamp>,
    pub(super) agent_completed_at: Option<Timestamp>,
    pub(super) human_completed_at: Option<Timestamp>,
    pub(super) created_at: Timestamp,
    pub(super) updated_at: Timestamp,
}

impl ReviewBody {
    pub(super) fn of(review: &Review) -> Self {
        let review = review.clone();
        Self {
            turn: review.turn,
            place: review.place,
            status: review.status.name().to_owned(),
            session: review.session,
            actor: review.actor,
            round: review.round,
            summary: review.summary,
            start_commit: review.start_commit,
            start_tree: review.start_tree,
            submit_commit: review.submit_commit,
            submit_tree: review.submit_tree,
            submitted_at: review.submitted_at,
            gates_completed_at: review.gates_completed_at,
            agent_completed_at: review.agent_completed_at,
            human_completed_at: review.human_completed_at,
            created_at: review.created_at,
            updated_at: review.updated_at,
        }
    }

    pub(super) fn is_valid(&self) -> bool {
        (0..=MAX_NUMBER).contains(&self.turn)
            && (0..=MAX_NUMBER).contains(&self.round)
            && matches!(self.actor.as_str(), "human" | "agent")
            && ReviewStatus::parse(&self.status).is_some()
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct CommentBody {
    pub(super) review: String,
    pub(super) author: String,
    pub(super) session: String,
    pub(super) file_path: Option<String>,
    pub(super) line_start: Option<i64>,
    pub(super) line_end: Option<i64>,
    pub(super) side: Option<String>,
    pub(super) body: String,
    pub(super) created_at: Timestamp,
    pub(super) resolved_at: Option<Timestamp>,
}

impl CommentBody {
    pub(super) fn of(comment: &Comment) -> Self {
        let comment = comment.clone();
        Self {
            review: comment.review,
            author: comment.author,
            session: comment.session,
            file_path: comment.file_path,
            line_start: comment.line_start,
            line_end: comment.line_end,
            side: comment.side,
            body: comment.body,
            created_at: comment.created_at,
            resolved_at: comment.resolved_at,
        }
    }
}

/// The result of an attempt that has ended. Its command stays where it ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ResultBody {
    pub(super) review: String,
    pub(super) gate: String,
    pub(super) attempt: u32,
    pub(super) place: String,
    pub(super) round: i64,
    pub(super) position: i64,
    pub(super) scope: String,
    pub(super) name: String,
    pub(super) max_retries: u32,
    pub(super) status: String,
    pub(super) exit_code: Option<i32>,
    pub(super) message: Option<String>,
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) polls: u32,
    pub(super) started_at: Option<Timestamp>,
    pub(super) completed_at: Option<Timestamp>,
}

impl ResultBody {
    pub(super) fn of(result: &GateResult) -> Self {
        let result = result.clone();
        Self {
            review: result.review,
            gate: result.gate,
            attempt: result.attempt,
            place: result.place,
            round: result.round,
            position: result.position,
            scope: result.scope,
            name: result.definition.name,
            max_retries: result.definition.max_retries,
            status: result.status.name().to_owned(),
            exit_code: result.exit_code,
            message: result.message,
            stdout: crate::workflow::end_of(&result.stdout, MAX_OUTPUT_BYTES).to_owned(),
            stderr: crate::workflow::end_of(&result.stderr, MAX_OUTPUT_BYTES).to_owned(),
            polls: result.polls,
            started_at: result.started_at,
            completed_at: result.completed_at,
        }
    }

    /// Attempts that have not ended do not travel: nothing that comes from elsewhere is run.
    pub(super) fn is_valid(&self) -> bool {
        GateStatus::parse(&self.status).is_some_and(|status| !status.is_open())
            && (0..=MAX_NUMBER).contains(&self.round)
            && (0..=MAX_NUMBER).contains(&self.position)
    }

    pub(super) fn key(&self) -> String {
        format!(
            "gates/{}/{}/{}/{}",
            self.review, self.place, self.attempt, self.gate
        )
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct HelpBody {
    pub(super) from_status: String,
    pub(super) category: String,
    pub(super) reason: String,
    pub(super) suggested_options: Vec<String>,
    pub(super) status: String,
    pub(super) response: Option<String>,
    pub(super) chosen_option: Option<i64>,
    pub(super) session: String,
    pub(super) created_at: Timestamp,
    pub(super) responded_at: Option<Timestamp>,
    pub(super) resumed_at: Option<Timestamp>,
}

impl HelpBody {
    pub(super) fn of(request: &HelpRequest) -> Self {
        let request = request.clone();
        Self {
            from_status: request.from_status.name().to_owned(),
            category: request.category.name().to_owned(),
            reason: request.reason,
            suggested_options: request.suggested_options,
            status: request.status.name().to_owned(),
            response: request.response,
            chosen_option: request.chosen_option,
            session: request.session,
            created_at: request.created_at,
            responded_at: request.responded_at,
            resumed_at: request.resumed_at,
        }
    }

    pub(super) fn is_valid(&self) -> bool {
        HelpStatus::parse(&self.status).is_some()
            && HelpCategory::parse(&self.category).is_some()
            && windlass_core::TaskStatus::parse(&self.from_status).is_some()
    }
}
