//! The endpoint of the runs contract: plain JSON-RPC 2.0 at `POST /`, for scripts without MCP.
//!
//! It serves the tools of every toolset. An error is always a JSON-RPC error with the tool's own
//! code. Batches and notifications follow JSON-RPC 2.0.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use rmcp::model::{ErrorCode, ErrorData, RequestId};
use serde_json::{Map, Value as Json, json};
use tokio_util::sync::CancellationToken;
use windlass_ops::{IDEMPOTENCY_KEY, Toolset};

use super::routes::App;
use super::{answer, health};
use crate::surface::mcp::{Fault, RequestLog, Shared, answer_of, idempotency_key, unknown_tool};

/// The source of the events written through this endpoint.
const SOURCE: &str = "http";

/// The most requests in one batch.
const MAX_BATCH: usize = 100;

/// Toolsets whose tools this endpoint lists with a dot, as their contract does: `run.create`. Both
/// names can be called everywhere.
const DOTTED: &[&str] = &["runs"];

const METHODS: &[&str] = &["tools/list", "tools/call", "health"];

pub struct Plain {
    shared: Arc<Shared>,
}

/// One request to the endpoint.
struct Call {
    /// Absent in a notification, which gets no response.
    id: Option<Json>,
    method: String,
    params: Map<String, Json>,
}

pub async fn serve(State(app): State<Arc<App>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    if !answer::is_json(&parts.headers) {
        return answer::problem(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "UnsupportedMediaType",
            "The body must be JSON",
            "Send the header Content-Type: application/json.",
        );
    }
    let bytes = match answer::read(body).await {
        Ok(bytes) => bytes,
        Err(response) => return response,
    };
    let trace = traceparent(&parts.headers);
    match serde_json::from_slice(&bytes) {
        Ok(Json::Array(elements)) => app.plain.batch(elements, trace).await,
        Ok(element) => app.plain.single(element, trace).await,
        Err(problem) => refuse(ErrorData::parse_error(
            "Parse error",
            Some(json!({
                "error_type": "ParseError",
                "hint": format!("The body is not valid JSON: {problem}."),
            })),
        )),
    }
}

impl Plain {
    pub fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    async fn single(&self, element: Json, trace: Option<&str>) -> Response {
        match Call::parse(element) {
            Err(error) => refuse(error),
            Ok(call) => match self.answer(call, trace).await {
                Some(body) => answer::json(StatusCode::OK, &body),
                None => nothing(),
            },
        }
    }

    /// Requests run one after the other, so that a later one sees what an earlier one did.
    async fn batch(&self, elements: Vec<Json>, trace: Option<&str>) -> Response {
        if elements.is_empty() || elements.len() > MAX_BATCH {
            let hint = format!("A batch holds 1 to {MAX_BATCH} requests.");
            return refuse(invalid_request(&hint));
        }
        let mut answers = Vec::new();
        for element in elements {
            let answer = match Call::parse(element) {
                Err(error) => Some(failed(Json::Null, &error)),
                Ok(call) => self.answer(call, trace).await,
            };
            answers.extend(answer);
        }
        if answers.is_empty() {
            nothing()
        } else {
            answer::json(StatusCode::OK, &Json::Array(answers))
        }
    }

    async fn answer(&self, call: Call, trace: Option<&str>) -> Option<Json> {
        let result = match call.method.as_str() {
            "health" => Ok(health::report()),
            "tools/list" => Ok(json!({ "tools": self.tools() })),
            "tools/call" => self.call(&call, trace).await,
            method => Err(unknown_method(method)),
        };
        let id = call.id?;
        Some(match result {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(error) => failed(id, &error),
        })
    }

    fn tools(&self) -> Vec<Json> {
        let catalog = self.shared.catalog();
        let listed = catalog.tools().iter().map(|tool| {
            let mut shown = serde_json::to_value(tool).unwrap_or(Json::Null);
            let toolset = catalog
                .operation(&tool.name)
                .map(|entry| entry.declaration.toolset);
            shown["name"] = Json::from(listed_name(&tool.name, toolset.map(Toolset::name)));
            shown
        });
        listed.collect()
    }

