//! Why a script gave no value, with the places of its source.

use serde::Deserialize;

use super::sdk;
use super::source::{Places, place_at};
use crate::outcome::{ErrorCode, Failure, Place};

/// What the engine calls the script in its stacks.
pub const FILE: &str = "script.js";

/// The longest message and stack that are passed on.
const MAX_MESSAGE: usize = 2_000;
const MAX_FRAMES: usize = 20;

/// What was thrown.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Explained {
    /// Whether it is an error of the SDK.
    sdk: bool,
    name: String,
    message: String,
    stack: String,
    code: Option<String>,
    tag: Option<String>,
    hint: Option<String>,
}

impl Explained {
    /// Something that cannot even be looked at.
    pub fn nothing() -> Self {
        Self {
            message: "Something was thrown that cannot be shown".to_owned(),
            ..Self::default()
        }
    }
}

/// A script and what it ran in.
pub struct Seen<'a> {
    pub source: &'a str,
    pub places: &'a Places,
    pub methods: &'a [crate::method::Method],
}

impl Seen<'_> {
    /// The script threw something.
    pub fn failure(&self, thrown: Explained) -> Failure {
        let message = match thrown.name.as_str() {
            "" | "Error" => thrown.message.clone(),
            name if thrown.message.is_empty() => name.to_owned(),
            name => format!("{name}: {}", thrown.message),
        };
        let mut failure = Failure::new(ErrorCode::JsRuntimeError, shortened(&message));
        let frames = self.frames(&thrown.stack);
        failure.place = frames.first().map(|frame| Box::new(frame.1.clone()));
        if !frames.is_empty() {
            let lines: Vec<_> = frames.into_iter().map(|(line, _)| line).collect();
            failure.stack = Some(lines.join("\n"));
        }
        failure.hint = thrown.hint.as_deref().map(shortened);
        if thrown.sdk {
            failure.code = ErrorCode::SdkError;
            failure.tag = thrown.tag.or(thrown.code);
        } else if let Some(word) = undefined_word(&thrown.message)
            && let Some(near) = sdk::nearest_namespace(self.methods, word)
        {
            failure.hint = Some(format!("Did you mean {near}?"));
        }
        failure
    }

    /// The engine would not even begin.
    pub fn not_begun(&self, thrown: Explained) -> Failure {
        let is_syntax = thrown.name == "SyntaxError";
        let mut failure = self.failure(thrown);
        if is_syntax && failure.code == ErrorCode::JsRuntimeError {
            failure.code = ErrorCode::InvalidParams;
            if let Some(place) = &failure.place {
                failure.message = format!(
                    "{} (line {}, column {})",
                    failure.message, place.line, place.column
                );
            }
            failure.stack = None;
        }
        failure
    }

    /// The frames of the script, each as it is shown and as a place.
    fn frames(&self, stack: &str) -> Vec<(String, Place)> {
        stack
            .lines()
            .filter_map(|line| self.frame(line))
            .take(MAX_FRAMES)
            .collect()
    }

    /// A frame is `at name (script.js:3:5)`, or without a name and brackets.
    fn frame(&self, line: &str) -> Option<(String, Place)> {
        let at = line.rfind(FILE)?;
        let mut numbers = line[at + FILE.len()..]
            .trim_end_matches(')')
            .split(':')
            .skip(1);
        // What calls the script stands on a line after it.
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
        let place = place_at(
            self.source,
            line_number,
            self.places.column(line_number, column),
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
            place.line,
            place.column,
            place.source.trim()
        );
        Some((shown, place))
    }
}

/// The script waits in vain.
pub fn deadlock() -> Failure {
    Failure::new(
        ErrorCode::Deadlock,
        "The script waits for a promise that nothing can settle",
    )
    .with_hint("No call and no timer is under way. Is resolve ever called?")
}

/// The word in `'task' is not defined`.
fn undefined_word(message: &str) -> Option<&str> {
    let word = message.strip_suffix(" is not defined")?;
    Some(word.trim_matches('\''))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
