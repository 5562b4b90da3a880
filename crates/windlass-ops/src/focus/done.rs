use crate::prelude::*;
use serde_json::json;
use windlass_core::workflow::{GateStatus, ReviewStatus};
use windlass_core::{Dialect, ErrorKind, Patch, TaskStatus};
use windlass_store::{Reader, Review, Writer};

use super::current::Current;
use super::signal::required;
use crate::plan::Comment;
use crate::workflow::{GateFailure, Handover, failures_of, wait_for_gates};

pub struct Done;

/// Hand in your task. Waits while its gates run. If some fail, you get the end of their output: fix
/// the work and call done again.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// What was done, in a few sentences.
    pub summary: String,
}

/// How much of a failed gate's output is shown, in characters of each stream.
const TAIL: usize = 2_000;

/// What came of the work.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Finished {
    pub verb: &'static str,
    /// The number of the task.
    pub task_id: i64,
    /// done, in_review, gates_failed, gates_pending, waits_for_person.
    pub outcome: &'static str,
    /// What it means, and what to do next.
    pub message: String,
    /// The number of the review, if the task has gates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<i64>,
    /// The gates that failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub gate_failures: Vec<GateFailure>,
    /// Tasks that can be worked on because of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub now_ready: Vec<i64>,
}

impl Render for Finished {
    fn view(&self) -> View {
        let mut view = View::default();
        for failure in &self.gate_failures {
            view = view.join(failure.view()).blank();
        }
        view.line([
            Span::new(format!("#{} ", self.task_id), Style::Id),
            Span::from(self.message.clone()),
        ])
    }

    fn unsuccessful(&self) -> bool {
        !self.gate_failures.is_empty()
    }
}

impl Operation for Done {
    type Input = Input;
    type Output = Finished;

