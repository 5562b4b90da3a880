use crate::prelude::*;
use std::time::{Duration, Instant};

use schemars::{JsonSchema, Schema};
use windlass_core::EntityId;
use windlass_sandbox::Request;

use super::answer::Executed;
use super::call_handler::ScriptCalls;
use super::sdk;

pub struct Execute;

/// Run JavaScript or TypeScript that can call all of Windlass: one call instead of many. await and
/// return work at the top; the value is what is returned, or the last expression, as JSON; over
/// 50,000 characters it is cut. Methods are async and take one object, or their first arguments in
/// order: await entities.get(7). Promise.all makes calls at once. Failed calls throw an Error with
/// code, tag, hint. console.log output is returned. Effects of calls remain if the script fails. No
/// import, eval, files, network, Intl, Proxy. describe gives types.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = add_index)]
pub struct Input {
    /// The script.
    #[arg(short = 'e', long = "eval", value_name = "CODE", id = "code")]
    pub code: String,
    /// 30,000 by default.
    #[serde(default)]
    #[arg(long, value_name = "MS")]
    pub timeout_ms: Option<u64>,
    /// For the events of its calls.
    #[serde(default)]
    #[arg(long, value_name = "ID")]
    pub correlation_id: Option<String>,
}

/// Clients cut descriptions at 2 KB, and every list of tools has this one. Methods that do not fit
/// are found by `describe`.
const LONGEST_DESCRIPTION: usize = 1_380;

/// The index of methods is generated from the list of operations, so it is always complete.
fn add_index(schema: &mut Schema) {
    let description = schema.get("description").and_then(|text| text.as_str());
    let mut text = format!("{}\n\nMethods:", description.unwrap_or_default());
    text += &sdk::index(LONGEST_DESCRIPTION - text.len());
    schema.insert("description".to_owned(), text.into());
}

impl Operation for Execute {
    type Input = Input;
    type Output = Executed;

    const DECLARATION: Declaration = Declaration::script(sdk::EXECUTE, Toolset::Code)
        .sdk("code.execute")
        .cli(&["exec"])
        .long_running()
        .examples(&[Example::new(
            "The titles of all open tasks",
            &[
                "exec",
                "-e",
                "(await tasks.ready()).tasks.map(task => task.title)",
            ],
            r#"{"code": "(await tasks.ready()).tasks.map(task => task.title)"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<Executed> {
        let scripts = context.host.scripts()?;
        let mut limits = scripts.limits(input.timeout_ms)?;
        if let Some(budget) = context.output_budget {
            limits.result_characters = limits.result_characters.min(budget);
        }
        let id_was_given = input.correlation_id.is_some();
        let correlation_id = input
            .correlation_id
            .or_else(|| context.origin.correlation_id.clone())
            .unwrap_or_else(|| EntityId::random().to_string());
        let deadline = Instant::now() + limits.timeout.max(Duration::from_millis(1));
        let host = ScriptCalls::new(context.clone(), correlation_id.clone(), deadline);
        let request = Request {
            code: input.code,
            limits,
            unjailed: context.workspace.trusts_unjailed_scripts()?,
        };
        let outcome = scripts.pool().execute(request, &host).await;
        Ok(Executed::of(outcome, correlation_id, id_was_given))
    }
}
