use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::{Dialect, Error, Page, Priority, Result};

use crate::answers::{TaskView, more_line, task_columns};
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};
use crate::paging::{Limit, PageInfo, read_page};
use crate::view::{Render, View};

pub struct TaskReady;

/// List tasks that can be worked on now: nothing blocks them and no other session holds them.
/// Most urgent first, then by due date.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// How many to answer, 1 to 100.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub limit: Limit<50>,
    /// Only tasks of this priority: low, normal, high or urgent.
    #[serde(default)]
    #[arg(long)]
    pub priority: Option<String>,
    /// How many to skip.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub offset: u32,
}

/// A page of the queue.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TaskPage {
    pub tasks: Vec<TaskView>,
    #[serde(flatten)]
    pub page: PageInfo,
}

impl TaskPage {
    pub fn read(context: &Context, priority: Option<Priority>, page: Page) -> Result<Self> {
        let session = &context.origin.session;
        let (tasks, page) = read_page(page, context.answer_budget, |page| {
            let ready = context.read(|reader| reader.ready_tasks(priority, session, page))?;
            Ok(ready.into_iter().map(TaskView::from).collect())
        })?;
        Ok(Self { tasks, page })
    }
}

impl Render for TaskPage {
    fn view(&self) -> View {
        if self.tasks.is_empty() {
            return View::nothing("No task is ready. `windlass tasks blocked` shows what waits.");
        }
        let rows = self.tasks.iter().map(TaskView::row).collect();
        let view = View::default().table(task_columns(), rows);
        if self.page.has_more {
            return more_line(view, self.tasks.len(), self.page.offset, None);
        }
        view
    }
}

impl Operation for TaskReady {
    type Input = Input;
    type Output = TaskPage;

    const DECLARATION: Declaration = Declaration {
        name: "task_ready",
        toolset: Toolset::Knowledge,
        cli: &["tasks", "ready"],
        sdk: "tasks.ready",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Code,
        examples: &[Example {
            about: "The five most urgent",
            cli: &["tasks", "ready", "--limit", "5"],
            input: r#"{"limit": 5}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<TaskPage> {
        let priority = input.priority.as_deref().map(parse_priority).transpose()?;
        TaskPage::read(&context, priority, input.limit.page(input.offset)?)
    }
}

fn parse_priority(word: &str) -> Result<Priority> {
    Priority::parse(word)
        .ok_or_else(|| Error::invalid_enum("priority", word, Dialect::Knowledge.priorities()))
}
