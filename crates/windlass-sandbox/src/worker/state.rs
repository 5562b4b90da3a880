//! What a worker keeps while a script runs.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::pipe::Pipe;
use super::text::well_formed;
use crate::limits::Limits;
use crate::outcome::{Failure, Level};
use crate::wire::{FromWorker, ScriptEnd};

/// What a worker keeps while a script runs.
pub struct State {
    pub pipe: Rc<Pipe>,
    request: Cell<u32>,
    /// What the script may use, while one runs.
    limits: RefCell<Option<Limits>>,
    deadline: Cell<Option<Instant>>,
    memory_used: Cell<usize>,
    memory_most: Cell<usize>,
    memory_limit: Cell<usize>,
    calls_made: Cell<u32>,
    /// Calls that were not answered yet.
    waiting: Cell<usize>,
    log_left: Cell<usize>,
    logs_truncated: Cell<bool>,
    timers: RefCell<BTreeSet<(Instant, u32)>>,
    timers_made: Cell<u32>,
}

impl State {
    /// Nothing runs.
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

    /// A script begins.
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

    /// Ends the script if its deadline has come.
    pub fn check_deadline(&self) {
        if self
            .deadline
            .get()
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            self.end(Failure::timeout(self.limits().timeout));
        }
    }

    /// Ends the script if it cannot have `more` bytes in place of `less`.
    pub fn check_memory(&self, more: usize, less: usize) {
        let used = self.memory_used.get().saturating_sub(less);
        if used.saturating_add(more) > self.memory_limit.get() {
            self.end(Failure::memory_limit(self.limits().memory_bytes));
        }
    }

    /// Counts `more` bytes in place of `less`.
    pub fn use_memory(&self, more: usize, less: usize) {
        let used = self.memory_used.get().saturating_sub(less) + more;
        self.memory_used.set(used);
        self.memory_most.set(self.memory_most.get().max(used));
    }

    /// The most memory that was used at any time.
    pub fn most_memory(&self) -> usize {
        self.memory_most.get()
    }

    /// Makes a call, and says by which number it will be answered.
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

    /// A call was answered.
    pub fn answered(&self) {
        self.waiting.set(self.waiting.get().saturating_sub(1));
    }

    /// Whether nothing can come any more that the script could wait for.
    pub fn is_quiet(&self) -> bool {
        self.waiting.get() == 0 && self.timers.borrow().is_empty()
    }

    /// Logs something, as long as there is room.
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
        // An empty line is not for nothing either.
        self.log_left.set(left.saturating_sub(text.len().max(1)));
        self.send(&FromWorker::Log {
            request: self.request(),
            level,
            text,
        });
    }

    /// Sets a timer, and says its number: none if the script cannot live to see it.
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

    /// Takes a timer back.
    pub fn clear_timer(&self, timer: u32) {
        self.timers
            .borrow_mut()
            .retain(|(_, other)| *other != timer);
    }

    /// Takes out the next timer that is due.
    pub fn due_timer(&self) -> Option<u32> {
        let mut timers = self.timers.borrow_mut();
        let first = timers.first()?;
        if first.0 > Instant::now() {
            return None;
        }
        timers.pop_first().map(|(_, timer)| timer)
    }

    /// When something happens unless the host says something first.
    pub fn next_event(&self) -> Option<Instant> {
        let timer = self.timers.borrow().first().map(|(due, _)| *due);
        timer.into_iter().chain(self.deadline.get()).min()
    }

    fn limits(&self) -> Limits {
        self.limits.borrow().clone().unwrap_or_default()
    }

    /// Ends the script, and the worker with it. Nothing inside of an engine ends a script so surely:
    /// what is thrown can be caught in many ways.
    fn end(&self, failure: Failure) -> ! {
        let ended = ScriptEnd {
            result: Err(failure),
            truncated: false,
            logs_truncated: self.logs_truncated(),
            spent: true,
        };
        self.send(&FromWorker::Done {
            request: self.request(),
            ended,
        });
        super::leave(0);
    }

    /// A host that does not hear has gone, and the script goes with it.
    fn send(&self, message: &FromWorker) {
        if self.pipe.send(message).is_err() {
            super::leave(0);
        }
    }
}
