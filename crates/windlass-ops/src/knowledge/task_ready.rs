use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::{Dialect, Error, Page, Priority, Result};

use crate::answers::{TaskView, more_line, task_columns};
use crate::budget::fit_items;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};
use crate::view::{Render, View};

pub struct TaskReady;

/// List tasks that can be worked on now: nothing blocks them and no other session holds them.
/// Most urgent first, then by due date.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// How many to answer, 1 to 100.
    #[serde(default = "default_limit")]
    #[arg(long, default_value_t = 50)]
    #[schemars(range(min = 1, max = 100))]
    pub limit: u32,
    /// Only tasks of this priority: low, normal, high or urgent.
    #[serde(default)]
    #[arg(long)]
    pub priority: Option<String>,
    /// How many to skip.
    #[serde(default)]
    #[arg(long, default_value_t = 0)]
    pub offset: u32,
}

fn default_limit() -> u32 {
    windlass_core::DEFAULT_LIMIT
}

/// A page of the queue.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TaskPage {
    pub tasks: Vec<TaskView>,
    pub limit: u32,
    pub offset: u32,
    /// Whether there are more.
    pub has_more: bool,
}

impl TaskPage {
    pub fn read(context: &Context, priority: Option<Priority>, page: Page) -> Result<Self> {
        let one_more = Page {
            limit: page.limit + 1,
            ..page
        };
        let session = &context.origin.session;
        let mut tasks = context.read(|reader| reader.ready_tasks(priority, session, one_more))?;
        let has_more = tasks.len() > page.limit as usize;
        tasks.truncate(page.limit as usize);
        let mut tasks: Vec<TaskView> = tasks.into_iter().map(TaskView::from).collect();
        let cut = fit_items(&mut tasks, context.answer_budget);
        Ok(Self {
            tasks,
            limit: page.limit,
            offset: page.offset,
            has_more: has_more || cut,
        })
    }
}

impl Render for TaskPage {
    fn view(&self) -> View {
        if self.tasks.is_empty() {
            return View::nothing("No task is ready. `windlass tasks blocked` shows what waits.");
        }
        let rows = self.tasks.iter().map(TaskView::row).collect();
        let view = View::default().table(task_columns(), rows);
        if self.has_more {
            return more_line(view, self.tasks.len(), self.offset, None);
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
        TaskPage::read(&context, priority, Page::new(input.limit, input.offset)?)
    }
}

fn parse_priority(word: &str) -> Result<Priority> {
    Priority::parse(word)
        .ok_or_else(|| Error::invalid_enum("priority", word, Dialect::Knowledge.priorities()))
}
