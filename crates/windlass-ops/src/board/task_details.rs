//! Details of a task besides its fields: parent and children, blockers, gates and review.

use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::workflow::ReviewStatus;
use windlass_core::{Entity, Page, Priority, Result};
use windlass_store::{Collection, EffectiveGate, Link, Reader, Review, ReviewFilter};

use super::outputs::{TaskReference, references};
use crate::plan::TaskCommentOutput;
use crate::view::{Render, Span, Style, View};
use crate::workflow::{
    GateOutput, GateResultOutput, HelpOutput, Inherited, ReviewCommentOutput, ReviewOutput,
};

/// How many tasks of each kind of link are shown.
const SHOWN_TASKS: u32 = 20;
/// How many comments of a review are shown.
const SHOWN_COMMENTS: u32 = 50;

/// A gate that the work has to pass, and its last result.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GateState {
    #[serde(flatten)]
    pub gate: GateOutput,
    /// Absent before it first ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_result: Option<GateResultOutput>,
}

/// Details that only tasks have.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TaskDetails {
    /// milestone, task or subtask.
    #[serde(rename = "kind")]
    pub task_kind: String,
    /// The session that works on it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_until: Option<String>,
    /// Whether it, or a task above it, is blocked.
    pub blocked: bool,
    /// Tasks that must be done first, open ones before done ones; at most twenty.
    pub blocked_by: Vec<TaskReference>,
    pub blocked_by_total: u64,
    /// Tasks that wait for this one; at most twenty.
    pub blocks: Vec<TaskReference>,
    pub blocks_total: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<TaskReference>,
    /// Tasks right below it; at most twenty.
    pub children: Vec<TaskReference>,
    pub children_total: u64,
    /// The gates that its work has to pass, in their order.
    pub gates: Vec<GateState>,
    /// Its active review, or the last one if that requested changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewOutput>,
    /// The unresolved comments of that review.
    pub review_comments: Vec<ReviewCommentOutput>,
    /// The open question to a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<HelpOutput>,
    /// The latest comments that fit, oldest first.
    pub comments: Vec<TaskCommentOutput>,
    pub comments_total: u64,
    pub learnings: Inherited,
}

impl TaskDetails {
    pub fn read(
        reader: &Reader<'_>,
        task: &Entity,
        file_gates: Vec<EffectiveGate>,
    ) -> Result<Self> {
        let linked = |link: Link| -> Result<(Vec<TaskReference>, u64)> {
            let (tasks, total) = reader.linked_tasks(&task.id, link, SHOWN_TASKS)?;
            Ok((tasks.into_iter().map(TaskReference::from).collect(), total))
        };
        let (blocked_by, blocked_by_total) = linked(Link::BlockedBy)?;
        let (blocks, blocks_total) = linked(Link::Blocks)?;
        let (children, children_total) = linked(Link::Children)?;
        let (claimed_by, claimed_until) = reader.claim_of(&task.id)?.unzip();
        let last_review = last_review(reader, task)?;
        let (comments, comments_total) = comments(reader, task)?;
        let gates = gates(reader, task, file_gates, last_review.as_ref())?;
        let shown_review = last_review.filter(|review| {
            review.status.is_active() || review.status == ReviewStatus::ChangesRequested
        });
        let review_comments = match &shown_review {
            Some(review) => open_comments(reader, review)?,
            None => Vec::new(),
        };
        let question = reader.active_help(&task.id)?;
        Ok(Self {
            task_kind: reader.task_kind(&task.id)?.name().to_owned(),
            claimed_by,
            claimed_until: claimed_until.map(|at| at.as_str().to_owned()),
            blocked: reader.is_blocked(&task.id)?,
            blocked_by,
            blocked_by_total,
            blocks,
            blocks_total,
            parent: reader.ancestors(&task.id)?.last().map(TaskReference::from),
            children,
            children_total,
            gates,
            review: shown_review
                .map(|review| ReviewOutput::read(reader, review))
                .transpose()?,
            review_comments,
            question: question
                .map(|request| HelpOutput::read(reader, request))
                .transpose()?,
            comments,
            comments_total,
            learnings: Inherited::read(reader, &task.id)?,
        })
    }

