use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::Result;
use windlass_store::{EffectiveGate, Gate, GateScope, Reader};

use super::moment;
use crate::view::{Column, Render, Span, Style, View};

/// A check that work has to pass.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GateOutput {
    /// An id, or file:NAME for a gate of .windlass/gates.toml.
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<i64>,
    /// Where it comes from: gates.toml, project (added for all work), or task #N.
    pub source: String,
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
    /// A gate that applies to some work.
    pub fn read(reader: &Reader<'_>, gate: EffectiveGate) -> Result<Self> {
        let source = match (&gate.scope, gate.number) {
            (GateScope::Task(id), _) => match reader.find_entity(id)? {
                Some(task) => format!("task #{}", task.number),
                None => "task".to_owned(),
            },
            (GateScope::Repo, Some(_)) => "project".to_owned(),
            (GateScope::Repo, None) => "gates.toml".to_owned(),
        };
        let definition = gate.definition;
        Ok(Self {
            id: gate.id,
            number: gate.number,
            source,
            scope: gate.scope.task().map_or("repo", |_| "task").to_owned(),
            task_id: gate.scope.task().map(|id| id.as_str().to_owned()),
            name: definition.name,
            command: definition.command,
            timeout_secs: definition.timeout_secs,
            max_retries: definition.max_retries,
            poll_interval_secs: definition.poll_interval_secs,
            max_pending_secs: definition.max_pending_secs,
            waiting: gate.waiting,
            created_at: None,
            updated_at: None,
        })
    }

    /// A gate that a person added.
    pub fn of_added(reader: &Reader<'_>, gate: Gate) -> Result<Self> {
        let (created_at, updated_at) = (
            moment(Some(&gate.created_at)),
            moment(Some(&gate.updated_at)),
        );
        Ok(Self {
            created_at,
            updated_at,
            ..Self::read(reader, gate.into())?
        })
    }
}

impl Render for GateOutput {
    fn view(&self) -> View {
        let mut fields = vec![
            ("id".to_owned(), Span::new(self.id.clone(), Style::Dim)),
            ("source".to_owned(), Span::from(self.source.clone())),
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
            Column::new("SOURCE"),
            Column::new("COMMAND").shrinking(),
        ];
        let rows = self.gates.iter().map(|gate| {
            vec![
                Span::new(
                    gate.number.map_or(String::new(), |it| it.to_string()),
                    Style::Id,
                ),
                Span::from(gate.name.clone()),
                Span::from(gate.source.clone()),
                match &gate.waiting {
                    Some(why) => Span::new(why.clone(), Style::Bad),
                    None => Span::from(gate.command.clone()),
                },
            ]
        });
        View::default().table(columns, rows.collect())
    }
}
