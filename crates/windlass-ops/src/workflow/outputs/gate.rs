use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::workflow::GateDefinition;
use windlass_store::{EffectiveGate, Gate, GateScope};

use super::moment;
use crate::view::{Column, Render, Span, Style, View};

/// A check that work has to pass.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GateOutput {
    /// An id, or file:NAME for a gate of .windlass/gates.toml.
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<i64>,
    /// repo, for all work, or task.
    pub scope: String,
    /// The task whose work it checks, with all below it.
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

impl GateOutput {
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

impl From<Gate> for GateOutput {
    fn from(gate: Gate) -> Self {
        Self {
            number: Some(gate.number),
            created_at: moment(Some(&gate.created_at)),
            updated_at: moment(Some(&gate.updated_at)),
            ..Self::of(gate.id, &gate.scope, gate.definition)
        }
    }
}

impl From<EffectiveGate> for GateOutput {
    fn from(gate: EffectiveGate) -> Self {
        Self {
            waiting: gate.waiting,
            ..Self::of(gate.id, &gate.scope, gate.definition)
        }
    }
}

impl Render for GateOutput {
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
    pub gates: Vec<GateOutput>,
    pub total: usize,
}

impl Gates {
    pub fn of(gates: Vec<GateOutput>) -> Self {
        let total = gates.len();
        Self { gates, total }
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
