//! Runs one script in a worker, from the request to the outcome.

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::time::{Duration, Instant};

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use serde_json::Value as Json;

use super::calls::{Calls, milliseconds_since};
use super::process::{Receiving, Worker};
use crate::call_handler::{CallError, CallHandler};
use crate::limits::{Limits, MAX_ARGUMENT_BYTES, MAX_JSON_BYTES};
use crate::method::Method;
use crate::outcome::{ErrorCode, Failure, LogEntry, Outcome};
use crate::wire::{FromWorker, ScriptEnd, Settlement, ToWorker};

/// How an exchange with a worker ended.
pub enum Exchange {
    /// The worker reported the end of the script.
    ScriptEnd(ScriptEnd),
    /// The worker did not finish in time and was killed.
    Late,
    /// The worker exited; the text says how.
    Died(String),
    /// The script was not started or was stopped by the host.
    Refused(Failure),
}

/// Why a worker cannot be used any more.
pub enum WorkerError {
    Late,
    Pipe(io::Error),
    /// Its script holds too much in its calls.
    Overloaded,
}

/// The state of a running script.
pub struct Execution {
    pub limits: Limits,
    /// Whether the worker has sent any message.
    pub has_received: bool,
    logs: Vec<LogEntry>,
    log_bytes: usize,
    calls: Calls,
}

/// The number of a call, how long its arguments are, and its result.
type Settled = (u32, usize, Settlement);
type PendingCalls<'a> = FuturesUnordered<Pin<Box<dyn Future<Output = Settled> + Send + 'a>>>;

impl Execution {
    /// Creates the state of a script that has not started.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            has_received: false,
            logs: Vec::new(),
            log_bytes: 0,
            calls: Calls::default(),
        }
    }

    /// Handles the calls of a script until it ends.
    pub async fn run(
        &mut self,
        worker: &mut Worker,
        request: u32,
        grace: Duration,
        methods: &[Method],
        host: &dyn CallHandler,
    ) -> Result<ScriptEnd, WorkerError> {
        let deadline = tokio::time::Instant::now() + self.limits.timeout;
        let killed = tokio::time::sleep_until(deadline + grace);
        tokio::pin!(killed);
        let mut pending: PendingCalls<'_> = FuturesUnordered::new();
        let mut waiting = VecDeque::new();
        // The bytes of the arguments of all calls without a result.
        let mut argument_bytes = 0;
        let ended = loop {
            // Results that the worker has not read yet are bounded: calls that it did not await would
            // otherwise fill the memory of the host.
            let is_full = worker.is_full();
            if !is_full {
                begin_calls(host, &mut waiting, &mut pending, self.limits.calls_at_once);
            }
            // The worker reads no results while it waits to send a call, so calls must be received
            // while results wait.
            let receiving = if argument_bytes < MAX_ARGUMENT_BYTES || is_full {
                Receiving::Enabled
            } else {
                Receiving::Paused
            };
            tokio::select! {
                message = worker.receive(receiving) => {
                    let Some(message) = message.map_err(WorkerError::Pipe)? else {
                        continue;
                    };
                    match self.handle(message, request, methods)? {
                        Received::Call { call, method, arguments } => {
                            argument_bytes += arguments.len();
                            if argument_bytes > 2 * MAX_ARGUMENT_BYTES {
                                return Err(WorkerError::Overloaded);
                            }
                            waiting.push_back((call, method, arguments));
                        }
                        Received::Nothing => {}
                        Received::ScriptEnd(ended) => break ended,
                    }
                }
                Some((call, bytes, settlement)) = pending.next(), if !is_full => {
                    argument_bytes -= bytes;
                    self.settled(call, &settlement);
                    worker.queue(&ToWorker::Settle { request, call, settlement });
                }
                () = &mut killed => return Err(WorkerError::Late),
            }
        };
        // Calls that the script did not await are finished, not cancelled, up to the deadline.
        while tokio::time::Instant::now() < deadline {
            begin_calls(host, &mut waiting, &mut pending, self.limits.calls_at_once);
            let Ok(Some((call, _, settlement))) =
                tokio::time::timeout_at(deadline, pending.next()).await
            else {
                break;
            };
            self.settled(call, &settlement);
        }
        Ok(ended)
    }

    fn settled(&mut self, call: u32, settlement: &Settlement) {
        let error = settlement.as_ref().err().map(|error| error.code.clone());
        self.calls.end(call, error);
    }

    /// Handles a message of a worker. The worker is not trusted to respect its limits.
    fn handle<'m>(
        &mut self,
        message: FromWorker,
        request: u32,
        methods: &'m [Method],
    ) -> Result<Received<'m>, WorkerError> {
        let broken = || WorkerError::Pipe(io::ErrorKind::InvalidData.into());
        self.has_received = true;
        match message {
            FromWorker::Call {
                request: of,
                call,
                method,
                arguments,
            } if of == request && call as usize == self.calls.count() => {
                let method = methods.get(method as usize).ok_or_else(broken)?;
                if self.calls.count() >= self.limits.calls {
                    return Err(broken());
                }
                self.calls.begin(method.full_name());
                Ok(Received::Call {
                    call,
                    method,
                    arguments,
                })
            }
            FromWorker::Log {
                request: of,
                level,
                text,
            } if of == request => {
                self.log_bytes += text.len();
                // The worker does not count the mark at the end of a text that was cut.
                if self.log_bytes <= self.limits.log_bytes + 8 {
                    self.logs.push(LogEntry { level, text });
                }
                Ok(Received::Nothing)
            }
            FromWorker::Done { request: of, ended } if of == request => {
                Ok(Received::ScriptEnd(ended))
            }
            _ => Err(broken()),
        }
    }

    /// The outcome of an exchange.
    pub fn conclude(self, exchange: Exchange, began: Instant) -> Outcome {
        match exchange {
            Exchange::ScriptEnd(ended) => {
                let mut outcome = self.finish(ended.result, began);
                outcome.truncated = ended.truncated;
                outcome.warnings = ended.warnings;
                outcome.logs_truncated |= ended.logs_truncated;
                outcome
            }
            Exchange::Late => {
                let failure = Failure::timeout(self.limits.timeout);
                self.finish(Err(failure), began)
            }
            Exchange::Refused(failure) => self.finish(Err(failure), began),
            Exchange::Died(how) => {
                let failure = Failure::new(
                    ErrorCode::WorkerCrashed,
                    format!("The process that ran the script exited: {how}"),
                )
                .with_hint("The script may be nested too deeply or too large for the engine.");
                self.finish(Err(failure), began)
            }
        }
    }

    /// Creates the outcome with this result.
    pub fn finish(self, result: Result<Json, Failure>, began: Instant) -> Outcome {
        let (calls, calls_unlisted) = self.calls.list();
        Outcome {
            result,
            truncated: false,
            logs: self.logs,
            logs_truncated: self.log_bytes > self.limits.log_bytes + 8,
            warnings: Vec::new(),
            calls,
            calls_unlisted,
            milliseconds: milliseconds_since(began),
        }
    }
}