    /// Fields to show besides those of the type.
    pub fn add_fields(&self, add: &mut impl FnMut(&str, Span)) {
        add("kind", Span::from(self.task_kind.clone()));
        if let Some(owner) = &self.claimed_by {
            add("held by", Span::from(owner.clone()));
            if let Some(until) = &self.claimed_until {
                add("until", Span::new(until.clone(), Style::Moment));
            }
        }
        if let Some(parent) = &self.parent {
            let text = format!("#{} {}", parent.number, parent.title);
            add("parent", Span::from(text));
        }
    }

    /// The tasks around it.
    pub fn add_around(&self, view: View) -> View {
        let view = references(view, "Blocked by", &self.blocked_by, self.blocked_by_total);
        let view = references(view, "Blocks", &self.blocks, self.blocks_total);
        references(view, "Children", &self.children, self.children_total)
    }

    /// Gates, review, question and comments.
    pub fn add_work(&self, view: View) -> View {
        let mut view = view;
        if !self.gates.is_empty() {
            view = view.blank().line([Span::new("Gates", Style::Strong)]);
            for state in &self.gates {
                view = view.line(gate_line(state));
            }
        }
        if let Some(review) = &self.review {
            // Its gates are shown above.
            let review = ReviewOutput {
                gates: Vec::new(),
                ..review.clone()
            };
            view = view.blank().join(review.view());
        }
        for comment in &self.review_comments {
            view = view.join(comment.view());
        }
        if let Some(question) = &self.question {
            view = view.blank().join(question.view());
        }
        if !self.comments.is_empty() {
            view = view.blank().line([Span::new("Comments", Style::Strong)]);
            for comment in &self.comments {
                view = view.join(comment.view());
            }
        }
        view.join(self.learnings.view_if_any())
    }
}

fn gate_line(state: &GateState) -> Vec<Span> {
    let gate = &state.gate;
    let mut line = vec![Span::from(format!("  {}  ", gate.name))];
    match (&gate.waiting, &state.last_result) {
        (Some(why), _) => line.push(Span::new(why.clone(), Style::Bad)),
        (None, Some(result)) => {
            line.push(result.status_span());
            line.push(Span::new(format!("  {}", gate.command), Style::Dim));
        }
        (None, None) => line.push(Span::new(
            format!("not run yet  {}", gate.command),
            Style::Dim,
        )),
    }
    line
}

fn last_review(reader: &Reader<'_>, task: &Entity) -> Result<Option<Review>> {
    let filter = ReviewFilter {
        task: Some(task.id.clone()),
        ..ReviewFilter::default()
    };
    let newest = Page {
        limit: 1,
        offset: 0,
    };
    Ok(reader.reviews(&filter, newest)?.into_iter().next())
}

fn open_comments(reader: &Reader<'_>, review: &Review) -> Result<Vec<ReviewCommentOutput>> {
    let page = Page {
        limit: SHOWN_COMMENTS,
        offset: 0,
    };
    let comments = reader.comments(review, true, page)?;
    Ok(comments
        .into_iter()
        .map(ReviewCommentOutput::from)
        .collect())
}

fn gates(
    reader: &Reader<'_>,
    task: &Entity,
    file_gates: Vec<EffectiveGate>,
    review: Option<&Review>,
) -> Result<Vec<GateState>> {
    let mut gates = file_gates;
    gates.extend(reader.effective_gates(&task.id)?);
    let results = match review {
        Some(review) => reader.current_results(review)?,
        None => Vec::new(),
    };
    let state = |gate: EffectiveGate| {
        let last = results.iter().find(|result| result.gate == gate.id);
        let last = last.zip(review);
        Ok(GateState {
            last_result: last
                .map(|(it, review)| GateResultOutput::of(it.clone(), review).without_output()),
            gate: GateOutput::read(reader, gate)?,
        })
    };
    gates.into_iter().map(state).collect()
}

/// The latest comments that fit, with canonical values, and how many there are.
fn comments(reader: &Reader<'_>, task: &Entity) -> Result<(Vec<TaskCommentOutput>, u64)> {
    let records = reader.records(&task.id, Collection::Comments)?;
    let total = records.len() as u64;
    let mut comments: Vec<TaskCommentOutput> = records
        .iter()
        .rev()
        .filter_map(TaskCommentOutput::of)
        .collect();
    comments.reverse();
    for comment in &mut comments {
        let priority = comment.comment.priority.as_deref();
        let canonical = priority.and_then(Priority::parse_any);
        comment.comment.priority = canonical.map(|it| it.name().to_owned());
    }
    Ok((comments, total))
}
