//! `POST /api/calls`: several operations in one request, of those that change nothing.
//!
//! After a change a page reads all that it shows again. Ten requests take a browser longer than ten
//! answers take the server, so they are one. Each answer is one line, sent as soon as it is there, with
//! the place of its call.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use tokio::task::JoinSet;
use windlass_ops::Effect;

use super::super::routes::App;
use super::api::{Caller, caller, described, problem};
use super::{Admitted, files};

/// As many calls as one request may have (`TOGETHER` in `web/lib/api.js`).
const MOST: usize = 32;

#[derive(Deserialize)]
struct Wanted {
    name: String,
    #[serde(default)]
    input: Json,
}

pub async fn calls(
    State(app): State<Arc<App>>,
    Extension(admitted): Extension<Admitted>,
    request: Request,
) -> Response {
    let (caller, body) = match caller(&app, admitted, request).await {
        Ok(accepted) => accepted,
        Err(response) => return response,
    };
    let wanted = match serde_json::from_value::<Vec<Wanted>>(body) {
        Ok(wanted) if wanted.len() <= MOST => wanted,
        Ok(_) => return refused(&format!("One request may have {MOST} calls")),
        Err(wrong) => return refused(&format!("This is not a list of calls: {wrong}")),
    };
    // Whoever goes away takes the calls along: they end with the set.
    let mut running = JoinSet::new();
    for (index, wanted) in wanted.into_iter().enumerate() {
        let caller = caller.clone();
        running.spawn(async move { line(index, read(&caller, wanted).await) });
    }
    let body = futures::stream::unfold(running, |mut running| async {
        loop {
            // A call that panicked has no line; the page takes that for a failure.
            if let Ok(line) = running.join_next().await? {
                return Some((Ok::<_, Infallible>(Bytes::from(line)), running));
            }
        }
    });
    let mut response = Response::new(Body::from_stream(body));
    let own = response.headers_mut();
    own.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("application/x-ndjson"),
    );
    own.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    files::protect(response)
}

async fn read(caller: &Caller, wanted: Wanted) -> Result<Json, (StatusCode, Json)> {
    let entry = caller.find(&wanted.name)?;
    if entry.declaration.effect != Effect::Read {
        return Err(described(
            StatusCode::UNPROCESSABLE_ENTITY,
            "InvalidRequest",
            &format!("{} changes something", wanted.name),
            "Call it by itself, with /api/call.",
        ));
    }
    let input = if wanted.input.is_null() {
        json!({})
    } else {
        wanted.input
    };
    caller.call(&wanted.name, input).await
}

/// JSON has no line ends of its own.
fn line(index: usize, answer: Result<Json, (StatusCode, Json)>) -> String {
    let (status, body) = match answer {
        Ok(answer) => (StatusCode::OK, answer),
        Err(problem) => problem,
    };
    let line = json!({ "index": index, "status": status.as_u16(), "body": body });
    format!("{line}\n")
}

fn refused(message: &str) -> Response {
    problem(
        StatusCode::BAD_REQUEST,
        "InvalidRequest",
        message,
        "Send a list of objects with name and input.",
    )
}
