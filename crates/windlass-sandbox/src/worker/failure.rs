//! Converts errors of a script into failures with locations in its source.

use serde::Deserialize;

use super::sdk;
use super::source::{LocationMap, location_at};
use crate::outcome::{ErrorCode, Failure, SourceLocation};

/// The name of the script in the engine's stack traces.
pub const FILE: &str = "script.js";

/// The longest message and stack that are returned.
const MAX_MESSAGE: usize = 2_000;
const MAX_FRAMES: usize = 20;

/// A thrown value, as the prelude describes it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ThrownError {
    /// Whether it is an error of the SDK.
    sdk: bool,
    name: String,
    message: String,
    stack: String,
    code: Option<String>,
    tag: Option<String>,
    hint: Option<String>,
}

impl ThrownError {
    /// A thrown value that cannot be described.
    pub fn unknown() -> Self {
        Self {
            message: "The script threw a value that cannot be shown".to_owned(),
            ..Self::default()
        }
    }
}

/// The source of a script, to which errors and warnings refer.
pub struct SourceMap<'a> {
    pub source: &'a str,
    pub locations: &'a LocationMap,
    pub methods: &'a [crate::method::Method],
}

impl SourceMap<'_> {
    /// The failure of a script that threw something.
    pub fn failure(&self, thrown: ThrownError) -> Failure {
        let message = match thrown.name.as_str() {
            "" | "Error" => thrown.message.clone(),
            name if thrown.message.is_empty() => name.to_owned(),
            name => format!("{name}: {}", thrown.message),
        };
        let mut failure = Failure::new(ErrorCode::JsRuntimeError, shortened(&message));
        let frames = self.frames(&thrown.stack);
        failure.location = frames.first().map(|frame| Box::new(frame.1.clone()));
        if !frames.is_empty() {
            let lines: Vec<_> = frames.into_iter().map(|(line, _)| line).collect();
            failure.stack = Some(lines.join("\n"));
        }
        failure.hint = thrown.hint.as_deref().map(shortened);
        if thrown.sdk {
            failure.code = ErrorCode::SdkError;
            failure.tag = thrown.tag.or(thrown.code);
        } else if let Some(word) = undefined_name(&thrown.message) {
            failure.hint = missing_global(word).or_else(|| {
                let near = sdk::nearest_namespace(self.methods, word)?;
                Some(format!("Did you mean {near}?"))
            });
        }
        failure
    }

    /// The failure of a script that the engine could not start.
    pub fn start_failure(&self, thrown: ThrownError) -> Failure {
        let is_syntax = thrown.name == "SyntaxError";
        let mut failure = self.failure(thrown);
        if is_syntax && failure.code == ErrorCode::JsRuntimeError {
            failure.code = ErrorCode::InvalidParams;
            if let Some(location) = &failure.location {
                failure.message = format!(
                    "{} (line {}, column {})",
                    failure.message, location.line, location.column
                );
            }
            failure.stack = None;
        }
        failure
    }

    /// The line of the script that is first in a stack.
    pub fn line(&self, stack: &str) -> Option<usize> {
        let mut frames = stack.lines().filter_map(|line| self.frame(line));
        frames.next().map(|(_, location)| location.line)
    }

    /// Whether a line calls a method of that name, other than by `?.()`.
    pub fn calls_directly(&self, line: usize, name: &str) -> bool {
        let text = self.source.lines().nth(line - 1).unwrap_or_default();
        text.match_indices(name)
            .any(|(at, _)| text[at + name.len()..].trim_start().starts_with('('))
    }

    /// The stack frames of the script, each as text and as a location.
    fn frames(&self, stack: &str) -> Vec<(String, SourceLocation)> {
        stack
            .lines()
            .filter_map(|line| self.frame(line))
            .take(MAX_FRAMES)
            .collect()
    }

    /// A frame is `at name (script.js:3:5)`, or the same without name and parentheses.
    fn frame(&self, line: &str) -> Option<(String, SourceLocation)> {
        let at = line.rfind(FILE)?;
        let mut numbers = line[at + FILE.len()..]
            .trim_end_matches(')')
            .split(':')
            .skip(1);
        // The call of the script itself is on a line after the script.
        let lines = 1..=self.source.matches('\n').count() + 1;
        let line_number = numbers
            .next()?
            .parse()
            .ok()
            .filter(|line| lines.contains(line))?;
        let column = numbers
            .next()
            .and_then(|column| column.parse().ok())
            .unwrap_or(1);
        let location = location_at(
            self.source,
            line_number,
            self.locations.column(line_number, column),
        );
        let name = line[..at]
            .trim()
            .trim_start_matches("at ")
            .trim_end_matches('(')
            .trim();
        let name = if name.is_empty() || name.starts_with('<') {
            "script"
        } else {
            name
        };
        let shown = format!(
            "at {name} (line {}, column {}): {}",
            location.line,
            location.column,
            location.source.trim()
        );
        Some((shown, location))
    }
}

/// The failure of a script that waits forever.
pub fn deadlock() -> Failure {
    Failure::new(
        ErrorCode::Deadlock,
        "The script waits for a promise that nothing can settle",
    )
    .with_hint("No call or timer is pending. Is resolve ever called?")
}

/// The name in `'task' is not defined`.
fn undefined_name(message: &str) -> Option<&str> {
    let word = message.strip_suffix(" is not defined")?;
    Some(word.trim_matches('\''))
}

/// What to use instead of a global that other engines have.
fn missing_global(name: &str) -> Option<String> {
    let instead = match name {
        "Intl" => "Format with toISOString, toFixed, padStart and localeCompare.",
        "fetch" | "XMLHttpRequest" | "WebSocket" => "Scripts have no network.",
        "require" | "module" | "fs" | "process" | "Deno" | "Bun" => {
            "Scripts have no files, processes or modules; the namespaces of the SDK are globals."
        }
        "eval" | "Function" => "Code cannot be created from strings.",
        "Proxy" | "WeakRef" | "SharedArrayBuffer" | "Atomics" | "WebAssembly" => {
            "Use plain objects and arrays."
        }
        "setInterval" => "Use setTimeout in a loop.",
        _ => return None,
    };
    Some(format!("Scripts have no {name}. {instead}"))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
