use std::time::{Duration, Instant};

use super::ending;
use super::live_agents::{LiveAgent, is_launched, live_agents};
use crate::prelude::*;
use windlass_store::SessionRecord;

/// How long it is waited for the agent's server to exit.
const WITHIN: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_millis(50);

pub struct AgentStop;

/// Stop an agent: its session ends and its task is free, its server exits, and a client that
/// `windlass session launch` started is stopped with everything that it started. A client that was
/// started in another way goes on without Windlass.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The agent, as in the list of agents.
    pub id: String,
}

impl Operation for AgentStop {
    type Input = Input;
    type Output = StoppedAgent;

    const DECLARATION: Declaration = Declaration::write("agent_stop", Toolset::Sessions)
        .sdk("sessions.stop_agent")
        .cli(&["agents", "stop"])
        .human_only()
        .long_running()
        .examples(&[Example::new(
            "The agent of the sample's session",
            &["agents", "stop", "focus-2-sample"],
            r#"{"id": "focus-2-sample"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<StoppedAgent> {
        let live = live_agents(&context)?;
        let agent = live.into_iter().find(|agent| agent.output.id == input.id);
        let record = context.read(|reader| reader.find_session(&input.id))?;
        let open = record.filter(|record| !record.has_ended());
        if agent.is_none() && open.is_none() {
            return Err(Error::new(
                ErrorKind::SessionNotFound,
                format!("No agent \"{}\" is at work", input.id),
            )
            .with("id", input.id)
            .with_hint("Use [[agent_list]] to see the agents."));
        }
        if let (Some(agent), None) = (&agent, &open) {
            check_can_stop(agent)?;
        }
        let stops_client = open.as_ref().is_some_and(is_launched);
        if let Some(record) = &open {
            end_session(&context, record)?;
        }
        let server_exited = match &agent {
            Some(agent) => stop_server(agent).await,
            None => false,
        };
        Ok(StoppedAgent {
            id: input.id,
            session_ended: open.is_some(),
            server_exited,
            stops_client,
        })
    }
}

/// An HTTP server serves others too, so it cannot be stopped for one agent.
fn check_can_stop(agent: &LiveAgent) -> Result<()> {
    if agent.output.surface.as_deref() != Some("http") {
        return Ok(());
    }
    let task = agent.output.task_id;
    let hint = task.map_or_else(
        || "Disconnect its client.".to_owned(),
        |task| format!("Disconnect its client, or run windlass tasks release {task}."),
    );
    let message = format!(
        "The agent \"{}\" is served by windlass serve, together with others",
        agent.output.id
    );
    Err(Error::invalid_params(message).with_hint(hint))
}

/// What the agent said about its task before counts; without a word it has not been stuck.
fn end_session(context: &Context, record: &SessionRecord) -> Result<()> {
    let signals = context.read(|reader| reader.signals(&record.id))?;
    if signals
        .iter()
        .any(|signal| ending::is_closing(&signal.verb))
    {
        return ending::end(context, &record.id, None).map(drop);
    }
    super::abandon_session(context, &record.id, None)
}

/// Ends the process that serves only this agent, and waits for it. Returns whether it has exited.
async fn stop_server(agent: &LiveAgent) -> bool {
    let stdio = agent.output.surface.as_deref() == Some("stdio");
    let Some(server) = agent.server.as_ref().filter(|_| stdio) else {
        return false;
    };
    server.terminate();
    let begin = Instant::now();
    while server.is_alive() {
        if begin.elapsed() > WITHIN {
            return false;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    true
}

/// An agent that was stopped.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct StoppedAgent {
    pub id: String,
    /// Whether it had a session, which has ended.
    pub session_ended: bool,
    /// Whether the process that served it has exited.
    pub server_exited: bool,
    /// Whether a launcher stops its client.
    pub stops_client: bool,
}

impl Render for StoppedAgent {
    fn view(&self) -> View {
        let mut what = Vec::new();
        if self.session_ended {
            what.push("its session has ended");
        }
        if self.server_exited {
            what.push("its server has exited");
        }
        if self.stops_client {
            what.push("its client is stopped");
        }
        if what.is_empty() {
            what.push("its server was asked to exit and has not done so yet");
        }
        View::default().line([
            Span::from("Stopped "),
            Span::new(self.id.clone(), Style::Id),
            Span::from(format!(": {}", what.join(", "))),
        ])
    }
}
