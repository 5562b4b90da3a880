use crate::prelude::*;
use windlass_store::GateScope;

use crate::workflow::outputs::{GateOutput, Gates};
use crate::workflow::{common, gates};

pub struct GateList;

/// List gates: those of .windlass/gates.toml and those that people added, for all work or for one task.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only those added for this task itself: its number, or at least 4 hex digits of its id.
    #[serde(default)]
    #[arg(long)]
    pub task_id: Option<Id>,
}

impl ReadOperation for GateList {
    type Input = Input;
    type Output = Gates;

    const DECLARATION: Declaration = Declaration::read("gate_list", Toolset::Workflow)
        .sdk("gates.list")
        .blocking()
        .cli(&["gates", "list"])
        .examples(&[Example::new("All of them", &["gates", "list"], "{}")]);

    async fn run(context: ReadContext, input: Input) -> Result<Gates> {
        let of_file = match input.task_id {
            Some(_) => Vec::new(),
            None => gates::file_gates(&context.workspace),
        };
        let all = context.read(|reader| {
            let of_file = of_file.into_iter();
            let mut all: Vec<GateOutput> = of_file
                .map(|gate| GateOutput::read(reader, gate))
                .collect::<Result<_>>()?;
            let added = match &input.task_id {
                Some(id) => {
                    let task = common::task(reader, "task_id", id)?;
                    reader.gates_of(&GateScope::Task(task.id))?
                }
                None => reader.gates()?,
            };
            for gate in added {
                all.push(GateOutput::of_added(reader, gate)?);
            }
            Ok(all)
        })?;
        Ok(Gates::of(all))
    }
}
