use crate::prelude::*;
use crate::workflow::outputs::{GateOutput, Gates};
use crate::workflow::{common, gates};

pub struct GateGetEffective;

/// List the gates that the work of a task has to pass, in their order: the project's, then those of the tasks above it,
/// then its own.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The task: its number, or at least 4 hex digits of its id.
    pub task_id: Id,
}

impl ReadOperation for GateGetEffective {
    type Input = Input;
    type Output = Gates;

    const DECLARATION: Declaration = Declaration::read("gate_get_effective", Toolset::Workflow)
        .sdk("gates.get_effective")
        .blocking()
        .cli(&["gates", "effective"])
        .examples(&[Example::new(
            "Of task 3",
            &["gates", "effective", "3"],
            r#"{"task_id": "3"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<Gates> {
        let mut all = gates::file_gates(&context.workspace);
        let all = context.read(|reader| {
            let task = common::task(reader, "task_id", &input.task_id)?;
            all.extend(reader.effective_gates(&task.id)?);
            let all = all.into_iter();
            all.map(|gate| GateOutput::read(reader, gate)).collect()
        })?;
        Ok(Gates::of(all))
    }
}
