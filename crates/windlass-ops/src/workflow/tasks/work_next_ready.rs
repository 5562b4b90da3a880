use crate::prelude::*;
use windlass_store::TaskFilter;

use crate::workflow::common;
use crate::workflow::outputs::WorkDetails;

pub struct WorkNextReady;

/// Get the task to start next, with everything needed to work on it: the most urgent one that is not
/// blocked, not claimed by another session, and has no unfinished children.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only below this task: its number, or at least 4 hex digits of its id.
    #[serde(default)]
    #[arg(long)]
    pub milestone_id: Option<Id>,
}

/// The next task, or none.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NextReady {
    /// Absent if nothing is ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<WorkDetails>,
    /// Whether there is one.
    pub found: bool,
}

impl Render for NextReady {
    fn view(&self) -> View {
        self.task
            .as_ref()
            .map_or_else(|| View::nothing("Nothing is ready."), Render::view)
    }
}

impl ReadOperation for WorkNextReady {
    type Input = Input;
    type Output = NextReady;

    const DECLARATION: Declaration = Declaration::read("work_next_ready", Toolset::Workflow)
        .sdk("tasks.next_ready")
        .blocking()
        .examples(&[Example::call("What to do now", "{}")]);

    async fn run(context: ReadContext, input: Input) -> Result<NextReady> {
        let file_gates = common::file_gate_names(&context);
        let session = context.origin.session.clone();
        let task = context.read(|reader| {
            let under = match &input.milestone_id {
                Some(id) => Some(common::task(reader, "milestone_id", id)?.id),
                None => None,
            };
            let below = TaskFilter {
                under,
                ..TaskFilter::default()
            };
            let next = reader.next_task(&session, below)?;
            next.map(|task| WorkDetails::read(reader, task, file_gates))
                .transpose()
        })?;
        Ok(NextReady {
            found: task.is_some(),
            task,
        })
    }
}
