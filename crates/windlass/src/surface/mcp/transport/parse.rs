//! From one line of input to messages, or to the error response.
//!
//! The common case, a well-formed tool call, is parsed by a small dedicated type: the general one
//! tries some twenty shapes in turn. Only a line that neither can parse is examined further.
//! These functions are pure.

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, ErrorCode,
    ErrorData, JsonObject, JsonRpcVersion2_0, MetaObject, RequestId, RequestMetaObject,
};
use serde::Deserialize;
use serde_json::{Value as Json, json};

/// A batch with more elements than this is refused as a whole.
const MAX_BATCH: usize = 1000;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Every request that the server knows, with any parameters.
const METHODS: &[&str] = &[
    "initialize",
    "ping",
    "server/discover",
    "completion/complete",
    "logging/setLevel",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "subscriptions/listen",
    "tools/call",
    "tools/list",
];

/// Requests that the protocol no longer has since 2026-07-28.
const REMOVED: &[&str] = &[
    "initialize",
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
];

/// What a line turned out to be.
#[derive(Debug)]
pub enum Parsed {
    Message(Box<ClientJsonRpcMessage>),
    Refused(Refusal),
    Batch(Vec<Parsed>),
    /// Needs no response: an empty line, or an unknown notification.
    Nothing,
}

/// The error response to a message that could not be read as a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// `None` if the message has no readable id; the response then has `null`.
    pub id: Option<RequestId>,
    pub error: ErrorData,
}

impl Refusal {
    /// The response without its line end. JSON-RPC requires `"id": null` if the id is unknown.
    pub fn to_bytes(&self) -> Vec<u8> {
        let id = self
            .id
            .clone()
            .map_or(Json::Null, RequestId::into_json_value);
        json!({ "jsonrpc": "2.0", "id": id, "error": self.error })
            .to_string()
            .into_bytes()
    }
}

/// Reads one line, without its line end.
pub fn parse_line(line: &[u8]) -> Parsed {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
    let line = line.trim_ascii();
    match line.first() {
        None => Parsed::Nothing,
        Some(b'[') => parse_batch(line),
        Some(_) => parse_message(line),
    }
}

/// The error for a method that is not served, or whose parameters do not match.
pub fn refuse_method(method: &str) -> ErrorData {
    if is_known(method) {
        let hint = "The params do not match the schema of the method.";
        return ErrorData::invalid_params(
            format!("Invalid params for {method}"),
            Some(data("InvalidParams", hint)),
        );
    }
    let hint = match windlass_core::nearest(method, METHODS.iter().copied()) {
        Some(near) => format!("Did you mean \"{near}\"?"),
        None => "Tools are called with tools/call.".to_owned(),
    };
    not_found(method, &hint)
}

/// The same for a request of protocol version 2026-07-28 or later.
pub fn refuse_modern_method(method: &str) -> ErrorData {
    if REMOVED.contains(&method) {
        return not_found(method, "The protocol removed this request in 2026-07-28.");
    }
    refuse_method(method)
}

fn not_found(method: &str, hint: &str) -> ErrorData {
    ErrorData::new(
        ErrorCode::METHOD_NOT_FOUND,
        format!("Method not found: {method}"),
        Some(data("MethodNotFound", hint)),
    )
}

/// The error for a line that is longer than a message may be.
pub fn too_long(limit: usize) -> Refusal {
    invalid_request(
        None,
        &format!("A message may have at most {limit} bytes; this one was discarded."),
    )
}

/// An ordinary tool call; none if the line is anything else.
pub fn parse_call(line: &[u8]) -> Option<ToolCall> {
    serde_json::from_slice(line).ok()
}

pub fn is_known(method: &str) -> bool {
    METHODS.contains(&method)
}

fn parse_message(line: &[u8]) -> Parsed {
    if let Some(call) = parse_call(line) {
        return Parsed::Message(Box::new(call.into_message()));
    }
    match serde_json::from_slice::<ClientJsonRpcMessage>(line) {
        Ok(message) => Parsed::Message(Box::new(message)),
        Err(_) => match serde_json::from_slice::<Json>(line) {
            Ok(json) => look_closer(&json),
            Err(problem) => Parsed::Refused(parse_error(&problem)),
        },
    }
}

