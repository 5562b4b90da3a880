use std::time::{Duration, Instant};

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use windlass_core::{EntityId, Result};
use windlass_sandbox::Request;

use super::answer::Executed;
use super::host::ScriptHost;
use super::sdk;
use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct Execute;

/// Run JavaScript or TypeScript over everything Windlass can do: one call in place of many. await
/// and return work at the top; the value is what is returned, or the last expression, as JSON.
/// Every method is async and takes one object, or its first arguments in order: await
/// entities.get(7). Promise.all makes calls at the same time. A call that fails throws an Error
/// with code, tag and hint. console.log comes back as logs. Data inside of the script has no limit
/// but memory; only a value of more than 50,000 characters is cut. What calls did stays done when a
/// script fails: the answer lists them. There is no import, eval, file, network, typed array or
/// Proxy. describe gives the types of methods.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = add_index)]
pub struct Input {
    /// The script.
    #[arg(short = 'e', long = "eval", value_name = "CODE", id = "code")]
    pub code: String,
    /// How many milliseconds it may take; 30000 unless the project says otherwise.
    #[serde(default)]
    #[arg(long, value_name = "MS")]
    pub timeout_ms: Option<u64>,
    /// What the events of its calls carry; a new one unless it is given.
    #[serde(default)]
    #[arg(long, value_name = "ID")]
    pub correlation_id: Option<String>,
}

/// The index of methods is made from the list, so that it never misses one.
fn add_index(schema: &mut Schema) {
    let description = schema.get("description").and_then(|text| text.as_str());
    let description = description.unwrap_or_default().to_owned();
    let text = format!("{description}\n\nMethods:{}", sdk::index());
    schema.insert("description".to_owned(), text.into());
}

impl Operation for Execute {
    type Input = Input;
    type Output = Executed;

    const DECLARATION: Declaration = Declaration {
        name: sdk::EXECUTE,
        toolset: Toolset::Code,
        cli: &["exec"],
        sdk: "code.execute",
        effect: Effect::Script,
        idempotent: false,
        long_running: true,
        audience: Audience::Anyone,
        errors: ErrorStyle::Script,
        examples: &[Example {
            about: "The titles of all open tasks",
            cli: &[
                "exec",
                "-e",
                "(await tasks.ready()).tasks.map(task => task.title)",
            ],
            input: r#"{"code": "(await tasks.ready()).tasks.map(task => task.title)"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<Executed> {
        let scripts = context.workshop.scripts()?;
        let mut limits = scripts.limits(input.timeout_ms)?;
        if let Some(budget) = context.answer_budget {
            limits.result_characters = limits.result_characters.min(budget);
        }
        let correlation_id = input
            .correlation_id
            .or_else(|| context.origin.correlation_id.clone())
            .unwrap_or_else(|| EntityId::random().to_string());
        let deadline = Instant::now() + limits.timeout.max(Duration::from_millis(1));
        let host = ScriptHost::new(context.clone(), correlation_id.clone(), deadline);
        let request = Request {
            code: input.code,
            limits,
        };
        let outcome = scripts.pool().execute(request, &host).await;
        Ok(Executed::of(outcome, correlation_id))
    }
}
