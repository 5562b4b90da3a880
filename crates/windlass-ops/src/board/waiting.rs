//! What is waiting for a person: reviews to decide, questions to answer, gates that need a
//! permission, tasks that two machines work on.

use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::workflow::{GateStatus, HelpStatus, ReviewStatus};
use windlass_core::{Entity, Page, Result, Timestamp};
use windlass_store::{HelpFilter, Reader, Review, ReviewFilter};

use crate::list::find;

/// How many of each kind are read.
const MOST: Page = Page {
    limit: 20,
    offset: 0,
};

/// Something that a person has to do before a task can continue.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WaitingForPerson {
    /// review, question, gate or claim.
    pub what: String,
    /// The task.
    pub number: i64,
    pub title: String,
    /// What is asked of the person, in a sentence.
    pub reason: String,
    /// The commands that do it.
    pub commands: Vec<String>,
    pub since: String,
}

/// Everything that is waiting, the longest first.
pub fn waiting_for_person(reader: &Reader<'_>) -> Result<Vec<WaitingForPerson>> {
    let mut all = questions(reader)?;
    for status in [ReviewStatus::HumanPending, ReviewStatus::GatesEscalated] {
        for (task, review) in reviews(reader, status)? {
            all.push(to_decide(task, &review));
        }
    }
    for (task, review) in reviews(reader, ReviewStatus::GatesPending)? {
        all.extend(gates_without_permission(reader, task, &review)?);
    }
    all.extend(claim_conflicts(reader)?);
    all.sort_by(|one, other| one.since.cmp(&other.since));
    Ok(all)
}

/// The reviews of that status with their tasks, except those of deleted tasks.
fn reviews(reader: &Reader<'_>, status: ReviewStatus) -> Result<Vec<(Entity, Review)>> {
    let filter = ReviewFilter {
        status: Some(status),
        ..ReviewFilter::default()
    };
    let mut all = Vec::new();
    for review in reader.reviews(&filter, MOST)? {
        if let Some(task) = reader.find_entity(&review.task)? {
            all.push((task, review));
        }
    }
    Ok(all)
}

fn to_decide(task: Entity, review: &Review) -> WaitingForPerson {
    let id = review.number.to_string();
    let reason = match review.status {
        ReviewStatus::GatesEscalated => {
            format!("review {id}: its gates failed too often; a person must decide")
        }
        _ => format!("review {id}: waiting for your decision"),
    };
    let commands = ["review_show", "review_approve", "review_request_changes"];
    let commands = commands.map(|name| command(name, &id)).to_vec();
    item("review", task, reason, commands, &review.updated_at)
}

fn gates_without_permission(
    reader: &Reader<'_>,
    task: Entity,
    review: &Review,
) -> Result<Option<WaitingForPerson>> {
    let results = reader.current_results(review)?;
    let waiting = results
        .into_iter()
        .find(|result| result.status == GateStatus::Waiting);
    let Some(gate) = waiting else { return Ok(None) };
    let why = gate.message.unwrap_or_default();
    let reason = format!("gate {} cannot run: {why}", gate.definition.name);
    let commands = vec![command("gate_results", &review.number.to_string())];
    Ok(Some(item(
        "gate",
        task,
        reason,
        commands,
        &review.updated_at,
    )))
}

fn claim_conflicts(reader: &Reader<'_>) -> Result<Vec<WaitingForPerson>> {
    let mut all = Vec::new();
    for claim in reader.remote_claims()? {
        let Some(other) = claim.other else { continue };
        let Some(task) = reader.find_entity(&claim.id)? else {
            continue;
        };
        let reason = format!("{} works on it here, and {other} too", claim.owner);
        let number = task.number;
        let commands = vec![format!("windlass tasks release {number}")];
        let since = Timestamp::from_millis(claim.renewed_at);
        all.push(item("claim", task, reason, commands, &since));
    }
    Ok(all)
}

fn questions(reader: &Reader<'_>) -> Result<Vec<WaitingForPerson>> {
    let mut all = Vec::new();
    for status in [HelpStatus::Pending, HelpStatus::Responded] {
        let filter = HelpFilter {
            status: Some(status),
            ..HelpFilter::default()
        };
        for request in reader.help_requests(&filter, MOST)? {
            let Some(task) = reader.find_entity(&request.task)? else {
                continue;
            };
            let first_line = request.reason.lines().next().unwrap_or_default();
            let number = request.number.to_string();
            let (reason, commands) = if status == HelpStatus::Pending {
                let command = command("help_respond", &number);
                (format!("question {number}: {first_line}"), vec![command])
            } else {
                let command = command("help_resume", &task.number.to_string());
                let reason = format!("question {number} is answered: resume the task");
                (reason, vec![command])
            };
            all.push(item(
                "question",
                task,
                reason,
                commands,
                &request.created_at,
            ));
        }
    }
    Ok(all)
}

fn item(
    what: &str,
    task: Entity,
    reason: String,
    commands: Vec<String>,
    since: &Timestamp,
) -> WaitingForPerson {
    WaitingForPerson {
        what: what.to_owned(),
        number: task.number,
        title: task.title,
        reason,
        commands,
        since: since.as_str().to_owned(),
    }
}

/// What a person types to run an operation.
fn command(operation: &str, argument: &str) -> String {
    let words = find(operation).map_or_else(Vec::new, |entry| entry.declaration.command_words());
    format!("windlass {} {argument}", words.join(" "))
}
