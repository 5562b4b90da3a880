//! From the start of the process to its orderly shutdown.

use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::{QuitReason, ServerInitializeError};
use rmcp::transport::stdio_pipes;
use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use windlass_core::{Error, Result};
use windlass_ops::{
    Access, Context, ExportNews, JobHost, Lifetime, LiveAgents, SpanTarget, Synced, Workspace,
};
use windlass_store::{Bindings, Project, Store};

use super::server::{Server, Shared};
use super::tool_catalog::ToolCatalog;
use super::tools::{SessionTools, Tools};
use super::transport::LineTransport;
use super::{LOG, ServeOptions, SessionName, log};
use crate::surface::memory::give_back_when_calm;
use crate::surface::signals::Signals;

/// One thread for the protocol and quick reads, one that takes over while the first is busy.
const WORKERS: usize = 2;

/// How many calls may wait for the disk or for their turn at once; the others wait without a thread.
/// A thread takes memory, and a burst of a thousand calls would start hundreds.
pub const BLOCKING_THREADS: usize = 64;
/// How long such a thread stays without work.
pub const KEEP_THREADS: Duration = Duration::from_secs(2);

/// The tool that runs scripts.
const SCRIPTS: &str = "execute";

/// How many digits of a random id name a session: short enough to read, long enough to be unique.
const SESSION_DIGITS: usize = 12;

/// How long tasks have to let go of the store at the end, which then copies its log into the database
/// and removes it, so that the next process has none to read. A thread that is blocked reading a terminal does
/// not keep the process from exiting.
pub const LEAVE_WITHIN: Duration = Duration::from_millis(200);

/// How long after the start a worker for scripts is prepared.
const PREPARE_AFTER: Duration = Duration::from_millis(500);

pub fn run(options: ServeOptions) -> Result<()> {
    let project = Project::find(&options.cwd)?;
    let store = Arc::new(Store::open_bound(
        &project,
        &Bindings::new(options.machine.bindings.clone()),
    )?);
    log::install(&options.log);
    let runtime = Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .max_blocking_threads(BLOCKING_THREADS)
        .thread_keep_alive(KEEP_THREADS)
        .thread_name("windlass-mcp")
        .enable_all()
        .build()
        .map_err(|problem| Error::internal(format!("cannot start: {problem}")))?;
    let workspace = Arc::new(Workspace::new(project, options.machine.clone()));
    let host = Arc::new(JobHost::new(workspace, Lifetime::Server));
    let at_once = CancellationToken::new();
    let result = runtime.block_on(async {
        let orderly = async {
            let serving = serve(options, store, Arc::clone(&host), at_once.clone());
            let result = Box::pin(serving).await;
            // Nothing that was started here outlives the server.
            host.close().await;
            flush_spans(&host).await;
            result
        };
        tokio::select! {
            result = orderly => result,
            () = at_once.cancelled() => {
                host.kill().await;
                Ok(())
            }
        }
    });
    runtime.shutdown_timeout(LEAVE_WITHIN);
    log::flush();
    result
}

async fn serve(
    options: ServeOptions,
    store: Arc<Store>,
    host: Arc<JobHost>,
    at_once: CancellationToken,
) -> Result<()> {
    let closing = CancellationToken::new();
    // Before anybody can know that the server is there.
    let signals = Signals::listen().ok();
    let (session, tools) = tools(&options, &store, &host)?;
    export_spans(&host);
    let shared = Shared::new(
        tools,
        Arc::clone(&store),
        host,
        options.settings,
        session,
        closing.clone(),
    );
    let own_context = shared.context("mcp", None);
    windlass_ops::serve_as(&store, "stdio");
    let on_record = shared.tools().can_change() && own_context.may_change();
    if let Err(refusal) = store.check_trusted() {
        tracing::warn!(target: LOG, "{}", refusal.full_message());
    }
    if on_record {
        windlass_ops::connect_session(&own_context)?;
    }
    shared.agents().connected(shared.session());
    let serving_agents = tokio::spawn(keep_serving(
        own_context.clone(),
        shared.agents().clone(),
        closing.clone(),
    ));
    tokio::spawn(sweep(own_context.clone(), closing.clone()));
    tokio::spawn(import_packs(own_context.clone(), closing.clone()));
    tokio::spawn(sync_remote(own_context.clone(), closing.clone()));
    tokio::spawn(embed_texts(own_context.clone(), closing.clone()));
    tokio::spawn(give_back_when_calm());
    tokio::spawn(prepare_scripts(shared.catalog(), own_context.clone()));
    tracing::info!(target: LOG, version = env!("CARGO_PKG_VERSION"), "serving on stdio");
    store.tell_notices(|notice| tracing::warn!(target: LOG, "{notice}"));
    let announcing = tokio::spawn(announce_end(signals, closing.clone(), at_once));
    let (input, output) = stdio_pipes();
    let server = Server::new(Arc::new(shared));
    let transport =
        LineTransport::new(input, output, closing.clone()).answering(server.quick_calls());
    let serving = serve_until_closed(server, transport);
    let result = Box::pin(serving).await;
    closing.cancel();
    if on_record && let Err(problem) = windlass_ops::disconnect_session(&own_context) {
        tracing::error!(target: LOG, error = %problem, "cannot disconnect the session cleanly");
    }
    // What its agent holds is free before the process exits.
    let _ = serving_agents.await;
    // So that the line is in the log before the process exits.
    let _ = announcing.await;
    result
}

