//! The state of a worker while a script runs.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::pipe::Pipe;
use super::text::well_formed;
use crate::limits::Limits;
use crate::outcome::{Failure, Level};
use crate::wire::{FromWorker, ScriptEnd};

/// The state of a worker while a script runs.
pub struct State {
    pub pipe: Rc<Pipe>,
    request: Cell<u32>,
    /// The limits of the running script, if any.
    limits: RefCell<Option<Limits>>,
    deadline: Cell<Option<Instant>>,
    memory_used: Cell<usize>,
    memory_most: Cell<usize>,
    memory_limit: Cell<usize>,
    calls_made: Cell<u32>,
    /// The number of calls without a result yet.
    waiting: Cell<usize>,
    log_left: Cell<usize>,
    logs_truncated: Cell<bool>,
    timers: RefCell<BTreeSet<(Instant, u32)>>,
    timers_made: Cell<u32>,
}

impl State {
    /// Creates the state of an idle worker.
    pub fn new(pipe: Rc<Pipe>) -> Rc<Self> {
        Rc::new(Self {
            pipe,
            request: Cell::new(0),
            limits: RefCell::default(),
            deadline: Cell::new(None),
            memory_used: Cell::new(0),
            memory_most: Cell::new(0),
            memory_limit: Cell::new(usize::MAX),
            calls_made: Cell::new(0),
            waiting: Cell::new(0),
            log_left: Cell::new(0),
            logs_truncated: Cell::new(false),
            timers: RefCell::default(),
            timers_made: Cell::new(0),
        })
    }

    /// Starts a script.
    pub fn begin(&self, request: u32, limits: &Limits) {
        self.request.set(request);
        self.deadline.set(Some(Instant::now() + limits.timeout));
        self.memory_limit.set(limits.memory_bytes);
        self.limits.replace(Some(limits.clone()));
        self.log_left.set(limits.log_bytes);
    }

    pub fn request(&self) -> u32 {
        self.request.get()
    }

    pub fn logs_truncated(&self) -> bool {
        self.logs_truncated.get()
    }

    /// Ends the script if its deadline has passed.
    pub fn check_deadline(&self) {
        if self
            .deadline
            .get()
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            self.end(Failure::timeout(self.limits().timeout));
        }
    }

    /// Ends the script if replacing `less` bytes by `more` would exceed the limit.
    pub fn check_memory(&self, more: usize, less: usize) {
        let used = self.memory_used.get().saturating_sub(less);
        if used.saturating_add(more) > self.memory_limit.get() {
            self.end(Failure::memory_limit(self.limits().memory_bytes));
        }
    }

    /// Counts `more` bytes instead of `less`.
    pub fn use_memory(&self, more: usize, less: usize) {
        let used = self.memory_used.get().saturating_sub(less) + more;
        self.memory_used.set(used);
        self.memory_most.set(self.memory_most.get().max(used));
    }

    /// The peak memory use.
    pub fn peak_memory(&self) -> usize {
        self.memory_most.get()
    }

    /// Sends a call, and returns its number.
    pub fn call(&self, method: u32, arguments: String) -> u32 {
        self.check_deadline();
        let call = self.calls_made.get();
        let most = self.limits().calls;
        if call as usize >= most {
            self.end(Failure::too_many_calls(most));
        }
        self.calls_made.set(call + 1);
        self.waiting.set(self.waiting.get() + 1);
        self.send(&FromWorker::Call {
            request: self.request(),
            call,
            method,
            arguments: well_formed(arguments),
        });
        call
    }

    /// Records that a call has a result.
    pub fn call_settled(&self) {
        self.waiting.set(self.waiting.get().saturating_sub(1));
    }

    /// Whether there is nothing left that the script could wait for.
    pub fn has_nothing_pending(&self) -> bool {
        self.waiting.get() == 0 && self.timers.borrow().is_empty()
    }

    /// Logs a text, unless the log is full.
    pub fn log(&self, level: Level, mut text: String) {
        let left = self.log_left.get();
        if left == 0 {
            self.logs_truncated.set(true);
            return;
        }
        if text.len() > left {
            let end = (0..=left).rev().find(|at| text.is_char_boundary(*at));
            text.truncate(end.unwrap_or(0));
            text.push('…');
            self.logs_truncated.set(true);
        }
        // An empty line counts too.
        self.log_left.set(left.saturating_sub(text.len().max(1)));
        self.send(&FromWorker::Log {
            request: self.request(),
            level,
            text,
        });
    }

    /// Sets a timer and returns its number, or `None` if it is due after the deadline.
    pub fn set_timer(&self, milliseconds: f64) -> Option<u32> {
        let after = Duration::try_from_secs_f64(milliseconds.max(0.0) / 1000.0).ok()?;
        let due = Instant::now().checked_add(after)?;
        if self.deadline.get().is_none_or(|deadline| due >= deadline) {
            return None;
        }
        let timer = self.timers_made.get();
        self.timers_made.set(timer + 1);
        self.timers.borrow_mut().insert((due, timer));
        Some(timer)
    }

    /// Cancels a timer.
    pub fn clear_timer(&self, timer: u32) {
        self.timers
            .borrow_mut()
            .retain(|(_, other)| *other != timer);
    }

    /// Removes and returns the next timer that is due.
    pub fn due_timer(&self) -> Option<u32> {
        let mut timers = self.timers.borrow_mut();
        let first = timers.first()?;
        if first.0 > Instant::now() {
            return None;
        }
        timers.pop_first().map(|(_, timer)| timer)
    }

    /// The time of the next timer or of the deadline.
    pub fn next_event(&self) -> Option<Instant> {
        let timer = self.timers.borrow().first().map(|(due, _)| *due);
        timer.into_iter().chain(self.deadline.get()).min()
    }

    fn limits(&self) -> Limits {
        self.limits.borrow().clone().unwrap_or_default()
    }

    /// Ends the script and the worker. Nothing inside an engine reliably ends a script: exceptions
    /// can be caught in many ways.
    fn end(&self, failure: Failure) -> ! {
        let ended = ScriptEnd {
            result: Err(failure),
            truncated: false,
            logs_truncated: self.logs_truncated(),
            warnings: Vec::new(),
            spent: true,
        };
        self.send(&FromWorker::Done {
            request: self.request(),
            ended,
        });
        self.flush();
        super::exit_now(0);
    }

    /// Sends what waits for more: a script that does not wait for its calls has made them all the same.
    pub fn flush(&self) {
        if self.pipe.flush().is_err() {
            super::exit_now(0);
        }
    }

    /// If the host cannot receive, it has exited, and the worker exits too.
    fn send(&self, message: &FromWorker) {
        if self.pipe.send(message).is_err() {
            super::exit_now(0);
        }
    }
}
