//! From the start of the process to its orderly end.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::{QuitReason, ServerInitializeError};
use rmcp::transport::stdio_pipes;
use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;
use windlass_core::{Error, Result};
use windlass_ops::{Context, Workshop};
use windlass_store::{Project, Store};

use super::catalogue::{Access, Catalogue};
use super::server::{Server, Shared};
use super::transport::LineTransport;
use super::{LOG, ServeOptions, log};
use crate::surface::signals::Signals;

/// One thread for the protocol and quick reads, one that takes over while the first is busy.
const WORKERS: usize = 2;

/// How long after the start what others left behind is looked for.
const TIDY_UP_AFTER: Duration = Duration::from_millis(500);

pub fn run(options: ServeOptions) -> Result<()> {
    let project = Project::find(&options.cwd)?;
    let store = Arc::new(Store::open(&project)?);
    log::install(&options.log);
    let runtime = Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .thread_name("windlass-mcp")
        .enable_all()
        .build()
        .map_err(|problem| Error::internal(format!("cannot start: {problem}")))?;
    let workshop = Arc::new(Workshop::new(project, options.host.clone()));
    let result = runtime.block_on(async {
        let result = serve(options, store, Arc::clone(&workshop)).await;
        // Nothing that was started here outlives the server.
        workshop.close().await;
        result
    });
    // A thread may be stuck reading a terminal. It must not keep the process from ending.
    runtime.shutdown_background();
    log::flush();
    result
}

async fn serve(options: ServeOptions, store: Arc<Store>, workshop: Arc<Workshop>) -> Result<()> {
    let access = if options.read_only {
        Access::ReadOnly
    } else {
        Access::Everything
    };
    let closing = CancellationToken::new();
    let session = options.session.unwrap_or_else(fresh_session);
    let shared = Shared::new(
        Arc::new(Catalogue::shipped(&options.toolsets, access)),
        Arc::clone(&store),
        workshop,
        options.settings,
        session,
        closing.clone(),
    );
    tokio::spawn(tidy_up(shared.context("mcp", None)));
    tracing::info!(target: LOG, version = env!("CARGO_PKG_VERSION"), "serving on stdio");
    for notice in store.take_notices() {
        tracing::warn!(target: LOG, "{notice}");
    }
    let announcing = tokio::spawn(announce_end(closing.clone()));
    let (input, output) = stdio_pipes();
    let transport = LineTransport::new(input, output, closing.clone());
    let result = serve_until_closed(Server::new(Arc::new(shared)), transport).await;
    closing.cancel();
    // Only so that the line is in the log before the process ends.
    let _ = announcing.await;
    result
}

/// Ends on record what other processes left behind when they were killed.
pub async fn tidy_up(context: Context) {
    // The first client does not wait for it.
    tokio::time::sleep(TIDY_UP_AFTER).await;
    match windlass_ops::recover_interrupted(&context).await {
        Ok(0) => {}
        Ok(runs) => tracing::warn!(target: LOG, runs, "interrupted runs were ended"),
        Err(problem) => tracing::error!(target: LOG, error = %problem, "cannot look for runs"),
    }
    match windlass_ops::take_over_gates(&context) {
        Ok(0) => {}
        Ok(reviews) => tracing::info!(target: LOG, reviews, "gates of reviews are taken over"),
        Err(problem) => tracing::error!(target: LOG, error = %problem, "cannot look for gates"),
    }
}

/// Serves one connection to its end. That the client goes is the way it should end.
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
        // A client that goes before it says anything has done nothing wrong.
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

/// Ends the reading at a signal, and says so however the end comes.
async fn announce_end(closing: CancellationToken) {
    tokio::select! {
        () = signalled() => {}
        () = closing.cancelled() => {}
    }
    tracing::info!(target: LOG, "Shutting down...");
    closing.cancel();
}

async fn signalled() {
    match Signals::listen() {
        Ok(mut signals) => drop(signals.next().await),
        // Without handlers the signals end the process by themselves.
        Err(_) => std::future::pending().await,
    }
}

/// A name that no other session has.
pub fn fresh_session() -> String {
    let random = RandomState::new().build_hasher().finish();
    format!("mcp-{:08x}", random >> 32)
}
