//! HTTP responses outside MCP and JSON-RPC: small JSON objects with a status.

use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use serde_json::{Value as Json, json};
use std::time::Duration;

use super::MAX_BODY;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// How long a client may take to send a body.
const READ_WITHIN: Duration = Duration::from_secs(30);

pub fn json(status: StatusCode, body: &Json) -> Response {
    bytes(status, JSON, body.to_string().into_bytes())
}

pub fn bytes(status: StatusCode, kind: HeaderValue, body: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// An error response, in the shape of the command line's `--json`.
pub fn problem(status: StatusCode, error_type: &str, message: &str, hint: &str) -> Response {
    json(
        status,
        &json!({ "error": { "error_type": error_type, "message": message, "hint": hint } }),
    )
}

/// Whether a request declares that its body is JSON. A web page cannot send this header to another
/// origin without a preflight request.
pub fn is_json(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

/// The whole body of a request, or the error response if it is too long or does not arrive.
pub async fn read(body: Body) -> Result<Bytes, Response> {
    let reading = axum::body::to_bytes(body, MAX_BODY);
    match tokio::time::timeout(READ_WITHIN, reading).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(problem_with_it)) if is_too_long(&problem_with_it) => Err(problem(
            StatusCode::PAYLOAD_TOO_LARGE,
            "PayloadTooLarge",
            &format!("A body may have at most {MAX_BODY} bytes"),
            "Split the request into smaller ones.",
        )),
        Ok(Err(_)) => Err(problem(
            StatusCode::BAD_REQUEST,
            "InvalidRequest",
            "The body could not be read",
            "Send the whole body; its length must match Content-Length.",
        )),
        Err(_) => Err(problem(
            StatusCode::REQUEST_TIMEOUT,
            "RequestTimeout",
            "The body did not arrive in time",
            "Send the body without pauses.",
        )),
    }
}

fn is_too_long(problem: &axum::Error) -> bool {
    let mut source: Option<&dyn std::error::Error> = Some(problem);
    while let Some(error) = source {
        // axum does not export the error type, so only its text can be compared.
        if error.to_string().contains("length limit exceeded") {
            return true;
        }
        source = error.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_as_json() {
        let said = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, value.parse().unwrap());
            is_json(&headers)
        };
        assert!(said("application/json"));
        assert!(said("Application/JSON; charset=utf-8"));
        assert!(!said("text/plain; application/json"));
        assert!(!said("application/jsonx"));
        assert!(!is_json(&HeaderMap::new()));
    }

    #[tokio::test]
    async fn a_body_that_is_too_long_is_told_apart() {
        let fits = read(Body::from(vec![b' '; MAX_BODY])).await;
        assert_eq!(fits.unwrap().len(), MAX_BODY);
        let response = read(Body::from(vec![b' '; MAX_BODY + 1]))
            .await
            .unwrap_err();
        assert_eq!(response.status(), StatusCode::PAYLOAD_TOO_LARGE);
    }
}
