use crate::prelude::*;
use windlass_runs::Stream;
use windlass_runs::record::StepStatus;

use super::byte_page::{BytePage, PageEnd};
use super::stored;
use crate::commands::StreamName;

pub struct RunLogs;

/// Read the whole output of a step, page by page, during or after its run. Secrets are masked.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The id of the run.
    #[serde(rename = "runId")]
    #[arg(id = "runId", value_name = "RUN_ID")]
    pub run_id: String,
    /// The step, counted from 0; the running step or the last one that ran if absent.
    #[serde(default)]
    #[arg(long)]
    pub step: Option<usize>,
    /// Which output: stdout or stderr.
    #[serde(default = "stdout")]
    #[arg(long, value_enum, default_value_t = StreamName::Stdout)]
    pub stream: StreamName,
    #[serde(flatten, deserialize_with = "crate::input::part")]
    #[command(flatten)]
    pub page: BytePage,
}

fn stdout() -> StreamName {
    StreamName::Stdout
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
    /// The byte to continue from.
    pub next: u64,
    /// Whether the step may still write more.
    pub live: bool,
    /// Whether there is more after this page.
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
            format!("There is more; continue with --from {}.", self.next),
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
        input.page.check()?;
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
        let from = input.page.from;
        let most = input.page.bytes_to_read();
        let page = context
            .jobs
            .step_output(&input.run_id, index, stream, from, most)
            .await?;
        let read = page.bytes.len() as u64;
        let end = if page.is_live || read >= most {
            PageEnd::Continues
        } else {
            PageEnd::Final
        };
        let (mut text, length) = input.page.text(&page.bytes, end);
        // A simulated step has no output besides its record.
        if text.is_empty() && from == 0 {
            let recorded = match stream {
                Stream::Stdout => &step.stdout,
                Stream::Stderr => &step.stderr,
            };
            text = recorded.clone().unwrap_or_default();
        }
        Ok(LogPage {
            run_id: input.run_id,
            step: index,
            step_name: step.name.clone(),
            stream: input.stream,
            text,
            next: page.next - (read - length),
            live: page.is_live,
            more: read >= most || length < read,
        })
    }
}
