//! The span of a review's gates, as long as this process looks after them, and one inside of it for
//! each execution of a gate.

use std::sync::Arc;

use windlass_core::EntityId;
use windlass_core::workflow::{GateCommand, GateDefinition};
use windlass_store::{GateEnd, GateResult, Review};

use super::scope::{Begun, Scope};
use super::span::{Attributes, SpanKind, shortened};
use crate::context::Context;

/// The gates of a review.
pub struct GatesSpan {
    begun: Begun,
    inside: Arc<Scope>,
}

impl GatesSpan {
    /// Begins it, if spans are exported, with the context in which the gates are executed.
    pub fn begin(context: &Context) -> Option<(Self, Context)> {
        let begun = context.spans.as_ref()?.begin();
        let inside = begun.inside();
        let mut own = context.clone();
        own.spans = Some(Arc::clone(&inside));
        Some((Self { begun, inside }, own))
    }

    /// Sends it, unless no gate was executed.
    pub fn end(self, context: &Context, review: &str) {
        if !self.inside.is_used() {
            return;
        }
        let review = context.state.read(None, |reader| reader.review(review));
        let attributes = match &review {
            Ok(review) => {
                of_review(context, review).word("windlass.review.status", review.status.name())
            }
            Err(_) => Attributes::of(&context.origin),
        };
        self.begun
            .end("gates", SpanKind::Internal, attributes, false);
    }
}

/// One execution of a gate.
pub struct GateSpan(Begun);

impl GateSpan {
    /// Begins it, if spans are exported, with the context in which the gate is executed.
    pub fn begin(context: &Context) -> Option<(Self, Context)> {
        let begun = context.spans.as_ref()?.begin();
        let mut own = context.clone();
        own.spans = Some(begun.inside());
        Some((Self(begun), own))
    }

    pub fn end(self, context: &Context, review: &Review, gate: &GateResult, end: &GateEnd) {
        let failed = end.status.is_failure();
        let attributes = of_review(context, review)
            .name("windlass.gate", &gate.definition.name)
            .word("windlass.gate.kind", kind_of(&gate.definition))
            .word("windlass.gate.status", end.status.name())
            .number("windlass.gate.attempt", gate.attempt)
            .number_if("process.exit.code", end.exit_code)
            .error(failed.then(|| end.status.name()));
        let name = format!("gate {}", shortened(&gate.definition.name));
        self.0.end(name, SpanKind::Internal, attributes, failed);
    }
}

fn of_review(context: &Context, review: &Review) -> Attributes {
    Attributes::of(&context.origin)
        .number("windlass.review", review.number)
        .number_if("windlass.task", number_of(context, &review.task))
}

fn number_of(context: &Context, task: &EntityId) -> Option<i64> {
    let task = context.state.read(None, |reader| reader.entity(task));
    task.ok().map(|task| task.number)
}

fn kind_of(definition: &GateDefinition) -> &'static str {
    match definition.parsed() {
        GateCommand::Shell(_) => "shell",
        GateCommand::Command(_) => "command",
        GateCommand::Playbook(_) => "playbook",
    }
}
