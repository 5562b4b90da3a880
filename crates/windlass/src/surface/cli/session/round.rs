//! One launched session: it is started, its client runs and is watched, and it ends with it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use windlass_core::{EntityId, Error, Result};
use windlass_ops::{AnyOutput as _, Context, Number, StartedSession, Wanted, calls_path};
use windlass_process::Supervisor;
use windlass_store::{Reader, SessionRecord};

use super::client::{Client, Given};
use super::live::Live;
use super::outcome::Outcome;
use super::printer::Printer;
use super::process::{ClientExit, ClientProcess, Start};
use crate::surface::cli::caller::operation;
use crate::surface::cli::setup::starts_windlass;

/// How often the log of calls is read. Everything else is noticed at once.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// How many of the last lines of a client are shown if it failed.
const LAST_LINES: usize = 10;

/// What the sessions of one launch have in common.
pub struct Launch {
    pub recipe: String,
    pub discipline: Option<String>,
    pub feature: Option<String>,
    /// The client and its arguments.
    pub words: Vec<String>,
    /// Whether a person uses the client at the terminal.
    pub on_terminal: bool,
    pub json: bool,
    /// Whether several sessions run at the same time.
    pub shares_output: bool,
    pub supervisor: Supervisor,
    /// The search path of the person, if folders of it do not count for Windlass itself.
    pub search_path: Option<String>,
    /// Cancelled by a signal.
    pub stopping: CancellationToken,
}

/// A session that has ended.
#[derive(Debug)]
pub struct EndedRound {
    pub outcome: Outcome,
    pub task: Option<i64>,
}

/// How the client came to its end.
enum End {
    Exited(ClientExit),
    /// A person ended the session meanwhile.
    Stopped,
    Interrupted,
}

impl Launch {
    /// Starts a session on that task and its client in that folder, and waits for both.
    pub async fn round(&self, context: &Context, task: Option<&Number>) -> Result<EndedRound> {
        let started = windlass_ops::start_session(
            context,
            &Wanted {
                recipe: &self.recipe,
                discipline: self.discipline.as_deref(),
                feature: self.feature.as_deref(),
                task,
            },
        )?;
        let id = started.session.id.clone();
        let printer = Arc::new(Printer::new(
            self.json,
            &id,
            started.session.task_id,
            self.shares_output,
        ));
        let round = Round {
            launch: self,
            context,
            started: &started,
            printer,
        };
        match round.run().await {
            Ok(ended) => Ok(ended),
            Err(error) => {
                windlass_ops::abandon_session(context, &id, None)?;
                Err(error)
            }
        }
    }
}

struct Round<'a> {
    launch: &'a Launch,
    context: &'a Context,
    started: &'a StartedSession,
    printer: Arc<Printer>,
}