    const DECLARATION: Declaration = Declaration::execute("done", Toolset::Focus)
        .sdk("focus.done")
        .long_running()
        .examples(&[Example::call(
            "All of it works",
            r#"{"summary": "Login and logout work, with tests"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<Finished> {
        required("summary", &input.summary)?;
        let summary = input.summary.clone();
        let handed_in = context
            .offload(move |context| hand_in(context, &summary))
            .await?;
        let (review, number) = match handed_in {
            HandedIn::Completed(finished) => return Ok(finished),
            HandedIn::InReview(review, number) => (review, number),
        };
        wait_for_gates(&context, &review).await?;
        context
            .offload(move |context| {
                let finished = context.store.read(None, |reader| {
                    let review = reader.review(&review.id)?;
                    outcome(context, reader, &review, number)
                })?;
                remember(context, &review, &input.summary, &finished)?;
                Ok(finished)
            })
            .await
    }
}

enum HandedIn {
    Completed(Finished),
    /// The review whose gates run now, and the number of the task.
    InReview(Box<Review>, i64),
}

fn hand_in(context: &Context, summary: &str) -> Result<HandedIn> {
    let current = context.read(|reader| Current::of(reader, context))?;
    if current.has_ended() {
        return Err(already_ended(&current));
    }
    let handover = Handover::gather(context, &current.task)?;
    let handed_in = context.write_claiming(|writer| {
        let current = Current::of(writer, context)?;
        let task = &current.task;
        if current.has_ended() {
            return Err(already_ended(&current));
        }
        if let Some(review) = in_review(writer, &current)? {
            return Ok(HandedIn::InReview(Box::new(review), task.number));
        }
        let reviewed = handover.has_gates(writer, task)? || writer.was_submitted(&task.id)?;
        let said = if reviewed { "Handed in" } else { "Done" };
        Comment::new(&current.session, &format!("{said}: {summary}"))?.add(writer, task)?;
        if reviewed {
            let ready = matches!(
                task.task_status(),
                Some(TaskStatus::InProgress | TaskStatus::InReview)
            );
            if !ready {
                writer.start_task(&task.id, handover.place())?;
            }
            let review = handover.submit(writer, task)?;
            return Ok(HandedIn::InReview(Box::new(review), task.number));
        }
        let body = json!({ "summary": summary });
        writer.add_signal(&current.session, &task.id, "done", &body)?;
        complete(context, writer, &current).map(HandedIn::Completed)
    })?;
    Ok(handed_in.value)
}

/// The review, if it has the work already: its gates run (the call before this one was cut off
/// meanwhile), or others decide.
fn in_review(reader: &Reader<'_>, current: &Current) -> Result<Option<Review>> {
    let active = reader.active_review(&current.task.id)?;
    let Some(review) = active.filter(|_| current.task.task_status() == Some(TaskStatus::InReview))
    else {
        return Ok(None);
    };
    let runs = reader
        .current_results(&review)?
        .iter()
        .any(|result| result.status.is_open() && result.status != GateStatus::Waiting);
    let decided = review.status != ReviewStatus::GatesPending;
    Ok((runs || decided).then_some(review))
}

fn complete(context: &Context, writer: &Writer<'_>, current: &Current) -> Result<Finished> {
    let task = &current.task;
    let mut patch = Patch::default();
    let done = TaskStatus::Done.name().to_owned();
    patch.managed.insert("status", Some(done));
    writer.update(&task.id, &patch, Dialect::Plan)?;
    let waiting = writer.blocked_by(&task.id)?;
    let ready = writer.ready_among(&waiting)?;
    Ok(Finished {
        verb: "done",
        task_id: task.number,
        outcome: "done",
        message: context
            .naming
            .render("The task is done. [[focus.begin]] takes the next one."),
        review: None,
        gate_failures: Vec::new(),
        now_ready: ready.iter().map(|task| task.number).collect(),
    })
}

fn already_ended(current: &Current) -> Error {
    let state = current.task.status().unwrap_or_default().to_owned();
    Error::new(
        ErrorKind::InvalidTransition,
        format!("Task {} is {state} already", current.task.number),
    )
    .with("state", state)
    .with_hint("Take the next one with [[focus.begin]].")
}

/// What the review came to.
fn outcome(
    context: &Context,
    reader: &Reader<'_>,
    review: &Review,
    number: i64,
) -> Result<Finished> {
    let results = reader.current_results(review)?;
    let open = |status: GateStatus| {
        let mut found = results.iter().filter(|it| it.status == status);
        found.next().map(|it| {
            let why = it.message.clone().unwrap_or_default();
            (it.definition.name.clone(), why)
        })
    };
    let mut failures = match review.status {
        ReviewStatus::GatesPending | ReviewStatus::GatesEscalated => {
            failures_of(reader, review, context.output_budget)?
        }
        _ => Vec::new(),
    };
    for failure in &mut failures {
        failure.shorten(TAIL);
    }
    let next = "Take other work meanwhile with [[focus.begin]].";
    let (outcome, message) = match review.status {
        ReviewStatus::GatesPending => {
            match (open(GateStatus::Waiting), open(GateStatus::Pending)) {
                (Some((_, why)), _) => ("waits_for_person", format!("{why} {next}")),
                (None, Some((name, _))) => (
                    "gates_pending",
                    format!("Gate {name} has no result yet and is asked again by itself. {next}"),
                ),
                (None, None) => ("gates_failed", failed_message(&failures)),
            }
        }
        ReviewStatus::GatesEscalated => (
            "waits_for_person",
            format!("A gate failed as often as it may: a person decides. {next}"),
        ),
        ReviewStatus::AgentPending => (
            "in_review",
            format!(
                "Handed in: the gates passed, and another agent or a person reviews it. {next}"
            ),
        ),
        ReviewStatus::HumanPending => (
            "in_review",
            format!("Handed in: the gates passed, and a person reviews it. {next}"),
        ),
        ReviewStatus::Approved => (
            "done",
            "The gates passed and the task is done. [[focus.begin]] takes the next one.".to_owned(),
        ),
        ReviewStatus::ChangesRequested => (
            "changes_requested",
            "Changes were requested: [[focus.begin]] shows them.".to_owned(),
        ),
        ReviewStatus::Withdrawn => (
            "withdrawn",
            format!("A person has taken the task out of its review. {next}"),
        ),
    };
    Ok(Finished {
        verb: "done",
        task_id: number,
        outcome,
        message: context.naming.render(&message),
        review: Some(review.number),
        gate_failures: failures,
        now_ready: Vec::new(),
    })
}

fn failed_message(failures: &[GateFailure]) -> String {
    let names: Vec<String> = failures
        .iter()
        .map(|it| format!("{} (attempt {} of {})", it.name, it.attempt, it.max_retries))
        .collect();
    format!(
        "Not done yet. Gates failed: {}. Fix what they report, then call [[focus.done]] again; [[focus.stuck]] gives the task back.",
        names.join(", ")
    )
}

/// Puts the end of the work on record: the last word of a session says how it ended.
fn remember(context: &Context, review: &Review, summary: &str, finished: &Finished) -> Result<()> {
    let verb = match finished.outcome {
        "gates_failed" => "gates_failed",
        _ => "done",
    };
    let body = json!({
        "summary": summary,
        "outcome": finished.outcome,
        "review": finished.review,
    });
    context.write(|writer| writer.add_signal(&context.origin.session, &review.task, verb, &body))
}
