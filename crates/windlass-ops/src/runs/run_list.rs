use crate::prelude::*;
use windlass_runs::record::{RunRecord, RunStatus};
use windlass_runs::spec::RuntimeName;
use windlass_store::RunFilter;

use super::render::{duration, status_span};
use super::stored;

pub struct RunList;

/// List runs, newest first.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only runs of this status: created, running, success, failed, timeout or cancelled.
    #[serde(default)]
    #[arg(long)]
    pub status: Option<String>,
    /// Only runs of this playbook.
    #[serde(rename = "playbookId", default)]
    #[arg(id = "playbookId", long = "playbook", value_name = "ID")]
    pub playbook_id: Option<String>,
    /// Only runs of this runtime: dummy, local, docker, github-runner, ecs-task or ssm.
    #[serde(default)]
    #[arg(long)]
    pub runtime: Option<String>,
    /// Only the run with this id where it is executed: of a workflow run, a task or a command.
    #[serde(rename = "externalId", default)]
    #[arg(id = "externalId", long = "external", value_name = "ID")]
    pub external_id: Option<String>,
    #[serde(flatten, deserialize_with = "crate::input::part")]
    #[command(flatten)]
    pub paging: Paging<20>,
}

/// A run in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunSummary {
    pub run_id: String,
    pub title: String,
    pub runtime: String,
    pub status: RunStatus,
    pub created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub playbook_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_run_id: Option<String>,
    /// Its id where it is executed, if that is elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// Its state there, in the words of that place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_state: Option<String>,
    /// Why it did not succeed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl From<&RunRecord> for RunSummary {
    fn from(record: &RunRecord) -> Self {
        Self {
            run_id: record.run_id().to_owned(),
            title: record.title().to_owned(),
            runtime: record.runtime().name().to_owned(),
            status: record.status(),
            created_at: record.created_at().as_str().to_owned(),
            completed_at: record.completed_at().map(|it| it.as_str().to_owned()),
            duration_ms: record.duration_ms(),
            playbook_id: record.playbook_id().map(str::to_owned),
            parent_run_id: record.parent_run_id().map(str::to_owned),
            external_id: record.external().and_then(|it| it.id.clone()),
            external_state: record.external().and_then(|it| it.state.clone()),
            failure: record.failure().map(ToString::to_string),
        }
    }
}

/// Runs, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Runs {
    pub runs: Vec<RunSummary>,
    /// How many match in all.
    pub total: u64,
}

impl Render for Runs {
    fn view(&self) -> View {
        if self.runs.is_empty() {
            return View::nothing("No runs.");
        }
        let columns = vec![
            Column::new("RUN"),
            Column::new("STATUS"),
            Column::new("TOOK").right(),
            Column::new("RUNTIME"),
            Column::new("TITLE").shrinking(),
        ];
        let rows = self.runs.iter().map(|run| {
            vec![
                Span::new(run.run_id.clone(), Style::Id),
                status_span(run.status),
                Span::from(run.duration_ms.map(duration).unwrap_or_default()),
                Span::from(run.runtime.clone()),
                Span::from(run.title.clone()),
            ]
        });
        View::default().table(columns, rows.collect())
    }
}

impl ReadOperation for RunList {
    type Input = Input;
    type Output = Runs;

    const DECLARATION: Declaration = Declaration::read("run_list", Toolset::Runs)
        .sdk("runs.list")
        .cli(&["runs", "list"])
        .errors(ErrorStyle::Result)
        .examples(&[Example::new(
            "Successful runs",
            &["runs", "list", "--status", "success"],
            r#"{"status": "success"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<Runs> {
        if let Some(status) = &input.status {
            let known: Vec<&str> = RunStatus::ALL.iter().map(|it| it.name()).collect();
            if !known.contains(&status.as_str()) {
                return Err(Error::invalid_enum("status", status, &known));
            }
        }
        if let Some(runtime) = &input.runtime {
            let known: Vec<&str> = RuntimeName::ALL.iter().map(|it| it.name()).collect();
            if !known.contains(&runtime.as_str()) {
                return Err(Error::invalid_enum("runtime", runtime, &known));
            }
        }
        let page = input.paging.page()?;
        let filter = RunFilter {
            status: input.status,
            playbook_id: input.playbook_id,
            runtime: input.runtime,
            external_id: input.external_id,
            limit: page.limit,
            offset: page.offset,
        };
        let runs = stored::list(&context, &filter)?;
        let runs: Vec<RunSummary> = runs.iter().map(|run| (&run.record).into()).collect();
        let total = context.read(|reader| reader.count_runs(&filter))?;
        Ok(Runs { runs, total })
    }
}
