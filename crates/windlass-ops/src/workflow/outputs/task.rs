use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::{Dialect, Entity, Result};
use windlass_store::Reader;

use super::help::HelpOutput;
use super::learning::Inherited;
use super::review::ReviewOutput;
use crate::briefing::Feedback;
use crate::budget::rest_of_entity;
use crate::outputs::{more_line, number, priority_span, status_span};
use crate::paging::PageInfo;
use crate::view::{Column, Render, Span, Style, View};

/// A piece of work.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WorkTask {
    pub id: String,
    /// The project-wide number.
    pub number: i64,
    /// milestone, task or subtask.
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    pub description: String,
    /// What to know before starting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    pub priority: String,
    pub status: String,
    /// The ids of the tasks that must be done first.
    pub blocked_by: Vec<String>,
    /// The ids of the tasks that wait for this one.
    pub blocks: Vec<String>,
    /// How many tasks are above it.
    pub depth: usize,
    /// Whether it or an ancestor is blocked.
    pub effectively_blocked: bool,
    /// The session that works on it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    /// What to know about the claim, if other machines share the tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim_note: Option<String>,
    pub created_at: String,
    pub updated_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,
}

impl WorkTask {
    pub fn read(reader: &Reader<'_>, task: Entity) -> Result<Self> {
        let place = reader.task_place(&task.id)?;
        let claim = reader.claim_of(&task.id)?;
        let text = |field: &str| task.text(field).map(str::to_owned);
        let ids = |ids: Vec<windlass_core::EntityId>| {
            ids.into_iter().map(|id| id.as_str().to_owned()).collect()
        };
        let status = task.task_status().map(|status| Dialect::Sdk.status(status));
        let priority = task.priority().map(|word| Dialect::Sdk.priority(word));
        Ok(Self {
            id: task.id.as_str().to_owned(),
            number: task.number,
            kind: place.kind.name().to_owned(),
            parent_id: place.parent.map(|id| id.as_str().to_owned()),
            priority: priority.unwrap_or("normal").to_owned(),
            status: status.unwrap_or("pending").to_owned(),
            blocked_by: ids(place.blocked_by),
            blocks: ids(place.blocks),
            depth: place.depth,
            effectively_blocked: place.effectively_blocked,
            claimed_by: claim.map(|(owner, _)| owner),
            claim_note: None,
            created_at: task.created_at.as_str().to_owned(),
            updated_at: task.updated_at.as_str().to_owned(),
            started_at: text("started_at"),
            completed_at: text("completed_at"),
            description: task.title,
            context: task.content,
        })
    }

    pub fn row(&self) -> Vec<Span> {
        let mut description = format!("{}{}", "  ".repeat(self.depth), self.description);
        if self.effectively_blocked {
            description.push_str("  [blocked]");
        }
        vec![
            number(self.number),
            Span::from(self.kind.clone()),
            priority_span(&self.priority),
            sdk_status(&self.status),
            Span::from(description),
        ]
    }

    pub fn columns() -> Vec<Column> {
        vec![
            Column::new("#").right(),
            Column::new("KIND"),
            Column::new("PRIORITY"),
            Column::new("STATUS"),
            Column::new("DESCRIPTION").shrinking(),
        ]
    }
}

fn sdk_status(word: &str) -> Span {
    match word {
        "completed" => Span::new(word, Style::Good),
        "in_review" | "awaiting_human" => Span::new(word, Style::Warning),
        "cancelled" => Span::new(word, Style::Dim),
        _ => status_span(word),
    }
}

impl Render for WorkTask {
    fn rest_of(&self, field: &str, shown: usize) -> Option<String> {
        // Here the content of the entity is called its context.
        let stored = match field {
            "context" | "contexts.own" => "content",
            other => other,
        };
        Some(rest_of_entity(self.number, stored, shown))
    }