/// The name of the session, and the tools that it has.
fn tools(options: &ServeOptions, store: &Arc<Store>, host: &JobHost) -> Result<(String, Tools)> {
    let (name, must_exist) = match options.session.clone() {
        Some(SessionName::Recorded(name)) => (name, true),
        Some(SessionName::Any(name)) => (name, false),
        None => (fresh_session(), false),
    };
    let on_record = store.read(None, |reader| reader.find_session(&name))?;
    if must_exist || on_record.is_some() {
        let project = host.workspace().project().clone();
        let tools = SessionTools::new(
            Arc::clone(store),
            project,
            &name,
            options.read_only,
            options.output_schemas,
        )?;
        return Ok((name, Tools::OfSession(Arc::new(tools))));
    }
    let access = Access::everything().reading_only(options.read_only);
    let catalog =
        ToolCatalog::shipped(&options.toolsets, access).with_output_schemas(options.output_schemas);
    Ok((name, Tools::Fixed(Arc::new(catalog))))
}

/// Keeps the server and its agents on record while it runs.
pub async fn keep_serving(context: Context, agents: LiveAgents, closing: CancellationToken) {
    windlass_ops::keep_serving(context, agents, closing, |problem| {
        tracing::error!(target: LOG, error = %problem, "cannot report that the server is alive");
    })
    .await;
}

/// Cleans up after processes that were killed, as long as the server runs.
pub async fn sweep(context: Context, closing: CancellationToken) {
    windlass_ops::keep_sweeping(context, closing, |swept| match swept {
        Ok(swept) => tracing::warn!(target: LOG, swept = %swept.to_json(), "cleaned up after killed processes"),
        Err(problem) => tracing::error!(target: LOG, error = %problem, "cannot sweep"),
    })
    .await;
}

/// Imports what other clones send, as long as the server runs.
pub async fn import_packs(context: Context, closing: CancellationToken) {
    windlass_ops::keep_importing(context, closing, |found| {
        for line in found.lines() {
            tracing::info!(target: LOG, "{line}");
        }
    })
    .await;
}

/// Exchanges packs with the object storage of the settings, as long as the server runs.
pub async fn sync_remote(context: Context, closing: CancellationToken) {
    windlass_ops::keep_syncing(context, closing, |synced| match synced {
        Synced::Done {
            received,
            sent,
            skipped,
        } => {
            tracing::info!(target: LOG, received, sent, skipped, "exchanged packs with the remote");
        }
        // Being offline is normal, so that this is said once.
        Synced::Failed(problem) => tracing::warn!(target: LOG, "{problem}"),
    })
    .await;
}

/// Begins to export spans, if a person wants that. Contexts that are made later have them.
pub fn export_spans(host: &JobHost) {
    let report = |news| match news {
        ExportNews::Failing(problem) => {
            tracing::warn!(target: LOG, "the collector does not take spans: {problem}");
        }
        ExportNews::Working => tracing::info!(target: LOG, "the collector takes spans again"),
    };
    match host.export_spans(report) {
        Ok(SpanTarget::Off) => {}
        Ok(SpanTarget::Collector(to)) => tracing::info!(target: LOG, "spans are sent to {to}"),
        Ok(SpanTarget::NotAllowed) => tracing::warn!(
            target: LOG,
            "no spans are sent: telemetry.otlp counts only while a person allows the settings as they \
             stand (windlass allow .windlass/config.toml)"
        ),
        // A server without telemetry is better than none.
        Err(problem) => {
            tracing::warn!(target: LOG, "no spans are sent: {}", problem.full_message());
        }
    }
}

