//! The JSON of OTLP: an `ExportTraceServiceRequest`. Ids are hexadecimal, whole numbers of 64 bits are
//! strings, and enumerations are numbers.

use serde::Serialize;

use super::span::{Attributes, Span, SpanKind, Value};

/// A request without spans, with which a collector can be tried.
pub const NOTHING: &str = r#"{"resourceSpans":[]}"#;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Request<'a> {
    resource_spans: [ResourceSpans<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans<'a> {
    resource: Resource<'a>,
    scope_spans: [ScopeSpans<'a>; 1],
}

#[derive(Serialize)]
struct Resource<'a> {
    attributes: Vec<KeyValue<'a>>,
}

#[derive(Serialize)]
struct ScopeSpans<'a> {
    scope: Scope,
    spans: Vec<WireSpan<'a>>,
}

#[derive(Serialize)]
struct Scope {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WireSpan<'a> {
    trace_id: String,
    span_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_span_id: Option<String>,
    name: &'a str,
    kind: u8,
    start_time_unix_nano: String,
    end_time_unix_nano: String,
    attributes: Vec<KeyValue<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
}

#[derive(Serialize)]
struct Status {
    code: u8,
}

/// `STATUS_CODE_ERROR`. Without a status it is unset, which is what an instrumentation leaves.
const FAILED: Status = Status { code: 2 };

#[derive(Serialize)]
struct KeyValue<'a> {
    key: &'static str,
    value: WireValue<'a>,
}

#[derive(Serialize)]
enum WireValue<'a> {
    #[serde(rename = "stringValue")]
    Text(&'a str),
    #[serde(rename = "intValue")]
    Number(String),
}

/// The body of one request.
pub fn request(process: &Attributes, spans: &[Span]) -> String {
    let request = Request {
        resource_spans: [ResourceSpans {
            resource: Resource {
                attributes: pairs(process),
            },
            scope_spans: [ScopeSpans {
                scope: Scope {
                    name: "windlass",
                    version: env!("CARGO_PKG_VERSION"),
                },
                spans: spans.iter().map(span).collect(),
            }],
        }],
    };
    // Plain data with text keys; serialising it cannot fail.
    serde_json::to_string(&request).unwrap_or_else(|_| NOTHING.to_owned())
}

fn span(span: &Span) -> WireSpan<'_> {
    WireSpan {
        trace_id: span.context.trace.to_string(),
        span_id: span.context.span.to_string(),
        parent_span_id: span.parent.map(|it| it.to_string()),
        name: &span.name,
        kind: match span.kind {
            SpanKind::Internal => 1,
            SpanKind::Server => 2,
        },
        start_time_unix_nano: span.begin.0.to_string(),
        end_time_unix_nano: span.end.max(span.begin).0.to_string(),
        attributes: pairs(&span.attributes),
        status: span.failed.then_some(FAILED),
    }
}

fn pairs(attributes: &Attributes) -> Vec<KeyValue<'_>> {
    let pairs = attributes.0.iter();
    pairs
        .map(|(key, value)| KeyValue {
            key,
            value: match value {
                Value::Text(text) => WireValue::Text(text),
                Value::Number(number) => WireValue::Number(number.to_string()),
            },
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::super::ids::Traceparent;
    use super::super::span::Nanoseconds;
    use super::*;

    #[test]
    fn a_request_is_the_json_of_otlp() {
        let caller = Traceparent::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
        let context = caller.expect("valid").span;
        let begin = Nanoseconds(1_700_000_000_000_000_001);
        let first = Span {
            context,
            parent: None,
            name: Cow::Borrowed("task_start"),
            kind: SpanKind::Server,
            begin,
            end: Nanoseconds(begin.0 + 5),
            failed: false,
            attributes: Attributes::default().word("windlass.effect", "execute"),
        };
        let second = Span {
            parent: Some(context.span),
            name: Cow::Borrowed("job \"build\""),
            kind: SpanKind::Internal,
            // A clock that was set back.
            end: Nanoseconds(1),
            failed: true,
            attributes: Attributes::default().number("process.exit.code", 2),
            ..first.clone()
        };
        let process = Attributes::default().word("service.name", "windlass");
        let text = request(&process, &[first, second]);
        let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            json,
            serde_json::json!({"resourceSpans": [{
                "resource": {"attributes": [
                    {"key": "service.name", "value": {"stringValue": "windlass"}},
                ]},
                "scopeSpans": [{
                    "scope": {"name": "windlass", "version": version},
                    "spans": [
                        {
                            "traceId": "4bf92f3577b34da6a3ce929d0e0e4736",
                            "spanId": "00f067aa0ba902b7",
                            "name": "task_start",
                            "kind": 2,
                            "startTimeUnixNano": "1700000000000000001",
                            "endTimeUnixNano": "1700000000000000006",
                            "attributes": [
                                {"key": "windlass.effect", "value": {"stringValue": "execute"}},
                            ],
                        },
                        {
                            "traceId": "4bf92f3577b34da6a3ce929d0e0e4736",
                            "spanId": "00f067aa0ba902b7",
                            "parentSpanId": "00f067aa0ba902b7",
                            "name": "job \"build\"",
                            "kind": 1,
                            "startTimeUnixNano": "1700000000000000001",
                            "endTimeUnixNano": "1700000000000000001",
                            "attributes": [
                                {"key": "process.exit.code", "value": {"intValue": "2"}},
                            ],
                            "status": {"code": 2},
                        },
                    ],
                }],
            }]})
        );
    }

    #[test]
    fn a_request_without_spans_is_one() {
        let json: serde_json::Value = serde_json::from_str(NOTHING).expect("JSON");
        assert_eq!(json, serde_json::json!({"resourceSpans": []}));
    }
}