/// A message of a worker, after its checks.
enum Received<'m> {
    Call {
        call: u32,
        method: &'m Method,
        arguments: String,
    },
    Nothing,
    ScriptEnd(ScriptEnd),
}

/// Begins calls that wait, the oldest first, until `most` are under way.
fn begin_calls<'a>(
    host: &'a dyn CallHandler,
    waiting: &mut VecDeque<(u32, &'a Method, String)>,
    pending: &mut PendingCalls<'a>,
    most: usize,
) {
    while pending.len() < most
        && let Some((call, method, arguments)) = waiting.pop_front()
    {
        pending.push(Box::pin(handle_call(host, call, method, arguments)));
    }
}

/// Calls the host and converts its result for the worker.
async fn handle_call(
    host: &dyn CallHandler,
    call: u32,
    method: &Method,
    arguments: String,
) -> Settled {
    let bytes = arguments.len();
    let parsed = serde_json::from_str(&arguments);
    drop(arguments);
    let settlement = match parsed {
        Ok(arguments) => result_of(host, method, arguments).await,
        Err(problem) => {
            let message = format!("The arguments cannot be parsed: {problem}");
            Err(CallError::of_bridge("invalid_params", message))
        }
    };
    (call, bytes, settlement)
}

async fn result_of(host: &dyn CallHandler, method: &Method, arguments: Json) -> Settlement {
    let name = method.full_name();
    let text = host.call(&name, arguments).await?.to_string();
    if text.len() > MAX_JSON_BYTES {
        let message = format!("The result of {name} is {} bytes long", text.len());
        return Err(CallError::of_bridge("result_too_large", message));
    }
    Ok(text)
}
