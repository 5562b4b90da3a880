//! What the plan's answers look like, to programs and to people.

use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::{Dialect, Entity, EntityType, Result, TaskStatus};
use windlass_store::{Collection, Reader};

use super::comments::TaskCommentOutput;
use crate::budget::rest_of_entity;
use crate::outputs::{number, priority_span, status_span};
use crate::view::{Column, Render, Span, Style, View};

/// A task in the words of the plan.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PlanTask {
    /// Its number.
    pub id: i64,
    /// The id that never changes, as other tools know it.
    pub entity_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discipline: Option<String>,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub status: String,
    pub priority: String,
    pub tags: Vec<String>,
    /// Tasks that must be done first.
    pub depends_on: Vec<i64>,
    pub acceptance_criteria: Vec<String>,
    pub context_files: Vec<String>,
    pub output_artifacts: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hints: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_turns: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pseudocode: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enriched_at: Option<String>,
    /// Who made it: agent, human or system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<String>,
    pub created_at: String,
    pub updated_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,
}

impl PlanTask {
    pub fn read(reader: &Reader<'_>, task: &Entity) -> Result<Self> {
        let depends_on = reader.dependencies(&task.id)?;
        let text = |name: &str| task.text(name).map(str::to_owned);
        Ok(Self {
            id: task.number,
            entity_id: task.id.as_str().to_owned(),
            feature: text("feature"),
            discipline: text("discipline"),
            title: task.title.clone(),
            description: task.content.clone(),
            status: status_of(task).to_owned(),
            priority: priority_of(task).to_owned(),
            tags: task.tags.clone(),
            depends_on: depends_on.iter().map(|other| other.number).collect(),
            acceptance_criteria: task.texts("acceptance_criteria").to_vec(),
            context_files: task.texts("context_files").to_vec(),
            output_artifacts: task.texts("output_artifacts").to_vec(),
            hints: text("hints"),
            estimated_turns: task
                .text("estimated_turns")
                .and_then(|turns| turns.parse().ok()),
            pseudocode: text("pseudocode"),
            enriched_at: text("enriched_at"),
            provenance: text("provenance"),
            created_at: task.created_at.as_str().to_owned(),
            updated_at: task.updated_at.as_str().to_owned(),
            completed_at: text("completed_at"),
        })
    }
}

/// The status of a task in the plan's words.
pub fn status_of(task: &Entity) -> &'static str {
    let status = task.task_status().unwrap_or(TaskStatus::Pending);
    Dialect::Plan.status(status)
}

/// The priority of a task in the plan's words.
pub fn priority_of(task: &Entity) -> &'static str {
    task.priority()
        .map_or("", |priority| Dialect::Plan.priority(priority))
}

impl Render for PlanTask {
    fn rest_of(&self, field: &str, shown: usize) -> Option<String> {
        Some(rest_of_entity(self.id, field, shown))
    }

    fn view(&self) -> View {
        let mut fields = vec![
            ("status".to_owned(), status_span(&self.status)),
            ("priority".to_owned(), priority_span(&self.priority)),
        ];
        let mut add = |name: &str, value: Option<String>| {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                fields.push((name.to_owned(), Span::from(value)));
            }
        };
        add("feature", self.feature.clone());
        add("discipline", self.discipline.clone());
        add("tags", Some(self.tags.join(", ")));
        let depends_on: Vec<String> = self.depends_on.iter().map(|id| format!("#{id}")).collect();
        add("depends on", Some(depends_on.join(", ")));
        add("turns", self.estimated_turns.map(|turns| turns.to_string()));
        add("enriched", self.enriched_at.clone());
        add("completed", self.completed_at.clone());
        let mut view = View::default()
            .line([
                number(self.id),
                Span::from("  "),
                Span::new(self.title.clone(), Style::Strong),
            ])
            .fields(fields);
        view = section(view, "description", self.description.as_deref());
        view = list(view, "acceptance criteria", &self.acceptance_criteria);
        view = section(view, "pseudocode", self.pseudocode.as_deref());
        view = section(view, "hints", self.hints.as_deref());
        view = list(view, "context files", &self.context_files);
        list(view, "output artifacts", &self.output_artifacts)
    }
}

/// A longer text under its name, if there is one.
pub fn section(view: View, name: &str, text: Option<&str>) -> View {
    match text {
        Some(text) => view
            .blank()
            .line([Span::new(name, Style::Strong)])
            .text(text),
        None => view,
    }
}

/// Several texts under their name, if there are any.
pub fn list(view: View, name: &str, items: &[String]) -> View {
    if items.is_empty() {
        return view;
    }
    let lines: Vec<String> = items.iter().map(|item| format!("- {item}")).collect();
    section(view, name, Some(&lines.join("\n")))
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

/// A task with all that belongs to it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TaskDetail {
    #[serde(flatten)]
    pub task: PlanTask,
    pub comments: Vec<TaskCommentOutput>,
    /// Tasks that must be done first, and where they stand.
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
    reason = "the name is what the answer says"
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

/// The columns of a list of features or disciplines.
pub fn named_columns() -> Vec<Column> {
    vec![
        Column::new("NAME"),
        Column::new("ACRONYM"),
        Column::new("TITLE"),
        Column::new("DESCRIPTION").shrinking(),
    ]
}

/// All living entities of a type, in the order in which they were made.
pub fn all_of(reader: &Reader<'_>, kind: EntityType) -> Result<Vec<Entity>> {
    let filter = windlass_store::EntityFilter::of(kind);
    let page = windlass_core::Page {
        limit: 1_000,
        offset: 0,
    };
    Ok(reader.entities_within(&filter, page)?.0)
}
