use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::workflow::GateDefinition;
use windlass_store::{EffectiveGate, Gate, GateResult, GateScope};

use super::moment;
use crate::view::{Column, Render, Span, Style, View};

/// How much of each stream an answer about failures holds.
const TAIL_CHARS: usize = 4_000;

/// A check that work has to pass.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GateView {
    /// An id, or file:NAME for a gate of .windlass/gates.toml.
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<i64>,
    /// repo, for all work, or task.
    pub scope: String,
    /// Whose work it checks, with all below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    pub name: String,
    pub command: String,
    pub timeout_secs: u32,
    pub max_retries: u32,
    pub poll_interval_secs: u32,
    pub max_pending_secs: u32,
    /// What a person has to do before it can run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

impl GateView {
    fn of(id: String, scope: &GateScope, gate: GateDefinition) -> Self {
        Self {
            id,
            number: None,
            scope: scope.task().map_or("repo", |_| "task").to_owned(),
            task_id: scope.task().map(|id| id.as_str().to_owned()),
            name: gate.name,
            command: gate.command,
            timeout_secs: gate.timeout_secs,
            max_retries: gate.max_retries,
            poll_interval_secs: gate.poll_interval_secs,
            max_pending_secs: gate.max_pending_secs,
            waiting: None,
            created_at: None,
            updated_at: None,
        }
    }
}

impl From<Gate> for GateView {
    fn from(gate: Gate) -> Self {
        Self {
            number: Some(gate.number),
            created_at: moment(Some(&gate.created_at)),
            updated_at: moment(Some(&gate.updated_at)),
            ..Self::of(gate.id, &gate.scope, gate.definition)
        }
    }
}

impl From<EffectiveGate> for GateView {
    fn from(gate: EffectiveGate) -> Self {
        Self {
            waiting: gate.waiting,
            ..Self::of(gate.id, &gate.scope, gate.definition)
        }
    }
}

impl Render for GateView {
    fn view(&self) -> View {
        let mut fields = vec![
            ("id".to_owned(), Span::new(self.id.clone(), Style::Dim)),
            (
                "scope".to_owned(),
                Span::from(self.task_id.clone().unwrap_or_else(|| "all work".into())),
            ),
            ("command".to_owned(), Span::from(self.command.clone())),
            (
                "timeout".to_owned(),
                Span::from(format!("{} s", self.timeout_secs)),
            ),
            ("tries".to_owned(), Span::from(self.max_retries.to_string())),
        ];
        if let Some(why) = &self.waiting {
            fields.push(("waits".to_owned(), Span::new(why.clone(), Style::Bad)));
        }
        View::default()
            .line([Span::new(format!("Gate {}", self.name), Style::Strong)])
            .fields(fields)
    }
}

/// Gates, in the order in which they run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Gates {
    pub gates: Vec<GateView>,
    pub total: usize,
}

impl Gates {
    pub fn of(gates: Vec<GateView>) -> Self {
        Self {
            total: gates.len(),
            gates,
        }
    }
}

impl Render for Gates {
    fn view(&self) -> View {
        if self.gates.is_empty() {
            return View::nothing("No gates. `windlass gates add` adds one.");
        }
        let columns = vec![
            Column::new("GATE").right(),
            Column::new("NAME"),
            Column::new("SCOPE"),
            Column::new("COMMAND").shrinking(),
        ];
        let rows = self.gates.iter().map(|gate| {
            vec![
                Span::new(
                    gate.number.map_or("file".into(), |it| it.to_string()),
                    Style::Id,
                ),
                Span::from(gate.name.clone()),
                Span::from(gate.scope.clone()),
                match &gate.waiting {
                    Some(why) => Span::new(why.clone(), Style::Bad),
                    None => Span::from(gate.command.clone()),
                },
            ]
        });
        View::default().table(columns, rows.collect())
    }
}

/// One attempt of one gate.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GateResultView {
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
    /// How often it was asked.
    pub polls: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,
}

impl From<GateResult> for GateResultView {
    fn from(result: GateResult) -> Self {
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
}

impl GateResultView {
    pub fn without_output(self) -> Self {
        Self {
            stdout: None,
            stderr: None,
            ..self
        }
    }

    /// With at most so many characters of each stream.
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

    pub fn row(&self) -> Vec<Span> {
        let style = match self.status.as_str() {
            "passed" => Style::Good,
            "failed" | "timeout" => Style::Bad,
            "cancelled" => Style::Dim,
            _ => Style::Warning,
        };
        vec![
            Span::from(self.name.clone()),
            Span::new(self.status.clone(), style),
            Span::from(format!("{} of {}", self.attempt, self.max_retries)),
            Span::from(
                self.exit_code
                    .map_or(String::new(), |code| code.to_string()),
            ),
            Span::from(self.message.clone().unwrap_or_default()),
        ]
    }
}

/// What the gates of a review came to.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReviewGates {
    pub review_id: String,
    /// Where the review stands.
    pub status: String,
    pub results: Vec<GateResultView>,
}

impl Render for ReviewGates {
    fn view(&self) -> View {
        if self.results.is_empty() {
            return View::nothing("The review has no gates.");
        }
        let rows = self.results.iter().map(GateResultView::row).collect();
        let mut view = View::default().table(GateResultView::columns(), rows);
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

/// A gate that failed, and what the one who submitted needs to know of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GateFailure {
    pub name: String,
    /// Absent where it took too long or could not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    pub attempt: u32,
    pub max_retries: u32,
    /// The last 4,000 characters.
    pub stdout: String,
    pub stderr: String,
    /// Whether it has failed as often as it may.
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

fn streams(title: &str, stdout: &str, stderr: &str) -> View {
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
fn tail(text: &str, chars: usize) -> String {
    let skip = text.chars().count().saturating_sub(chars);
    text.chars().skip(skip).collect()
}
