//! Newline-delimited JSON-RPC over a pair of byte streams.
//!
//! No input can end the session: garbage, batches, overlong lines and requests out of order get an
//! error response and are skipped. Only the end of the input or the closing token ends it.

mod batches;
mod begun;
mod lines;
mod outgoing;
mod parse;
#[cfg(test)]
mod tests;

use std::collections::{HashSet, VecDeque};
use std::future::Future;
use std::io;
use std::ops::Range;
use std::pin::Pin;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, GetMeta, ProtocolVersion, RequestId,
    ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use self::batches::{Batches, Delivery};
use self::begun::Begun;
use self::lines::{Line, Lines};
use self::outgoing::{Outgoing, Sending};
use self::parse::Refusal;
pub use self::parse::{
    Parsed, ToolCall, invalid_request, parse_call, parse_line, refuse_method, refuse_modern_method,
};
use super::server::{Answer, Offered, QuickCalls};

/// The longest line that is read.
pub const MAX_LINE: usize = 16 * 1024 * 1024;

/// How long a client that reads nothing can delay the shutdown.
const CLOSE_WITHIN: Duration = Duration::from_millis(250);

/// How far a client is that begins with `initialize`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Handshake {
    None,
    /// It was told the version of the protocol, and that one has the handshake.
    Answered,
    Complete,
}

pub struct LineTransport<R, W> {
    lines: Lines<R>,
    outgoing: Outgoing<W>,
    /// The rest of a batch.
    waiting: VecDeque<ClientJsonRpcMessage>,
    batches: Batches,
    /// Whether the protocol's first request was seen. Until then rmcp ends the session at the first
    /// message that is not a request, so such messages are dropped here.
    opened: bool,
    /// What answers calls where they are read, once the client can send any.
    quick: Option<QuickCalls>,
    handshake: Handshake,
    begun: Begun,
    closing: CancellationToken,
    /// Registered once, because a new future for each read would take a lock each time.
    closed: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// `closing` ends the reading; the end of the input, or a disconnect, cancels `closing`.
    pub fn new(input: R, output: W, closing: CancellationToken) -> Self {
        Self {
            lines: Lines::new(input, MAX_LINE),
            outgoing: Outgoing::new(output),
            waiting: VecDeque::new(),
            batches: Batches::default(),
            opened: false,
            quick: None,
            handshake: Handshake::None,
            begun: Begun::default(),
            closed: Box::pin(closing.clone().cancelled_owned()),
            closing,
        }
    }

    /// Offers calls to `quick` first.
    #[must_use]
    pub fn answering(mut self, quick: QuickCalls) -> Self {
        self.quick = Some(quick);
        self
    }

    async fn next_line(&mut self) -> Line {
        let read = tokio::select! {
            biased;
            () = self.closed.as_mut() => Ok(Line::End),
            read = self.lines.next() => read,
        };
        read.unwrap_or_else(|problem| {
            tracing::error!(target: super::LOG, error = %problem, "cannot read the input");
            Line::End
        })
    }

    /// Processes a parsed line. Returns the message that can be handled now; the rest of a batch
    /// waits in the queue.
    fn take(&mut self, parsed: Parsed) -> Option<ClientJsonRpcMessage> {
        match parsed {
            Parsed::Message(message) => self.admit(*message),
            Parsed::Refused(refusal) => {
                self.refuse(&refusal);
                None
            }
            Parsed::Batch(elements) => {
                self.open_batch(elements);
                None
            }
            Parsed::Nothing => None,
        }
    }

    fn open_batch(&mut self, elements: Vec<Parsed>) {
        let mut awaited = HashSet::new();
        let mut known = Vec::new();
        for element in elements {
            match element {
                Parsed::Message(message) => {
                    if let ClientJsonRpcMessage::Request(request) = message.as_ref()
                        && !awaited.insert(request.id.clone())
                    {
                        let id = Some(request.id.clone());
                        let hint = "Two requests of a batch have the same id.";
                        known.push(invalid_request(id, hint).to_bytes());
                        continue;
                    }
                    self.waiting.push_back(*message);
                }
                Parsed::Refused(refusal) => known.push(refusal.to_bytes()),
                Parsed::Batch(_) | Parsed::Nothing => {}
            }
        }
        if let Some(line) = self.batches.open(awaited, &known) {
            self.write(&line);
        }
    }

