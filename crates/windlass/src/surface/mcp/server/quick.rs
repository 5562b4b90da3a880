//! Calls that are answered without the protocol's library: reads that take microseconds where they
//! were read, changes on a thread that may wait for the disk.
//!
//! The library gives every request a task of its own, whose answer passes through a channel and
//! another task. For a read of a few microseconds that is most of the time. So a transport offers
//! each tool call to [`QuickCalls`] first. Whatever needs more than the operation itself (a task of
//! the protocol, a log for the client, progress of a change, a newer version's metadata) is left to
//! the library, and the answers of both ways are the same to the byte.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use rmcp::model::{
    CallToolResponse, ClientCapabilities, ErrorCode, ErrorData, LoggingLevel, MetaObject,
    ProtocolVersion, RequestId, RequestMetaObject, ServerJsonRpcMessage, ServerResult,
};
use serde::Deserialize as _;
use serde_json::Value as Json;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use windlass_core::Error;
use windlass_ops::{AnyOutput as _, Entry, IDEMPOTENCY_KEY, Response};

use super::super::errors::Fault;
use super::super::log::RequestLog;
use super::super::transport::ToolCall;
use super::Shared;

/// Metadata under this prefix is the protocol's own and means something to its library.
const OF_THE_PROTOCOL: &str = "io.modelcontextprotocol/";

/// What the metadata of every request says since 2026-07-28.
const OF_EVERY_REQUEST: [&str; 3] = [
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientCapabilities",
    "io.modelcontextprotocol/clientInfo",
];

/// With it a client asks for notifications while the call runs. No read sends any.
const PROGRESS: &str = "progressToken";

/// Which protocol a connection speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Era {
    /// It began with `initialize`, as connections do up to 2025-11-25.
    Handshake,
    /// Every request stands alone, since 2026-07-28.
    Alone,
}

/// Answers calls of one connection.
#[derive(Clone)]
pub struct QuickCalls {
    shared: Arc<Shared>,
    /// The log level that the client asked for. With one, a call may send more than its answer.
    level: Arc<Mutex<Option<LoggingLevel>>>,
    era: Era,
}

/// The same without keeping the connection's name alive.
#[derive(Clone)]
pub struct WeakQuickCalls {
    shared: Weak<Shared>,
    level: Arc<Mutex<Option<LoggingLevel>>>,
    era: Era,
}

impl WeakQuickCalls {
    /// None once the connection has ended.
    pub fn upgrade(&self) -> Option<QuickCalls> {
        Some(QuickCalls {
            shared: self.shared.upgrade()?,
            level: Arc::clone(&self.level),
            era: self.era,
        })
    }
}

/// An answer that is still to come.
pub type Answering = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// The rest of a call, for a thread that may wait for the disk.
pub type Blocking = Box<dyn FnOnce() -> Answer + Send>;

/// What became of a call.
pub enum Offered {
    Answered(Answer),
    /// It changes something, and has not begun.
    MayBlock(RequestId, Blocking),
    /// It waits for something; the answer comes later.
    Begun(RequestId, Answering),
    /// It is not one of those that are answered here.
    Declined(ToolCall),
}

impl QuickCalls {
    pub(super) fn after_handshake(
        shared: Arc<Shared>,
        level: Arc<Mutex<Option<LoggingLevel>>>,
    ) -> Self {
        Self {
            shared,
            level,
            era: Era::Handshake,
        }
    }

    /// For requests of the version 2026-07-28, which say so themselves.
    pub fn of_single_requests(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            level: Arc::default(),
            era: Era::Alone,
        }
    }

    pub fn downgrade(&self) -> WeakQuickCalls {
        WeakQuickCalls {
            shared: Arc::downgrade(&self.shared),
            level: Arc::clone(&self.level),
            era: self.era,
        }
    }

    /// Answers the call, if it is one of those that are answered here.
    pub fn offer(&self, call: ToolCall) -> Offered {
        let catalog = self.shared.catalog();
        let Some(entry) = catalog.operation(call.name()).filter(|_| self.suits(&call)) else {
            return Offered::Declined(call);
        };
        let id = call.id().clone();
        let run =
            |call, may_wait| Self::run(Arc::clone(&self.shared), self.era, entry, call, may_wait);
        if entry.is_quick() {
            let mut running = Box::pin(run(call, false));
            let mut once = Context::from_waker(Waker::noop());
            return match running.as_mut().poll(&mut once) {
                Poll::Ready(answer) => Offered::Answered(answer),
                Poll::Pending => Offered::Begun(id, running),
            };
        }
        let asks_for_progress = call.meta().is_some_and(|meta| meta.contains_key(PROGRESS));
        if !entry.is_short_change() || asks_for_progress {
            return Offered::Declined(call);
        }
        let (running, runtime) = (run(call, true), Handle::current());
        Offered::MayBlock(id, Box::new(move || runtime.block_on(running)))
    }

    fn suits(&self, call: &ToolCall) -> bool {
        let logs = self.level.lock().unwrap_or_else(PoisonError::into_inner);
        if logs.is_some() {
            return false;
        }
        let Some(meta) = call.meta() else {
            return self.era == Era::Handshake;
        };
        let plain = |key: &str| !key.starts_with(OF_THE_PROTOCOL) && key != IDEMPOTENCY_KEY;
        match self.era {
            Era::Handshake => meta.keys().all(|key| plain(key)),
            Era::Alone => {
                let known = |key: &str| plain(key) || OF_EVERY_REQUEST.contains(&key);
                let [version, capabilities, _] = OF_EVERY_REQUEST;
                meta.keys().all(|key| known(key))
                    && meta.get(version).and_then(Json::as_str)
                        == Some(ProtocolVersion::V_2026_07_28.as_str())
                    && meta
                        .get(capabilities)
                        .is_some_and(|it| ClientCapabilities::deserialize(it).is_ok())
            }
        }
    }

    async fn run(
        shared: Arc<Shared>,
        era: Era,
        entry: &'static Entry,
        call: ToolCall,
        may_wait: bool,
    ) -> Answer {
        let since = Instant::now();
        let (id, name, arguments, meta) = call.into_parts();
        let log = RequestLog::start(&id, "tools/call", Some(&name));
        let meta = RequestMetaObject(MetaObject(meta.unwrap_or_default()));
        let mut context = shared.context_for("mcp", &meta);
        context.may_wait = may_wait;
        let input = arguments.map_or(Json::Null, Json::Object);
        let called = windlass_ops::call(entry, context, input, CancellationToken::new()).await;
        let result = called.map_err(Fault::from);
        log.finish(&result);
        let kind = match result.and_then(|response| Text::of(&response)) {
            Ok(text) => {
                shared
                    .agents
                    .called(&shared.session, &name, text.json.len());
                let characters = || text.json.chars().count();
                let tool = entry.declaration.name;
                shared.call_log.record(tool, since, characters, text.failed);
                Kind::Text(text)
            }
            Err(fault) => {
                let answer = fault.into_tool_answer(&entry.declaration);
                shared.record_call(entry, since, &answer);
                Kind::Other(Box::new(answer))
            }
        };
        Answer { id, era, kind }
    }
}