impl Round<'_> {
    fn id(&self) -> &str {
        &self.started.session.id
    }

    fn record(&self) -> Result<SessionRecord> {
        self.read(|reader| reader.session(self.id()))
    }

    fn read<T>(&self, work: impl FnOnce(&Reader<'_>) -> Result<T>) -> Result<T> {
        self.context.store.read(None, work)
    }

    async fn run(&self) -> Result<EndedRound> {
        let calls = calls_path(self.context.workspace.project(), self.id());
        std::fs::write(&calls, "")
            .map_err(|problem| Error::storage(format!("{}: {problem}", calls.display())))?;
        let client = self.client().await?;
        let task = self.record()?.task;
        let store = Arc::clone(&self.context.store);
        let mut live = Live::new(store, self.id(), task.clone(), calls)?;
        windlass_ops::launch_session(self.context, self.id(), &self.launch.words)?;
        self.announce();
        let process = self.start(&client).await?;
        let end = self.watch(&process, &mut live).await?;
        let ended = self.finish(&end, &process, &mut live, task).await;
        self.tell_how_it_ended(&ended?, &end, &process, &live).await
    }

    async fn client(&self) -> Result<Client> {
        let path = Path::new(&self.started.config_path);
        let config: Json = std::fs::read(path)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .ok_or_else(|| Error::storage(format!("{} cannot be read", path.display())))?;
        let briefing = self.call("session_prompt_get").await?;
        let root: PathBuf = self.context.workspace.root().to_owned();
        Client::new(
            &self.launch.words,
            &Given {
                path,
                config: &config,
                briefing: briefing["prompt"].as_str().unwrap_or_default(),
                is_set_up: &|client| starts_windlass(client, &root),
            },
        )
    }

    /// Calls an operation on the session.
    async fn call(&self, name: &str) -> Result<Json> {
        let input = json!({ "id": self.id() });
        let none = CancellationToken::new();
        let call = windlass_ops::call(operation(name)?, self.context.clone(), input, none);
        Ok(call.await?.to_json())
    }

    fn announce(&self) {
        let session = &self.started.session;
        if self.launch.json {
            self.printer
                .json_line("started", &json!({ "recipe": session.recipe }));
        }
        self.printer.note(&match session.task_id {
            Some(task) => format!("session {} works on task {task}", session.id),
            None => format!("session {} has begun", session.id),
        });
        if !self.started.other_servers.is_empty() {
            let names = self.started.other_servers.join(", ");
            self.printer.note(&format!(
                "the discipline's MCP servers are started too: {names}"
            ));
        }
    }

    async fn start(&self, client: &Client) -> Result<ClientProcess> {
        let mut env = client.env.clone();
        env.push(("WINDLASS_SESSION", self.id().to_owned()));
        env.push(("WINDLASS_MCP_CONFIG", self.started.config_path.clone()));
        let mut client = client.clone();
        // The client is looked for where programs are; what it then runs is its own affair, and may
        // be in the project.
        if let (Some(path), Ok(program)) = (&self.launch.search_path, which::which(&client.program))
        {
            client.program = program.display().to_string();
            env.push(("PATH", path.clone()));
        }
        let start = Start {
            client: &client,
            folder: self.context.workspace.root(),
            env,
        };
        if self.launch.on_terminal {
            return ClientProcess::on_terminal(&start);
        }
        let sink = Arc::clone(&self.printer);
        ClientProcess::supervised(&start, &self.launch.supervisor, sink).await
    }

    /// Shows what happens until the client has ended.
    async fn watch(&self, process: &ClientProcess, live: &mut Live) -> Result<End> {
        let mut changes = self.context.store.watch();
        let mut looking = interval(LOOK_EVERY);
        looking.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let end = loop {
            tokio::select! {
                exit = process.exit() => break End::Exited(exit),
                () = self.launch.stopping.cancelled() => break End::Interrupted,
                () = changes.changed() => {
                    if self.record()?.has_ended() {
                        break End::Stopped;
                    }
                }
                _ = looking.tick() => {}
            }
            self.show(live)?;
        };
        process.stop().await;
        self.show(live)?;
        Ok(end)
    }

    fn show(&self, live: &mut Live) -> Result<()> {
        let news = live.news()?;
        // A client on the terminal has the screen for itself.
        if !self.launch.on_terminal {
            for happening in &news {
                self.printer.happening(happening);
            }
        }
        Ok(())
    }

    /// Ends the session. An agent that never came to work has not been stuck: its task is only
    /// released.
    async fn finish(
        &self,
        end: &End,
        process: &ClientProcess,
        live: &mut Live,
        task: Option<EntityId>,
    ) -> Result<Outcome> {
        let exit = match end {
            End::Exited(exit) => *exit,
            End::Stopped | End::Interrupted => process.exit().await,
        };
        let code = exit.code.map(i64::from);
        let record = self.record()?;
        let has_closed = self
            .read(|reader| reader.signals(self.id()))?
            .iter()
            .any(|signal| windlass_ops::closes_session(&signal.verb));
        let worked = windlass_ops::was_connected(&record) && (live.called > 0 || exit.succeeded());
        let came_to_work = worked && matches!(end, End::Exited(_));
        if !(has_closed || came_to_work) {
            windlass_ops::abandon_session(self.context, self.id(), code)?;
            return Ok(match end {
                End::Exited(_) => Outcome::ClientFailed,
                End::Stopped => Outcome::Stopped,
                End::Interrupted => Outcome::Interrupted,
            });
        }
        windlass_ops::end_session(self.context, self.id(), code)?;
        self.show(live)?;
        let asked = match task {
            Some(task) => self.read(|reader| reader.active_help(&task))?.is_some(),
            None => false,
        };
        Ok(match self.record()?.closing.as_deref() {
            Some("done") => Outcome::Done,
            _ if asked => Outcome::Asked,
            Some("partial") => Outcome::Partial,
            Some(_) => Outcome::Stuck,
            None if exit.succeeded() => Outcome::Ended,
            None => Outcome::ClientFailed,
        })
    }

    async fn tell_how_it_ended(
        &self,
        outcome: &Outcome,
        end: &End,
        process: &ClientProcess,
        live: &Live,
    ) -> Result<EndedRound> {
        let lines = match (outcome, end) {
            (Outcome::ClientFailed, End::Exited(exit)) => {
                let what = if !windlass_ops::was_connected(&self.record()?) {
                    "never connected to windlass"
                } else if live.called == 0 {
                    "connected, but called nothing"
                } else {
                    "failed"
                };
                let said = format!(
                    "the client {what} ({}); the task is free again and the attempt does not count",
                    exit.words()
                );
                self.printer.note(&said);
                process.last_lines(LAST_LINES)
            }
            _ => Vec::new(),
        };
        if !lines.is_empty() {
            self.printer.note("its last words:");
        }
        for line in &lines {
            self.printer.note(&format!("  {line}"));
        }
        self.printer
            .note(&format!("session {}: {}", self.id(), outcome.words()));
        if self.launch.json {
            let mut session = self.call("session_get").await?;
            session["outcome"] = json!(outcome);
            session["calls"] = json!(live.called);
            if !lines.is_empty() {
                session["last_lines"] = json!(lines);
            }
            self.printer.json_line("ended", &session);
        }
        Ok(EndedRound {
            outcome: *outcome,
            task: self.started.session.task_id,
        })
    }
}
