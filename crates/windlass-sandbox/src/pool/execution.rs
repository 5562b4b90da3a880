//! One script and its worker, from the request to the outcome.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::time::{Duration, Instant};

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use serde_json::Value as Json;

use super::calls::{Calls, milliseconds_since};
use super::process::{Attention, Worker};
use crate::call_handler::{CallError, CallHandler};
use crate::limits::{Limits, MAX_JSON_BYTES};
use crate::method::Method;
use crate::outcome::{ErrorCode, Failure, LogEntry, Outcome};
use crate::wire::{FromWorker, ScriptEnd, Settlement, ToWorker};

/// How an exchange with a worker ended.
pub enum Exchange {
    /// The worker said so.
    ScriptEnd(ScriptEnd),
    /// The worker did not, and was killed.
    Late,
    /// The worker is gone, in this way.
    Died(String),
}

/// Why a worker is of no more use.
pub enum Broken {
    Late,
    Pipe(io::Error),
}

/// What is known of a script while it runs.
pub struct Execution {
    pub limits: Limits,
    /// Whether the worker has said anything.
    pub has_heard: bool,
    logs: Vec<LogEntry>,
    log_bytes: usize,
    calls: Calls,
}

type Answering<'a> = FuturesUnordered<Pin<Box<dyn Future<Output = (u32, Settlement)> + Send + 'a>>>;

impl Execution {
    /// Nothing is known yet.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            has_heard: false,
            logs: Vec::new(),
            log_bytes: 0,
            calls: Calls::default(),
        }
    }

    /// Answers the calls of a script until it has ended.
    pub async fn run(
        &mut self,
        worker: &mut Worker,
        request: u32,
        grace: Duration,
        methods: &[Method],
        host: &dyn CallHandler,
    ) -> Result<ScriptEnd, Broken> {
        let deadline = tokio::time::Instant::now() + self.limits.timeout;
        let killed = tokio::time::sleep_until(deadline + grace);
        tokio::pin!(killed);
        let mut answering: Answering<'_> = FuturesUnordered::new();
        let ended = loop {
            // A worker that calls faster than it is answered has to wait.
            let attention = if answering.len() < self.limits.calls_at_once {
                Attention::Full
            } else {
                Attention::OnlySpeak
            };
            tokio::select! {
                message = worker.hear(attention) => {
                    match self.heard(message.map_err(Broken::Pipe)?, request, methods)? {
                        Heard::Call { call, method, arguments } => {
                            answering.push(Box::pin(answer(host, call, method, arguments)));
                        }
                        Heard::Nothing => {}
                        Heard::ScriptEnd(ended) => break ended,
                    }
                }
                Some((call, settlement)) = answering.next() => {
                    self.settled(call, &settlement);
                    worker.say(&ToWorker::Settle { request, call, settlement });
                }
                () = &mut killed => return Err(Broken::Late),
            }
        };
        // What the script has begun is not cut off in the middle because it did not wait for it.
        while let Ok(Some((call, settlement))) =
            tokio::time::timeout_at(deadline, answering.next()).await
        {
            self.settled(call, &settlement);
        }
        Ok(ended)
    }

    fn settled(&mut self, call: u32, settlement: &Settlement) {
        let error = settlement.as_ref().err().map(|error| error.code.clone());
        self.calls.end(call, error);
    }

    /// Takes in what a worker says. It is not trusted to keep to its limits.
    fn heard<'m>(
        &mut self,
        message: FromWorker,
        request: u32,
        methods: &'m [Method],
    ) -> Result<Heard<'m>, Broken> {
        let broken = || Broken::Pipe(io::ErrorKind::InvalidData.into());
        self.has_heard = true;
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
                Ok(Heard::Call {
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
                // A mark at the end of what was cut is not counted by the worker.
                if self.log_bytes <= self.limits.log_bytes + 8 {
                    self.logs.push(LogEntry { level, text });
                }
                Ok(Heard::Nothing)
            }
            FromWorker::Done { request: of, ended } if of == request => Ok(Heard::ScriptEnd(ended)),
            _ => Err(broken()),
        }
    }

    /// The outcome of an exchange.
    pub fn conclude(self, exchange: Exchange, began: Instant) -> Outcome {
        match exchange {
            Exchange::ScriptEnd(ended) => {
                let mut outcome = self.finish(ended.result, began);
                outcome.truncated = ended.truncated;
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
                    format!("The process that ran the script is gone: {how}"),
                )
                .with_hint("The script may be nested or large beyond what the engine bears.");
                self.finish(Err(failure), began)
            }
        }
    }

    /// The outcome, with this result.
    pub fn finish(self, result: Result<Json, Failure>, began: Instant) -> Outcome {
        let (calls, calls_unlisted) = self.calls.list();
        Outcome {
            result,
            truncated: false,
            logs: self.logs,
            logs_truncated: self.log_bytes > self.limits.log_bytes + 8,
            calls,
            calls_unlisted,
            milliseconds: milliseconds_since(began),
        }
    }
}

/// What a worker said.
enum Heard<'m> {
    Call {
        call: u32,
        method: &'m Method,
        arguments: String,
    },
    Nothing,
    ScriptEnd(ScriptEnd),
}

/// Asks the host, and makes of its answer what can be sent.
async fn answer(
    host: &dyn CallHandler,
    call: u32,
    method: &Method,
    arguments: String,
) -> (u32, Settlement) {
    let arguments = match serde_json::from_str(&arguments) {
        Ok(arguments) => arguments,
        Err(problem) => {
            let message = format!("The arguments cannot be read: {problem}");
            return (call, Err(CallError::of_bridge("invalid_params", message)));
        }
    };
    let name = method.full_name();
    let settlement = host.call(&name, arguments).await.and_then(|answer| {
        let text = answer.to_string();
        if text.len() > MAX_JSON_BYTES {
            let message = format!("The answer of {name} is {} bytes long", text.len());
            return Err(CallError::of_bridge("result_too_large", message));
        }
        Ok(text)
    });
    (call, settlement)
}