/// The answer to a call.
pub struct Answer {
    id: RequestId,
    era: Era,
    kind: Kind,
}

enum Kind {
    Text(Text),
    Other(Box<Result<CallToolResponse, ErrorData>>),
}

/// A result as JSON text, which the answer has twice: as text and as it is.
struct Text {
    json: String,
    failed: bool,
}

impl Text {
    fn of(response: &Response) -> Result<Self, Fault> {
        // A panic here would end the connection.
        catch_unwind(AssertUnwindSafe(|| Self {
            json: response.to_text(),
            failed: response.failed(),
        }))
        .map_err(|_| Fault::from(Error::internal("The output could not be written")))
    }

    fn write_to(&self, era: Era, out: &mut Vec<u8>) -> serde_json::Result<()> {
        out.reserve(2 * self.json.len() + 128);
        out.push(b'{');
        if era == Era::Alone {
            out.extend_from_slice(br#""resultType":"complete","#);
        }
        out.extend_from_slice(br#""content":[{"type":"text","text":"#);
        serde_json::to_writer(&mut *out, &self.json)?;
        out.extend_from_slice(b"}]");
        // Clients older than 2026-07-28 accept only objects as structured content.
        if self.json.starts_with('{') {
            out.extend_from_slice(br#","structuredContent":"#);
            out.extend_from_slice(self.json.as_bytes());
        }
        let failed: &[u8] = if self.failed { b"true" } else { b"false" };
        out.extend_from_slice(br#","isError":"#);
        out.extend_from_slice(failed);
        out.push(b'}');
        Ok(())
    }
}

impl Answer {
    /// The message without a line end.
    pub fn write_to(self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        let text = match self.kind {
            Kind::Text(text) => text,
            Kind::Other(answer) => {
                return serde_json::to_writer(out, &message(self.id, self.era, *answer));
            }
        };
        out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        serde_json::to_writer(&mut *out, &self.id)?;
        out.extend_from_slice(br#","result":"#);
        text.write_to(self.era, out)?;
        out.push(b'}');
        Ok(())
    }
}

fn message(
    id: RequestId,
    era: Era,
    answer: Result<CallToolResponse, ErrorData>,
) -> ServerJsonRpcMessage {
    match answer {
        Ok(answer) => {
            let mut result = ServerResult::from(answer);
            if era == Era::Handshake {
                result.strip_result_type_for_legacy_peer();
            }
            ServerJsonRpcMessage::response(result, id)
        }
        Err(mut error) => {
            // Since 2026-07-28 the protocol itself fixes the code.
            if era == Era::Alone && error.code == ErrorCode::RESOURCE_NOT_FOUND {
                error.code = ErrorCode::INVALID_PARAMS;
            }
            ServerJsonRpcMessage::error(error, Some(id))
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{CallToolResult, ContentBlock};

    use super::*;

    fn written(id: RequestId, era: Era, json: &str, failed: bool) -> String {
        let kind = Kind::Text(Text {
            json: json.to_owned(),
            failed,
        });
        let mut out = Vec::new();
        Answer { id, era, kind }.write_to(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn an_answer_is_what_the_library_would_have_written() {
        let cases = [
            (
                RequestId::Number(1),
                r#"{"text":"a \"b\"\n\u0001ü"}"#,
                false,
            ),
            (RequestId::String("a\"b".into()), "[1,2.5,null]", false),
            (RequestId::Number(-7), r#"{"ok":false}"#, true),
        ];
        for (id, json, failed) in cases {
            for era in [Era::Handshake, Era::Alone] {
                let content = vec![ContentBlock::text(json)];
                let mut result = if failed {
                    CallToolResult::error(content)
                } else {
                    CallToolResult::success(content)
                };
                let value: Json = serde_json::from_str(json).unwrap();
                result.structured_content = Some(value).filter(Json::is_object);
                let usual = message(id.clone(), era, Ok(result.into()));
                assert_eq!(
                    written(id.clone(), era, json, failed),
                    serde_json::to_string(&usual).unwrap()
                );
            }
        }
    }
}
