use super::jobs::{self, Place};
use super::local;
use super::outputs::JobOutput;
use crate::job_host::{self, Request};
use crate::prelude::*;

pub struct TaskStop;

/// Stop a job and all of its processes: TERM, a grace period, then KILL.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The PID of the job.
    pub pid: i32,
    /// Seconds; 5 if absent.
    #[serde(default)]
    #[arg(long)]
    #[schemars(range(min = 0, max = 600))]
    pub grace_period: Option<f64>,
}

/// How the job was stopped.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct StopResult {
    pub pid: i32,
    /// graceful, killed or failed.
    pub status: String,
    pub message: String,
    /// The grace period in seconds.
    pub grace_period_used: f64,
}

impl Render for StopResult {
    fn view(&self) -> View {
        let style = match self.status.as_str() {
            "graceful" => Style::Good,
            "killed" => Style::Warning,
            _ => Style::Bad,
        };
        View::default().line([
            Span::new(format!("{} ", self.pid), Style::Id),
            Span::new(self.message.clone(), style),
        ])
    }
}

impl Operation for TaskStop {
    type Input = Input;
    type Output = StopResult;

    const DECLARATION: Declaration = Declaration::write("task_stop", Toolset::Commands)
        .sdk("jobs.stop")
        .cli(&["jobs", "stop"])
        .idempotent()
        .long_running()
        .examples(&[Example::new(
            "Give job 4711 ten seconds to end",
            &["jobs", "stop", "4711", "--grace-period", "10"],
            r#"{"pid": 4711, "grace_period": 10}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<StopResult> {
        let jobs = context.host.started_jobs();
        if let Some(job) = jobs.and_then(|jobs| jobs.supervisor.job_by_pid(input.pid)) {
            let grace = context.workspace.commands_config()?.limits().grace;
            return local::stop(&job, &input, grace).await;
        }
        match jobs::find(&context, input.pid)? {
            // It started after the check above.
            Place::Here(_) => Err(jobs::not_found(input.pid)),
            Place::Elsewhere(socket) => job_host::ask(&socket, &Request::Stop(input)).await,
            Place::Past(record) => {
                let job = JobOutput::from(*record);
                let how = match (job.exit_code, job.reason) {
                    (_, Some(reason)) => format!("({reason})"),
                    (Some(code), None) => format!("with exit code {code}"),
                    (None, None) => String::new(),
                };
                Ok(StopResult {
                    pid: job.pid,
                    status: "graceful".to_owned(),
                    message: format!("Process had already ended {how}")
                        .trim_end()
                        .to_owned(),
                    grace_period_used: 0.0,
                })
            }
        }
    }
}
