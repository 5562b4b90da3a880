use crate::prelude::*;
use std::collections::HashMap;

use windlass_core::{Dialect, Entity, EntityType, TaskStatus};
use windlass_store::{EntityFilter, Reader};

use super::outputs::{all_of, priority_of, status_of};
use crate::outputs::{more_line, number, priority_span, status_span};

pub struct ListTasks;

/// List all tasks with status, priority, feature and discipline, by number, optionally filtered.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only tasks of this status: draft, pending, in_progress, done, blocked or skipped.
    #[serde(default)]
    #[arg(long)]
    pub filter_status: Option<String>,
    /// Only tasks of the feature of this name.
    #[serde(default)]
    #[arg(long)]
    pub filter_feature: Option<String>,
    /// Only tasks of the discipline of this name.
    #[serde(default)]
    #[arg(long)]
    pub filter_discipline: Option<String>,
    #[serde(flatten, deserialize_with = "crate::input::part")]
    #[command(flatten)]
    pub paging: Paging<100>,
}

impl ReadOperation for ListTasks {
    type Input = Input;
    type Output = TaskTable;

    const DECLARATION: Declaration = Declaration::read("list_tasks", Toolset::Plan)
        .sdk("plan.list_tasks")
        .examples(&[
            Example::call("All tasks", "{}"),
            Example::call(
                "Pending tasks of a feature",
                r#"{"filter_feature": "auth", "filter_status": "pending"}"#,
            ),
        ]);

    async fn run(context: ReadContext, input: Input) -> Result<TaskTable> {
        if let Some(status) = &input.filter_status
            && TaskStatus::parse_any(status).is_none()
        {
            let known = Dialect::Plan.statuses();
            return Err(Error::invalid_enum("filter_status", status, known));
        }
        let page = input.paging.page()?;
        context.read(|reader| {
            reader.consistently(|reader| {
                let named = |field: &str, kind, name: &Option<String>| {
                    name.as_ref()
                        .map(|name| reader.by_name(field, kind, name))
                        .transpose()
                };
                named("filter_feature", EntityType::Feature, &input.filter_feature)?;
                named(
                    "filter_discipline",
                    EntityType::Discipline,
                    &input.filter_discipline,
                )?;
                let filter = EntityFilter {
                    status: input.filter_status.clone(),
                    dialect: Some(Dialect::Plan),
                    feature: input.filter_feature.clone(),
                    discipline: input.filter_discipline.clone(),
                    ..EntityFilter::of(EntityType::Task)
                };
                let (tasks, total) = reader.entities_within(&filter, page)?;
                let titles = Titles::read(reader)?;
                let rows: Vec<TaskRow> = tasks.iter().map(|task| titles.row(task)).collect();
                let reached = page.offset + u32::try_from(rows.len()).unwrap_or(u32::MAX);
                Ok(TaskTable {
                    tasks: rows,
                    total,
                    offset: page.offset,
                    next_offset: (u64::from(reached) < total).then_some(reached),
                })
            })
        })
    }
}

/// A task in the list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TaskRow {
    /// Its number.
    pub id: i64,
    pub title: String,
    pub status: String,
    pub priority: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discipline: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature_display: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discipline_display: Option<String>,
}

/// Tasks of the plan.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TaskTable {
    pub tasks: Vec<TaskRow>,
    /// How many match in all.
    pub total: u64,
    pub offset: u32,
    /// Where the next page begins, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u32>,
}

/// The display names of features and disciplines.
struct Titles {
    features: HashMap<String, String>,
    disciplines: HashMap<String, String>,
}

impl Titles {
    fn read(reader: &Reader<'_>) -> Result<Self> {
        let titles = |kind| -> Result<HashMap<String, String>> {
            let named = all_of(reader, kind)?.into_iter();
            Ok(named
                .filter_map(|entity| Some((entity.text("name")?.to_owned(), entity.title.clone())))
                .collect())
        };
        Ok(Self {
            features: titles(EntityType::Feature)?,
            disciplines: titles(EntityType::Discipline)?,
        })
    }

    fn row(&self, task: &Entity) -> TaskRow {
        let text = |name: &str| task.text(name).map(str::to_owned);
        let (feature, discipline) = (text("feature"), text("discipline"));
        let title = |of: &HashMap<String, String>, name: &Option<String>| {
            name.as_ref().and_then(|name| of.get(name).cloned())
        };
        TaskRow {
            id: task.number,
            title: task.title.clone(),
            status: status_of(task).to_owned(),
            priority: priority_of(task).to_owned(),
            feature_display: title(&self.features, &feature),
            discipline_display: title(&self.disciplines, &discipline),
            feature,
            discipline,
        }
    }
}

impl Render for TaskTable {
    fn view(&self) -> View {
        if self.tasks.is_empty() {
            return View::nothing("No tasks. `windlass tasks create` creates one.");
        }
        let columns = vec![
            Column::new("#").right(),
            Column::new("STATUS"),
            Column::new("PRIORITY"),
            Column::new("FEATURE"),
            Column::new("DISCIPLINE"),
            Column::new("TITLE").shrinking(),
        ];
        let rows = self.tasks.iter().map(|task| {
            vec![
                number(task.id),
                status_span(&task.status),
                priority_span(&task.priority),
                Span::from(task.feature.clone().unwrap_or_default()),
                Span::from(task.discipline.clone().unwrap_or_default()),
                Span::from(task.title.clone()),
            ]
        });
        let view = View::default().table(columns, rows.collect());
        more_line(view, self.tasks.len(), self.offset, Some(self.total))
    }
}
