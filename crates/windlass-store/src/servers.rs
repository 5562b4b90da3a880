//! The processes that serve agents, and the agents that they serve.
//!
//! A server reports a few times a minute that it is alive, and renews the claims of its agents by
//! that. A claim whose server is gone expires within a minute, and at once where another process sees
//! that the server has exited.

use std::sync::OnceLock;

use rusqlite::Row;
use serde_json::Value as Json;
use windlass_core::{Result, Timestamp};

use crate::claims::SERVER_LEASE_SECONDS;
use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::store::Store;
use crate::writer::Writer;

/// The server that this process is.
#[derive(Debug, Clone, PartialEq)]
pub struct Server {
    pub id: String,
    /// The process.
    pub owner: Json,
    /// `stdio` or `http`.
    pub surface: &'static str,
}

/// What the state has to know about the process that uses it.
#[derive(Default)]
pub(crate) struct ThisProcess {
    server: OnceLock<Server>,
    /// Whether the project has a file of gates, which apply to all tasks.
    gates_file: OnceLock<Box<dyn Fn() -> bool + Send + Sync>>,
    /// Set if tasks are claimed on a remote too.
    pub(crate) shares_claims: OnceLock<()>,
}

impl ThisProcess {
    pub(crate) fn has_gates_file(&self) -> bool {
        self.gates_file.get().is_some_and(|exists| exists())
    }
}

impl Store {
    /// Says that this process serves agents: what they claim is renewed and released by it.
    pub fn serve_as(&self, server: Server) {
        let _ = self.process.server.set(server);
    }

    /// The id of this process as a server, if it is one.
    pub fn server_id(&self) -> Option<&str> {
        self.process.server.get().map(|server| server.id.as_str())
    }

    /// Says how to find out whether the project has a file of gates.
    pub fn ask_for_gates_file(&self, exists: impl Fn() -> bool + Send + Sync + 'static) {
        let _ = self.process.gates_file.set(Box::new(exists));
    }
}

/// An agent that a server serves, and what it has done so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// The name under which it works.
    pub session: String,
    pub client: Option<String>,
    pub started_at: Timestamp,
    pub calls: i64,
    pub last_tool: Option<String>,
    pub last_at: Option<Timestamp>,
    /// How many characters of output it was given.
    pub characters: i64,
}

/// A server on record.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerRecord {
    pub id: String,
    pub owner: Json,
    pub surface: String,
    pub started_at: Timestamp,
    pub seen_at: Timestamp,
}

fn agent_from_row(row: &Row<'_>) -> rusqlite::Result<Agent> {
    Ok(Agent {
        session: row.get(0)?,
        client: row.get(1)?,
        started_at: Timestamp::from_stored(row.get(2)?),
        calls: row.get(3)?,
        last_tool: row.get(4)?,
        last_at: row.get::<_, Option<String>>(5)?.map(Timestamp::from_stored),
        characters: row.get(6)?,
    })
}

impl Reader<'_> {
    /// Every server on record, the oldest first. Some may have exited since.
    pub fn servers(&self) -> Result<Vec<ServerRecord>> {
        self.connection()
            .prepare_cached(
                "SELECT id, owner, surface, started_at, seen_at FROM servers ORDER BY started_at, id",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| {
                        Ok(ServerRecord {
                            id: row.get(0)?,
                            owner: serde_json::from_str(row.get_ref(1)?.as_str()?)
                                .unwrap_or(Json::Null),
                            surface: row.get(2)?,
                            started_at: Timestamp::from_stored(row.get(3)?),
                            seen_at: Timestamp::from_millis(row.get(4)?),
                        })
                    })?
                    .collect()
            })
            .stored()
    }

    /// Whether agents of the server hold tasks.
    pub fn holds_claims(&self, server: &str) -> Result<bool> {
        self.connection()
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM claims WHERE server = ?1)")
            .and_then(|mut statement| statement.query_row([server], |row| row.get(0)))
            .stored()
    }

    /// The agents of a server.
    pub fn agents_of(&self, server: &str) -> Result<Vec<Agent>> {
        self.connection()
            .prepare_cached(
                "SELECT session, client, started_at, calls, last_tool, last_at, characters
                 FROM agents WHERE server = ?1 ORDER BY started_at, session",
            )
            .and_then(|mut statement| statement.query_map([server], agent_from_row)?.collect())
            .stored()
    }
}

impl Writer<'_> {
    /// Puts this process on record, if it is a server. Returns its id.
    pub(crate) fn register_server(&self) -> Result<Option<&str>> {
        let Some(server) = self.process.server.get() else {
            return Ok(None);
        };
        let now = Timestamp::now();
        self.connection()
            .prepare_cached(
                "INSERT INTO servers (id, owner, surface, started_at, seen_at)
                 VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (id) DO UPDATE SET seen_at = ?5",
            )
            .and_then(|mut statement| {
                statement.execute((
                    &server.id,
                    server.owner.to_string(),
                    server.surface,
                    now.as_str(),
                    now.as_millis(),
                ))
            })
            .stored()?;
        Ok(Some(&server.id))
    }

    /// This process is alive and serves these agents: their claims are renewed. An agent that it no
    /// longer serves loses what it claimed here.
    pub fn server_is_alive(&self, agents: &[Agent]) -> Result<()> {
        let Some(server) = self.register_server()? else {
            return Ok(());
        };
        for gone in self.agents_of(server)? {
            if !agents.iter().any(|agent| agent.session == gone.session) {
                self.agent_is_gone(server, &gone.session)?;
            }
        }
        let expires = Timestamp::now().as_millis() + i64::from(SERVER_LEASE_SECONDS) * 1000;
        for agent in agents {
            self.connection()
                .prepare_cached(
                    "INSERT OR REPLACE INTO agents
                         (session, server, client, started_at, calls, last_tool, last_at, characters)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                )
                .and_then(|mut statement| {
                    statement.execute((
                        &agent.session,
                        server,
                        &agent.client,
                        agent.started_at.as_str(),
                        agent.calls,
                        &agent.last_tool,
                        agent.last_at.as_ref().map(Timestamp::as_str),
                        agent.characters,
                    ))
                })
                .stored()?;
        }
        self.connection()
            .prepare_cached(
                "UPDATE claims SET expires_at = min(ifnull(until, ?2), ?2) WHERE server = ?1",
            )
            .and_then(|mut statement| statement.execute((server, expires)))
            .stored()?;
        Ok(())
    }

    fn agent_is_gone(&self, server: &str, session: &str) -> Result<()> {
        self.connection()
            .prepare_cached("DELETE FROM agents WHERE session = ?1 AND server = ?2")
            .and_then(|mut statement| statement.execute((session, server)))
            .stored()?;
        let own = self
            .connection()
            .prepare_cached("SELECT id FROM claims WHERE owner = ?1 AND server = ?2")
            .and_then(|mut statement| {
                statement
                    .query_map((session, server), |row| row.get::<_, String>(0))?
                    .collect::<rusqlite::Result<Vec<_>>>()
            })
            .stored()?;
        for id in own {
            self.drop_claim(&windlass_core::EntityId::from_stored(&id))?;
        }
        Ok(())
    }

    /// The server has exited: what its agents claimed is free. Returns how many claims there were.
    pub fn server_has_ended(&self, server: &str) -> Result<usize> {
        for statement in [
            "DELETE FROM servers WHERE id = ?1",
            "DELETE FROM agents WHERE server = ?1",
        ] {
            self.connection()
                .prepare_cached(statement)
                .and_then(|mut statement| statement.execute([server]))
                .stored()?;
        }
        self.drop_claims("server = ?1", server)
    }
}
