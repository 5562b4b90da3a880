//! The handler behind every MCP connection, on any transport.
//!
//! It looks up, calls and returns; it holds no domain rules. The catalog decides which tools there
//! are, the operations what they do, and the hub who is notified of changes.

#![expect(
    deprecated,
    reason = "logging and the old subscriptions left the protocol in 2026-07-28, not the clients"
)]

mod handler;
mod notifications;
mod quick;
mod subscriptions;
mod tasks;

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, LoggingLevel,
    RequestMetaObject, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::task_manager::TaskManager;
use serde_json::Value as Json;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;
use windlass_core::{Actor, Origin};
use windlass_ops::{
    AnyOutput as _, Context, Entry, IDEMPOTENCY_KEY, IdempotencyKey, JobHost, LiveAgents, Response,
    Settings, calls_path,
};
use windlass_store::{Project, Store};

use super::call_counts::{CallCounts, Outcome};
use super::call_log::CallLog;
use super::errors::{Fault, unknown_tool};
use super::hub::{Hub, ListenerId};
use super::info;
use super::log::RequestLog;
use super::tool_catalog::ToolCatalog;
use super::tools::Tools;
use notifications::CallNotifications;
pub use quick::{Answer, Answering, Blocking, Offered, QuickCalls, WeakQuickCalls};

/// The metadata key for the correlation id of a client's requests.
const CORRELATION_KEY: &str = "windlass/correlationId";

/// Clients truncate a result at 25,000 tokens of about four characters; this leaves room for the
/// rest of the message.
const ANSWER_CHARS: usize = 80_000;

/// What all connections of a server share.
pub struct Shared {
    tools: Tools,
    store: Arc<Store>,
    host: Arc<JobHost>,
    settings: Arc<Settings>,
    /// The name that claims and events carry.
    session: String,
    config: ServerConfig,
    hub: Hub,
    /// For each `subscriptions/listen` between its acceptance and its beginning, by the task that
    /// serves it: the newest event and the tools at its acceptance, so that changes in between are
    /// notified as well.
    opening: Mutex<HashMap<tokio::task::Id, (i64, Arc<ToolCatalog>)>>,
    /// Where calls are counted, if the server has metrics.
    call_counts: Option<CallCounts>,
    call_log: CallLog,
    /// Calls that returned a task of the protocol's extension.
    tasks: TaskManager,
    /// The agents that the whole process serves.
    agents: LiveAgents,
    /// Whether the agent's name ends with its connection.
    ends_with_connection: bool,
}

impl Shared {
    /// `closing` is cancelled when the server is about to shut down.
    pub fn new(
        tools: Tools,
        store: Arc<Store>,
        host: Arc<JobHost>,
        settings: Settings,
        session: String,
        closing: CancellationToken,
    ) -> Self {
        Self {
            config: info::config(&tools.now(), tools.can_change()),
            call_log: CallLog::open(&calls_path(host.workspace().project(), &session)),
            tools,
            hub: Hub::new(Arc::clone(&store), closing),
            store,
            host,
            settings: Arc::new(settings),
            session,
            opening: Mutex::default(),
            call_counts: None,
            tasks: TaskManager::new(),
            agents: LiveAgents::default(),
            ends_with_connection: false,
        }
    }

    /// Counts the calls of all that share this.
    #[must_use]
    pub fn counting(mut self, call_counts: CallCounts) -> Self {
        self.call_counts = Some(call_counts);
        self
    }

    /// The same project with other tools, or under another session's name.
    pub fn beside(&self, tools: Tools, session: String) -> Self {
        Self {
            config: info::config(&tools.now(), tools.can_change()),
            call_log: CallLog::open(&calls_path(self.host.workspace().project(), &session)),
            tools,
            store: Arc::clone(&self.store),
            host: Arc::clone(&self.host),
            settings: Arc::clone(&self.settings),
            session,
            hub: self.hub.clone(),
            opening: Mutex::default(),
            call_counts: self.call_counts.clone(),
            tasks: self.tasks.clone(),
            agents: self.agents.clone(),
            ends_with_connection: false,
        }
    }

