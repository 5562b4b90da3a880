use crate::prelude::*;
use std::collections::BTreeMap;

use windlass_runs::playbooks::{InstantiateError, Playbooks, Source};
use windlass_runs::record::{ExecutedRun, NewRun, RunRecord};

use super::playbook_get::find;
use super::stored::{Plan, PlaybookFile};
use super::{execution, invalid, permission, stored};
use crate::arguments::Values;

pub struct PlaybookRun;

/// Create a run of a playbook and execute it. If a playbook of the project executes anything on this
/// machine, a person must first allow its current text.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The id of the playbook.
    pub id: String,
    /// Values of its variables.
    #[serde(default)]
    #[command(flatten)]
    pub vars: Values,
    /// Wait until it has ended.
    #[serde(default = "yes")]
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set)]
    pub wait: bool,
}

fn yes() -> bool {
    true
}

impl Operation for PlaybookRun {
    type Input = Input;
    type Output = ExecutedRun;

    const DECLARATION: Declaration = Declaration::execute("playbook_run", Toolset::Runs)
        .sdk("playbooks.run")
        .cli(&["playbooks", "run"])
        .long_running()
        .errors(ErrorStyle::Result)
        .examples(&[Example::new(
            "The first one to try",
            &["playbooks", "run", "hello-world"],
            r#"{"id": "hello-world"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<ExecutedRun> {
        let (id, vars) = (input.id, input.vars);
        let create = move |context: &Context| create(context, &id, plan(context, &id, &vars)?);
        let run_id = context.offload(create).await?;
        let record = execution::execute(&context, &run_id, input.wait).await?;
        Ok(record.executed())
    }
}

/// Records a run of the playbook, and returns its id.
fn create(context: &Context, id: &str, plan: Plan) -> Result<String> {
    // Refused before anything is recorded.
    permission::check(context, &plan)?;
    let engine = &context.host.runs()?.engine;
    let checked = engine.check(&plan.spec);
    checked.map_err(|problem| execution::unavailable(&context.workspace, problem))?;
    let new = NewRun {
        parent_run_id: None,
        playbook_id: Some(id.to_owned()),
    };
    let record = stored::create(context, plan, new)?;
    Ok(record.run_id().to_owned())
}

/// Whether the current text of a playbook may be run.
pub fn check_playbook(context: &ReadContext, id: &str) -> Result<()> {
    permission::check(context, &plan(context, id, &Values::default())?)
}

/// Runs a playbook to its end, with additional environment variables.
pub async fn run_playbook(
    context: &Context,
    id: &str,
    environment: BTreeMap<String, String>,
) -> Result<RunRecord> {
    let mut plan = plan(context, id, &Values::default())?;
    let known = plan.spec.env_refs.get_or_insert_default();
    known.extend(environment);
    let run_id = create(context, id, plan)?;
    execution::execute(context, &run_id, true).await
}

fn plan(context: &ReadContext, id: &str, vars: &Values) -> Result<Plan> {
    let playbooks = Playbooks::load(context.workspace.settings_root());
    let playbook = find(&playbooks, id)?;
    let spec = playbook
        .instantiate(&vars.0)
        .map_err(|problem| match problem {
            InstantiateError::Variable { name, why } => {
                Error::new(ErrorKind::InvalidRunSpec, format!("vars: {name}: {why}"))
                    .with("field", format!("vars.{name}"))
            }
            InstantiateError::Invalid(problem) => invalid("", &problem.to_string()),
        })?;
    let file = match &playbook.source {
        Source::BuiltIn => None,
        Source::File { path, fingerprint } => Some(PlaybookFile {
            path: path.clone(),
            fingerprint: fingerprint.clone(),
        }),
    };
    Ok(Plan { spec, file })
}
