//! The calls of a script that have no result yet.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use futures::StreamExt;
use futures::stream::FuturesUnordered;

use super::execution::WorkerError;
use crate::call_handler::{CallError, CallHandler};
use crate::limits::{MAX_ARGUMENT_BYTES, MAX_JSON_BYTES};
use crate::method::Method;
use crate::wire::Settlement;

/// A call that was received.
pub struct OpenCall {
    pub call: u32,
    /// The index of its method.
    pub method: usize,
    pub arguments: String,
}

/// The number of a call, how long its arguments are, and its result.
type Settled = (u32, usize, Settlement);

/// The calls of a script that have no result yet.
pub struct OpenCalls<'a> {
    host: &'a dyn CallHandler,
    methods: &'a [Method],
    /// How many may be under way at once.
    most: usize,
    /// Not begun yet, the oldest first.
    waiting: VecDeque<OpenCall>,
    under_way: FuturesUnordered<Pin<Box<dyn Future<Output = Settled> + Send + 'a>>>,
    /// The bytes of the arguments of all of them.
    pub argument_bytes: usize,
}

impl<'a> OpenCalls<'a> {
    /// Without calls.
    pub fn new(host: &'a dyn CallHandler, methods: &'a [Method], most: usize) -> Self {
        Self {
            host,
            methods,
            most,
            waiting: VecDeque::new(),
            under_way: FuturesUnordered::new(),
            argument_bytes: 0,
        }
    }

    /// Adds a call.
    pub fn add(&mut self, call: OpenCall) -> Result<(), WorkerError> {
        self.argument_bytes += call.arguments.len();
        if self.argument_bytes > 2 * MAX_ARGUMENT_BYTES {
            return Err(WorkerError::Overloaded);
        }
        self.waiting.push_back(call);
        Ok(())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.under_way.is_empty()
    }

    /// Whether [`begin`](Self::begin) would begin any.
    pub fn has_startable(&self) -> bool {
        !self.waiting.is_empty() && self.under_way.len() < self.most
    }

    /// Begins calls that wait, the oldest first, up to one that has its result at once, as most reads
    /// do. `None` if none is left to begin.
    pub async fn begin(&mut self) -> Option<(u32, Settlement)> {
        while self.under_way.len() < self.most
            && let Some(call) = self.waiting.pop_front()
        {
            let mut handling = Box::pin(handle_call(self.host, self.methods, call));
            let first = poll_fn(|context| Poll::Ready(handling.as_mut().poll(context))).await;
            match first {
                Poll::Ready(settled) => return Some(self.take(settled)),
                Poll::Pending => self.under_way.push(handling),
            }
        }
        None
    }

    /// The next result of those that are under way; `None` if there are none.
    pub async fn next_settled(&mut self) -> Option<(u32, Settlement)> {
        let settled = self.under_way.next().await?;
        Some(self.take(settled))
    }

    fn take(&mut self, (call, argument_bytes, settlement): Settled) -> (u32, Settlement) {
        self.argument_bytes -= argument_bytes;
        (call, settlement)
    }
}

/// Calls the host, and refuses a result that is too long for the worker.
async fn handle_call(host: &dyn CallHandler, methods: &[Method], call: OpenCall) -> Settled {
    let bytes = call.arguments.len();
    let mut settlement = host.call(call.method, call.arguments).await;
    if let Ok(text) = &settlement
        && text.len() > MAX_JSON_BYTES
    {
        let name = methods.get(call.method).map(Method::full_name);
        let message = format!(
            "The result of {} is {} bytes long",
            name.unwrap_or_default(),
            text.len()
        );
        settlement = Err(CallError::of_bridge("result_too_large", message));
    }
    (call.call, bytes, settlement)
}
