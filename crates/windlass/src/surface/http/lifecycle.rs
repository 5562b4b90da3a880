//! From the start of the server to its orderly shutdown.

use std::sync::Arc;
use std::time::Duration;

use prometheus_client::registry::Registry;
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use windlass_core::{Error, Result};
use windlass_ops::{Access, JobHost, Lifetime, Workspace};
use windlass_store::{Bindings, Project, Store};

use super::access_log::Requests;
use super::admission::Admission;
use super::dashboard::{Dashboard, DashboardOptions};
use super::health::Readiness;
use super::mcp_endpoints::McpEndpoints;
use super::metrics::Metrics;
use super::own_token::OwnToken;
use super::peer::PeerUsers;
use super::plain::Plain;
use super::routes::{App, router};
use super::{HttpOptions, LOG, Started, address, connections, health, metrics};
use crate::surface::dashboard_folder::{DashboardFolder, RunningServer, secret};
use crate::surface::mcp::{
    BLOCKING_THREADS, CallCounts, KEEP_THREADS, LEAVE_WITHIN, Shared, ToolCatalog, Tools,
    embed_texts, export_spans, flush_log, flush_spans, fresh_session, import_packs, install_log,
    keep_serving, prepare_scripts, sweep, sync_remote,
};
use crate::surface::memory::give_back_when_calm;
use crate::surface::signals::Signals;

/// How long requests may continue after the first signal.
const FINISH_WITHIN: Duration = Duration::from_secs(10);

/// How long requests may continue before jobs are stopped: some of them wait for a job.
const STOP_JOBS_AFTER: Duration = Duration::from_secs(2);

/// How long connections may then take to close.
const CLOSE_WITHIN: Duration = Duration::from_secs(1);

pub fn run(options: HttpOptions, announce: impl FnOnce(&Started)) -> Result<()> {
    let project = Project::find(&options.cwd)?;
    let store = Arc::new(Store::open_bound(
        &project,
        &Bindings::new(options.machine.bindings.clone()),
    )?);
    let listener = address::listen(&options.address)?;
    let listening = listener
        .local_addr()
        .map_err(|problem| Error::internal(format!("no address: {problem}")))?;
    let users = PeerUsers::new(listening);
    let needs_token =
        options.token.is_none() && users.is_none() && address::is_local(listening.ip());
    let own_token = needs_token
        .then(|| OwnToken::create(&options.token_folder, listening.port()))
        .transpose()?;
    let made = own_token.as_ref().map(|own| own.token.clone());
    let admission = Admission::new(
        listening.ip(),
        options.token.clone().or(made),
        &options.allowed_hosts,
        &options.allowed_origins,
    )?;
    install_log(&options.log);
    let runtime = Builder::new_multi_thread()
        .max_blocking_threads(BLOCKING_THREADS)
        .thread_keep_alive(KEEP_THREADS)
        .thread_name("windlass-http")
        .enable_all()
        .build()
        .map_err(|problem| Error::internal(format!("cannot start: {problem}")))?;
    let started = Started {
        url: format!("http://{listening}"),
        token_file: own_token.as_ref().map(|own| own.file.clone()),
    };
    let folder = DashboardFolder::new(&options.state_home, project.state());
    let server = RunningServer {
        id: secret(),
        url: started.url.clone(),
        pid: std::process::id(),
    };
    let result = runtime.block_on(async {
        let listener = TcpListener::from_std(listener)
            .map_err(|problem| Error::internal(format!("cannot listen: {problem}")))?;
        let ending = Ending::default();
        let host = Arc::new(JobHost::new(
            Arc::new(Workspace::new(project, options.machine.clone())),
            Lifetime::Server,
        ));
        let users = users.filter(|_| options.token.is_none());
        let own = (folder.clone(), server.id.clone());
        let app = app(options, store, Arc::clone(&host), admission, own, &ending);
        // Without it the server works; only `windlass dashboard` cannot find it.
        let _registration = folder.register(&server).inspect_err(|problem| {
            tracing::warn!(target: LOG, error = %problem, "the dashboard cannot be logged in to");
        });
        tokio::spawn(give_back_when_calm());
        announce(&started);
        tracing::info!(target: LOG, version = env!("CARGO_PKG_VERSION"), url = started.url, "serving");
        serve(listener, users, app, &host, ending).await
    });
    // Running calls are aborted; a write that is not committed has no effect.
    runtime.shutdown_timeout(LEAVE_WITHIN);
    flush_log();
    result
}

/// The two steps of the shutdown.
#[derive(Default)]
struct Ending {
    /// Nothing new begins, and notification streams end.
    stopping: CancellationToken,
    /// Every stream is closed.
    ended: CancellationToken,
    /// What gives back the tasks of agents at the end.
    agents: TaskTracker,
}

