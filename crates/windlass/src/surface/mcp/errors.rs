//! Translates domain errors for a client.
//!
//! The kinds and their codes belong to the core; this module defines only errors that the domain
//! cannot know: an unknown tool, a panic, a cursor of another list.

use rmcp::model::{CallToolResponse, CallToolResult, ErrorCode, ErrorData};
use serde_json::{Value as Json, json};
use windlass_core::{Error, ErrorKind};
use windlass_ops::{Declaration, ErrorStyle, Naming, Toolset};

/// Why a request has no result.
#[derive(Debug)]
pub enum Fault {
    Domain(Error),
    /// A request that never reached an operation.
    Protocol(ErrorData),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Domain(error)
    }
}

impl Fault {
    /// Whether the server caused the error, not the request.
    pub fn is_ours(&self) -> bool {
        match self {
            Self::Protocol(error) => error.code == ErrorCode::INTERNAL_ERROR,
            Self::Domain(error) => error.kind().is_server_fault(),
        }
    }

    /// The name and the text of the error, for the log.
    pub fn summary(&self) -> (&str, &str) {
        match self {
            Self::Domain(error) => (error.kind().name(), error.message()),
            Self::Protocol(error) => {
                let name = error
                    .data
                    .as_ref()
                    .and_then(|data| data["error_type"].as_str());
                (name.unwrap_or("ProtocolError"), &error.message)
            }
        }
    }

    /// The JSON-RPC error.
    pub fn into_error(self) -> ErrorData {
        self.into_error_of(Toolset::Knowledge)
    }

    /// The error with a hint that names what the client can use.
    #[must_use]
    pub fn rendered(self, naming: &Naming) -> Self {
        match self {
            Self::Domain(error) => Self::Domain(naming.render_hint(error)),
            protocol @ Self::Protocol(_) => protocol,
        }
    }

    /// The JSON-RPC error with the code that the toolset defines for it. The message has the hint:
    /// most clients show nothing else.
    pub fn into_error_of(self, toolset: Toolset) -> ErrorData {
        match self {
            Self::Domain(error) => {
                let code = ErrorCode(toolset.error_code(error.kind()));
                let message = if toolset.fixes_message(error.kind()) {
                    error.wire_message().to_owned()
                } else {
                    error.full_wire_message()
                };
                ErrorData::new(code, message, Some(error.data()))
            }
            Self::Protocol(error) => error,
        }
    }

    /// The JSON-RPC error where the protocol itself fixes the code for client errors, as it does
    /// for prompts, completions and, since 2026-07-28, resources.
    pub fn into_invalid_params(self) -> ErrorData {
        let ours = self.is_ours();
        let mut error = self.into_error();
        if !ours {
            error.code = ErrorCode::INVALID_PARAMS;
        }
        error
    }

    /// The response of a tool, in the error style that the tool declares.
    pub fn into_tool_answer(self, tool: &Declaration) -> Result<CallToolResponse, ErrorData> {
        match (self, tool.errors) {
            (Self::Domain(error), ErrorStyle::Result) => {
                Ok(CallToolResult::structured_error(result_body(&error)).into())
            }
            (Self::Domain(error), ErrorStyle::Script) => {
                Ok(CallToolResult::structured_error(script_body(&error)).into())
            }
            (fault, _) => Err(fault.into_error_of(tool.toolset)),
        }
    }
}

/// `{error_type, message, ...data, hint}`.
fn result_body(error: &Error) -> Json {
    let mut body = json!({
        "error_type": error.kind().name(),
        "message": error.full_message(),
    });
    if let (Some(body), Json::Object(data)) = (body.as_object_mut(), error.data()) {
        for (key, value) in data {
            body.entry(key).or_insert(value);
        }
    }
    body
}

/// `{ok: false, error: {code, message, data}}`, as in the workflow contract.
fn script_body(error: &Error) -> Json {
    let code = match error.kind() {
        ErrorKind::RequestTimeout => "timeout",
        _ => "invalid_params",
    };
    json!({
        "ok": false,
        "error": { "code": code, "message": error.full_message(), "data": error.data() },
    })
}

