use crate::prelude::*;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value as Json;
use windlass_runs::record::{CreatedRun, NewRun};
use windlass_runs::spec::RunSpec;

use super::stored::{self, Plan};
use super::{execution, invalid};

pub struct RunCreate;

/// Create a run from a specification: steps to execute in order, each with its expectations. Nothing
/// is executed before run_execute.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The specification.
    #[arg(value_name = "JSON")]
    pub spec: SpecArgument,
}

/// A specification that has not been checked yet: the check has its own error messages.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SpecArgument(pub Json);

impl FromStr for SpecArgument {
    type Err = serde_json::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        serde_json::from_str(text).map(Self)
    }
}

impl JsonSchema for SpecArgument {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "RunSpec".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        RunSpec::json_schema(generator)
    }
}

impl Operation for RunCreate {
    type Input = Input;
    type Output = CreatedRun;

    const DECLARATION: Declaration = Declaration::write("run_create", Toolset::Runs)
        .sdk("runs.create")
        .cli(&["runs", "create"])
        .examples(&[Example {
            about: "One step, simulated",
            cli: &[
                "runs",
                "create",
                r#"{"runId": "mine", "title": "Build and Test", "runtime": "dummy", "steps": [{"name": "Install Dependencies", "shell": "bash", "command": "npm install"}]}"#,
            ],
            input: r#"{"spec": {"runId": "mine", "title": "Build and Test", "runtime": "dummy", "steps": [{"name": "Install Dependencies", "shell": "bash", "command": "npm install"}]}}"#,
        }]);

    async fn run(context: Context, input: Input) -> Result<CreatedRun> {
        let spec =
            RunSpec::parse(input.spec.0).map_err(|problem| invalid("", &problem.to_string()))?;
        let engine = &context.host.runs()?.engine;
        let checked = engine.check(&spec);
        checked.map_err(|problem| execution::unavailable(&context.workspace, problem))?;
        let plan = Plan { spec, file: None };
        Ok(stored::create(&context, plan, NewRun::default())?.created())
    }
}
