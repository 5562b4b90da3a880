//! One line in the log for each request, and the number of requests.
//!
//! A request ends when its response has been sent completely, or when the client has disconnected.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use http_body::{Frame, SizeHint};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::LOG;

/// The header in which clients up to 2025-11-25 name their session.
pub const SESSION_HEADER: &str = "mcp-session-id";

/// How a request ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct FinishedRequest {
    method: &'static str,
    route: &'static str,
    status: u16,
}

/// The requests of a server.
#[derive(Debug, Clone, Default)]
pub struct Requests {
    /// The requests that the shutdown waits for.
    open: TaskTracker,
    ended: Family<FinishedRequest, Counter>,
}

impl Requests {
    /// Begins a request.
    pub fn begin(&self, request: &Request) -> Line {
        let session = request.headers().get(SESSION_HEADER);
        let path = request.uri().path();
        let streams =
            request.method() == Method::GET && (path.starts_with("/mcp") || path == "/api/events");
        Line {
            method: method(request.method()),
            path: request.uri().path().to_owned(),
            session: session
                .and_then(|value| value.to_str().ok())
                .map(str::to_owned),
            status: StatusCode::OK,
            since: Instant::now(),
            ended: self.ended.clone(),
            // A notification stream never ends by itself.
            _open: (!streams).then(|| self.open.token()),
        }
    }

    pub fn in_flight(&self) -> usize {
        self.open.len()
    }

    /// Adds the numbers to the page of metrics.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "windlass_http_requests",
            "Requests that have ended",
            self.ended.clone(),
        );
    }

    /// Waits until every request that was begun has its response.
    pub async fn finish(&self) {
        self.open.close();
        self.open.wait().await;
    }
}

/// A request that has begun; its line is written when it is dropped.
pub struct Line {
    method: &'static str,
    /// Without the query, which may contain secrets.
    path: String,
    session: Option<String>,
    status: StatusCode,
    since: Instant,
    ended: Family<FinishedRequest, Counter>,
    _open: Option<TaskTrackerToken>,
}

impl Line {
    /// Keeps the line open until the response has been sent.
    pub fn follow(mut self, response: Response) -> Response {
        self.status = response.status();
        response.map(|body| Body::new(Followed { body, _line: self }))
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let status = self.status.as_u16();
        let ended = FinishedRequest {
            method: self.method,
            route: route(&self.path),
            status,
        };
        self.ended.get_or_create(&ended).inc();
        let ms = self.since.elapsed().as_secs_f64() * 1000.0;
        let (method, path, session) = (self.method, &*self.path, self.session.as_deref());
        if status >= 500 {
            tracing::error!(target: LOG, method, path, status, ms, session, "answered");
        } else {
            tracing::info!(target: LOG, method, path, status, ms, session, "answered");
        }
    }
}

/// The body of a response, and the log line that is written when it ends.
struct Followed {
    body: Body,
    _line: Line,
}

impl HttpBody for Followed {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Clients can send any method and path; only known ones get their own counter.
fn method(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "OTHER",
    }
}

fn route(path: &str) -> &'static str {
    match path {
        "/" => "/",
        "/mcp" => "/mcp",
        "/health" => "/health",
        "/ready" => "/ready",
        "/metrics" => "/metrics",
        _ if path.starts_with("/mcp/session/") => "/mcp/session/{id}",
        _ if path.starts_with("/mcp/") => "/mcp/{toolsets}",
        _ if path.starts_with("/api/") => "/api",
        _ if path.starts_with("/ui/") => "/ui",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str, path: &str) -> Request {
        let request = axum::http::Request::builder().method(method).uri(path);
        request.body(Body::empty()).unwrap()
    }

    #[tokio::test]
    async fn a_request_ends_with_its_body() {
        let requests = Requests::default();
        let line = requests.begin(&request("POST", "/mcp/knowledge?x=1"));
        let response = line.follow(Response::new(Body::from("answer")));
        assert_eq!(response.body().size_hint().exact(), Some(6));
        assert_eq!(requests.in_flight(), 1);
        let ended = FinishedRequest {
            method: "POST",
            route: "/mcp/{toolsets}",
            status: 200,
        };
        assert!(requests.ended.get(&ended).is_none());
        let body = axum::body::to_bytes(response.into_body(), 100)
            .await
            .unwrap();
        assert_eq!(body, "answer");
        assert_eq!(requests.in_flight(), 0);
        let count = requests.ended.get(&ended).map(|count| count.get());
        assert_eq!(count, Some(1));
        requests.finish().await;
    }

    #[tokio::test]
    async fn no_one_waits_for_a_stream_of_news() {
        let requests = Requests::default();
        let _stream = requests.begin(&request("GET", "/mcp"));
        assert_eq!(requests.in_flight(), 0);
        requests.finish().await;
    }

    #[test]
    fn clients_cannot_make_the_numbers_grow() {
        assert_eq!(route("/mcp/session/a/b"), "/mcp/session/{id}");
        assert_eq!(route("/anything"), "other");
        assert_eq!(method(&Method::from_bytes(b"BREW").unwrap()), "OTHER");
    }
}
