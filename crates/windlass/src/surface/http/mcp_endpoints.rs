//! MCP by URL: `/mcp`, `/mcp/{toolsets}` and `/mcp/session/{id}`, in both eras of the protocol.
//!
//! The endpoint decides which tools a client sees and under which session name it works. Everything
//! else is the same for all endpoints, and the same as on stdio.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;
use windlass_core::{Error, ErrorKind};
use windlass_ops::{Access, Toolset, parse_toolsets};

use super::access_log::SESSION_HEADER;
use super::routes::App;
use super::sessions::{EndpointSessions, Sessions};
use super::{Handler, MAX_BODY, answer, handler, quick};
use crate::surface::mcp::{
    OutputSchemas, Parsed, Server, SessionTools, Shared, ToolCatalog, Tools, fresh_session,
    invalid_request, parse_line,
};

/// The first version of the protocol without sessions. Versions compare as dates do.
const WITHOUT_SESSIONS: &[u8] = b"2026-07-28";

/// How often a session that is in use claims its task, if nobody else did meanwhile.
const ATTEND_EVERY: Duration = Duration::from_secs(15);

/// The longest name of a session that a URL may give.
const MAX_SESSION_NAME: usize = 128;

/// The kind of client that an endpoint serves.
enum EndpointClient {
    /// A client up to 2025-11-25 has its own session name from its first request to its last.
    Anyone,
    /// Named by the URL.
    Session,
}

pub struct McpEndpoints {
    /// What `/mcp` serves, under the name of the whole server.
    shared: Arc<Shared>,
    available: Vec<Toolset>,
    access: Access,
    output_schemas: OutputSchemas,
    catalogs: Mutex<HashMap<Vec<Toolset>, Arc<ToolCatalog>>>,
    /// When each session on record last renewed its claim.
    attended: Mutex<HashMap<String, Instant>>,
    sessions: Arc<Sessions>,
    config: StreamableHttpServerConfig,
}

impl McpEndpoints {
    /// `ended` closes every stream.
    pub fn new(
        shared: Arc<Shared>,
        available: Vec<Toolset>,
        access: Access,
        output_schemas: OutputSchemas,
        ended: CancellationToken,
    ) -> Self {
        Self {
            shared,
            available,
            access,
            output_schemas,
            catalogs: Mutex::default(),
            attended: Mutex::default(),
            sessions: Arc::new(Sessions::new()),
            // The Host and Origin headers were checked before routing.
            config: StreamableHttpServerConfig::default()
                .disable_allowed_hosts()
                .disable_allowed_origins()
                .with_json_response(true)
                .with_max_request_body_bytes(MAX_BODY)
                .with_cancellation_token(ended),
        }
    }

    pub fn sessions(&self) -> &Arc<Sessions> {
        &self.sessions
    }

    /// The tools of some toolsets, built once for each combination.
    fn catalog(&self, toolsets: Vec<Toolset>) -> Arc<ToolCatalog> {
        let mut catalogs = self.catalogs.lock().unwrap_or_else(PoisonError::into_inner);
        let made = catalogs.entry(toolsets).or_insert_with_key(|toolsets| {
            let catalog = ToolCatalog::shipped(toolsets, self.access.clone());
            Arc::new(catalog.with_output_schemas(self.output_schemas))
        });
        Arc::clone(made)
    }

    /// The tools that one session sees: those of its recipe. A session that is not on record has
    /// none, so that a slip in its name never serves all tools.
    fn tools_of_session(&self, session: &str) -> windlass_core::Result<Tools> {
        let (store, project) = self.shared.state();
        let read_only = self.access.is_read_only();
        let tools = SessionTools::new(
            Arc::clone(store),
            project.clone(),
            session,
            read_only,
            self.output_schemas,
        )?;
        Ok(Tools::OfSession(Arc::new(tools)))
    }

    /// Renews the session's claim on its task from time to time.
    fn attend(&self, shared: &Shared) -> windlass_core::Result<()> {
        if !shared.tools().can_change() {
            return Ok(());
        }
        let mut attended = self.attended.lock().unwrap_or_else(PoisonError::into_inner);
        let session = shared.session();
        let due = attended
            .get(session)
            .is_none_or(|at| at.elapsed() > ATTEND_EVERY);
        if due {
            windlass_ops::connect_session(&shared.context("http", None))?;
            attended.insert(session.to_owned(), Instant::now());
        }
        Ok(())
    }

    /// The toolsets that a URL names, in the order of the list.
    fn chosen(&self, names: &str) -> windlass_core::Result<Vec<Toolset>> {
        let names: Vec<&str> = names.split(',').collect();
        let chosen = parse_toolsets(&names)?;
        let all = names.contains(&"all");
        let missing = chosen.iter().find(|it| !self.available.contains(it));
        if let (false, Some(missing)) = (all, missing) {
            let message = format!("The toolset {} is not served here", missing.name());
            let hint = "Start the server with it in --toolsets, or without --toolsets.";
            return Err(Error::invalid_params(message).with_hint(hint));
        }
        let available = self.available.iter().copied();
        Ok(available
            .filter(|toolset| chosen.contains(toolset))
            .collect())
    }

    /// The protocol's library for one request.
    fn service(
        &self,
        shared: Arc<Shared>,
        guest: &EndpointClient,
        headers: &HeaderMap,
        sessions: EndpointSessions,
    ) -> StreamableHttpService<Handler, EndpointSessions> {
        let begins_session = matches!(guest, EndpointClient::Anyone)
            && !is_modern(headers)
            && !headers.contains_key(SESSION_HEADER);
        let beginning = sessions.beginning();
        let factory = move || {
            let shared = if begins_session {
                Arc::new(shared.of_connection(fresh_session()))
            } else {
                Arc::clone(&shared)
            };
            let server = Server::new(shared);
            beginning.is_served_by(&server.quick_calls());
            Ok(handler(server))
        };
        StreamableHttpService::new(factory, Arc::new(sessions), self.config.clone())
    }

