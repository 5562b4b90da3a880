use crate::prelude::*;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::workflow::common;
use crate::workflow::history::History;

pub struct EventSubscribe;

/// Wait for the next matching events, and return as soon as there are any; empty if none occur in
/// time. Without after, only new events count. To continue, call again with the last seq.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only events after this number; those from now on if absent.
    #[serde(default)]
    #[arg(long)]
    pub after: Option<i64>,
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
    /// How long to wait, 0 to 300 seconds.
    #[serde(default = "default_wait")]
    #[arg(long, default_value_t = DEFAULT_WAIT)]
    #[schemars(range(max = 300))]
    pub timeout_seconds: u32,
}

const DEFAULT_WAIT: u32 = 30;
const MAX_WAIT: u32 = 300;

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
        let page = input.limit.first_page()?;
        let mut after = match input.after {
            Some(after) => after,
            None => context.state.last_event()?,
        };
        let until = Instant::now() + Duration::from_secs(u64::from(input.timeout_seconds));
        let mut changes = context.state.watch();
        loop {
            let (wanted, limit) = (filter.clone(), page.limit);
            let read = move |context: &ReadContext| History::read(context, &wanted, after, limit);
            let history = context.offload(read).await?;
            after = history.last_seq;
            if !history.events.is_empty() || Instant::now() >= until {
                return Ok(history);
            }
            // After a commit or the timeout, the history is read once more.
            let _ = timeout_at(until, changes.changed()).await;
        }
    }
}
