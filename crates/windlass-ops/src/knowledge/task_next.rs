use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::{Page, Result};

use crate::answers::EntityView;
use crate::budget::shorten;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};
use crate::view::{Render, View};

pub struct TaskNext;

/// Get the task to work on next, with everything it holds: the first of task_ready. Take it with
/// task_claim where others work beside you.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

/// The next task, or none.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NextTask {
    /// Absent if no task is ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<EntityView>,
}

impl Render for NextTask {
    fn view(&self) -> View {
        self.task.as_ref().map_or_else(
            || View::nothing("No task is ready. `windlass tasks blocked` shows what waits."),
            Render::view,
        )
    }
}

impl Operation for TaskNext {
    type Input = Input;
    type Output = NextTask;

    const DECLARATION: Declaration = Declaration {
        name: "task_next",
        toolset: Toolset::Knowledge,
        cli: &["tasks", "next"],
        sdk: "tasks.next",
        effect: Effect::Read,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Code,
        examples: &[Example {
            about: "What to do now",
            cli: &["tasks", "next"],
            input: "{}",
        }],
    };

    async fn run(context: Context, _: Input) -> Result<NextTask> {
        let first = Page {
            limit: 1,
            offset: 0,
        };
        let session = &context.origin.session;
        let ready = context.read(|reader| reader.ready_tasks(None, session, first))?;
        let task = ready.into_iter().next();
        Ok(NextTask {
            task: task.map(|queued| shorten(EntityView::from(queued.task), context.answer_budget)),
        })
    }
}
