use crate::prelude::*;
use crate::workflow::common;
use crate::workflow::outputs::WorkDetails;

pub struct WorkGet;

/// Show a task with everything needed to work on it: the contexts of its ancestors, learnings, gates,
/// review and open question.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number, or at least 4 hex digits of its id.
    pub id: Id,
}

impl ReadOperation for WorkGet {
    type Input = Input;
    type Output = WorkDetails;

    const DECLARATION: Declaration = Declaration::read("work_get", Toolset::Workflow)
        .sdk("tasks.get")
        .blocking()
        .examples(&[Example::call("By number", r#"{"id": "12"}"#)]);

    async fn run(context: ReadContext, input: Input) -> Result<WorkDetails> {
        let file_gates = common::file_gate_names(&context);
        context.read(|reader| {
            let task = common::task(reader, "id", &input.id)?;
            WorkDetails::read(reader, task, file_gates)
        })
    }
}
