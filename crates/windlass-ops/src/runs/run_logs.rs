use crate::prelude::*;
use windlass_runs::Stream;
use windlass_runs::record::StepStatus;

use super::stored;
use crate::commands::StreamName;

pub struct RunLogs;

const CHUNK: u64 = 8 * 1024;
const LARGEST: u64 = 64 * 1024;

/// Read the whole output of a step, while it runs as well as later, page by page. Secrets are masked.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The id of the run.
    #[serde(rename = "runId")]
    #[arg(id = "runId", value_name = "RUN_ID")]
    pub run_id: String,
    /// The step, counted from 0; the running or the last one that ran if absent.
    #[serde(default)]
    #[arg(long)]
    pub step: Option<usize>,
    /// Which output: stdout or stderr.
    #[serde(default = "stdout")]
    #[arg(long, value_enum, default_value_t = StreamName::Stdout)]
    pub stream: StreamName,
    /// Read on from this byte; `next` of an earlier answer.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub from: u64,
    /// The most bytes to answer with, up to 65,536.
    #[serde(rename = "maxBytes", default = "chunk")]
    #[arg(id = "maxBytes", long = "max-bytes", default_value_t = CHUNK)]
    #[schemars(range(min = 1, max = 65536))]
    pub max_bytes: u64,
}

fn stdout() -> StreamName {
    StreamName::Stdout
}

fn chunk() -> u64 {
    CHUNK
}

/// A part of an output.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogPage {
    pub run_id: String,
    pub step: usize,
    pub step_name: String,
    pub stream: StreamName,
    pub text: String,
    /// The byte to read on from.
    pub next: u64,
    /// Whether more may come.
    pub live: bool,
    /// Whether the output goes on behind this page.
    pub more: bool,
}

impl Render for LogPage {
    fn view(&self) -> View {
        if self.text.is_empty() {
            return View::nothing("No output.");
        }
        let view = View::default().text(self.text.clone());
        if !self.more {
            return view;
        }
        view.line([Span::new(
            format!("There is more; read on with --from {}.", self.next),
            Style::Dim,
        )])
    }
}

impl ReadOperation for RunLogs {
    type Input = Input;
    type Output = LogPage;

    const DECLARATION: Declaration = Declaration::read("run_logs", Toolset::Runs)
        .sdk("runs.logs")
        .blocking()
        .cli(&["runs", "logs"])
        .errors(ErrorStyle::Result)
        .examples(&[Example::new(
            "What the first step wrote",
            &["runs", "logs", "run-1", "--step", "0"],
            r#"{"runId": "run-1", "step": 0}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<LogPage> {
        if !(1..=LARGEST).contains(&input.max_bytes) {
            return Err(Error::validation("maxBytes", "must be 1 to 65,536"));
        }
        let stream = match input.stream {
            StreamName::Stdout => Stream::Stdout,
            StreamName::Stderr => Stream::Stderr,
            StreamName::Both => {
                return Err(Error::validation("stream", "must be stdout or stderr"));
            }
        };
        let run = stored::load(&context, &input.run_id)?;
        let steps = run.record.steps();
        let begun = |status| !matches!(status, StepStatus::Pending | StepStatus::Skipped);
        let last = steps.iter().rposition(|step| begun(step.status));
        let index = input.step.or(last).unwrap_or(0);
        let step = steps.get(index).ok_or_else(|| {
            let most = steps.len().saturating_sub(1);
            Error::validation("step", format!("must be 0 to {most}"))
        })?;
        let (from, most) = (input.from, input.max_bytes);
        let page = context
            .jobs
            .step_output(&input.run_id, index, stream, from, most)
            .await?;
        let mut text = String::from_utf8_lossy(&page.bytes).into_owned();
        // Of a simulated step nothing is kept but its record.
        if text.is_empty() && input.from == 0 {
            let recorded = match stream {
                Stream::Stdout => &step.stdout,
                Stream::Stderr => &step.stderr,
            };
            text = recorded.clone().unwrap_or_default();
        }
        let full = page.bytes.len() as u64 >= input.max_bytes;
        Ok(LogPage {
            run_id: input.run_id,
            step: index,
            step_name: step.name.clone(),
            stream: input.stream,
            text,
            next: page.next,
            live: page.is_live,
            more: full,
        })
    }
}
