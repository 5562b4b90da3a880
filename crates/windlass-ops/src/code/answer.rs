//! The result of a script, in the form of the workflow contract.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};
use windlass_sandbox::{CallEnd, CallRecord, Failure, Level, Outcome};

use crate::view::{Render, Span, Style, View};

/// The result of a script.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Executed {
    /// Whether the script ended without an error.
    pub ok: bool,
    /// Its value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Json>,
    /// Why there is no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ScriptError>,
    /// Whether the value was too long and was cut; marks in it say where.
    #[serde(skip_serializing_if = "is_false")]
    #[schemars(default)]
    pub truncated: bool,
    /// What the script probably did by mistake, with the line: a call that was not awaited.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub warnings: Vec<String>,
    /// What the script logged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub logs: Vec<ScriptLog>,
    /// Whether more was logged than is returned.
    #[serde(skip_serializing_if = "is_false")]
    #[schemars(default)]
    pub logs_truncated: bool,
    /// After an error: the calls and how each ended. What they did stays done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub calls: Vec<ScriptCall>,
    /// The correlation id of the events of all its calls, if one was given or there was an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
}

/// Why a script gave no value.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ScriptError {
    /// js_runtime_error, sdk_error, timeout, invalid_params, memory_limit, deadlock,
    /// worker_crashed, too_many_calls, result_too_large or not_isolated.
    pub code: String,
    pub message: String,
    /// Details: stack, tag, hint, line, column, source.
    pub data: Map<String, Json>,
}

/// One line of the log.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ScriptLog {
    /// debug, log, info, warn or error.
    pub level: &'static str,
    pub text: String,
}

/// One call of a script.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ScriptCall {
    pub method: String,
    /// ok, error or pending.
    pub status: &'static str,
    /// The code of its error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub ms: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

impl Executed {
    /// The output for a script that ended this way. A result without an error says nothing that
    /// its caller knows already.
    pub fn of(outcome: Outcome, correlation_id: String, id_was_given: bool) -> Self {
        let (value, error, calls) = match outcome.result {
            Ok(value) => (Some(value), None, Vec::new()),
            Err(failure) => {
                let calls = outcome.calls.into_iter().map(ScriptCall::of).collect();
                (None, Some(ScriptError::of(failure)), calls)
            }
        };
        Self {
            ok: error.is_none(),
            correlation_id: (id_was_given || error.is_some()).then_some(correlation_id),
            value,
            error,
            truncated: outcome.truncated,
            warnings: outcome.warnings,
            logs: outcome
                .logs
                .into_iter()
                .map(|log| ScriptLog {
                    level: level(log.level),
                    text: log.text,
                })
                .collect(),
            logs_truncated: outcome.logs_truncated,
            calls,
        }
    }
}

impl ScriptError {
    fn of(failure: Failure) -> Self {
        let mut data = Map::new();
        if let Some(tag) = failure.tag {
            data.insert("tag".to_owned(), json!(tag));
        }
        if let Some(hint) = failure.hint {
            data.insert("hint".to_owned(), json!(hint));
        }
        if let Some(stack) = failure.stack {
            data.insert("stack".to_owned(), json!(stack));
        }
        if let Some(location) = failure.location {
            data.insert("line".to_owned(), json!(location.line));
            data.insert("column".to_owned(), json!(location.column));
            data.insert("source".to_owned(), json!(location.source));
        }
        Self {
            code: failure.code.as_str().to_owned(),
            message: failure.message,
            data,
        }
    }
}

impl ScriptCall {
    fn of(call: CallRecord) -> Self {
        let (status, error) = match call.end {
            CallEnd::Ok => ("ok", None),
            CallEnd::Error(code) => ("error", Some(code)),
            CallEnd::Pending => ("pending", None),
        };
        Self {
            method: call.method,
            status,
            error,
            ms: call.ms,
        }
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Debug => "debug",
        Level::Log => "log",
        Level::Info => "info",
        Level::Warn => "warn",
        Level::Error => "error",
    }
}

impl Render for Executed {
    fn failed(&self) -> bool {
        !self.ok
    }

    fn view(&self) -> View {
        let mut view = View::default();
        for log in &self.logs {
            let style = match log.level {
                "error" => Style::Bad,
                "warn" => Style::Warning,
                _ => Style::Dim,
            };
            view = view.line([Span::new(log.text.clone(), style)]);
        }
        for warning in &self.warnings {
            view = view.line([Span::new(format!("warning: {warning}"), Style::Warning)]);
        }
        match (&self.value, &self.error) {
            (Some(Json::String(text)), _) => view.text(text.clone()),
            (Some(Json::Null), _) => view,
            (Some(value), _) => view.text(format!("{value:#}")),
            (None, Some(error)) => self.view_of_error(view, error),
            (None, None) => view,
        }
    }
}

impl Executed {
    fn view_of_error(&self, view: View, error: &ScriptError) -> View {
        let mut view = view.line([
            Span::new(format!("{}: ", error.code), Style::Bad),
            error.message.clone().into(),
        ]);
        if let Some(stack) = error.data.get("stack").and_then(Json::as_str) {
            view = view.text(stack.to_owned());
        }
        // The message of a failed call has its hint already.
        let hint = error.data.get("hint").and_then(Json::as_str);
        if let Some(hint) = hint.filter(|hint| !error.message.ends_with(*hint)) {
            view = view.line([Span::new(hint, Style::Dim)]);
        }
        for call in &self.calls {
            let how = call.error.as_deref().unwrap_or(call.status);
            view = view.line([Span::new(format!("{}: {how}", call.method), Style::Dim)]);
        }
        view
    }
}
