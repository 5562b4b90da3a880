//! `GET /api/events`: what changes, as server-sent events.
//!
//! Each event of the history is sent under its number, so that a page that was away (a laptop that
//! slept, a server that restarted) names the last one that it knows and gets the rest. Commits without
//! an event are sent as `touch`. With the header `x-windlass-output` the growth of the output of a job
//! or of a step of a run is sent too.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use serde_json::json;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use windlass_core::Event;
use windlass_ops::{Context, Subscription};
use windlass_store::{Changes, Store};

use super::super::routes::App;
use super::api::{Required, log_in_first, other_origin};
use super::{Admitted, files};

/// A line is sent this often, so that both sides notice when the other is gone.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// How long commits are collected before they are sent.
const GATHER: Duration = Duration::from_millis(5);

/// The same for the output of a job.
const GATHER_OUTPUT: Duration = Duration::from_millis(50);

/// How often the output of a step is looked at. It is in files, which any process may write.
const LOOK_AT_STEP: Duration = Duration::from_millis(100);

/// A page that missed more than this is told to read everything again.
const MOST_MISSED: u32 = 1000;

/// A longer payload is left out: the page reads the entity itself.
const LONGEST_PAYLOAD: usize = 2000;

/// The header that names the output to follow.
const OUTPUT_HEADER: &str = "x-windlass-output";

pub async fn serve(
    State(app): State<Arc<App>>,
    Extension(admitted): Extension<Admitted>,
    headers: HeaderMap,
) -> Response {
    let dashboard = &app.dashboard;
    if let Some(response) = other_origin(&headers, Required::IfPresent) {
        return response;
    }
    let person = dashboard.person(&headers);
    if person.is_none() && !admitted.0 {
        return log_in_first();
    }
    let (store, _) = dashboard.shared.state();
    let newest = store.last_event().unwrap_or_default();
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let known = header("last-event-id").and_then(|value| value.parse().ok());
    let context = dashboard.context(person.as_ref());
    // A job that is gone has no output to wait for; the page reads what is kept of it.
    let output = header(OUTPUT_HEADER).and_then(|uri| Followed::of(&context, uri));
    let stream = Stream {
        changes: store.watch(),
        store: Arc::clone(store),
        last: known.unwrap_or(newest),
        first: true,
        output,
        heartbeat: Instant::now() + HEARTBEAT,
        stopping: dashboard.stopping.clone(),
    };
    let body = futures::stream::unfold(stream, |mut stream| async {
        let chunk = stream.next().await?;
        Some((Ok::<_, Infallible>(Bytes::from(chunk)), stream))
    });
    let mut response = Response::new(Body::from_stream(body));
    let own = response.headers_mut();
    own.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    own.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    files::protect(response)
}

struct Stream {
    store: Arc<Store>,
    changes: Changes,
    /// The number of the last event that was sent.
    last: i64,
    first: bool,
    output: Option<Followed>,
    heartbeat: Instant,
    stopping: CancellationToken,
}

impl Stream {
    /// The next text to send; none when the server is about to shut down.
    async fn next(&mut self) -> Option<String> {
        if std::mem::take(&mut self.first) {
            return Some(format!("event: hello\ndata: {{}}\n\n{}", self.news()));
        }
        loop {
            let grown = async {
                match &self.output {
                    Some(followed) => followed.grown().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.stopping.cancelled() => return None,
                () = self.changes.changed() => {
                    tokio::time::sleep(GATHER).await;
                    let news = self.news();
                    // Other readers of the page see for themselves what changed.
                    return Some(if news.is_empty() { "event: touch\ndata: {}\n\n".to_owned() } else { news });
                }
                () = grown => {
                    if self.output.as_mut().is_some_and(Followed::take_change) {
                        return Some("event: output\ndata: {}\n\n".to_owned());
                    }
                }
                () = tokio::time::sleep_until(self.heartbeat) => {
                    self.heartbeat = Instant::now() + HEARTBEAT;
                    return Some(": still here\n\n".to_owned());
                }
            }
        }
    }

    /// All events since the last one that was sent.
    fn news(&mut self) -> String {
        let Ok(events) = self.store.events_after(self.last, MOST_MISSED) else {
            return String::new();
        };
        if events.len() >= MOST_MISSED as usize {
            self.last = self.store.last_event().unwrap_or(self.last);
            return format!("id: {}\nevent: reset\ndata: {{}}\n\n", self.last);
        }
        let mut text = String::new();
        for event in events {
            self.last = event.seq;
            text.push_str(&line(&event));
        }
        text
    }
}

/// An output that a page shows while it grows.
enum Followed {
    Job(Subscription),
    Step {
        context: Box<Context>,
        run_id: String,
        step: usize,
        seen: u64,
    },
}

impl Followed {
    /// `windlass://joblog/PID`, or `windlass://runlog/RUN/STEP`.
    fn of(context: &Context, uri: &str) -> Option<Self> {
        let Some(place) = uri.strip_prefix("windlass://runlog/") else {
            return windlass_ops::subscribe(context, uri).ok().map(Self::Job);
        };
        let (run_id, step) = place.rsplit_once('/')?;
        Some(Self::Step {
            context: Box::new(context.clone()),
            run_id: run_id.to_owned(),
            step: step.parse().ok()?,
            seen: 0,
        })
    }

    /// Ends when there may be more of it.
    async fn grown(&self) {
        match self {
            Self::Job(job) => {
                match job.output() {
                    Some(output) => output.await,
                    None => std::future::pending().await,
                }
                tokio::time::sleep(GATHER_OUTPUT).await;
            }
            Self::Step { .. } => tokio::time::sleep(LOOK_AT_STEP).await,
        }
    }

    /// Whether there is more than at the last call.
    fn take_change(&mut self) -> bool {
        match self {
            Self::Job(job) => job.take_change(),
            Self::Step {
                context,
                run_id,
                step,
                seen,
            } => {
                let now = context.step_written(run_id, *step);
                std::mem::replace(seen, now) != now
            }
        }
    }
}

/// JSON has no line ends of its own, so one event is one line of data.
fn line(event: &Event) -> String {
    let payload = event.payload.to_string();
    let short = payload.len() <= LONGEST_PAYLOAD;
    let data = json!({
        "seq": event.seq,
        "at": event.at.as_str(),
        "actor": event.actor,
        "source": event.source,
        "session": event.session,
        "kind": event.kind,
        "entity": event.entity,
        "entity_type": event.entity_type,
        "payload": short.then_some(&event.payload),
    });
    format!("id: {}\ndata: {data}\n\n", event.seq)
}
