use crate::git;
use crate::prelude::*;
use crate::workflow::common;
use crate::workflow::outputs::WorkTask;

pub struct WorkStart;

/// Start a task: its status becomes in_progress, and this session claims it. A task that another
/// session started and released is taken over. With git, the commit and the branch are recorded.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number, or at least 4 hex digits of its id.
    pub id: Id,
}

impl Operation for WorkStart {
    type Input = Input;
    type Output = WorkTask;

    const DECLARATION: Declaration = Declaration::write("work_start", Toolset::Workflow)
        .sdk("tasks.start")
        .examples(&[Example::call("Task 2", r#"{"id": "2"}"#)]);

    async fn run(context: Context, input: Input) -> Result<WorkTask> {
        let root = context.workspace.root().to_owned();
        if context.workspace.workflow()?.git.branch {
            let task = context.read(|reader| common::task(reader, "id", &input.id))?;
            git::switch_to_branch(&root, &task)?;
        }
        let place = git::place(&root);
        let started = context.write_claiming(|writer| {
            let task = common::task(writer, "id", &input.id)?;
            writer.start_task(&task.id, &place)
        })?;
        let task = context.read(|reader| WorkTask::read(reader, started.value))?;
        Ok(WorkTask {
            claim_note: started.note,
            ..task
        })
    }
}
