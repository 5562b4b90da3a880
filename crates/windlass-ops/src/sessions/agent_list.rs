use super::live_agents::{AgentOutput, live_agents};
use crate::outputs::number;
use crate::prelude::*;

pub struct AgentList;

/// List the agents that work on the project right now, in sessions or without one: client, task, age,
/// last call, number of calls, and how much they were given to read. The numbers are at most 15
/// seconds old.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

impl ReadOperation for AgentList {
    type Input = Input;
    type Output = AgentListOutput;

    const DECLARATION: Declaration = Declaration::read("agent_list", Toolset::Sessions)
        .sdk("sessions.agents")
        .cli(&["agents"])
        .examples(&[Example::new("Who is at work", &["agents"], "{}")]);

    async fn run(context: ReadContext, input: Input) -> Result<AgentListOutput> {
        let Input {} = input;
        let agents = live_agents(&context)?.into_iter();
        Ok(AgentListOutput {
            agents: agents.map(|agent| agent.output).collect(),
        })
    }
}

/// Agents at work, the longest first.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AgentListOutput {
    pub agents: Vec<AgentOutput>,
}

impl Render for AgentListOutput {
    fn view(&self) -> View {
        if self.agents.is_empty() {
            return View::nothing("No agent is at work.");
        }
        let columns = vec![
            Column::new("AGENT"),
            Column::new("CLIENT"),
            Column::new("TASK"),
            Column::new("STARTED"),
            Column::new("LAST CALL"),
            Column::new(""),
            Column::new("CALLS").right(),
            Column::new("TOKENS READ").right(),
        ];
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let rows = self.agents.iter().map(|agent| {
            vec![
                Span::new(agent.id.clone(), Style::Id),
                Span::from(text(&agent.client)),
                agent.task_id.map_or_else(|| Span::from(""), number),
                Span::new(agent.started_at.clone(), Style::Time),
                Span::from(match &agent.surface {
                    Some(_) => text(&agent.last_tool),
                    None => "not connected yet".to_owned(),
                }),
                Span::new(text(&agent.last_at), Style::Time),
                Span::from(agent.calls.to_string()),
                Span::from(agent.tokens_read.to_string()),
            ]
        });
        View::default().table(columns, rows.collect())
    }
}