fn parse_batch(line: &[u8]) -> Parsed {
    let elements: Vec<Json> = match serde_json::from_slice(line) {
        Ok(elements) => elements,
        Err(problem) => return Parsed::Refused(parse_error(&problem)),
    };
    if elements.is_empty() {
        return Parsed::Refused(invalid_request(None, "A batch must not be empty."));
    }
    if elements.len() > MAX_BATCH {
        let hint = format!("A batch may have at most {MAX_BATCH} messages.");
        return Parsed::Refused(invalid_request(None, &hint));
    }
    Parsed::Batch(elements.into_iter().map(parse_element).collect())
}

fn parse_element(element: Json) -> Parsed {
    match ClientJsonRpcMessage::deserialize(&element) {
        Ok(message) => Parsed::Message(Box::new(message)),
        Err(_) => look_closer(&element),
    }
}

/// Says what is wrong with JSON that is not a message.
fn look_closer(json: &Json) -> Parsed {
    let Some(object) = json.as_object() else {
        return Parsed::Refused(invalid_request(None, "A message must be a JSON object."));
    };
    let id = object
        .get("id")
        .and_then(|id| RequestId::deserialize(id).ok());
    if object.get("jsonrpc") != Some(&json!("2.0")) {
        return Parsed::Refused(invalid_request(
            id,
            "Every message must have \"jsonrpc\": \"2.0\".",
        ));
    }
    let Some(method) = object.get("method").and_then(Json::as_str) else {
        return Parsed::Refused(invalid_request(
            id,
            "A message must have a method, or a result or an error.",
        ));
    };
    if object.contains_key("result") || object.contains_key("error") {
        let hint = "A message with a method must not have a result or an error.";
        return Parsed::Refused(invalid_request(id, hint));
    }
    match (id, object.contains_key("id")) {
        (Some(id), _) => Parsed::Refused(Refusal {
            id: Some(id),
            error: refuse_method(method),
        }),
        (None, true) => {
            let hint = "The id must be a string or an integer.";
            Parsed::Refused(invalid_request(None, hint))
        }
        (None, false) => Parsed::Nothing,
    }
}

fn parse_error(problem: &serde_json::Error) -> Refusal {
    let data = data("ParseError", &problem.to_string());
    Refusal {
        id: None,
        error: ErrorData::parse_error("Parse error", Some(data)),
    }
}

pub fn invalid_request(id: Option<RequestId>, hint: &str) -> Refusal {
    let data = data("InvalidRequest", hint);
    Refusal {
        id,
        error: ErrorData::invalid_request("Invalid request", Some(data)),
    }
}

fn data(error_type: &str, hint: &str) -> Json {
    json!({ "error_type": error_type, "hint": hint })
}

/// An ordinary tool call. Every other message is parsed by the general type.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    #[serde(rename = "jsonrpc")]
    _version: JsonRpcVersion2_0,
    id: RequestId,
    #[serde(rename = "method")]
    _method: ToolsCall,
    params: ToolCallParams,
}

#[derive(Deserialize)]
enum ToolsCall {
    #[serde(rename = "tools/call")]
    ToolsCall,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolCallParams {
    name: String,
    arguments: Option<JsonObject>,
    #[serde(rename = "_meta")]
    meta: Option<JsonObject>,
}

impl ToolCall {
    pub fn id(&self) -> &RequestId {
        &self.id
    }

    pub fn name(&self) -> &str {
        &self.params.name
    }

    pub fn meta(&self) -> Option<&JsonObject> {
        self.params.meta.as_ref()
    }

    /// Id, name, arguments and metadata.
    pub fn into_parts(self) -> (RequestId, String, Option<JsonObject>, Option<JsonObject>) {
        let ToolCallParams {
            name,
            arguments,
            meta,
        } = self.params;
        (self.id, name, arguments, meta)
    }

    pub fn into_message(self) -> ClientJsonRpcMessage {
        let mut params = CallToolRequestParams::new(self.params.name);
        params.arguments = self.params.arguments;
        let mut request = CallToolRequest::new(params);
        if let Some(meta) = self.params.meta {
            request
                .extensions
                .insert(RequestMetaObject(MetaObject(meta)));
        }
        ClientJsonRpcMessage::request(ClientRequest::CallToolRequest(request), self.id)
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
