use crate::prelude::*;
use serde_json::json;

use super::signal::{Acknowledged, BLOCKERS, comment, one_of, required, say};
use crate::plan::find_task;

pub struct Blocked;

/// Report that something else must happen first. The task waits for it once you give it back with
/// partial or stuck.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The number of a task, or something external.
    pub on: String,
    /// upstream_task or external.
    pub kind: String,
    /// What exactly is missing.
    #[serde(default)]
    #[arg(long)]
    pub detail: Option<String>,
}

impl Operation for Blocked {
    type Input = Input;
    type Output = Acknowledged;

    const DECLARATION: Declaration = Declaration::write("blocked", Toolset::Focus)
        .sdk("focus.blocked")
        .examples(&[Example::call(
            "Another task first",
            r#"{"on": "3", "kind": "upstream_task"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<Acknowledged> {
        required("on", &input.on)?;
        one_of("kind", &input.kind, BLOCKERS)?;
        let body = json!({"on": input.on, "kind": input.kind, "detail": input.detail});
        say(&context, "blocked", &body, |writer, current| {
            if input.kind == "upstream_task" {
                let id = Number(Id(input.on.clone()));
                find_task(writer, "on", &id)?;
            }
            let mut text = format!("Blocked on {} ({})", input.on, input.kind);
            if let Some(detail) = &input.detail {
                text = format!("{text}: {detail}");
            }
            comment(writer, current, &text)?;
            Ok("Noted.".to_owned())
        })
    }
}
