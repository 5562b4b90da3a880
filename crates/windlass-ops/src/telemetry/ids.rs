//! Ids of traces and spans, and the `traceparent` of W3C, in which a caller names its own.

use std::fmt;

use uuid::Uuid;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceId(u128);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanId(u64);

/// One span, as its children name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanContext {
    pub trace: TraceId,
    pub span: SpanId,
}

impl TraceId {
    pub fn random() -> Self {
        Self(Uuid::new_v4().as_u128())
    }
}

impl SpanId {
    pub fn random() -> Self {
        Self(Uuid::new_v4().as_u64_pair().1)
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:032x}", self.0)
    }
}

impl fmt::Display for SpanId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:016x}", self.0)
    }
}

/// The span of a caller, and whether the caller records it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traceparent {
    pub span: SpanContext,
    pub is_sampled: bool,
}

impl Traceparent {
    /// Reads `00-TRACE-SPAN-FLAGS`. Later versions may have more behind the flags.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let version = hex(parts.next()?, 2)?;
        let trace = hex(parts.next()?, 32)?;
        let span = hex(parts.next()?, 16)?;
        let flags = hex(parts.next()?, 2)?;
        let is_valid = match version {
            0 => parts.next().is_none(),
            0xff => false,
            _ => true,
        };
        if !is_valid || trace == 0 || span == 0 {
            return None;
        }
        Some(Self {
            span: SpanContext {
                trace: TraceId(trace),
                span: SpanId(u64::try_from(span).ok()?),
            },
            is_sampled: flags & 1 == 1,
        })
    }
}

fn hex(text: &str, digits: usize) -> Option<u128> {
    let is_plain = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if text.len() != digits || !text.bytes().all(is_plain) {
        return None;
    }
    u128::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_all_their_digits() {
        assert_eq!(TraceId(0xab).to_string(), format!("{}ab", "0".repeat(30)));
        assert_eq!(SpanId(0xab).to_string(), format!("{}ab", "0".repeat(14)));
        assert_eq!(TraceId::random().to_string().len(), 32);
        assert_eq!(SpanId::random().to_string().len(), 16);
        assert_ne!(SpanId::random(), SpanId::random());
    }

    #[test]
    fn what_a_caller_names() {
        let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let parent = Traceparent::parse(text).expect("valid");
        assert_eq!(
            (
                parent.span.trace.to_string().as_str(),
                parent.span.span.to_string().as_str(),
                parent.is_sampled
            ),
            ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7", true)
        );
        let unsampled = text.replace("-01", "-00");
        assert!(Traceparent::parse(&unsampled).is_some_and(|it| !it.is_sampled));
        let later = format!("{}-more", text.replacen("00", "01", 1));
        assert!(Traceparent::parse(&later).is_some());
        let none = "0".repeat(32);
        for wrong in [
            "",
            "00",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            &format!("00-{none}-00f067aa0ba902b7-01"),
        ] {
            assert_eq!(Traceparent::parse(wrong), None, "{wrong}");
        }
    }
}
