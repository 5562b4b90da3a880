//! The calls of the page: `/api/me`, `/api/login`, `/api/logout` and `/api/call/{operation}`.
//! Several at once are in `together.rs`.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, Request, State};
use axum::http::header::{CACHE_CONTROL, HOST, ORIGIN, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;
use windlass_core::{Error, ErrorKind};
use windlass_ops::{AnyOutput as _, Effect, Entry, OPERATIONS};

use super::super::routes::App;
use super::super::{LOG, answer};
use super::people::{LoggedIn, SESSION_LASTS};
use super::{Admitted, Dashboard, files};
use crate::surface::dashboard_folder::Person;

/// Who is asking, and what is served here.
pub async fn me(
    State(app): State<Arc<App>>,
    Extension(admitted): Extension<Admitted>,
    headers: HeaderMap,
) -> Response {
    let dashboard = &app.dashboard;
    if let Some(response) = other_origin(&headers, Required::IfPresent) {
        return response;
    }
    let person = dashboard.person(&headers);
    let mut answer = json!({
        "server": dashboard.people.server_id(),
        "person": person.as_ref().map(|person| &person.user),
        "session": person.as_ref().map(|person| &person.session),
        "reads": person.is_some() || admitted.0,
        "read_only": dashboard.access.is_read_only(),
        "version": env!("CARGO_PKG_VERSION"),
        "page": windlass_web::version(),
    });
    if person.is_some() || admitted.0 {
        let (store, project) = dashboard.shared.state();
        let name = project.root().file_name();
        answer["project"] = json!(name.map(|name| name.to_string_lossy()));
        answer["last_event"] = json!(store.last_event().unwrap_or_default());
    }
    respond(StatusCode::OK, &answer)
}

/// Exchanges a one-time code for the cookie and the token of a person.
pub async fn log_in(State(app): State<Arc<App>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    if let Some(response) = other_origin(&parts.headers, Required::Always) {
        return response;
    }
    let input = match json_body(&parts.headers, body).await {
        Ok(input) => input,
        Err(response) => return response,
    };
    let people = &app.dashboard.people;
    let Some(LoggedIn {
        person,
        cookie,
        token,
    }) = people.log_in(input["code"].as_str().unwrap_or_default())
    else {
        tracing::warn!(target: LOG, "a login with a code that is not valid");
        return problem(
            StatusCode::FORBIDDEN,
            "CodeNotValid",
            "This code is not valid, or it was used already",
            "Run windlass dashboard in a terminal to get a new one.",
        );
    };
    tracing::info!(target: LOG, user = person.user, "a person logged in to the dashboard");
    let answer = json!({ "person": person.user, "session": person.session, "token": token });
    let mut response = respond(StatusCode::OK, &answer);
    let secure = if came_by_tls(&parts.headers) {
        "; Secure"
    } else {
        ""
    };
    let cookie = format!(
        "{}={cookie}; Path=/api/; HttpOnly; SameSite=Strict; Max-Age={}{secure}",
        people.cookie_name(),
        SESSION_LASTS.as_secs(),
    );
    if let Ok(value) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(SET_COOKIE, value);
    }
    response
}

pub async fn log_out(State(app): State<Arc<App>>, headers: HeaderMap) -> Response {
    if let Some(response) = other_origin(&headers, Required::Always) {
        return response;
    }
    app.dashboard.people.log_out(&headers);
    respond(StatusCode::OK, &json!({}))
}

/// Calls an operation, by its name or by its method of scripts: `board_status`, `board.status`.
pub async fn call(
    State(app): State<Arc<App>>,
    Extension(admitted): Extension<Admitted>,
    Path(name): Path<String>,
    request: Request,
) -> Response {
    let (caller, input) = match caller(&app, admitted, request).await {
        Ok(accepted) => accepted,
        Err(response) => return response,
    };
    match caller.call(&name, input).await {
        Ok(answer) => respond(StatusCode::OK, &answer),
        Err((status, problem)) => respond(status, &problem),
    }
}

/// Who calls, with everything that a call needs.
#[derive(Clone)]
pub(super) struct Caller {
    app: Arc<App>,
    person: Option<Person>,
}

/// The caller and the body of a request, or why it is refused.
pub(super) async fn caller(
    app: &Arc<App>,
    admitted: Admitted,
    request: Request,
) -> Result<(Caller, Json), Response> {
    let (parts, body) = request.into_parts();
    let person = app.dashboard.person(&parts.headers);
    let origin = if person.is_some() {
        Required::Always
    } else {
        Required::IfPresent
    };
    if let Some(response) = other_origin(&parts.headers, origin) {
        return Err(response);
    }
    if person.is_none() && !admitted.0 {
        return Err(log_in_first());
    }
    let input = json_body(&parts.headers, body).await?;
    let app = Arc::clone(app);
    Ok((Caller { app, person }, input))
}

impl Caller {
    pub(super) fn find(&self, name: &str) -> Result<&'static Entry, (StatusCode, Json)> {
        find(&self.app.dashboard, name, self.person.is_some()).ok_or_else(|| {
            described(
                StatusCode::NOT_FOUND,
                "UnknownOperation",
                &format!("There is no operation {name} here"),
                "Use the name of an operation, such as board_status or board.status.",
            )
        })
    }

    pub(super) async fn call(&self, name: &str, input: Json) -> Result<Json, (StatusCode, Json)> {
        let entry = self.find(name)?;
        if self.person.is_none() && entry.declaration.effect != Effect::Read {
            return Err(login_required());
        }
        let context = self.app.dashboard.context(self.person.as_ref());
        let answer = windlass_ops::call(entry, context, input, CancellationToken::new()).await;
        answer.map(|it| it.to_json()).map_err(|it| failed(&it))
    }
}