/// Sends the last spans before the process exits.
pub async fn flush_spans(host: &JobHost) {
    let lost = host.flush_spans().await;
    if lost > 0 {
        tracing::warn!(target: LOG, spans = lost, "not all spans were sent");
    }
}

/// Gives vectors to texts that changed, as long as the server runs.
pub async fn embed_texts(context: Context, closing: CancellationToken) {
    windlass_ops::keep_embedding(context, closing, |embedded| match embedded {
        Ok(embedded) => tracing::info!(target: LOG, texts = embedded.texts, "embedded texts"),
        Err(problem) => tracing::warn!(target: LOG, "{}", problem.full_message()),
    })
    .await;
}

/// Prepares a worker for the first script, if the server runs scripts.
pub async fn prepare_scripts(catalog: Arc<ToolCatalog>, context: Context) {
    if catalog.operation(SCRIPTS).is_none() {
        return;
    }
    tokio::time::sleep(PREPARE_AFTER).await;
    // It takes some milliseconds, and the first client should not wait for it.
    let prepared = tokio::task::spawn_blocking(move || context.host.prepare_scripts()).await;
    if let Ok(Err(problem)) = prepared {
        tracing::error!(target: LOG, error = %problem, "cannot prepare for scripts");
    }
}

/// Serves one connection until the client disconnects, which is not an error.
pub async fn serve_until_closed<T>(server: Server, transport: T) -> Result<()>
where
    T: rmcp::transport::Transport<rmcp::RoleServer> + 'static,
{
    match server.serve(transport).await {
        // Reading ends at a signal just as at the end of the input, and then rmcp gives the
        // requests in flight five seconds.
        Ok(running) => match running.waiting().await {
            Ok(QuitReason::Closed | QuitReason::Cancelled) => Ok(()),
            Ok(other) => Err(Error::internal(format!("the session ended: {other:?}"))),
            Err(problem) => Err(Error::internal(format!("the session ended: {problem}"))),
        },
        // A client that disconnects before its first message is not an error.
        Err(
            ServerInitializeError::ConnectionClosed(_)
            | ServerInitializeError::TransportError { .. }
            | ServerInitializeError::Cancelled,
        ) => Ok(()),
        Err(problem) => Err(Error::internal(format!(
            "the session did not begin: {problem}"
        ))),
    }
}

/// Stops reading at a signal, and logs every shutdown. Another signal stops everything at once.
async fn announce_end(
    signals: Option<Signals>,
    closing: CancellationToken,
    at_once: CancellationToken,
) {
    let Some(mut signals) = signals else {
        // Without handlers the signals end the process directly.
        closing.cancelled().await;
        tracing::info!(target: LOG, "Shutting down...");
        return;
    };
    let is_signalled = tokio::select! {
        _ = signals.next() => true,
        () = closing.cancelled() => false,
    };
    tracing::info!(target: LOG, "Shutting down...");
    closing.cancel();
    tokio::spawn(async move {
        // Clients close the input, and two seconds later send a signal to whoever is still there.
        // That is one wish, and jobs keep their grace.
        if !is_signalled {
            signals.next().await;
        }
        signals.next().await;
        tracing::warn!(target: LOG, "second signal: stopping immediately");
        at_once.cancel();
    });
}

/// A name that no other session has.
pub fn fresh_session() -> String {
    let random = Uuid::new_v4().simple().to_string();
    format!("mcp-{}", &random[..SESSION_DIGITS])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_session_gets_a_name_of_its_own() {
        let (one, other) = (fresh_session(), fresh_session());
        assert_ne!(one, other);
        let digits = one.strip_prefix("mcp-").unwrap_or_default();
        assert_eq!(digits.len(), SESSION_DIGITS, "{one}");
        assert!(
            digits.bytes().all(|digit| digit.is_ascii_hexdigit()),
            "{one}"
        );
    }
}
