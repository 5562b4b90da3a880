//! The routes. Every request passes the same admission check first and writes one line to the log.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{any, get, post};

use super::access_log::Requests;
use super::admission::{Admission, Refused};
use super::dashboard::{self, Admitted, Dashboard};
use super::health::Readiness;
use super::mcp_endpoints::McpEndpoints;
use super::metrics::Metrics;
use super::peer::Peer;
use super::plain::Plain;
use super::{LOG, answer, health, mcp_endpoints, metrics, plain};

/// Everything that the routes need.
pub struct App {
    pub admission: Admission,
    pub requests: Requests,
    pub endpoints: McpEndpoints,
    pub plain: Plain,
    pub dashboard: Dashboard,
    pub readiness: Readiness,
    pub metrics: Metrics,
}

pub fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/", post(plain::serve).get(dashboard::index))
        .merge(dashboard::routes())
        .route("/mcp", any(mcp_endpoints::everyone))
        .route("/mcp/{toolsets}", any(mcp_endpoints::by_toolsets))
        .route("/mcp/session/{id}", any(mcp_endpoints::by_session))
        .route("/health", get(health::live))
        .route("/ready", get(health::ready))
        .route("/metrics", get(metrics::serve))
        .fallback(nothing_here)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(Arc::clone(&app), gate))
        .with_state(app)
}

async fn gate(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let line = app.requests.begin(&request);
    let peer = request.extensions().get().copied().unwrap_or(Peer::Other);
    let checked = app.admission.check(request.uri(), request.headers(), peer);
    request.extensions_mut().insert(Admitted(checked.is_ok()));
    let response = match checked {
        Ok(()) => next.run(request).await,
        // A browser cannot send the token: a person's cookie takes its place.
        Err(Refused::NoToken) if dashboard::owns(&request) => next.run(request).await,
        Err(refused) => {
            tracing::warn!(target: LOG, reason = refused.name(), "refused");
            refused.response()
        }
    };
    line.follow(response)
}

async fn nothing_here() -> Response {
    answer::problem(
        StatusCode::NOT_FOUND,
        "NotFound",
        "This path does not exist",
        "The dashboard is at /, MCP at /mcp, plain JSON-RPC at POST /; /health, /ready and /metrics report its state.",
    )
}

async fn wrong_method() -> Response {
    answer::problem(
        StatusCode::METHOD_NOT_ALLOWED,
        "MethodNotAllowed",
        "This path does not accept that method",
        "The header Allow names the methods; plain JSON-RPC is POST /, MCP is at /mcp.",
    )
}