/// The error for a tool that is not on the list.
pub fn unknown_tool<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Fault {
    let hint = match windlass_core::nearest(name, known) {
        Some(near) => format!("Did you mean \"{near}\"?"),
        None => "tools/list returns every tool.".to_owned(),
    };
    Fault::Protocol(ErrorData::invalid_params(
        format!("Unknown tool \"{name}\". {hint}"),
        Some(json!({ "error_type": "UnknownTool", "tool": name, "hint": hint })),
    ))
}

pub fn bad_cursor(cursor: &str) -> Fault {
    let hint = "Use the nextCursor of the previous page, or none for the first page.";
    Fault::Protocol(ErrorData::invalid_params(
        format!("Invalid cursor. {hint}"),
        Some(json!({ "error_type": "InvalidParams", "cursor": cursor, "hint": hint })),
    ))
}

#[cfg(test)]
mod tests {
    use windlass_ops::find;

    use super::*;

    fn tool(name: &str) -> &'static Declaration {
        &find(name).unwrap().declaration
    }

    #[test]
    fn a_seeds_tool_answers_with_the_code() {
        let fault = Fault::from(Error::entity_not_found("nonexistent-id"));
        let error = fault.into_tool_answer(tool("entity_get")).unwrap_err();
        assert_eq!(error.code.0, -32001);
        assert_eq!(
            error.message,
            "Entity not found. Use [[entity_list]] or [[search_fulltext]] to find its number or id."
        );
        let data = error.data.unwrap();
        assert_eq!(data["error_type"], "EntityNotFound");
        assert_eq!(data["id"], "nonexistent-id");
    }

    /// The exact table of the commands contract; a kind that it does not list is an internal error.
    #[test]
    fn each_toolset_has_the_codes_of_its_seed() {
        for (kind, code) in [
            (ErrorKind::NotAllowlisted, -32010),
            (ErrorKind::RunnerUnavailable, -32011),
            (ErrorKind::TaskNotFound, -32012),
            (ErrorKind::StorageError, -32603),
            (ErrorKind::InternalError, -32603),
            (ErrorKind::StartFailed, -32603),
            (ErrorKind::InvalidParams, -32602),
        ] {
            let fault = Fault::from(Error::new(kind, "no"));
            let error = fault.into_tool_answer(tool("task_start")).unwrap_err();
            assert_eq!(error.code.0, code, "{}", kind.name());
        }
    }

    #[test]
    fn other_tools_answer_with_a_result() {
        let fault = Fault::from(Error::validation("limit", "0 is too small").with_hint("Use 1."));
        let Ok(CallToolResponse::Complete(result)) = fault.into_tool_answer(tool("event_list"))
        else {
            panic!("not a result");
        };
        assert_eq!(result.is_error, Some(true));
        assert_eq!(
            result.structured_content.unwrap(),
            json!({
                "error_type": "ValidationFailed",
                "message": "limit: 0 is too small. Use 1.",
                "field": "limit",
                "hint": "Use 1.",
            })
        );
    }

    #[test]
    fn a_message_that_a_contract_fixes_stays_as_it_is() {
        let fault = Fault::from(Error::run_not_found("run-1"));
        let error = fault.into_tool_answer(tool("run_read")).unwrap_err();
        assert_eq!(error.message, "Run run-1 not found");
    }

    #[test]
    fn the_protocols_code_replaces_only_the_clients_faults() {
        let not_found = Error::new(ErrorKind::ResourceNotFound, "nothing there");
        assert_eq!(Fault::from(not_found).into_invalid_params().code.0, -32602);
        let storage = Error::storage("disk full");
        assert_eq!(Fault::from(storage).into_invalid_params().code.0, -32010);
    }

    #[test]
    fn a_slip_in_a_tools_name_is_met_with_the_right_one() {
        let error = unknown_tool("entity_crate", ["entity_create", "task_next"]).into_error();
        assert_eq!(error.code.0, -32602);
        assert_eq!(
            error.data.unwrap()["hint"],
            "Did you mean \"entity_create\"?"
        );
    }
}
