//! What a script probably did by mistake, and what it is told about that.

use serde::Deserialize;

use super::failure::SourceMap;
use crate::outcome::{ErrorCode, Failure};

/// How many warnings are returned; more say nothing new.
const MOST_WARNINGS: usize = 5;

/// A call over several lines is reported on another line than its method.
const LINES_OF_A_CALL: usize = 5;

/// What the prelude noticed.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Mistakes {
    /// Calls whose promise nothing looked at.
    forgotten: Vec<ForgottenCall>,
    /// Names that were read of a namespace that does not have them.
    unknown_reads: Vec<UnknownRead>,
    /// The keys of the value that contain a promise.
    promised: Vec<String>,
    /// Whether the value is a list.
    is_list: bool,
}

#[derive(Debug, Deserialize)]
struct ForgottenCall {
    method: String,
    stack: String,
    /// The message of its error, which nobody else has seen.
    #[serde(default)]
    failed: Option<String>,
}

#[derive(Debug, Deserialize)]
struct UnknownRead {
    name: String,
    stack: String,
    message: String,
    hint: String,
}

impl Mistakes {
    /// Says in a failure which method does not exist: the engine only says "not a function".
    pub fn explain(&mut self, source: &SourceMap<'_>, failure: &mut Failure) {
        let is_unknown = failure.code == ErrorCode::JsRuntimeError
            && failure.message.starts_with("TypeError")
            && failure.message.ends_with("not a function");
        let Some(line) = failure.location.as_ref().map(|location| location.line) else {
            return;
        };
        if !is_unknown {
            return;
        }
        let found = self.unknown_reads.iter().rposition(|read| {
            source.line(&read.stack).is_some_and(|read_at| {
                let is_called = source.calls_directly(read_at, &read.name)
                    || source.calls_directly(line, &read.name);
                read_at == line || is_called && read_at.abs_diff(line) <= LINES_OF_A_CALL
            })
        });
        if let Some(found) = found {
            let read = self.unknown_reads.remove(found);
            failure.code = ErrorCode::SdkError;
            failure.tag = Some("unknown_method".to_owned());
            failure.message = read.message;
            failure.hint = Some(read.hint);
        }
    }

    /// The warnings for a script that ended, whether it failed or not.
    pub fn warnings(&self, source: &SourceMap<'_>, failed: bool) -> Vec<String> {
        let mut warnings: Vec<String> = Vec::new();
        for call in &self.forgotten {
            let what = match &call.failed {
                Some(message) => format!("was not awaited and failed ({message})"),
                None if failed => "was not awaited before the script failed".to_owned(),
                None => "was not awaited".to_owned(),
            };
            let line = source.line(&call.stack);
            let method = &call.method;
            warnings.push(at(
                line,
                format!("{method}(...) {what}: put await before it"),
            ));
        }
        for read in &self.unknown_reads {
            let line = source.line(&read.stack);
            if line.is_some_and(|line| source.calls_directly(line, &read.name)) {
                warnings.push(at(line, format!("{}. {}", read.message, read.hint)));
            }
        }
        // A forgotten call has its line already.
        if self.forgotten.is_empty() && !self.promised.is_empty() {
            warnings.push(if self.is_list {
                "the value is a list of promises: return await Promise.all(list)".to_owned()
            } else {
                let keys = self.promised.join(", ");
                format!("promises in the value were not awaited: put await before {keys}")
            });
        }
        let more = warnings.len().saturating_sub(MOST_WARNINGS);
        if more > 0 {
            warnings.truncate(MOST_WARNINGS);
            warnings.push(format!("and {more} more like these"));
        }
        warnings
    }
}

fn at(line: Option<usize>, text: String) -> String {
    match line {
        Some(line) => format!("line {line}: {text}"),
        None => text,
    }
}
