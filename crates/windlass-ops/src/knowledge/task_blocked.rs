use crate::prelude::*;
use windlass_core::{Dialect, EntityType, Page, TaskStatus};
use windlass_store::{Blocker, QueuedTask, Reader};

use super::lookup::expect;
use crate::naming::Naming;
use crate::outputs::{QueuedTaskOutput, more_line, number, status_span};

pub struct TaskBlocked;

/// List blocked tasks and what blocks them, or what blocks one task.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only this task: number or id.
    #[serde(default)]
    pub id: Option<Id>,
    #[serde(flatten, deserialize_with = "crate::input::part")]
    #[command(flatten)]
    pub paging: Paging<50>,
}

/// A blocker of a task.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BlockerOutput {
    pub id: String,
    pub sequence_number: i64,
    /// The status as people read it.
    #[serde(skip)]
    canonical_status: &'static str,
    pub title: String,
    pub status: String,
    /// The number of the ancestor that it blocks, if it is not the task itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<i64>,
    /// How to resolve a blocker that will never be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl BlockerOutput {
    fn new(blocker: Blocker, naming: &Naming) -> Self {
        let hint = matches!(blocker.status, TaskStatus::Cancelled | TaskStatus::Skipped).then(|| {
            naming.render(&format!(
                "Task {} was {} and blocks for ever: remove the relation with [[relation_delete]], or reopen it.",
                blocker.number,
                blocker.status.name()
            ))
        });
        Self {
            id: blocker.id.as_str().to_owned(),
            sequence_number: blocker.number,
            canonical_status: blocker.status.name(),
            title: blocker.title,
            // A skipped blocker is `done` in this dialect, which would be misleading here.
            status: if hint.is_some() {
                blocker.status.name().to_owned()
            } else {
                Dialect::Knowledge.status(blocker.status).to_owned()
            },
            through: blocker.through,
            hint,
        }
    }
}

/// A task and its blockers. Without blockers, its status is blocked.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BlockedTask {
    #[serde(flatten)]
    pub task: QueuedTaskOutput,
    pub blockers: Vec<BlockerOutput>,
}

impl BlockedTask {
    pub fn read(reader: &Reader<'_>, queued: QueuedTask, naming: &Naming) -> Result<Self> {
        let blockers = reader.open_blockers(&queued.task.id)?;
        Ok(Self {
            task: QueuedTaskOutput::from(queued),
            blockers: blockers
                .into_iter()
                .map(|blocker| BlockerOutput::new(blocker, naming))
                .collect(),
        })
    }
}

/// A page of blocked tasks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BlockedPage {
    pub tasks: Vec<BlockedTask>,
    #[serde(flatten)]
    pub page: PageInfo,
}

impl Render for BlockedPage {
    fn view(&self) -> View {
        if self.tasks.is_empty() {
            return View::nothing("Nothing is blocked.");
        }
        let mut view = View::default();
        for blocked in &self.tasks {
            view = view.line([
                number(blocked.task.sequence_number),
                Span::from(" "),
                Span::new(blocked.task.title.clone(), Style::Strong),
            ]);
            if blocked.blockers.is_empty() {
                view = view.line([
                    Span::from("    status "),
                    status_span(blocked.task.canonical_status),
                ]);
            }
            for blocker in &blocked.blockers {
                let mut line = vec![
                    Span::from("    waits for "),
                    number(blocker.sequence_number),
                    Span::from(format!(" {} ", blocker.title)),
                    status_span(blocker.canonical_status),
                ];
                if let Some(through) = blocker.through {
                    line.push(Span::new(format!(" (through #{through})"), Style::Dim));
                }
                view = view.line(line);
                if let Some(hint) = &blocker.hint {
                    view = view.line([Span::new(format!("      {hint}"), Style::Warning)]);
                }
            }
        }
        if self.page.has_more {
            return more_line(view, self.tasks.len(), self.page.offset, None);
        }
        view
    }
}

impl ReadOperation for TaskBlocked {
    type Input = Input;
    type Output = BlockedPage;

    const DECLARATION: Declaration = Declaration::read("task_blocked", Toolset::Knowledge)
        .sdk("tasks.blocked")
        .cli(&["tasks", "blocked"])
        .examples(&[Example::new(
            "What task 3 waits for",
            &["tasks", "blocked", "3"],
            r#"{"id": "3"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<BlockedPage> {
        let page = input.paging.page()?;
        context.read(|reader| {
            reader.consistently(|reader| match &input.id {
                Some(id) => one(reader, id, page, &context.naming),
                None => all(reader, page, &context.naming),
            })
        })
    }
}

fn one(reader: &Reader<'_>, id: &Id, page: Page, naming: &Naming) -> Result<BlockedPage> {
    let task = expect(reader, "id", id, EntityType::Task)?;
    let claimed_by = reader.claim_of(&task.id)?.map(|(owner, _)| owner);
    let blocked = BlockedTask::read(reader, QueuedTask { task, claimed_by }, naming)?;
    let waits = !blocked.blockers.is_empty() || blocked.task.status == "blocked";
    Ok(BlockedPage {
        tasks: if waits { vec![blocked] } else { Vec::new() },
        page: PageInfo {
            limit: page.limit,
            offset: 0,
            has_more: false,
            total: Some(u64::from(waits)),
        },
    })
}

/// Also used by the resource.
pub fn all(reader: &Reader<'_>, page: Page, naming: &Naming) -> Result<BlockedPage> {
    let (tasks, mut page) = read_page(page, |page| {
        reader
            .blocked_tasks(page)?
            .into_iter()
            .map(|queued| BlockedTask::read(reader, queued, naming))
            .collect()
    })?;
    if page.total.is_none() {
        page.total = reader.count_blocked_tasks()?;
    }
    Ok(BlockedPage { tasks, page })
}
