use crate::prelude::*;
use windlass_core::Page;

use crate::outputs::EntityOutput;

pub struct TaskNext;

/// Get the most important ready task with all fields, without claiming it.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

/// The next task, or none.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NextTask {
    /// Absent if no task is ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<EntityOutput>,
}

impl Render for NextTask {
    fn view(&self) -> View {
        self.task.as_ref().map_or_else(
            || View::nothing("No task is ready. `windlass tasks blocked` shows what is blocked."),
            Render::view,
        )
    }
}

impl ReadOperation for TaskNext {
    type Input = Input;
    type Output = NextTask;

    const DECLARATION: Declaration = Declaration::read("task_next", Toolset::Knowledge)
        .sdk("tasks.next")
        .examples(&[Example::call("What to do now", "{}")]);

    async fn run(context: ReadContext, _: Input) -> Result<NextTask> {
        let first = Page {
            limit: 1,
            offset: 0,
        };
        let session = &context.origin.session;
        let ready = context.read(|reader| reader.ready_tasks(None, session, first))?;
        let task = ready.into_iter().next();
        Ok(NextTask {
            task: task.map(|queued| EntityOutput::from(queued.task)),
        })
    }
}
