//! What a context has while spans are exported: where they go, and the span that is under way, which
//! is the parent of what begins next.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::ids::{SpanContext, SpanId, TraceId, Traceparent};
use super::queue::Queue;
use super::span::{Attributes, Nanoseconds, Span, SpanKind};

pub struct Scope {
    queue: Arc<Queue>,
    parent: Option<SpanContext>,
    /// Whether the parent is a span of this process.
    is_inner: bool,
    /// Whether anything began in it.
    is_used: AtomicBool,
}

impl Scope {
    /// What begins in it begins a trace.
    pub fn outermost(queue: Arc<Queue>) -> Arc<Self> {
        Arc::new(Self {
            queue,
            parent: None,
            is_inner: false,
            is_used: AtomicBool::new(false),
        })
    }

    /// The same below the span that a caller names; none if the caller does not record it.
    pub fn below(self: Arc<Self>, traceparent: &str) -> Option<Arc<Self>> {
        let Some(caller) = Traceparent::parse(traceparent) else {
            return Some(self);
        };
        caller.is_sampled.then(|| {
            Arc::new(Self {
                queue: Arc::clone(&self.queue),
                parent: Some(caller.span),
                is_inner: false,
                is_used: AtomicBool::new(false),
            })
        })
    }

    pub fn is_used(&self) -> bool {
        self.is_used.load(Ordering::Relaxed)
    }

    pub fn begin(&self) -> Begun {
        self.is_used.store(true, Ordering::Relaxed);
        Begun {
            context: SpanContext {
                trace: self.parent.map_or_else(TraceId::random, |it| it.trace),
                span: SpanId::random(),
            },
            parent: self.parent.map(|it| it.span),
            is_inner: self.is_inner,
            queue: Arc::clone(&self.queue),
            begin: Nanoseconds::now(),
            since: Instant::now(),
        }
    }
}

/// A span that is under way. One that is dropped is not sent.
pub struct Begun {
    context: SpanContext,
    parent: Option<SpanId>,
    /// Whether it began inside of another span of this process.
    pub is_inner: bool,
    queue: Arc<Queue>,
    pub begin: Nanoseconds,
    since: Instant,
}

impl Begun {
    /// For what begins while it is under way.
    pub fn inside(&self) -> Arc<Scope> {
        Arc::new(Scope {
            queue: Arc::clone(&self.queue),
            parent: Some(self.context),
            is_inner: true,
            is_used: AtomicBool::new(false),
        })
    }

    /// Ends it now. Its times keep their order even if the clock is set meanwhile.
    pub fn end(
        self,
        name: impl Into<Cow<'static, str>>,
        kind: SpanKind,
        attributes: Attributes,
        failed: bool,
    ) {
        let times = (self.begin, self.begin.after(self.since.elapsed()));
        self.end_at(times, name, kind, attributes, failed);
    }

    /// Sends it with times that are known from elsewhere.
    pub fn end_at(
        self,
        (begin, end): (Nanoseconds, Nanoseconds),
        name: impl Into<Cow<'static, str>>,
        kind: SpanKind,
        attributes: Attributes,
        failed: bool,
    ) {
        self.queue.push(Span {
            context: self.context,
            parent: self.parent,
            name: name.into(),
            kind,
            begin,
            end,
            failed,
            attributes,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALLER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn spans_know_their_parents() {
        let queue = Arc::new(Queue::default());
        let scope = Scope::outermost(Arc::clone(&queue));
        assert!(!scope.is_used());
        let outer = scope.begin();
        assert!(scope.is_used());
        let inside = outer.inside();
        inside
            .begin()
            .end("inner", SpanKind::Internal, Attributes::default(), true);
        outer.end("outer", SpanKind::Server, Attributes::default(), false);
        let called = scope.below(CALLER).expect("sampled");
        called
            .begin()
            .end("called", SpanKind::Server, Attributes::default(), false);
        let spans = queue.take();
        let [inner, outer, called] = spans.as_slice() else {
            panic!("{spans:?}");
        };
        assert_eq!(inner.parent, Some(outer.context.span));
        assert_eq!(inner.context.trace, outer.context.trace);
        assert_eq!(outer.parent, None);
        let caller = Traceparent::parse(CALLER).expect("valid").span;
        assert_eq!(called.parent, Some(caller.span));
        assert_eq!(called.context.trace, caller.trace);
        assert!(outer.begin <= outer.end);
    }

    #[test]
    fn what_a_caller_does_not_record_is_not_sent() {
        let scope = || Scope::outermost(Arc::default());
        assert!(scope().below(&CALLER.replace("-01", "-00")).is_none());
        assert!(scope().below("nonsense").is_some());
    }
}