    async fn call(&self, call: &Call, trace: Option<&str>) -> Result<Json, ErrorData> {
        let (name, input) = called_tool(&call.params)?;
        let id = request_id(call.id.as_ref());
        let since = Instant::now();
        let log = RequestLog::start(&id, "tools/call", Some(name));
        let catalog = self.shared.catalog();
        let entry = catalog.operation(name);
        let result = match entry {
            None => {
                self.shared.count_unknown(since);
                Err(unknown_tool(name, catalog.names()))
            }
            Some(entry) => {
                let mut context = self.shared.context(SOURCE, trace.map(str::to_owned));
                if let Some(caller) = trace {
                    context.continue_trace(caller);
                }
                let given = call
                    .params
                    .get("_meta")
                    .and_then(|it| it.get(IDEMPOTENCY_KEY));
                match idempotency_key(given) {
                    Ok(key) => {
                        context.idempotency_key = key;
                        windlass_ops::call(entry, context, input, CancellationToken::new())
                            .await
                            .map_err(Fault::from)
                    }
                    Err(error) => Err(Fault::from(error)),
                }
            }
        };
        log.finish(&result);
        match result {
            Ok(response) => {
                let answer = answer_of(&response);
                self.shared.count_read(name, &answer);
                let mut result = json!(answer);
                // A field of MCP since 2026-07-28 that is not part of this endpoint.
                if let Some(fields) = result.as_object_mut() {
                    fields.remove("resultType");
                }
                Ok(result)
            }
            Err(fault) => Err(match entry {
                Some(entry) => fault.into_error_of(entry.declaration.toolset),
                None => fault.into_error(),
            }),
        }
    }
}

impl Call {
    fn parse(element: Json) -> Result<Self, ErrorData> {
        let Json::Object(mut fields) = element else {
            return Err(invalid_request("A request must be a JSON object."));
        };
        if fields.get("jsonrpc") != Some(&Json::from("2.0")) {
            return Err(invalid_request("A request must have \"jsonrpc\": \"2.0\"."));
        }
        let id = fields.remove("id");
        if id
            .as_ref()
            .is_some_and(|id| id.is_array() || id.is_object() || id.is_boolean())
        {
            return Err(invalid_request(
                "The id must be a string, a number or null.",
            ));
        }
        let Some(Json::String(method)) = fields.remove("method") else {
            return Err(invalid_request("A request must have a method."));
        };
        let params = match fields.remove("params") {
            None | Some(Json::Null) => Map::new(),
            Some(Json::Object(params)) => params,
            Some(_) => return Err(invalid_request("The params must be an object.")),
        };
        Ok(Self { id, method, params })
    }
}

/// The name and the input of a tool. The runs contract says `tool`, MCP says `name`.
fn called_tool(params: &Map<String, Json>) -> Result<(&str, Json), ErrorData> {
    let wrong = |hint: &str| {
        let data = json!({ "error_type": "InvalidParams", "hint": hint });
        ErrorData::invalid_params("Invalid params for tools/call", Some(data))
    };
    let name = params.get("tool").or_else(|| params.get("name"));
    let name = name
        .and_then(Json::as_str)
        .ok_or_else(|| wrong("params.tool must be the name of the tool."))?;
    match params.get("arguments") {
        None | Some(Json::Null) => Ok((name, Json::Null)),
        Some(arguments @ Json::Object(_)) => Ok((name, arguments.clone())),
        Some(_) => Err(wrong("params.arguments must be an object.")),
    }
}

/// The name under which this endpoint lists a tool.
fn listed_name(name: &str, toolset: Option<&str>) -> String {
    if toolset.is_some_and(|toolset| DOTTED.contains(&toolset)) {
        name.replacen('_', ".", 1)
    } else {
        name.to_owned()
    }
}

/// The id for the log, which takes strings and integers.
fn request_id(id: Option<&Json>) -> RequestId {
    match id {
        Some(Json::String(text)) => RequestId::String(text.as_str().into()),
        Some(id) => match id.as_i64() {
            Some(number) => RequestId::Number(number),
            None => RequestId::String(id.to_string().into()),
        },
        None => RequestId::String("".into()),
    }
}

fn traceparent(headers: &HeaderMap) -> Option<&str> {
    headers.get("traceparent")?.to_str().ok()
}

fn unknown_method(method: &str) -> ErrorData {
    let hint = match windlass_core::nearest(method, METHODS.iter().copied()) {
        Some(near) => format!("Did you mean \"{near}\"?"),
        None => format!("Use one of: {}. MCP is at /mcp.", METHODS.join(", ")),
    };
    ErrorData::new(
        ErrorCode::METHOD_NOT_FOUND,
        format!("Method not found: {method}"),
        Some(json!({ "error_type": "MethodNotFound", "hint": hint })),
    )
}

fn invalid_request(hint: &str) -> ErrorData {
    let data = json!({ "error_type": "InvalidRequest", "hint": hint });
    ErrorData::invalid_request("Invalid Request", Some(data))
}

fn failed(id: Json, error: &ErrorData) -> Json {
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

/// The response to a body that could not be read as a request.
fn refuse(error: ErrorData) -> Response {
    answer::json(StatusCode::BAD_REQUEST, &failed(Json::Null, &error))
}

fn nothing() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

#[cfg(test)]
#[path = "plain_tests.rs"]
mod tests;
