use crate::prelude::*;
use serde_json::json;

use super::signal::{Acknowledged, CATEGORIES, SEVERITIES, comment, one_of, required, say};

pub struct Flag;

/// Flag what others should know.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// What was found.
    pub what: String,
    /// info, warning or blocking.
    pub severity: String,
    /// bug, stale, contradiction, ambiguity, overlap, performance, security or incomplete_prior.
    pub category: String,
}

impl Operation for Flag {
    type Input = Input;
    type Output = Acknowledged;

    const DECLARATION: Declaration = Declaration::write("flag", Toolset::Focus)
        .sdk("focus.flag")
        .examples(&[Example::call("Two documents disagree", r#"{"what": "README says port 80, the code 8080", "severity": "warning", "category": "contradiction"}"#)]);

    async fn run(context: Context, input: Input) -> Result<Acknowledged> {
        required("what", &input.what)?;
        one_of("severity", &input.severity, SEVERITIES)?;
        one_of("category", &input.category, CATEGORIES)?;
        let body = json!({
            "what": input.what,
            "severity": input.severity,
            "category": input.category,
        });
        say(&context, "flag", &body, |writer, current| {
            let text = format!("{} ({}): {}", input.severity, input.category, input.what);
            comment(writer, current, &text)?;
            Ok("Flagged.".to_owned())
        })
    }
}