/// What `/metrics` says, for a person who has no token.
pub async fn metrics(
    State(app): State<Arc<App>>,
    Extension(admitted): Extension<Admitted>,
    headers: HeaderMap,
) -> Response {
    if !admitted.0 && app.dashboard.person(&headers).is_none() {
        return log_in_first();
    }
    files::protect(super::super::metrics::serve(State(app)).await)
}

/// What `/ready` says, for a person who has no token.
pub async fn ready(
    State(app): State<Arc<App>>,
    Extension(admitted): Extension<Admitted>,
    headers: HeaderMap,
) -> Response {
    if !admitted.0 && app.dashboard.person(&headers).is_none() {
        return log_in_first();
    }
    files::protect(super::super::health::ready(State(app)).await)
}

/// Scripts run for agents only. Without a person, the toolsets that the server offers to all.
fn find(dashboard: &Dashboard, name: &str, person: bool) -> Option<&'static Entry> {
    let entry = windlass_ops::find(name).or_else(|| {
        let mut all = OPERATIONS.iter();
        all.find(|entry| windlass_ops::sdk_method_name(entry).as_deref() == Some(name))
    })?;
    let declaration = &entry.declaration;
    let offered = person || dashboard.available.contains(&declaration.toolset);
    (offered && declaration.effect != Effect::Script).then_some(entry)
}

fn failed(error: &Error) -> (StatusCode, Json) {
    let status = match error.kind() {
        ErrorKind::HumanOnly => StatusCode::FORBIDDEN,
        kind if kind.is_server_fault() => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    };
    let hint = error.hint().unwrap_or_default();
    described(status, error.kind().name(), error.message(), hint)
}

fn login_required() -> (StatusCode, Json) {
    described(
        StatusCode::UNAUTHORIZED,
        "LoginRequired",
        "This needs a person who is logged in",
        "Run windlass dashboard in a terminal and open the link that it prints.",
    )
}

pub(super) fn log_in_first() -> Response {
    let (status, body) = login_required();
    respond(status, &body)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Required {
    Always,
    IfPresent,
}

/// The refusal of a request that came from a page of another origin. Admission accepts every origin of this machine,
/// because tools of the user have pages too; here only the dashboard itself counts.
pub(super) fn other_origin(headers: &HeaderMap, required: Required) -> Option<Response> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let refused = || {
        Some(problem(
            StatusCode::FORBIDDEN,
            "OriginNotAllowed",
            "Only the dashboard itself can ask this",
            "Open the dashboard at the address that windlass dashboard prints.",
        ))
    };
    let site = text("sec-fetch-site");
    if site.is_some_and(|site| site != "same-origin" && site != "none") {
        return refused();
    }
    let Some(origin) = headers.get(ORIGIN) else {
        return if required == Required::Always {
            refused()
        } else {
            None
        };
    };
    let origin = origin.to_str().unwrap_or_default();
    let name = origin.split_once("://").map(|(_, name)| name);
    let host = text(HOST.as_str());
    match (name, host) {
        (Some(name), Some(host)) if name.eq_ignore_ascii_case(host) => None,
        _ => refused(),
    }
}

fn came_by_tls(headers: &HeaderMap) -> bool {
    let origin = headers.get(ORIGIN).and_then(|value| value.to_str().ok());
    origin.is_some_and(|origin| origin.starts_with("https://"))
}

async fn json_body(headers: &HeaderMap, body: axum::body::Body) -> Result<Json, Response> {
    if !answer::is_json(headers) {
        return Err(problem(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "UnsupportedMediaType",
            "The body must be JSON",
            "Send the header Content-Type: application/json.",
        ));
    }
    let bytes = answer::read(body).await?;
    serde_json::from_slice(&bytes).map_err(|wrong| {
        let message = format!("The body is not JSON: {wrong}");
        problem(
            StatusCode::BAD_REQUEST,
            "InvalidRequest",
            &message,
            "Send one JSON object.",
        )
    })
}

fn respond(status: StatusCode, body: &Json) -> Response {
    let mut response = answer::json(status, body);
    let own = response.headers_mut();
    own.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    files::protect(response)
}

pub(super) fn problem(status: StatusCode, error_type: &str, message: &str, hint: &str) -> Response {
    let (status, body) = described(status, error_type, message, hint);
    respond(status, &body)
}

pub(super) fn described(
    status: StatusCode,
    error_type: &str,
    message: &str,
    hint: &str,
) -> (StatusCode, Json) {
    let body = json!({ "error_type": error_type, "message": message, "hint": hint });
    (status, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(pairs: &[(&'static str, &str)], required: Required) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.insert(*name, value.parse().unwrap());
        }
        other_origin(&headers, required).is_none()
    }

    #[test]
    fn only_the_page_itself_may_ask() {
        let host = ("host", "127.0.0.1:3002");
        let own = ("origin", "http://127.0.0.1:3002");
        assert!(checked(&[host, own], Required::Always));
        assert!(checked(
            &[host, own, ("sec-fetch-site", "same-origin")],
            Required::Always
        ));
        assert!(checked(&[host], Required::IfPresent));
        assert!(!checked(&[host], Required::Always));
        for other in [
            "http://127.0.0.1:5173",
            "http://localhost:3002",
            "null",
            "https://evil.example",
        ] {
            assert!(
                !checked(&[host, ("origin", other)], Required::IfPresent),
                "{other}"
            );
        }
        for site in ["same-site", "cross-site"] {
            assert!(!checked(
                &[host, ("sec-fetch-site", site)],
                Required::IfPresent
            ));
        }
    }
}
