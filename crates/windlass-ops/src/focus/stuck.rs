use crate::prelude::*;
use serde_json::json;

use super::closing::Closing;
use super::signal::{Acknowledged, give_back, required};

pub struct Stuck;

/// Give the task back because you cannot go on. After three in a row it waits for a person.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// What is in the way.
    pub reason: String,
}

impl Operation for Stuck {
    type Input = Input;
    type Output = Acknowledged;

    const DECLARATION: Declaration = Declaration::write("stuck", Toolset::Focus)
        .sdk("focus.stuck")
        .examples(&[Example::call(
            "The reason",
            r#"{"reason": "The test server is down"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<Acknowledged> {
        required("reason", &input.reason)?;
        let body = json!({"reason": input.reason});
        let closing = Closing::Stuck {
            reason: &input.reason,
        };
        give_back(&context, &closing, &body)
    }
}