    /// The same project under a name that one connection has for itself.
    pub fn of_connection(&self, session: String) -> Self {
        self.agents.connected(&session);
        let mut own = self.beside(self.tools.clone(), session);
        own.ends_with_connection = true;
        own
    }

    pub fn agents(&self) -> &LiveAgents {
        &self.agents
    }

    pub fn tools(&self) -> &Tools {
        &self.tools
    }

    /// The tools as they are now.
    pub fn catalog(&self) -> Arc<ToolCatalog> {
        self.tools.now()
    }

    /// The project's state, for surfaces other than MCP.
    pub fn state(&self) -> (&Arc<Store>, &Project) {
        (&self.store, self.host.workspace().project())
    }

    pub fn session(&self) -> &str {
        &self.session
    }

    /// The context of an operation for one call. `source` is the surface that it came through.
    pub fn context(&self, source: &'static str, correlation_id: Option<String>) -> Context {
        let origin = Origin {
            actor: Actor::Agent,
            source,
            session: self.session.clone(),
            correlation_id,
        };
        let mut context = Context::new(
            Arc::clone(&self.store),
            Arc::clone(&self.host),
            origin,
            Arc::clone(&self.settings),
        );
        context.output_budget = Some(ANSWER_CHARS);
        let catalog = self.catalog();
        context.access = catalog.access().clone();
        context.naming = catalog.naming().clone();
        if let Some(call_counts) = &self.call_counts {
            let call_counts = call_counts.clone();
            context.observer = Some(Arc::new(move |call| call_counts.count(call)));
        }
        context
    }

    /// The context of an operation for a request with this metadata.
    fn context_for(&self, source: &'static str, meta: &RequestMetaObject) -> Context {
        let correlation_id = meta
            .get(CORRELATION_KEY)
            .and_then(Json::as_str)
            .or_else(|| meta.get_traceparent())
            // Everything that a session on record does has one correlation id.
            .or_else(|| self.tools.can_change().then_some(self.session.as_str()))
            .map(str::to_owned);
        let mut context = self.context(source, correlation_id);
        if let Some(caller) = meta.get_traceparent() {
            context.continue_trace(caller);
        }
        context
    }

    /// Shows a finished call to who watches the session.
    fn record_call(
        &self,
        entry: &Entry,
        since: Instant,
        answer: &Result<CallToolResponse, ErrorData>,
    ) {
        let (characters, failed) = size_of(answer);
        let name = entry.declaration.name;
        self.call_log.record(name, since, || characters, failed);
    }

    /// Counts what the agent was given to read.
    pub fn count_read(&self, tool: &str, answer: &CallToolResult) {
        let texts = answer.content.iter().filter_map(|block| block.as_text());
        let characters = texts.map(|text| text.text.len()).sum();
        self.agents.called(&self.session, tool, characters);
    }

    /// Counts a call of an unknown tool. The name itself is not stored.
    pub fn count_unknown(&self, since: Instant) {
        if let Some(call_counts) = &self.call_counts {
            call_counts.record(None, Outcome::Refused, since.elapsed());
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if self.ends_with_connection {
            self.agents.gone(&self.session);
        }
    }
}

/// One connection.
pub struct Server {
    shared: Arc<Shared>,
    /// What the connection itself has subscribed to, as clients did up to 2025-11-25.
    listener: ListenerId,
    /// The log level that a client older than 2026-07-28 asked for; none until it sets one.
    level: Arc<Mutex<Option<LoggingLevel>>>,
    /// Notifies a client older than 2026-07-28 when its tools change.
    watching_tools: Mutex<Option<AbortHandle>>,
}

impl Server {
    pub fn new(shared: Arc<Shared>) -> Self {
        Self {
            listener: shared.hub.next_id(),
            shared,
            level: Arc::default(),
            watching_tools: Mutex::default(),
        }
    }

    /// What answers calls of this connection where they are read.
    pub fn quick_calls(&self) -> QuickCalls {
        QuickCalls::after_handshake(Arc::clone(&self.shared), Arc::clone(&self.level))
    }

