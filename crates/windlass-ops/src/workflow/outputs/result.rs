use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::workflow::GateStatus;
use windlass_store::{GateResult, Review};

use super::moment;
use crate::view::{Column, Render, Span, Style, View};
use crate::workflow::gates;

/// How much of each stream an output about failures contains.
const TAIL_CHARS: usize = 4_000;

/// One attempt of one gate.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GateResultOutput {
    pub gate_id: String,
    pub name: String,
    pub review_id: String,
    /// Counted from one within the review.
    pub attempt: u32,
    pub max_retries: u32,
    /// queued, running, pending, waiting, passed, failed, timeout or cancelled.
    pub status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Why it waits, or could not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The end of what it wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdout: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
    /// How often it was run.
    pub polls: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,
}

impl GateResultOutput {
    /// An attempt of this review. One that was running when its process exited is shown as queued,
    /// because it will be run again.
    pub fn of(mut result: GateResult, review: &Review) -> Self {
        if result.status == GateStatus::Running && gates::is_left(review) {
            result.status = GateStatus::Queued;
            result.message = Some(format!(
                "It was interrupted: the process that ran it has exited. The next server runs it \
                 again; windlass gates rerun {} does so now.",
                review.number
            ));
        }
        if !result.here {
            let said = result.message.map(|said| format!(" {said}"));
            let said = said.unwrap_or_default();
            result.message = Some(format!("It ran on another clone.{said}"));
        }
        Self {
            gate_id: result.gate,
            name: result.definition.name,
            review_id: result.review,
            attempt: result.attempt,
            max_retries: result.definition.max_retries,
            status: result.status.name().to_owned(),
            exit_code: result.exit_code,
            message: result.message,
            stdout: Some(result.stdout),
            stderr: Some(result.stderr),
            polls: result.polls,
            started_at: moment(result.started_at.as_ref()),
            completed_at: moment(result.completed_at.as_ref()),
        }
    }

    pub fn without_output(self) -> Self {
        Self {
            stdout: None,
            stderr: None,
            ..self
        }
    }

    /// With at most this many characters of each stream.
    pub fn with_tails(mut self, chars: usize) -> Self {
        for text in [&mut self.stdout, &mut self.stderr].into_iter().flatten() {
            *text = tail(text, chars);
        }
        self
    }

    pub fn columns() -> Vec<Column> {
        vec![
            Column::new("GATE"),
            Column::new("STATUS"),
            Column::new("ATTEMPT").right(),
            Column::new("EXIT").right(),
            Column::new("WHY").shrinking(),
        ]
    }

    pub fn status_span(&self) -> Span {
        let style = match self.status.as_str() {
            "passed" => Style::Good,
            "failed" | "timeout" => Style::Bad,
            "cancelled" => Style::Dim,
            _ => Style::Warning,
        };
        Span::new(self.status.clone(), style)
    }

    pub fn row(&self) -> Vec<Span> {
        vec![
            Span::from(self.name.clone()),
            self.status_span(),
            Span::from(format!("{} of {}", self.attempt, self.max_retries)),
            Span::from(
                self.exit_code
                    .map_or(String::new(), |code| code.to_string()),
            ),
            Span::from(self.message.clone().unwrap_or_default()),
        ]
    }
}

/// The gate results of a review.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReviewGates {
    pub review_id: String,
    /// The status of the review.
    pub status: String,
    pub results: Vec<GateResultOutput>,
}

impl Render for ReviewGates {
    fn view(&self) -> View {
        if self.results.is_empty() {
            return View::nothing("The review has no gates.");
        }
        let rows = self.results.iter().map(GateResultOutput::row).collect();
        let mut view = View::default().table(GateResultOutput::columns(), rows);
        for result in &self.results {
            view = view.join(streams(
                &format!("{}, attempt {}", result.name, result.attempt),
                result.stdout.as_deref().unwrap_or_default(),
                result.stderr.as_deref().unwrap_or_default(),
            ));
        }
        view
    }
}

/// A failed gate, with what the submitter needs to know.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GateFailure {
    pub name: String,
    /// Absent if it timed out or could not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    pub attempt: u32,
    pub max_retries: u32,
    /// The last 4,000 characters.
    pub stdout: String,
    pub stderr: String,
    /// Whether all of its attempts have failed.
    pub escalated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl GateFailure {
    pub fn new(result: GateResult, failed_attempts: u32) -> Self {
        Self {
            escalated: failed_attempts >= result.definition.max_retries,
            name: result.definition.name,
            exit_code: result.exit_code,
            attempt: result.attempt,
            max_retries: result.definition.max_retries,
            stdout: tail(&result.stdout, TAIL_CHARS),
            stderr: tail(&result.stderr, TAIL_CHARS),
            message: result.message,
        }
    }

    /// Keeps at most this many characters of each stream.
    pub fn shorten(&mut self, chars: usize) {
        for text in [&mut self.stdout, &mut self.stderr] {
            *text = tail(text, chars);
        }
    }
}

impl Render for GateFailure {
    fn view(&self) -> View {
        let how = match (self.exit_code, &self.message) {
            (_, Some(message)) => message.clone(),
            (Some(code), None) => format!("exit code {code}"),
            (None, None) => String::new(),
        };
        View::default()
            .line([
                Span::new(format!("Gate {} failed", self.name), Style::Bad),
                Span::from(format!(
                    ", attempt {} of {}: {how}",
                    self.attempt, self.max_retries
                )),
            ])
            .join(streams("", &self.stdout, &self.stderr))
    }
}

pub fn streams(title: &str, stdout: &str, stderr: &str) -> View {
    let mut view = View::default();
    for (name, text) in [("stdout", stdout), ("stderr", stderr)] {
        if !text.trim().is_empty() {
            let line = format!("{title} {name}");
            view = view
                .blank()
                .line([Span::new(line.trim().to_owned(), Style::Dim)])
                .text(text.trim_end().to_owned());
        }
    }
    view
}

/// The last characters of a text.
pub fn tail(text: &str, chars: usize) -> String {
    let skip = text.chars().count().saturating_sub(chars);
    text.chars().skip(skip).collect()
}
