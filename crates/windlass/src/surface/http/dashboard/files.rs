//! The page and its files. They hold no data of the project, so anybody may load them.

use std::sync::LazyLock;

use axum::body::Body;
use axum::extract::Path;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::super::answer;

/// Scripts and styles from this server only, none in the page; no page of others may frame it, and no
/// script may turn text into HTML. The one policy for trusted types lets the graph start its worker
/// (`web/lib/worker.js`), and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
    connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types windlass-worker";

/// The policy of the page itself, which has its styles inside.
static PAGE_POLICY: LazyLock<String> = LazyLock::new(|| {
    let digest = BASE64_STANDARD.encode(windlass_web::index().style_digest);
    let own = format!("style-src 'self' 'sha256-{digest}'");
    POLICY.replace("style-src 'self'", &own)
});

const SAFETY: &[(&str, &str)] = &[
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    (
        "permissions-policy",
        "camera=(), geolocation=(), microphone=()",
    ),
];

/// Adds the headers that keep other pages and wrong types away.
pub fn protect(mut response: Response) -> Response {
    for (name, value) in SAFETY {
        let name = HeaderName::from_static(name);
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The page. Browsers ask each time whether it has changed.
pub async fn index(headers: HeaderMap) -> Response {
    let page = windlass_web::index();
    let kind = "text/html; charset=utf-8";
    let unchanged = headers
        .get(IF_NONE_MATCH)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|known| known.split(',').any(|one| one.trim() == page.etag));
    let mut response = if unchanged {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        encoded(&headers, kind, &page.html, &page.compressed)
    };
    let own = response.headers_mut();
    own.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(etag) = HeaderValue::from_str(&page.etag) {
        own.insert(ETAG, etag);
    }
    let mut response = protect(response);
    if let Ok(policy) = HeaderValue::from_str(&PAGE_POLICY) {
        let own = response.headers_mut();
        own.insert(HeaderName::from_static("content-security-policy"), policy);
    }
    response
}

/// A file of the page. Its URL names its content, so it never changes.
pub async fn asset(Path((version, path)): Path<(String, String)>, headers: HeaderMap) -> Response {
    let found = (version == windlass_web::version()).then(|| windlass_web::asset(&path));
    let Some(asset) = found.flatten() else {
        return protect(answer::problem(
            StatusCode::NOT_FOUND,
            "NotFound",
            "The dashboard has no such file in this version",
            "Reload the page.",
        ));
    };
    let mut response = encoded(
        &headers,
        asset.content_type,
        asset.bytes,
        asset.compressed(),
    );
    let own = response.headers_mut();
    let lasting = HeaderValue::from_static("public, max-age=31536000, immutable");
    own.insert(CACHE_CONTROL, lasting);
    if let Ok(etag) = HeaderValue::from_str(&format!("\"{}\"", windlass_web::version())) {
        own.insert(ETAG, etag);
    }
    protect(response)
}

/// Compressed where the browser accepts it and it is worth it.
fn encoded(headers: &HeaderMap, kind: &'static str, plain: &[u8], compressed: &[u8]) -> Response {
    let accepts = headers
        .get(ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok())
        .is_some_and(accepts_gzip);
    let small = !compressed.is_empty() && compressed.len() < plain.len();
    let body = if accepts && small { compressed } else { plain };
    let mut response = Response::new(Body::from(body.to_vec()));
    let own = response.headers_mut();
    own.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    own.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if accepts && small {
        own.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

fn accepts_gzip(header: &str) -> bool {
    header.split(',').any(|one| {
        let mut parts = one.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let refused = parts.any(|part| matches!(part, "q=0" | "q=0.0"));
        (name.eq_ignore_ascii_case("gzip") || name == "*") && !refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_browsers_accept() {
        assert!(accepts_gzip("gzip, deflate, br, zstd"));
        assert!(accepts_gzip("br;q=1, GZIP;q=0.5"));
        assert!(!accepts_gzip("br, identity"));
        assert!(!accepts_gzip("gzip;q=0, br"));
    }
}
