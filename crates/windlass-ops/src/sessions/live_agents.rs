//! The agents that work on the project right now: those that a living server serves, and those
//! whose client was launched and has not connected yet.

use serde::Serialize;
use windlass_core::{Page, Result};
use windlass_store::{Agent, Reader, SessionRecord};

use super::session::task_of;
use crate::context::ReadContext;
use crate::job_host::Owner;
use crate::prelude::JsonSchema;

/// Characters per token, roughly.
const CHARACTERS_PER_TOKEN: i64 = 4;

/// The open sessions among which one may wait for its client to connect.
const OPEN_SESSIONS: Page = Page {
    limit: 200,
    offset: 0,
};

/// An agent at work.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AgentOutput {
    /// The name under which it works: that of its session, or of its connection.
    pub id: String,
    /// What its client calls itself, or the program that was launched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The number of its task: that of its session, or the one that it claimed last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_title: Option<String>,
    pub started_at: String,
    pub calls: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_at: Option<String>,
    /// About how many tokens it was given to read: characters divided by four.
    pub tokens_read: i64,
    /// `stdio` or `http`; absent while its client has not connected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface: Option<String>,
    /// Whether `windlass session launch` started its client and waits for it.
    pub launched: bool,
}

/// An agent, and the process that serves it.
pub struct LiveAgent {
    pub output: AgentOutput,
    pub server: Option<Owner>,
}

/// All of them, the oldest first.
pub fn live_agents(context: &ReadContext) -> Result<Vec<LiveAgent>> {
    context.read(|reader| {
        let mut agents = Vec::new();
        for server in reader.servers()? {
            let owner = serde_json::from_value::<Owner>(server.owner.clone());
            let Some(owner) = owner.ok().filter(Owner::is_alive) else {
                continue;
            };
            for agent in reader.agents_of(&server.id)? {
                let mut output = output_of(reader, agent)?;
                output.surface = Some(server.surface.clone());
                agents.push(LiveAgent {
                    output,
                    server: Some(owner.clone()),
                });
            }
        }
        let (open, _) = reader.sessions(true, OPEN_SESSIONS)?;
        for record in open {
            let is_listed = agents.iter().any(|agent| agent.output.id == record.id);
            if !is_listed && is_launched(&record) {
                agents.push(LiveAgent {
                    output: output_of(reader, not_connected(&record))?,
                    server: None,
                });
            }
        }
        agents.sort_by(|one, other| one.output.started_at.cmp(&other.output.started_at));
        Ok(agents)
    })
}

/// Whether a living launcher waits for the session's client.
pub fn is_launched(record: &SessionRecord) -> bool {
    serde_json::from_str::<Owner>(&record.owner).is_ok_and(|owner| owner.is_alive())
}

fn not_connected(record: &SessionRecord) -> Agent {
    Agent {
        session: record.id.clone(),
        client: None,
        started_at: record.started_at.clone(),
        calls: 0,
        last_tool: None,
        last_at: None,
        characters: 0,
    }
}

fn output_of(reader: &Reader<'_>, agent: Agent) -> Result<AgentOutput> {
    let record = reader.find_session(&agent.session)?;
    let own = match &record {
        Some(record) => task_of(reader, record)?,
        None => None,
    };
    let task = match (own, reader.task_held_by(&agent.session)?) {
        (None, Some(claimed)) => reader.find_entity(&claimed)?,
        (own, _) => own,
    };
    let launched = record.as_ref().is_some_and(is_launched);
    let program = record.and_then(|record| {
        let program = record.details["client"].as_str()?;
        program.rsplit('/').next().map(str::to_owned)
    });
    Ok(AgentOutput {
        client: agent.client.or(program),
        task_id: task.as_ref().map(|task| task.number),
        task_title: task.map(|task| task.title),
        started_at: agent.started_at.as_str().to_owned(),
        calls: agent.calls,
        last_tool: agent.last_tool,
        last_at: agent.last_at.map(|at| at.as_str().to_owned()),
        tokens_read: agent.characters / CHARACTERS_PER_TOKEN,
        surface: None,
        launched,
        id: agent.session,
    })
}
