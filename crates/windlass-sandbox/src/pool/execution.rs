//! Runs one script in a worker, from the request to the outcome.

use std::io;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::calls::{Calls, milliseconds_since};
use super::open_calls::{OpenCall, OpenCalls};
use super::process::{Receiving, Worker};
use crate::call_handler::CallHandler;
use crate::limits::{Limits, MAX_ARGUMENT_BYTES};
use crate::method::Method;
use crate::outcome::{ErrorCode, Failure, LogEntry, Outcome};
use crate::spin::Spin;
use crate::wire::{FromWorker, ScriptEnd, Settlement, ToWorker};

/// How long to look for the first message of a script before sleeping: what most short scripts take.
const SPIN_AT_START: Duration = Duration::from_micros(200);

/// How long to look for the next message: what scripts do between two calls.
const SPIN_BETWEEN_CALLS: Duration = Duration::from_micros(50);

/// How long other tasks of the thread wait for a script that makes one call after another.
const LONGEST_TURN: Duration = Duration::from_micros(500);

/// How many results are collected before they are sent: the worker goes on with these meanwhile.
const RESULTS_AT_ONCE: usize = 8;

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

    /// Handles the calls of a script until it ends. The thread stays at it while there is something to
    /// do or a message is expected soon; only then it sleeps.
    pub async fn run(
        &mut self,
        worker: &mut Worker,
        request: u32,
        grace: Duration,
        methods: &[Method],
        host: &dyn CallHandler,
        starts: &Spin,
    ) -> Result<ScriptEnd, WorkerError> {
        let deadline = tokio::time::Instant::now() + self.limits.timeout;
        let killed_at = deadline + grace;
        let killed = tokio::time::sleep_until(killed_at);
        tokio::pin!(killed);
        let mut open = OpenCalls::new(host, methods, self.limits.calls_at_once);
        let between_calls = Spin::default();
        let mut is_first_wait = true;
        let mut busy_since = Instant::now();
        loop {
            self.begin_calls(worker, request, &mut open).await;
            if busy_since.elapsed() > LONGEST_TURN {
                if tokio::time::Instant::now() >= killed_at {
                    return Err(WorkerError::Late);
                }
                tokio::task::yield_now().await;
                busy_since = Instant::now();
            }
            let is_full = worker.is_full();
            // The worker reads no results while it waits to send a call, so calls must be received
            // while results wait.
            let receiving = if open.argument_bytes < MAX_ARGUMENT_BYTES || is_full {
                Receiving::Enabled
            } else {
                Receiving::Paused
            };
            if receiving == Receiving::Enabled {
                match self.receive(worker, request, methods, &mut open)? {
                    Progress::ScriptEnd(ended) => {
                        self.finish_calls(&mut open, deadline).await;
                        return Ok(ended);
                    }
                    Progress::Some => continue,
                    Progress::None => {}
                }
            }
            if !is_full && open.has_startable() {
                continue;
            }
            if receiving == Receiving::Enabled && open.is_empty() && !worker.has_unsent() {
                let arrived = if std::mem::take(&mut is_first_wait) {
                    look(worker, starts, SPIN_AT_START)?
                } else {
                    look(worker, &between_calls, SPIN_BETWEEN_CALLS)?
                };
                if arrived {
                    continue;
                }
            }
            tokio::select! {
                changed = worker.changed(receiving) => changed.map_err(WorkerError::Pipe)?,
                Some((call, settlement)) = open.next_settled(), if !is_full => {
                    self.settle(worker, request, call, settlement);
                }
                () = &mut killed => return Err(WorkerError::Late),
            }
            busy_since = Instant::now();
        }
    }

    /// Begins calls and sends results. Results that the worker has not read yet are bounded: calls that
    /// it did not await would otherwise fill the memory of the host.
    async fn begin_calls(&mut self, worker: &mut Worker, request: u32, open: &mut OpenCalls<'_>) {
        for _ in 0..RESULTS_AT_ONCE {
            if worker.is_full() {
                break;
            }
            let Some((call, settlement)) = open.begin().await else {
                break;
            };
            self.settle(worker, request, call, settlement);
        }
        worker.send();
    }

    /// Handles the messages that have arrived.
    fn receive(
        &mut self,
        worker: &mut Worker,
        request: u32,
        methods: &[Method],
        open: &mut OpenCalls<'_>,
    ) -> Result<Progress, WorkerError> {
        let mut progress = Progress::None;
        while let Some(message) = worker.message().map_err(WorkerError::Pipe)? {
            match self.handle(message, request, methods)? {
                Received::Call(call) => open.add(call)?,
                Received::Nothing => {}
                Received::ScriptEnd(ended) => return Ok(Progress::ScriptEnd(ended)),
            }
            progress = Progress::Some;
        }
        if matches!(progress, Progress::None) && worker.receive().map_err(WorkerError::Pipe)? {
            progress = Progress::Some;
        }
        Ok(progress)
    }

    /// Calls that the script did not await are finished, not cancelled, up to the deadline.
    async fn finish_calls(&mut self, open: &mut OpenCalls<'_>, deadline: tokio::time::Instant) {
        while tokio::time::Instant::now() < deadline {
            let settled = match open.begin().await {
                Some(settled) => Some(settled),
                None => tokio::time::timeout_at(deadline, open.next_settled())
                    .await
                    .ok()
                    .flatten(),
            };
            let Some((call, settlement)) = settled else {
                break;
            };
            self.settled(call, &settlement);
        }
    }

    fn settle(&mut self, worker: &mut Worker, request: u32, call: u32, settlement: Settlement) {
        self.settled(call, &settlement);
        worker.queue(&ToWorker::Settle {
            request,
            call,
            settlement,
        });
    }

    fn settled(&mut self, call: u32, settlement: &Settlement) {
        let error = settlement.as_ref().err().map(|error| error.code.clone());
        self.calls.end(call, error);
    }

    /// Handles a message of a worker. The worker is not trusted to respect its limits.
    fn handle(
        &mut self,
        message: FromWorker,
        request: u32,
        methods: &[Method],
    ) -> Result<Received, WorkerError> {
        let broken = || WorkerError::Pipe(io::ErrorKind::InvalidData.into());
        self.has_received = true;
        match message {
            FromWorker::Call {
                request: of,
                call,
                method,
                arguments,
            } if of == request && call as usize == self.calls.count() => {
                let method = method as usize;
                if method >= methods.len() || self.calls.count() >= self.limits.calls {
                    return Err(broken());
                }
                self.calls.begin(method);
                Ok(Received::Call(OpenCall {
                    call,
                    method,
                    arguments,
                }))
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
    pub fn conclude(self, exchange: Exchange, methods: &[Method], began: Instant) -> Outcome {
        match exchange {
            Exchange::ScriptEnd(ended) => {
                let mut outcome = self.finish(ended.result, methods, began);
                outcome.truncated = ended.truncated;
                outcome.warnings = ended.warnings;
                outcome.logs_truncated |= ended.logs_truncated;
                outcome
            }
            Exchange::Late => {
                let failure = Failure::timeout(self.limits.timeout);
                self.finish(Err(failure), methods, began)
            }
            Exchange::Refused(failure) => self.finish(Err(failure), methods, began),
            Exchange::Died(how) => {
                let failure = Failure::new(
                    ErrorCode::WorkerCrashed,
                    format!("The process that ran the script exited: {how}"),
                )
                .with_hint("The script may be nested too deeply or too large for the engine.");
                self.finish(Err(failure), methods, began)
            }
        }
    }

    /// Creates the outcome with this result.
    pub fn finish(
        self,
        result: Result<Json, Failure>,
        methods: &[Method],
        began: Instant,
    ) -> Outcome {
        let (calls, calls_unlisted) = self.calls.list(methods);
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

/// Looks at the pipe for a while, and returns whether anything arrived.
fn look(worker: &mut Worker, spin: &Spin, most: Duration) -> Result<bool, WorkerError> {
    let arrived = spin.until(most, || match worker.receive() {
        Ok(false) => None,
        other => Some(other),
    });
    arrived.unwrap_or(Ok(false)).map_err(WorkerError::Pipe)
}

/// What came of looking for messages.
enum Progress {
    None,
    Some,
    ScriptEnd(ScriptEnd),
}

/// A message of a worker, after its checks.
enum Received {
    Call(OpenCall),
    Nothing,
    ScriptEnd(ScriptEnd),
}
