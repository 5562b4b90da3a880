//! Runs one script in a worker, from the request to the outcome.

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
use crate::limits::{Limits, MAX_JSON_BYTES};
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
}

/// Why a worker cannot be used any more.
pub enum WorkerError {
    Late,
    Pipe(io::Error),
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

type PendingCalls<'a> =
    FuturesUnordered<Pin<Box<dyn Future<Output = (u32, Settlement)> + Send + 'a>>>;

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
        let ended = loop {
            // If the limit of concurrent calls is reached, stop receiving until a call is finished.
            let receiving = if pending.len() < self.limits.calls_at_once {
                Receiving::Enabled
            } else {
                Receiving::Paused
            };
            tokio::select! {
                message = worker.receive(receiving) => {
                    match self.handle(message.map_err(WorkerError::Pipe)?, request, methods)? {
                        Received::Call { call, method, arguments } => {
                            pending.push(Box::pin(handle_call(host, call, method, arguments)));
                        }
                        Received::Nothing => {}
                        Received::ScriptEnd(ended) => break ended,
                    }
                }
                Some((call, settlement)) = pending.next() => {
                    self.settled(call, &settlement);
                    worker.queue(&ToWorker::Settle { request, call, settlement });
                }
                () = &mut killed => return Err(WorkerError::Late),
            }
        };
        // Calls that the script did not await are finished, not cancelled.
        while let Ok(Some((call, settlement))) =
            tokio::time::timeout_at(deadline, pending.next()).await
        {
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

/// Calls the host and converts its result for the worker.
async fn handle_call(
    host: &dyn CallHandler,
    call: u32,
    method: &Method,
    arguments: String,
) -> (u32, Settlement) {
    let arguments = match serde_json::from_str(&arguments) {
        Ok(arguments) => arguments,
        Err(problem) => {
            let message = format!("The arguments cannot be parsed: {problem}");
            return (call, Err(CallError::of_bridge("invalid_params", message)));
        }
    };
    let name = method.full_name();
    let settlement = host.call(&name, arguments).await.and_then(|result| {
        let text = result.to_string();
        if text.len() > MAX_JSON_BYTES {
            let message = format!("The result of {name} is {} bytes long", text.len());
            return Err(CallError::of_bridge("result_too_large", message));
        }
        Ok(text)
    });
    (call, settlement)
}
