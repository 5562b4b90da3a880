use crate::prelude::*;
use crate::workflow::common;
use crate::workflow::history::History;

pub struct EventReplay;

/// Read the history, oldest first, after a given event. To continue, call again with the last seq.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only events after this number.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub after: i64,
    /// Only these types or prefixes: task.started, gate.
    #[serde(default)]
    #[arg(long = "type", value_name = "TYPE")]
    pub types: Vec<String>,
    /// Only changes of this task or entity: its number, or at least 4 hex digits of its id.
    #[serde(default)]
    #[arg(long)]
    pub entity: Option<Id>,
    /// How many to return, 1 to 100.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub limit: Limit<50>,
}

impl ReadOperation for EventReplay {
    type Input = Input;
    type Output = History;

    const DECLARATION: Declaration = Declaration::read("event_replay", Toolset::Workflow)
        .sdk("events.replay")
        .examples(&[Example::call(
            "From the beginning, what happened to tasks",
            r#"{"types": ["task."], "limit": 5}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<History> {
        let filter = common::Wanted::of(&context, &input.types, input.entity.as_ref())?;
        let page = input.limit.first_page()?;
        History::read(&context, &filter, input.after, page.limit)
    }
}
