use crate::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::json;
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

/// Whether the runs of a playbook are executed elsewhere, and so go on without this process.
pub fn is_played_elsewhere(context: &Context, id: &str) -> Result<bool> {
    let plan = plan(context, id, &Values::default())?;
    Ok(context.host.runs()?.engine.is_elsewhere(plan.spec.runtime))
}

/// Runs a playbook elsewhere under a name, once: whoever asks under the same name gets the same run.
/// Returns its record when it has ended, or as it is when the time is over.
pub async fn follow_playbook(
    context: &Context,
    id: &str,
    (run_id, environment): (&str, BTreeMap<String, String>),
    patience: Duration,
) -> Result<RunRecord> {
    let mut plan = plan(context, id, &Values::default())?;
    plan.spec
        .env_refs
        .get_or_insert_default()
        .extend(environment);
    plan.spec.run_id = Some(run_id.to_owned());
    if context.read(|reader| reader.run(run_id))?.is_none() {
        create(context, id, plan.clone())?;
    }
    let run = stored::load(context, run_id)?;
    // Anyone may choose the name of a run: this one must do exactly what the playbook says.
    if json!(run.plan) != json!(plan) || run.record.playbook_id() != Some(id) {
        let message = format!("Run {run_id} does not do what playbook {id} says now");
        return Err(Error::new(ErrorKind::InvalidRunSpec, message)
            .with_hint("The playbook changed while its run was under way. Run the gate again."));
    }
    let is_new = run.record.status().name() == "created";
    if is_new && !context.host.runs()?.has(run_id) {
        execution::execute(context, run_id, false).await?;
    }
    let until = tokio::time::Instant::now() + patience;
    let mut changes = context.state.watch();
    loop {
        let record = stored::load(context, run_id)?.record;
        let left = until.saturating_duration_since(tokio::time::Instant::now());
        if record.status().is_terminal() || left.is_zero() {
            return Ok(record);
        }
        let _ = tokio::time::timeout(left, changes.changed()).await;
    }
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