    fn view(&self) -> View {
        let mut fields = vec![
            ("status".to_owned(), sdk_status(&self.status)),
            ("kind".to_owned(), Span::from(self.kind.clone())),
            ("priority".to_owned(), priority_span(&self.priority)),
            ("id".to_owned(), Span::new(self.id.clone(), Style::Dim)),
        ];
        if self.effectively_blocked {
            fields.push(("blocked".to_owned(), Span::new("yes", Style::Bad)));
        }
        for (name, value) in [
            ("claimed by", &self.claimed_by),
            ("claim", &self.claim_note),
            ("started", &self.started_at),
            ("completed", &self.completed_at),
        ] {
            if let Some(value) = value {
                fields.push((name.to_owned(), Span::from(value.clone())));
            }
        }
        let view = View::default()
            .line([
                number(self.number),
                Span::from("  "),
                Span::new(self.description.clone(), Style::Strong),
            ])
            .fields(fields);
        match &self.context {
            Some(context) => view.blank().text(context.clone()),
            None => view,
        }
    }
}

/// The contexts of the task itself and of those above it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Contexts {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone: Option<String>,
}

/// A task with everything needed to work on it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WorkDetails {
    #[serde(flatten)]
    pub task: WorkTask,
    pub contexts: Contexts,
    pub learnings: Inherited,
    /// The names of the gates that its work has to pass.
    pub gates: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submit_commit: Option<String>,
    /// Its active review.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewOutput>,
    /// What the last review found, if it asks for something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feedback: Option<Feedback>,
    /// Its open question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help_request: Option<HelpOutput>,
}

impl WorkDetails {
    pub fn read(reader: &Reader<'_>, task: Entity, file_gates: Vec<String>) -> Result<Self> {
        let above = reader.ancestors(&task.id)?;
        let review = reader.active_review(&task.id)?;
        let help = reader.active_help(&task.id)?;
        let mut gates = file_gates;
        let added = reader.effective_gates(&task.id)?;
        gates.extend(added.into_iter().map(|gate| gate.definition.name));
        let text = |field: &str| task.text(field).map(str::to_owned);
        // The parent of a subtask is a task, and the milestone is above that.
        let milestone = (above.len() > 1).then(|| above.first()).flatten();
        let shown = |entity: Option<&Entity>| entity.and_then(|it| it.content.clone());
        Ok(Self {
            contexts: Contexts {
                own: shown(Some(&task)),
                parent: shown(above.last()),
                milestone: shown(milestone),
            },
            learnings: Inherited::read(reader, &task.id)?,
            gates,
            start_commit: text("start_commit"),
            start_branch: text("start_branch"),
            submit_commit: text("submit_commit"),
            review: review
                .map(|it| ReviewOutput::read(reader, it))
                .transpose()?,
            feedback: Feedback::of(reader, &task)?,
            help_request: help.map(|it| HelpOutput::read(reader, it)).transpose()?,
            task: WorkTask::read(reader, task)?,
        })
    }
}

impl Render for WorkDetails {
    fn rest_of(&self, field: &str, shown: usize) -> Option<String> {
        self.task.rest_of(field, shown)
    }

    fn view(&self) -> View {
        let mut view = self.task.view();
        for (title, text) in [
            ("From the parent", &self.contexts.parent),
            ("From the milestone", &self.contexts.milestone),
        ] {
            if let Some(text) = text {
                view = view
                    .blank()
                    .line([Span::new(title, Style::Strong)])
                    .text(text.clone());
            }
        }
        if !self.gates.is_empty() {
            view = view.blank().line([
                Span::new("Gates: ", Style::Strong),
                Span::from(self.gates.join(", ")),
            ]);
        }
        if let Some(review) = &self.review {
            view = view.blank().join(review.view());
        }
        if let Some(feedback) = &self.feedback {
            for comment in &feedback.comments {
                view = view.line([Span::from(comment.clone())]);
            }
        }
        if let Some(help) = &self.help_request {
            view = view.blank().join(help.view());
        }
        view.join(self.learnings.view_if_any())
    }
}

/// A page of tasks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WorkPage {
    pub tasks: Vec<WorkTask>,
    #[serde(flatten)]
    pub page: PageInfo,
}

impl Render for WorkPage {
    fn view(&self) -> View {
        if self.tasks.is_empty() {
            return View::nothing("No tasks.");
        }
        let rows = self.tasks.iter().map(WorkTask::row).collect();
        let view = View::default().table(WorkTask::columns(), rows);
        if self.page.has_more {
            return more_line(view, self.tasks.len(), self.page.offset, None);
        }
        view
    }
}
