//! Tool calls over HTTP that are answered without the protocol's library, as on stdio.
//!
//! Only a request whose headers are exactly what its version asks for goes this way. All others are
//! left to the library, which knows how to refuse them.

use std::sync::Arc;

use axum::body::Bytes;
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use rmcp::model::ProtocolVersion;

use super::access_log::SESSION_HEADER;
use super::answer;
use super::sessions::EndpointSessions;
use crate::surface::mcp::{Answer, Offered, QuickCalls, Shared, ToolCall, parse_call};

/// The header in which clients name the version of the protocol.
pub const VERSION_HEADER: &str = "mcp-protocol-version";
const METHOD_HEADER: &str = "mcp-method";
const NAME_HEADER: &str = "mcp-name";
/// Before the names of headers that repeat an argument.
const ARGUMENT_HEADERS: &str = "mcp-param-";

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");

/// The answer, if the request is a call that is answered here.
pub async fn answered(
    headers: &HeaderMap,
    body: &Bytes,
    shared: &Arc<Shared>,
    sessions: &EndpointSessions,
) -> Option<Response> {
    if !accepts_both(headers) {
        return None;
    }
    let call = parse_call(body)?;
    let is_single = version(headers)?.is_some_and(|version| !version.has_initialize());
    let quick = match headers.get(SESSION_HEADER) {
        Some(id) if !is_single => sessions.quick_calls(id.to_str().ok()?)?,
        None if is_single && names_the_call(headers, &call) => {
            QuickCalls::of_single_requests(Arc::clone(shared))
        }
        _ => return None,
    };
    let answer = match quick.offer(call) {
        Offered::Answered(answer) => answer,
        Offered::Begun(_, answering) => answering.await,
        // The library keeps the answer to a change for a client whose connection breaks.
        Offered::MayBlock(..) | Offered::Declined(_) => return None,
    };
    Some(if is_single {
        let mut text = Vec::new();
        write(answer, &mut text)?;
        answer::bytes(StatusCode::OK, JSON, text)
    } else {
        events(answer)?
    })
}

/// A client of a session gets each answer as a stream of one event.
fn events(answer: Answer) -> Option<Response> {
    let mut text = b"data: ".to_vec();
    write(answer, &mut text)?;
    text.extend_from_slice(b"\n\n");
    let mut response = answer::bytes(StatusCode::OK, EVENTS, text);
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(
        HeaderName::from_static("x-accel-buffering"),
        HeaderValue::from_static("no"),
    );
    Some(response)
}

/// Answers are plain data; writing them cannot fail.
fn write(answer: Answer, out: &mut Vec<u8>) -> Option<()> {
    answer.write_to(out).ok()
}

fn accepts_both(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let kind = text(CONTENT_TYPE).is_some_and(|it| it.starts_with("application/json"));
    let accepts = |it: &str| it.contains("application/json") && it.contains("text/event-stream");
    kind && text(ACCEPT).is_some_and(accepts)
}

/// The version that the request declares, if it declares one; none at all if it is unknown.
#[expect(
    clippy::option_option,
    reason = "an unknown version and no version are different things"
)]
fn version(headers: &HeaderMap) -> Option<Option<&'static ProtocolVersion>> {
    let Some(given) = headers.get(VERSION_HEADER) else {
        return Some(None);
    };
    let mut known = ProtocolVersion::KNOWN_VERSIONS.iter();
    let found = known.find(|it| it.as_str().as_bytes() == given.as_bytes());
    found.map(Some)
}

/// Whether the headers say once which tool is called, as the version 2026-07-28 asks for.
fn names_the_call(headers: &HeaderMap, call: &ToolCall) -> bool {
    let once = |name: &str, expected: &str| {
        let mut values = headers.get_all(name).iter();
        values
            .next()
            .is_some_and(|value| value.as_bytes() == expected.as_bytes())
            && values.next().is_none()
    };
    once(VERSION_HEADER, ProtocolVersion::V_2026_07_28.as_str())
        && once(METHOD_HEADER, "tools/call")
        && once(NAME_HEADER, call.name())
        && !headers
            .keys()
            .any(|name| name.as_str().starts_with(ARGUMENT_HEADERS))
}
