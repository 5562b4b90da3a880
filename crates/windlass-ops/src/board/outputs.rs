//! How tasks look in lists, and how entities refer to each other.

use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::{Entity, EntityId, Priority, TaskStatus};
use windlass_store::{LinkedTask, ListedTask, RelationRow};

use crate::outputs::{number, priority_span, status_span};
use crate::view::{Column, Span, Style, View};

/// A task in a list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BoardTask {
    pub number: i64,
    pub title: String,
    pub status: String,
    pub priority: String,
    /// milestone, task or subtask.
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discipline: Option<String>,
    /// The number of the task above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<i64>,
    /// The session that works on it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_until: Option<String>,
    /// When work on it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// Whether it is blocked, by other tasks or by a person.
    pub blocked: bool,
    /// The numbers of the open tasks that block it or its ancestors; at most ten.
    pub blocked_by: Vec<i64>,
    pub tags: Vec<String>,
    pub updated_at: String,
}

impl From<ListedTask> for BoardTask {
    fn from(listed: ListedTask) -> Self {
        let task = listed.task;
        let text = |field: &str| task.text(field).map(str::to_owned);
        let (claimed_by, claimed_until) = listed.claim.unzip();
        Self {
            number: task.number,
            status: status_of(&task).to_owned(),
            priority: priority_of(&task).to_owned(),
            kind: listed.kind.name().to_owned(),
            due_date: text("due_date"),
            assignee: text("assignee"),
            feature: text("feature"),
            discipline: text("discipline"),
            started_at: text("started_at"),
            parent: listed.parent,
            claimed_by,
            claimed_until: claimed_until.map(|at| at.as_str().to_owned()),
            blocked: listed.blocked,
            blocked_by: listed.open_blockers,
            tags: task.tags,
            updated_at: task.updated_at.as_str().to_owned(),
            title: task.title,
        }
    }
}

/// The canonical status of a task.
pub fn status_of(task: &Entity) -> &'static str {
    task.task_status().unwrap_or(TaskStatus::Pending).name()
}

/// The canonical priority of a task.
pub fn priority_of(task: &Entity) -> &'static str {
    task.priority().unwrap_or(Priority::Normal).name()
}

/// A status with the colour of its meaning.
pub fn task_status_span(word: &str) -> Span {
    match TaskStatus::parse_any(word) {
        Some(TaskStatus::InReview | TaskStatus::AwaitingHuman) => Span::new(word, Style::Warning),
        Some(TaskStatus::Skipped | TaskStatus::Cancelled | TaskStatus::Draft) => {
            Span::new(word, Style::Dim)
        }
        _ => status_span(word),
    }
}

/// Numbers as people write them: `#3, #4`.
pub fn numbers(numbers: &[i64]) -> String {
    let shown: Vec<String> = numbers.iter().map(|number| format!("#{number}")).collect();
    shown.join(", ")
}

/// A table of tasks, without empty columns.
pub fn task_table(view: View, tasks: &[BoardTask]) -> View {
    let has_due = tasks.iter().any(|task| task.due_date.is_some());
    let who = |task: &BoardTask| task.claimed_by.clone().or_else(|| task.assignee.clone());
    let has_who = tasks.iter().any(|task| who(task).is_some());
    let mut columns = vec![
        Column::new("#").right(),
        Column::new("STATUS"),
        Column::new("PRIORITY"),
    ];
    if has_due {
        columns.push(Column::new("DUE"));
    }
    if has_who {
        columns.push(Column::new("WHO").shrinking());
    }
    columns.push(Column::new("TITLE").shrinking());
    let row = |task: &BoardTask| {
        let mut row = vec![
            number(task.number),
            task_status_span(&task.status),
            priority_span(&task.priority),
        ];
        if has_due {
            row.push(Span::from(task.due_date.clone().unwrap_or_default()));
        }
        if has_who {
            row.push(Span::from(who(task).unwrap_or_default()));
        }
        let mut title = task.title.clone();
        if !task.blocked_by.is_empty() {
            title = format!("{title}  (waits for {})", numbers(&task.blocked_by));
        }
        row.push(Span::from(title));
        row
    };
    view.table(columns, tasks.iter().map(row).collect())
}

/// A task as another one refers to it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TaskReference {
    pub number: i64,
    pub title: String,
    pub status: String,
}

impl From<LinkedTask> for TaskReference {
    fn from(task: LinkedTask) -> Self {
        Self {
            number: task.number,
            title: task.title,
            status: task.status.name().to_owned(),
        }
    }
}

impl From<&Entity> for TaskReference {
    fn from(task: &Entity) -> Self {
        Self {
            number: task.number,
            title: task.title.clone(),
            status: status_of(task).to_owned(),
        }
    }
}

/// Tasks under a heading, and how many are not shown.
pub fn references(view: View, heading: &str, tasks: &[TaskReference], total: u64) -> View {
    if tasks.is_empty() {
        return view;
    }
    let mut view = view.blank().line([Span::new(heading, Style::Strong)]);
    for task in tasks {
        view = view.line([
            Span::from("  "),
            number(task.number),
            Span::from(format!(" {}  ", task.title)),
            task_status_span(&task.status),
        ]);
    }
    more(view, tasks.len(), total)
}

/// Adds how many of a list are not shown.
pub fn more(view: View, shown: usize, total: u64) -> View {
    let rest = total.saturating_sub(shown as u64);
    if rest == 0 {
        return view;
    }
    view.line([Span::new(format!("  and {rest} more"), Style::Dim)])
}

/// A relation, seen from one of its ends.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RelationReference {
    #[serde(rename = "type")]
    pub kind: String,
    /// `to`: it goes from the entity to the other one; `from`: it comes from there.
    pub direction: String,
    /// The entity at the other end.
    pub number: i64,
    pub entity_type: String,
    pub title: String,
}

impl RelationReference {
    pub fn new(relation: RelationRow, seen_from: &EntityId) -> Self {
        let goes_out = relation.source.0 == *seen_from;
        let (_, number, entity_type, title) = if goes_out {
            relation.target
        } else {
            relation.source
        };
        Self {
            kind: relation.kind,
            direction: if goes_out { "to" } else { "from" }.to_owned(),
            number,
            entity_type,
            title,
        }
    }

    pub fn spans(&self) -> Vec<Span> {
        let arrow = if self.direction == "to" { "→" } else { "←" };
        vec![
            Span::from(format!("  {} {arrow} ", self.kind)),
            number(self.number),
            Span::from(format!(" {}", self.title)),
            Span::new(format!("  {}", self.entity_type), Style::Dim),
        ]
    }
}