    async fn serve(
        &self,
        shared: Arc<Shared>,
        guest: EndpointClient,
        endpoint: Arc<str>,
        request: Request,
    ) -> Response {
        let headers = request.headers();
        let sessions = EndpointSessions::new(&self.sessions, endpoint);
        let named = headers.get(SESSION_HEADER);
        if named.is_some_and(|id| !id.to_str().is_ok_and(|id| sessions.has(id))) {
            return unknown_mcp_session();
        }
        if request.method() != Method::POST {
            let ends_session = request.method() == Method::DELETE;
            let service = self.service(shared, &guest, headers, sessions);
            let mut response = service.handle(request).await.map(Body::new);
            // The session has already ended, so 204 is more exact than 202.
            if ends_session && response.status() == StatusCode::ACCEPTED {
                *response.status_mut() = StatusCode::NO_CONTENT;
            }
            return response;
        }
        let (parts, body) = request.into_parts();
        let bytes = match answer::read(body).await {
            Ok(bytes) => bytes,
            Err(response) => return response,
        };
        if let Some(response) = quick::answered(&parts.headers, &bytes, &shared, &sessions).await {
            return response;
        }
        let service = self.service(shared, &guest, &parts.headers, sessions);
        let says_json = answer::is_json(&parts.headers);
        let request = Request::from_parts(parts, Body::from(bytes.clone()));
        let response = service.handle(request).await.map(Body::new);
        // A body that is not a valid message gets a JSON-RPC error.
        if response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE && says_json {
            return unreadable(&bytes);
        }
        response
    }
}

/// The status by which clients know that they must begin a new session.
fn unknown_mcp_session() -> Response {
    answer::problem(
        StatusCode::NOT_FOUND,
        "UnknownSession",
        "There is no such session at this URL",
        "Begin a new one: send initialize without the header Mcp-Session-Id.",
    )
}

/// Whether the request declares protocol version 2026-07-28 or later.
fn is_modern(headers: &HeaderMap) -> bool {
    headers
        .get(quick::VERSION_HEADER)
        .is_some_and(|version| version.as_bytes() >= WITHOUT_SESSIONS)
}

fn unreadable(bytes: &Bytes) -> Response {
    let refusal = match parse_line(bytes) {
        Parsed::Refused(refusal) => refusal,
        Parsed::Batch(_) => invalid_request(
            None,
            "MCP over HTTP accepts one message at a time; POST / accepts batches.",
        ),
        _ => invalid_request(None, "The body is not a request."),
    };
    let json = HeaderValue::from_static("application/json");
    answer::bytes(StatusCode::BAD_REQUEST, json, refusal.to_bytes())
}

pub async fn everyone(State(app): State<Arc<App>>, request: Request) -> Response {
    let endpoints = &app.endpoints;
    let shared = Arc::clone(&endpoints.shared);
    endpoints
        .serve(shared, EndpointClient::Anyone, "all".into(), request)
        .await
}

pub async fn by_toolsets(
    State(app): State<Arc<App>>,
    Path(names): Path<String>,
    request: Request,
) -> Response {
    let endpoints = &app.endpoints;
    let (endpoint, catalog) = match endpoints.chosen(&names) {
        Ok(toolsets) => {
            let names: Vec<&str> = toolsets.iter().map(|it| it.name()).collect();
            let endpoint = format!("toolsets {}", names.join(","));
            (endpoint, endpoints.catalog(toolsets))
        }
        Err(error) => {
            let (message, hint) = (error.message(), error.hint().unwrap_or_default());
            return answer::problem(StatusCode::NOT_FOUND, "UnknownToolset", message, hint);
        }
    };
    let shared = endpoints
        .shared
        .beside(Tools::Fixed(catalog), endpoints.shared.session().to_owned());
    endpoints
        .serve(
            Arc::new(shared),
            EndpointClient::Anyone,
            endpoint.into(),
            request,
        )
        .await
}

pub async fn by_session(
    State(app): State<Arc<App>>,
    Path(session): Path<String>,
    request: Request,
) -> Response {
    let session = session.trim();
    if session.is_empty()
        || session.len() > MAX_SESSION_NAME
        || session.chars().any(char::is_control)
    {
        return answer::problem(
            StatusCode::NOT_FOUND,
            "UnknownSession",
            "The session name is not valid",
            "Use /mcp/session/ID with the id of a session.",
        );
    }
    let endpoints = &app.endpoints;
    let shared = endpoints.tools_of_session(session).and_then(|tools| {
        let shared = endpoints.shared.beside(tools, session.to_owned());
        endpoints.attend(&shared).map(|()| shared)
    });
    let shared = match shared {
        Ok(shared) => shared,
        Err(error) => {
            let error = endpoints.shared.catalog().naming().render_hint(error);
            let (message, hint) = (error.message(), error.hint().unwrap_or_default());
            let status = match error.kind() {
                ErrorKind::SessionNotFound => StatusCode::NOT_FOUND,
                ErrorKind::SessionEnded => StatusCode::GONE,
                ErrorKind::TaskClaimed => StatusCode::CONFLICT,
                _ => StatusCode::INTERNAL_SERVER_ERROR,
            };
            return answer::problem(status, error.kind().name(), message, hint);
        }
    };
    let endpoint = format!("session {session}");
    endpoints
        .serve(
            Arc::new(shared),
            EndpointClient::Session,
            endpoint.into(),
            request,
        )
        .await
}
