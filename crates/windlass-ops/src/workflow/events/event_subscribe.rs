use crate::prelude::*;
use std::time::{Duration, Instant};

use crate::workflow::common;
use crate::workflow::history::History;

pub struct EventSubscribe;

/// Wait for the next events that match, and answer them as soon as there are any; nothing if none come in time. Without
/// after, only what happens from now on counts. Call again with the last seq to go on.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only events after this number; those from now on if absent.
    #[serde(default)]
    #[arg(long)]
    pub after: Option<i64>,
    /// Only these types, or all that begin so: task.started, gate.
    #[serde(default)]
    #[arg(long = "type", value_name = "TYPE")]
    pub types: Vec<String>,
    /// Only changes of this task or entity: its number, or at least 4 hex digits of its id.
    #[serde(default)]
    #[arg(long)]
    pub entity: Option<Id>,
    /// How many to answer, 1 to 100.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub limit: Limit<50>,
    /// How long to wait, 0 to 300 seconds.
    #[serde(default = "default_wait")]
    #[arg(long, default_value_t = DEFAULT_WAIT)]
    #[schemars(range(max = 300))]
    pub timeout_seconds: u32,
}

const DEFAULT_WAIT: u32 = 30;
const MAX_WAIT: u32 = 300;
/// How often the history is looked at: other processes write to it too.
const LOOK: Duration = Duration::from_millis(100);

fn default_wait() -> u32 {
    DEFAULT_WAIT
}

impl ReadOperation for EventSubscribe {
    type Input = Input;
    type Output = History;

    const DECLARATION: Declaration = Declaration::read("event_subscribe", Toolset::Workflow)
        .sdk("events.subscribe")
        .long_running()
        .examples(&[Example::call(
            "What has happened to tasks",
            r#"{"after": 0, "types": ["task."], "limit": 3}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<History> {
        if input.timeout_seconds > MAX_WAIT {
            let message = format!("{} is above {MAX_WAIT}", input.timeout_seconds);
            return Err(Error::validation("timeout_seconds", message));
        }
        let filter = common::Wanted::of(&context, &input.types, input.entity.as_ref())?;
        let page = input.limit.page(0)?;
        let mut after = match input.after {
            Some(after) => after,
            None => context.state.last_event()?,
        };
        let wait = Duration::from_secs(u64::from(input.timeout_seconds));
        let begin = Instant::now();
        loop {
            let history = History::read(&context, &filter, after, page.limit)?;
            after = history.last_seq;
            if !history.events.is_empty() || begin.elapsed() >= wait {
                return Ok(history);
            }
            let left = wait.saturating_sub(begin.elapsed());
            tokio::time::sleep(LOOK.min(left)).await;
        }
    }
}
