//! Accepts connections and serves each one until it closes.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::LOG;
use super::peer::{Peer, PeerUsers};

/// How long a connection may wait for a request, or take to send the head of one.
const HEAD_WITHIN: Duration = Duration::from_secs(75);

/// How long to wait when no connection can be accepted, for example without free file handles.
const TRY_AGAIN_AFTER: Duration = Duration::from_millis(100);

/// The most connections at once, if the system allows as many open files.
const MAX_CONNECTIONS: u64 = 4096;

/// Open files reserved for everything else.
const OTHER_FILES: u64 = 128;

/// Accepts until `stopping`; every accepted connection is served. `users` finds out whose it is, if
/// that decides about its requests.
pub async fn accept(
    listener: TcpListener,
    router: Router,
    users: Option<PeerUsers>,
    stopping: CancellationToken,
    connections: TaskTracker,
) {
    let places = Arc::new(Semaphore::new(most_connections()));
    loop {
        // Beyond the limit, new ones wait in the queue of the system.
        let place = tokio::select! {
            () = stopping.cancelled() => return,
            place = Arc::clone(&places).acquire_owned() => place,
        };
        let accepted = tokio::select! {
            () = stopping.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                let serving = serve(stream, router.clone(), users, stopping.clone());
                connections.spawn(async move {
                    serving.await;
                    drop(place);
                });
            }
            Err(problem) if went_away(&problem) => {}
            Err(problem) => {
                tracing::error!(target: LOG, error = %problem, "cannot accept a connection");
                tokio::time::sleep(TRY_AGAIN_AFTER).await;
            }
        }
    }
}

async fn serve(
    stream: TcpStream,
    router: Router,
    users: Option<PeerUsers>,
    stopping: CancellationToken,
) {
    // Otherwise a small response would wait for the client's acknowledgement of the previous one.
    let _ = stream.set_nodelay(true);
    let peer = match users {
        Some(users) => users.of(&stream).await,
        None => Peer::NotAsked,
    };
    let routes = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(peer);
        routes.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WITHIN)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stopping.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(problem) = ended {
        tracing::debug!(target: LOG, error = %problem, "a connection ended early");
    }
}

/// A client that disconnected before it was accepted is not an error of the server.
fn went_away(problem: &io::Error) -> bool {
    matches!(
        problem.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
    )
}

fn most_connections() -> usize {
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let most = files.map_or(MAX_CONNECTIONS, |files: u64| {
        files.saturating_sub(OTHER_FILES).clamp(16, MAX_CONNECTIONS)
    });
    usize::try_from(most).unwrap_or(16)
}
