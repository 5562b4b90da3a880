//! The span of a call of an operation.

use windlass_core::{Error, Origin, Result};
use windlass_store::{Reader, StateReader};

use super::scope::Begun;
use super::span::{Attributes, SpanKind};
use crate::context::Context;
use crate::focus::Current;
use crate::operation::{BoxedOutput, Declaration, Effect, Entry};

/// What MCP calls a result that says that it failed.
const TOOL_ERROR: &str = "tool_error";

/// The span of a call that is under way.
pub struct CallSpan {
    begun: Begun,
    declaration: &'static Declaration,
    origin: Origin,
    /// The task that the caller works on.
    task: Option<i64>,
    state: StateReader,
}

impl CallSpan {
    /// Begins the span of a call, if spans are exported; what the call begins is inside of it. On the
    /// heap, because every call would be larger by it.
    pub fn begin(entry: &'static Entry, context: &mut Context) -> Option<Box<Self>> {
        let begun = context.spans.as_ref()?.begin();
        context.spans = Some(begun.inside());
        Some(Box::new(Self {
            begun,
            declaration: &entry.declaration,
            task: task_of(&context.state, &context.origin.session),
            origin: context.origin.clone(),
            state: context.state.clone(),
        }))
    }

    pub fn end(self, result: &Result<BoxedOutput>) {
        let effect = self.declaration.effect;
        // A call may be the one that takes a task.
        let task = match self.task {
            None if effect != Effect::Read => task_of(&self.state, &self.origin.session),
            known => known,
        };
        let error = match result {
            Err(error) => Some(error.kind().name()),
            Ok(output) => output.failed().then_some(TOOL_ERROR),
        };
        let kind = if self.begun.is_inner {
            SpanKind::Internal
        } else {
            SpanKind::Server
        };
        let attributes = Attributes::of(&self.origin)
            .word("windlass.effect", effect_name(effect))
            .number_if("windlass.task", task)
            .word("windlass.outcome", outcome(result))
            .error(error);
        let name = self.declaration.name;
        self.begun.end(name, kind, attributes, error.is_some());
    }
}

/// The same words as in the metrics.
fn outcome(result: &Result<BoxedOutput>) -> &'static str {
    match result.as_ref().map_err(Error::kind) {
        Ok(_) => "answered",
        Err(kind) if kind.is_server_fault() => "failed",
        Err(_) => "refused",
    }
}

const fn effect_name(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "read",
        Effect::Write => "write",
        Effect::Destructive => "destructive",
        Effect::Execute => "execute",
        Effect::Script => "script",
    }
}

/// The number of the task that a session works on. A span without it is better than an error.
fn task_of(state: &StateReader, session: &str) -> Option<i64> {
    let find = |reader: &Reader<'_>| Current::find(reader, session);
    let current = state.read(None, find).ok().flatten();
    current.map(|current| current.task.number)
}
