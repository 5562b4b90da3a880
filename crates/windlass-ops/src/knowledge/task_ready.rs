use crate::prelude::*;
use windlass_core::{Dialect, Page, Priority};

use crate::outputs::{QueuedTaskOutput, more_line, task_columns};

pub struct TaskReady;

/// List tasks that can be worked on now, most urgent first: not blocked, not claimed by others.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    #[serde(flatten, deserialize_with = "crate::input::part")]
    #[command(flatten)]
    pub paging: Paging<50>,
    /// Only low, normal, high or urgent ones.
    #[serde(default)]
    #[arg(long)]
    pub priority: Option<PriorityWord>,
}

/// A page of the queue.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TaskPage {
    pub tasks: Vec<QueuedTaskOutput>,
    #[serde(flatten)]
    pub page: PageInfo,
}

impl TaskPage {
    pub fn read(context: &ReadContext, priority: Option<Priority>, page: Page) -> Result<Self> {
        let session = &context.origin.session;
        context.read(|reader| {
            let (tasks, mut page) = read_page(page, |page| {
                let ready = reader.ready_tasks(priority, session, page)?;
                Ok(ready.into_iter().map(QueuedTaskOutput::from).collect())
            })?;
            if page.total.is_none() {
                page.total = reader.count_ready_tasks(priority, session)?;
            }
            Ok(Self { tasks, page })
        })
    }
}

impl Render for TaskPage {
    fn view(&self) -> View {
        if self.tasks.is_empty() {
            return View::nothing(
                "No task is ready. `windlass tasks blocked` shows what is blocked.",
            );
        }
        let rows = self.tasks.iter().map(QueuedTaskOutput::row).collect();
        let view = View::default().table(task_columns(), rows);
        if self.page.has_more {
            return more_line(view, self.tasks.len(), self.page.offset, None);
        }
        view
    }
}

impl ReadOperation for TaskReady {
    type Input = Input;
    type Output = TaskPage;

    const DECLARATION: Declaration = Declaration::read("task_ready", Toolset::Knowledge)
        .sdk("tasks.ready")
        .examples(&[Example::call("The five most urgent", r#"{"limit": 5}"#)]);

    async fn run(context: ReadContext, input: Input) -> Result<TaskPage> {
        let priority = input.priority.as_ref();
        let priority = priority
            .map(|it| it.parse(Dialect::Knowledge))
            .transpose()?;
        TaskPage::read(&context, priority, input.paging.page()?)
    }
}
