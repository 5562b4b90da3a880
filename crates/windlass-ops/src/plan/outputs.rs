//! The outputs of the plan's operations, for programs and for people.

use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::{Dialect, Entity, EntityType, Result, TaskStatus};
use windlass_store::{Collection, Reader};

use super::comments::TaskCommentOutput;
use crate::budget::rest_of_entity;
use crate::entity_fields::{FieldOutputs, Task};
use crate::outputs::{number, status_span};
use crate::view::{Render, Span, Style, View};

/// A task with the plan's statuses and priorities.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PlanTask {
    /// Its number.
    pub id: i64,
    /// The permanent id, used by other tools.
    pub entity_id: String,
    #[serde(flatten)]
    pub fields: FieldOutputs<Task>,
    pub tags: Vec<String>,
    /// Tasks that must be done first.
    pub depends_on: Vec<i64>,
    pub created_at: String,
    pub updated_at: String,
}

impl PlanTask {
    pub fn read(reader: &Reader<'_>, task: &Entity) -> Result<Self> {
        let depends_on = reader.dependencies(&task.id)?;
        Ok(Self {
            id: task.number,
            entity_id: task.id.as_str().to_owned(),
            fields: FieldOutputs::from(task),
            tags: task.tags.clone(),
            depends_on: depends_on.iter().map(|other| other.number).collect(),
            created_at: task.created_at.as_str().to_owned(),
            updated_at: task.updated_at.as_str().to_owned(),
        })
    }
}

/// The status of a task by its name in the plan.
pub fn status_of(task: &Entity) -> &'static str {
    let status = task.task_status().unwrap_or(TaskStatus::Pending);
    Dialect::Plan.status(status)
}

/// The priority of a task by its name in the plan.
pub fn priority_of(task: &Entity) -> &'static str {
    task.priority()
        .map_or("", |priority| Dialect::Plan.priority(priority))
}

impl Render for PlanTask {
    fn rest_of(&self, field: &str, shown: usize) -> Option<String> {
        Some(rest_of_entity(self.id, field, shown))
    }

    fn view(&self) -> View {
        let mut lines = self.fields.lines();
        let mut add = |name: &str, values: Vec<String>| {
            if !values.is_empty() {
                lines.push((name.to_owned(), Span::from(values.join(", "))));
            }
        };
        add("tags", self.tags.clone());
        let depends_on = self.depends_on.iter().map(|id| format!("#{id}"));
        add("depends on", depends_on.collect());
        let view = View::default()
            .line([
                number(self.id),
                Span::from("  "),
                Span::new(self.fields.title(), Style::Strong),
            ])
            .fields(lines);
        self.fields.sections(view)
    }
}

/// A task as another one refers to it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TaskLink {
    pub id: i64,
    pub title: String,
    pub status: String,
}

impl From<&Entity> for TaskLink {
    fn from(task: &Entity) -> Self {
        Self {
            id: task.number,
            title: task.title.clone(),
            status: status_of(task).to_owned(),
        }
    }
}

/// A task with all details.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TaskDetail {
    #[serde(flatten)]
    pub task: PlanTask,
    pub comments: Vec<TaskCommentOutput>,
    /// Tasks that must be done first, with their status.
    pub dependencies: Vec<TaskLink>,
    /// Tasks that wait for this one.
    pub dependants: Vec<TaskLink>,
}

impl TaskDetail {
    pub fn read(reader: &Reader<'_>, task: &Entity) -> Result<Self> {
        let links = |tasks: Vec<Entity>| tasks.iter().map(TaskLink::from).collect();
        let comments = reader.records(&task.id, Collection::Comments)?;
        Ok(Self {
            task: PlanTask::read(reader, task)?,
            comments: comments.iter().filter_map(TaskCommentOutput::of).collect(),
            dependencies: links(reader.dependencies(&task.id)?),
            dependants: links(reader.dependants(&task.id)?),
        })
    }
}

impl Render for TaskDetail {
    fn rest_of(&self, field: &str, shown: usize) -> Option<String> {
        self.task.rest_of(field, shown)
    }

    fn view(&self) -> View {
        let mut view = self.task.view();
        for (name, links) in [
            ("depends on", &self.dependencies),
            ("waited for by", &self.dependants),
        ] {
            if links.is_empty() {
                continue;
            }
            view = view.blank().line([Span::new(name, Style::Strong)]);
            for link in links {
                view = view.line([
                    number(link.id),
                    Span::from(format!(" {}  ", link.title)),
                    status_span(&link.status),
                ]);
            }
        }
        self.comments
            .iter()
            .fold(view, |view, comment| view.blank().join(comment.view()))
    }
}

/// What was deleted.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(
    clippy::struct_field_names,
    reason = "the name is a field of the output"
)]
pub struct Deleted {
    pub deleted: bool,
    /// The number of a task or comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// The name of a feature or discipline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub title: String,
}

impl Deleted {
    pub fn numbered(id: i64, title: String) -> Self {
        Self {
            deleted: true,
            id: Some(id),
            name: None,
            title,
        }
    }

    pub fn named(name: &str, title: String) -> Self {
        Self {
            deleted: true,
            id: None,
            name: Some(name.to_owned()),
            title,
        }
    }
}

impl Render for Deleted {
    fn view(&self) -> View {
        let number = self.id.map(|id| format!("#{id}"));
        let id = number.or_else(|| self.name.clone()).unwrap_or_default();
        View::default().line([
            Span::from("Deleted "),
            Span::new(id, Style::Id),
            Span::from(format!(" {}", self.title)),
        ])
    }
}

/// All entities of a type that are not deleted, in order of creation.
pub fn all_of(reader: &Reader<'_>, kind: EntityType) -> Result<Vec<Entity>> {
    let filter = windlass_store::EntityFilter::of(kind);
    let page = windlass_core::Page {
        limit: 1_000,
        offset: 0,
    };
    Ok(reader.entities_within(&filter, page)?.0)
}