fn app(
    options: HttpOptions,
    store: Arc<Store>,
    host: Arc<JobHost>,
    admission: Admission,
    (folder, server_id): (DashboardFolder, String),
    ending: &Ending,
) -> Arc<App> {
    let access = Access::everything().reading_only(options.read_only);
    if let Err(refusal) = store.check_trusted() {
        tracing::warn!(target: LOG, "{}", refusal.full_message());
    }
    store.tell_notices(|notice| tracing::warn!(target: LOG, "{notice}"));
    export_spans(&host);
    let call_counts = CallCounts::default();
    let session = fresh_session();
    let shared = Shared::new(
        Tools::Fixed(Arc::new(
            ToolCatalog::shipped(&options.toolsets, access.clone())
                .with_output_schemas(options.output_schemas),
        )),
        Arc::clone(&store),
        Arc::clone(&host),
        options.settings,
        session.clone(),
        ending.stopping.clone(),
    )
    .counting(call_counts.clone());
    windlass_ops::serve_as(&store, "http");
    ending.agents.spawn(keep_serving(
        shared.context("http", None),
        shared.agents().clone(),
        ending.ended.clone(),
    ));
    tokio::spawn(sweep(shared.context("http", None), ending.stopping.clone()));
    tokio::spawn(import_packs(
        shared.context("http", None),
        ending.stopping.clone(),
    ));
    tokio::spawn(sync_remote(
        shared.context("http", None),
        ending.stopping.clone(),
    ));
    tokio::spawn(embed_texts(
        shared.context("http", None),
        ending.stopping.clone(),
    ));
    tokio::spawn(prepare_scripts(
        shared.catalog(),
        shared.context("http", None),
    ));
    let all = Arc::new(
        ToolCatalog::shipped(&options.available, access.clone())
            .with_output_schemas(options.output_schemas),
    );
    let beside = Arc::new(shared.beside(Tools::Fixed(all), session));
    let plain = Plain::new(Arc::clone(&beside));
    let dashboard = Dashboard::new(
        beside,
        DashboardOptions {
            folder,
            server_id,
            access: access.clone(),
            available: options.available.clone(),
            naming: options.naming,
            stopping: ending.stopping.clone(),
        },
    );
    let endpoints = McpEndpoints::new(
        Arc::new(shared),
        options.available,
        access,
        options.output_schemas,
        ending.ended.clone(),
    );
    let requests = Requests::default();
    let mut registry = Registry::default();
    metrics::identity(&mut registry);
    call_counts.register(&mut registry);
    requests.register(&mut registry);
    metrics::requests(
        &mut registry,
        requests.clone(),
        Arc::clone(endpoints.sessions()),
    );
    metrics::store(&mut registry, Arc::clone(&store));
    metrics::jobs(&mut registry, Arc::clone(&host));
    metrics::runs(&mut registry, Arc::clone(&store));
    metrics::spans(&mut registry, Arc::clone(&host));
    let readiness = Readiness::new(vec![
        ("database", health::database(store, options.read_only)),
        (
            "disk",
            health::disk(host.workspace().project().state().to_owned()),
        ),
        ("runtimes", health::runtimes(Arc::clone(&host))),
    ]);
    Arc::new(App {
        admission,
        requests,
        endpoints,
        plain,
        dashboard,
        readiness,
        metrics: Metrics::new(registry),
    })
}

/// Serves until the first signal, then lets requests finish. A second signal stops it immediately.
async fn serve(
    listener: TcpListener,
    users: Option<PeerUsers>,
    app: Arc<App>,
    host: &JobHost,
    ending: Ending,
) -> Result<()> {
    let mut signals = Signals::listen()?;
    let connections = TaskTracker::new();
    let requests = app.requests.clone();
    let accepting = tokio::spawn(connections::accept(
        listener,
        router(app),
        users,
        ending.stopping.clone(),
        connections.clone(),
    ));
    signals.next().await;
    tracing::info!(target: LOG, "Shutting down...");
    ending.stopping.cancel();
    let orderly = async {
        // The listener is closed with it: the system refuses new connections.
        let _ = accepting.await;
        finish(&requests, host).await;
        ending.ended.cancel();
        connections.close();
        let _ = tokio::time::timeout(CLOSE_WITHIN, connections.wait()).await;
    };
    let mut is_orderly = true;
    tokio::select! {
        () = orderly => {}
        _ = signals.next() => {
            tracing::warn!(target: LOG, "second signal: stopping immediately");
            host.kill().await;
            is_orderly = false;
        }
    }
    ending.ended.cancel();
    ending.agents.close();
    let _ = tokio::time::timeout(CLOSE_WITHIN, ending.agents.wait()).await;
    if is_orderly {
        flush_spans(host).await;
    }
    Ok(())
}

/// Lets requests finish, and stops the jobs that they may be waiting for.
async fn finish(requests: &Requests, host: &JobHost) {
    let answers = async {
        if tokio::time::timeout(FINISH_WITHIN, requests.finish())
            .await
            .is_err()
        {
            let count = requests.in_flight();
            tracing::warn!(target: LOG, requests = count, "requests were aborted");
        }
    };
    let jobs = async {
        let _ = tokio::time::timeout(STOP_JOBS_AFTER, requests.finish()).await;
        // Nothing that was started here outlives the server.
        host.close().await;
    };
    tokio::join!(answers, jobs);
}
