//! A process that serves agents: it is on record while it lives, and so are its agents and what they
//! hold.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use windlass_core::{EntityId, Result, Timestamp};
use windlass_store::{Agent, SERVER_LEASE_SECONDS, Server, Store};

use crate::context::Context;
use crate::job_host::Owner;
use crate::pipeline::offload;
use crate::remote::settle_at_the_end;

/// The first client does not wait for the first report.
const FIRST_AFTER: Duration = Duration::from_millis(700);
/// How often a server says that it is alive: three times within a lease.
const EVERY: Duration = Duration::from_secs(SERVER_LEASE_SECONDS as u64 / 3);
/// An agent of an HTTP server that has been silent for this long is gone: nothing else says so.
const SILENT_FOR: Duration = Duration::from_mins(30);

/// The agents that this process serves. Cheap to clone.
#[derive(Clone, Default)]
pub struct LiveAgents {
    agents: Arc<Mutex<BTreeMap<String, LiveAgent>>>,
    changed: Arc<Notify>,
}

struct LiveAgent {
    record: Agent,
    heard: Instant,
    /// Whether it stays until it disconnects, however long it is silent.
    connected: bool,
}

impl LiveAgents {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, LiveAgent>> {
        self.agents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with(&self, session: &str, change: impl FnOnce(&mut LiveAgent)) {
        let mut agents = self.lock();
        let agent = agents
            .entry(session.to_owned())
            .or_insert_with(|| LiveAgent {
                record: Agent {
                    session: session.to_owned(),
                    client: None,
                    started_at: Timestamp::now(),
                    calls: 0,
                    last_tool: None,
                    last_at: None,
                    characters: 0,
                },
                heard: Instant::now(),
                connected: false,
            });
        agent.heard = Instant::now();
        change(agent);
    }

    /// An agent is connected, and says so when it no longer is.
    pub fn connected(&self, session: &str) {
        self.with(session, |agent| agent.connected = true);
    }

    /// The agent's client has told its name.
    pub fn uses(&self, session: &str, client: &str) {
        self.with(session, |agent| {
            agent.record.client = Some(client.to_owned());
        });
    }

    /// The agent has called a tool, and was given so many characters to read.
    pub fn called(&self, session: &str, tool: &str, characters: usize) {
        self.with(session, |agent| {
            let record = &mut agent.record;
            record.calls += 1;
            record.last_tool = Some(tool.to_owned());
            record.last_at = Some(Timestamp::now());
            record.characters += i64::try_from(characters).unwrap_or(i64::MAX);
        });
    }

    /// The agent has disconnected. What it holds is free at once.
    pub fn gone(&self, session: &str) {
        if self.lock().remove(session).is_some() {
            self.changed.notify_one();
        }
    }

    fn now(&self) -> Vec<Agent> {
        let mut agents = self.lock();
        agents.retain(|_, agent| agent.connected || agent.heard.elapsed() < SILENT_FOR);
        agents.values().map(|agent| agent.record.clone()).collect()
    }
}

/// The field of a server's owner that has the version of its program. Versions before 0.1 was released
/// do not write it, and read owners that have it.
const VERSION: &str = "version";

/// Makes this process a server on record. `surface` is `stdio` or `http`.
pub fn serve_as(store: &Store, surface: &'static str) {
    let id = EntityId::random();
    let mut owner = json!(Owner::this_process(None));
    owner[VERSION] = json!(env!("CARGO_PKG_VERSION"));
    store.serve_as(Server {
        id: id.as_str()[..12].to_owned(),
        owner,
        surface,
    });
    // Without a thread for it, writes do it themselves.
    let _ = store.copy_log_beside_writes();
}

/// A server that runs now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningServer {
    pub pid: u32,
    /// The version of its program; `None` if it is too old to say.
    pub version: Option<String>,
    /// `stdio` or `http`.
    pub surface: String,
}

/// The servers of the project that run now, the oldest first.
pub fn running_servers(store: &Store) -> Result<Vec<RunningServer>> {
    let servers = store.read(None, |reader| reader.servers())?;
    let running = servers.into_iter().filter_map(|server| {
        let version = server.owner[VERSION].as_str().map(str::to_owned);
        let owner = serde_json::from_value::<Owner>(server.owner).ok()?;
        owner.is_alive().then_some(RunningServer {
            pid: owner.pid,
            version,
            surface: server.surface,
        })
    });
    Ok(running.collect())
}

/// Reports while the server lives, and gives everything back at the end.
pub async fn keep_serving(
    context: Context,
    agents: LiveAgents,
    closing: CancellationToken,
    report: impl Fn(windlass_core::Error),
) {
    if !context.may_change() {
        return;
    }
    let mut wait = FIRST_AFTER;
    let mut told: Option<Vec<Agent>> = None;
    loop {
        tokio::select! {
            () = closing.cancelled() => break,
            () = agents.changed.notified() => {}
            () = tokio::time::sleep(wait) => {}
        }
        let now = agents.now();
        let own = context.clone();
        // A server that holds nothing and has nothing new to tell leaves the database alone.
        let news = told.as_ref() != Some(&now);
        let (sent, done) = (now.clone(), offload(move || tell(&own, &now, news)).await);
        match done {
            Ok(()) => told = Some(sent),
            Err(problem) => report(problem),
        }
        wait = EVERY;
    }
    let ended = offload(move || {
        let Some(server) = context.store.server_id().map(str::to_owned) else {
            return Ok(0);
        };
        let ended = context.write(|writer| writer.server_has_ended(&server));
        settle_at_the_end(&context);
        ended
    })
    .await;
    if let Err(problem) = ended {
        report(problem);
    }
}

fn tell(context: &Context, agents: &[Agent], news: bool) -> Result<()> {
    let holds = || -> Result<bool> {
        let server = context.store.server_id().unwrap_or_default();
        context
            .store
            .read(None, |reader| reader.holds_claims(server))
    };
    if news || holds()? {
        context.write(|writer| writer.server_is_alive(agents))?;
    }
    Ok(())
}

/// Gives back what servers held that have exited. Returns how many claims there were.
pub(crate) fn end_dead_servers(context: &Context) -> Result<usize> {
    let servers = context.read(|reader| reader.servers())?;
    let own = context.store.server_id();
    let dead: Vec<String> = servers
        .into_iter()
        .filter(|server| Some(server.id.as_str()) != own)
        .filter(|server| {
            let owner = serde_json::from_value::<Owner>(server.owner.clone());
            !owner.is_ok_and(|owner| owner.is_alive())
        })
        .map(|server| server.id)
        .collect();
    if dead.is_empty() {
        return Ok(0);
    }
    context.write(|writer| {
        let mut claims = 0;
        for server in &dead {
            claims += writer.server_has_ended(server)?;
        }
        Ok(claims)
    })
}