    /// What the line is, or none if it was a call that is answered here.
    fn read(&self, range: Range<usize>) -> Option<Parsed> {
        let line = self.lines.bytes(range);
        tracing::trace!(target: super::LOG, body = %String::from_utf8_lossy(line), "received");
        let ready = self.handshake == Handshake::Complete
            && self.batches.is_empty()
            // Whoever does not read the answers does not get more of them.
            && !self.outgoing.is_full();
        let Some(quick) = self.quick.as_ref().filter(|_| ready) else {
            return Some(parse_line(line));
        };
        let Some(call) = parse_call(line) else {
            return Some(parse_line(line));
        };
        match quick.offer(call) {
            Offered::Declined(call) => {
                return Some(Parsed::Message(Box::new(call.into_message())));
            }
            Offered::Answered(answer) => {
                self.sender()(answer);
            }
            Offered::Begun(id, answer) => self.begun.follow(id, answer, self.sender()),
            Offered::MayBlock(id, work) => self.begun.run(id, work, self.sender()),
        }
        None
    }

    /// Sends an answer from anywhere, or ends the session if nobody takes it.
    fn sender(&self) -> impl FnOnce(Answer) + Send + 'static {
        let (outgoing, closing) = (self.outgoing.clone(), self.closing.clone());
        move |answer| {
            if send_answer(&outgoing, answer).is_err() {
                closing.cancel();
            }
        }
    }

    /// Decides whether a message may reach the protocol.
    fn admit(&mut self, message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        if self.opened {
            self.note_handshake(&message);
            self.note_cancellation(&message);
            return Some(message);
        }
        let ClientJsonRpcMessage::Request(request) = &message else {
            tracing::debug!(target: super::LOG, "skipping a message before the first request");
            return None;
        };
        if let ClientRequest::CustomRequest(custom) = &request.request
            && parse::is_known(&custom.method)
        {
            let refusal = Refusal {
                id: Some(request.id.clone()),
                error: refuse_method(&custom.method),
            };
            self.refuse(&refusal);
            return None;
        }
        self.opened = opens(&request.request);
        Some(message)
    }

    fn note_handshake(&mut self, message: &ClientJsonRpcMessage) {
        match message {
            ClientJsonRpcMessage::Notification(notification)
                if self.handshake == Handshake::Answered
                    && matches!(
                        notification.notification,
                        ClientNotification::InitializedNotification(_)
                    ) =>
            {
                self.handshake = Handshake::Complete;
            }
            // Whatever it is told now, it is told by the library.
            ClientJsonRpcMessage::Request(request)
                if matches!(request.request, ClientRequest::InitializeRequest(_)) =>
            {
                self.handshake = Handshake::None;
            }
            _ => {}
        }
    }

    /// The same for what the client is told.
    fn note_answer(&mut self, message: &ServerJsonRpcMessage) {
        if self.handshake == Handshake::None
            && let ServerJsonRpcMessage::Response(response) = message
            && let ServerResult::InitializeResult(result) = &response.result
            && result.protocol_version.has_initialize()
        {
            self.handshake = Handshake::Answered;
        }
    }

    /// A cancelled request gets no response, so its batch must not wait for one.
    fn note_cancellation(&mut self, message: &ClientJsonRpcMessage) {
        if let ClientJsonRpcMessage::Notification(notification) = message
            && let ClientNotification::CancelledNotification(cancelled) = &notification.notification
            && let Some(id) = &cancelled.params.request_id
        {
            self.begun.forget(id);
            if let Some(line) = self.batches.forget(id) {
                self.write(&line);
            }
        }
    }

    fn refuse(&mut self, refusal: &Refusal) {
        let error = &refusal.error;
        tracing::warn!(target: super::LOG, code = error.code.0, error = &*error.message, "refused");
        let bytes = refusal.to_bytes();
        match &refusal.id {
            Some(id) => drop(self.deliver(&id.clone(), &bytes).map(keep_going)),
            None => self.write(&bytes),
        }
    }

    fn write(&self, line: &[u8]) {
        keep_going(self.outgoing.send_line(line));
    }

    /// Sends the response to a request, alone or with its batch.
    fn deliver(&mut self, id: &RequestId, answer: &[u8]) -> Option<Sending<W>> {
        match self.batches.deliver(id, answer) {
            Delivery::Alone => Some(self.outgoing.send_line(answer)),
            Delivery::Kept => None,
            Delivery::Complete(line) => Some(self.outgoing.send_line(&line)),
        }
    }

    fn begin_send(&mut self, item: &ServerJsonRpcMessage) -> Sending<W> {
        if !self.batches.is_empty()
            && let Some(id) = answered(item)
        {
            return match serde_json::to_vec(item) {
                Ok(bytes) => self.deliver(id, &bytes).unwrap_or(Sending::Done(Ok(()))),
                Err(problem) => Sending::Done(Err(problem.into())),
            };
        }
        self.outgoing
            .send(|buffer| serde_json::to_writer(buffer, item).map_err(io::Error::from))
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        tracing::trace!(target: super::LOG, body = serde_json::to_string(&item).unwrap_or_default(), "sending");
        // The write happens immediately if possible; the future is only for a pipe that is full.
        self.note_answer(&item);
        let sending = self.begin_send(&item);
        let closing = self.closing.clone();
        async move {
            let sent = sending.finish().await;
            if sent.is_err() {
                closing.cancel();
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(message) = self.waiting.pop_front() {
                if let Some(message) = self.admit(message) {
                    return Some(message);
                }
                continue;
            }
            let parsed = match self.next_line().await {
                Line::Text(range) => match self.read(range) {
                    Some(parsed) => parsed,
                    None => continue,
                },
                Line::TooLong => Parsed::Refused(parse::too_long(self.lines.limit())),
                Line::End => {
                    self.closing.cancel();
                    return None;
                }
            };
            if let Some(message) = self.take(parsed) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.begun.finish().await;
        for line in self.batches.close() {
            self.write(&line);
        }
        tokio::time::timeout(CLOSE_WITHIN, self.outgoing.close())
            .await
            .unwrap_or(Ok(()))
    }
}

/// Completes a write in the background.
fn keep_going<W: AsyncWrite + Send + Unpin + 'static>(sending: Sending<W>) {
    if let Sending::Waiting(drain) = sending {
        tokio::spawn(drain);
    }
}

fn send_answer<W>(outgoing: &Outgoing<W>, answer: Answer) -> io::Result<()>
where
    W: AsyncWrite + Send + Unpin + 'static,
{
    let sending = outgoing.send(|buffer| {
        let from = buffer.len();
        answer.write_to(buffer)?;
        let body = buffer.get(from..).unwrap_or_default();
        tracing::trace!(target: super::LOG, body = %String::from_utf8_lossy(body), "sending");
        Ok(())
    });
    match sending {
        Sending::Done(result) => result,
        waiting @ Sending::Waiting(_) => {
            keep_going(waiting);
            Ok(())
        }
    }
}

fn answered(item: &ServerJsonRpcMessage) -> Option<&RequestId> {
    match item {
        ServerJsonRpcMessage::Response(response) => Some(&response.id),
        ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    }
}

/// Whether rmcp begins its session with this request: with `initialize`, or with the first request
/// of the 2026-07-28 kind. Pings and discovery leave the choice open.
fn opens(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        other => {
            let meta = other.get_meta();
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28)
                .is_empty()
                && meta
                    .protocol_version()
                    .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}