    /// The context of an operation for a request with this metadata.
    fn context(&self, meta: &RequestMetaObject) -> Context {
        self.shared.context_for("mcp", meta)
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let since = Instant::now();
        let log = RequestLog::start(&context.id, "tools/call", Some(&request.name));
        let catalog = self.shared.catalog();
        let Some(entry) = catalog.operation(&request.name) else {
            let unknown = Err(unknown_tool(&request.name, catalog.names()));
            log.finish(&unknown);
            self.shared.count_unknown(since);
            return unknown.map_err(Fault::into_error);
        };
        let input = request.arguments.map_or(Json::Null, Json::Object);
        let mut ours = self.context(&context.meta);
        let key = idempotency_key(context.meta.get(IDEMPOTENCY_KEY)).map_err(Fault::from);
        if key.is_err() {
            log.finish(&key);
            return key
                .map(|_| CallToolResult::default().into())
                .or_else(|fault| fault.into_tool_answer(&entry.declaration));
        }
        ours.idempotency_key = key.unwrap_or_default();
        if tasks::becomes_task(entry, &input, &context) {
            let answer = Ok(self.start_task(&request.name, ours, input));
            log.finish(&answer);
            return answer.map_err(Fault::into_error);
        }
        let notifications =
            CallNotifications::attach(&mut ours, &context, self.log_level(&context));
        let call = windlass_ops::call(entry, ours, input, context.ct.clone());
        let result = notifications.during(call).await.map_err(Fault::from);
        log.finish(&result);
        let answer = match result {
            Ok(response) => {
                let answer = answer_of(&response);
                self.shared.count_read(&request.name, &answer);
                Ok(answer.into())
            }
            Err(fault) => fault.into_tool_answer(&entry.declaration),
        };
        self.shared.record_call(entry, since, &answer);
        answer
    }

    /// Runs a request that is not a tool call, with its two lines in the log. All of them only
    /// read, so they run on this thread.
    async fn observe<T>(
        &self,
        context: &RequestContext<RoleServer>,
        method: &'static str,
        work: impl Future<Output = Result<T, Fault>>,
    ) -> Result<T, Fault> {
        let log = RequestLog::start(&context.id, method, None);
        let result = windlass_ops::guard(work).await;
        log.finish(&result);
        // The pipeline does this for tools.
        result.map_err(|fault| fault.rendered(self.shared.catalog().naming()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.hub.remove(self.listener);
        let watching = self.watching_tools.lock();
        if let Some(watching) = watching.unwrap_or_else(PoisonError::into_inner).take() {
            watching.abort();
        }
    }
}

/// How many characters a model is given to read, and whether they are an error.
fn size_of(answer: &Result<CallToolResponse, ErrorData>) -> (usize, bool) {
    match answer {
        Ok(CallToolResponse::Complete(result)) => {
            let texts = result.content.iter().filter_map(|block| block.as_text());
            let characters = texts.map(|text| text.text.chars().count()).sum();
            (characters, result.is_error == Some(true))
        }
        Ok(_) => (0, false),
        Err(error) => (error.message.chars().count(), true),
    }
}

/// The result twice: structured, and as text for clients and models that read only text.
pub fn answer_of(response: &Response) -> CallToolResult {
    let (answer, failed) = (response.to_json(), response.failed());
    // Not through `Display`, which takes twice as long. A result is plain data and always
    // serializes.
    let text = serde_json::to_string(&answer).unwrap_or_default();
    let content = vec![rmcp::model::ContentBlock::text(text)];
    let mut result = if failed {
        CallToolResult::error(content)
    } else {
        CallToolResult::success(content)
    };
    // Clients older than 2026-07-28 accept only objects as structured content.
    if answer.is_object() {
        result.structured_content = Some(answer);
    }
    result
}

/// The idempotency key in the metadata of a request.
pub fn idempotency_key(
    given: Option<&Json>,
) -> Result<Option<Arc<IdempotencyKey>>, windlass_core::Error> {
    match given {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => IdempotencyKey::new(text).map(|key| Some(Arc::new(key))),
        Some(_) => IdempotencyKey::new("").map(|_| None),
    }
}

/// Whether the request uses protocol version 2026-07-28 or later.
fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| !version.has_initialize())
}
