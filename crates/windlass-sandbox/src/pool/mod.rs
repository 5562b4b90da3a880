//! The host's side: a pool of workers, and the execution of scripts.

mod calls;
mod execution;
mod open_calls;
mod process;
mod unsent;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use self::execution::{Exchange, Execution};
use self::process::Worker;
use crate::call_handler::CallHandler;
use crate::limits::{Limits, MAX_ARGUMENT_BYTES, MAX_CODE_BYTES};
use crate::method::Method;
use crate::outcome::{ErrorCode, Failure, Outcome};
use crate::spin::Spin;
use crate::wire::ToWorker;

/// How a worker is started: the same executable, with an argument that makes it call
/// [`worker_main`](crate::worker_main).
#[derive(Clone, Debug)]
pub struct WorkerCommand {
    pub program: std::path::PathBuf,
    pub args: Vec<std::ffi::OsString>,
}

/// The size of the pool, and its time limits.
#[derive(Clone, Debug)]
pub struct PoolOptions {
    /// The number of idle workers. An idle worker responds thirty times faster than a new one.
    pub idle: usize,
    /// The number of workers that run at the same time. Further scripts wait.
    pub most: usize,
    /// How long after its deadline a worker is killed.
    pub grace: Duration,
}

impl Default for PoolOptions {
    fn default() -> Self {
        Self {
            idle: 2,
            most: 8,
            grace: Duration::from_millis(100),
        }
    }
}

/// A request to run a script.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its source.
    pub code: String,
    /// Its limits, which are clamped to the allowed range.
    pub limits: Limits,
    /// Whether it is run even if the kernel does not restrict workers.
    pub unjailed: bool,
}

/// Workers, and the scripts that wait for them. Cheap to clone. The workers exit with the last
/// clone.
#[derive(Clone)]
pub struct Pool {
    inner: Arc<Inner>,
}

struct Inner {
    command: WorkerCommand,
    options: PoolOptions,
    methods: Arc<[Method]>,
    /// The first message to every worker.
    setup: ToWorker,
    idle: Mutex<VecDeque<Worker>>,
    /// Fair: the script that has waited longest runs first.
    slots: Semaphore,
    requests: AtomicU32,
    /// Whether it pays off to look for the end of a short script.
    starts: Spin,
    jail: AtomicU8,
}

const JAIL_UNKNOWN: u8 = 0;
const JAIL_OPEN: u8 = 1;
const JAIL_CLOSED: u8 = 2;

impl Pool {
    /// Creates a pool without workers.
    pub fn new(command: WorkerCommand, methods: Vec<Method>, options: PoolOptions) -> Self {
        let setup = ToWorker::Setup {
            methods: methods.clone(),
        };
        Self {
            inner: Arc::new(Inner {
                slots: Semaphore::new(options.most.max(1)),
                command,
                options,
                methods: methods.into(),
                setup,
                idle: Mutex::default(),
                requests: AtomicU32::new(0),
                starts: Spin::default(),
                jail: AtomicU8::new(JAIL_UNKNOWN),
            }),
        }
    }

    /// Starts an idle worker, unless there are enough. Must be called within a runtime.
    pub fn warm(&self) {
        let busy = self.inner.options.most.max(1) - self.inner.slots.available_permits();
        if self.inner.idle().len() + busy >= self.inner.options.idle {
            return;
        }
        // If that fails, the next script that needs a worker reports the reason.
        if let Ok(worker) = self.inner.start() {
            self.inner.return_worker(worker);
        }
    }

    /// Starts a worker if none is idle, and returns whether the kernel filters its system calls.
    pub async fn check_jail(&self) -> std::io::Result<bool> {
        let mut worker = match self.inner.take_idle() {
            Some(worker) => worker,
            None => self.inner.start()?,
        };
        let jailed = worker.ready().await?;
        self.inner.return_worker(worker);
        Ok(jailed)
    }

    /// Whether the kernel filters the system calls of workers. `None` before the first script.
    pub fn is_jailed(&self) -> Option<bool> {
        match self.inner.jail.load(Ordering::Relaxed) {
            JAIL_CLOSED => Some(true),
            JAIL_OPEN => Some(false),
            _ => None,
        }
    }

    /// The process ids of the idle workers.
    pub fn idle_workers(&self) -> Vec<u32> {
        self.inner.idle().iter().filter_map(Worker::pid).collect()
    }

    /// Runs a script until it ends, and passes its calls to `host`. Dropping the future stops the
    /// script at once.
    pub async fn execute(&self, request: Request, host: &dyn CallHandler) -> Outcome {
        let limits = request.limits.clone().clamped();
        if request.code.len() > MAX_CODE_BYTES {
            let length = request.code.len();
            let failure = Failure::new(
                ErrorCode::InvalidParams,
                format!("The code is {length} bytes long; at most {MAX_CODE_BYTES} are allowed"),
            );
            return Execution::new(limits).finish(Err(failure), &[], Instant::now());
        }
        // The semaphore is never closed.
        let slot = self.inner.slots.acquire().await;
        let outcome = self.inner.execute(limits, &request, host).await;
        drop(slot);
        // A discarded worker is replaced before the next script needs it, and a second worker is
        // available while the first prepares its next engine.
        self.warm();
        outcome
    }
}

impl Inner {
    fn idle(&self) -> MutexGuard<'_, VecDeque<Worker>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start(&self) -> std::io::Result<Worker> {
        Worker::start(&self.command, &self.setup)
    }

    fn return_worker(&self, worker: Worker) {
        let mut idle = self.idle();
        if idle.len() < self.options.idle {
            idle.push_back(worker);
        }
    }

    /// The idle worker that has waited longest, and is therefore most likely to be ready, if it is
    /// still alive.
    fn take_idle(&self) -> Option<Worker> {
        loop {
            let mut worker = self.idle().pop_front()?;
            if worker.is_alive() {
                return Some(worker);
            }
        }
    }

    async fn execute(&self, limits: Limits, request: &Request, host: &dyn CallHandler) -> Outcome {
        if let Some(worker) = self.take_idle() {
            let mut execution = Execution::new(limits.clone());
            let began = Instant::now();
            match self.exchange(worker, &mut execution, request, host).await {
                // The worker exited while it was idle, and the script has not started.
                Exchange::Died(_) if !execution.has_received => {}
                exchange => return execution.conclude(exchange, &self.methods, began),
            }
        }
        let mut execution = Execution::new(limits);
        let began = Instant::now();
        let exchange = match self.start() {
            Ok(worker) => self.exchange(worker, &mut execution, request, host).await,
            Err(problem) => Exchange::Died(format!("it could not be started: {problem}")),
        };
        execution.conclude(exchange, &self.methods, began)
    }

    async fn exchange(
        &self,
        mut worker: Worker,
        execution: &mut Execution,
        script: &Request,
        host: &dyn CallHandler,
    ) -> Exchange {
        match worker.ready().await {
            Ok(true) => self.jail.store(JAIL_CLOSED, Ordering::Relaxed),
            Ok(false) => {
                self.jail.store(JAIL_OPEN, Ordering::Relaxed);
                if !script.unjailed {
                    return Exchange::Refused(Failure::not_isolated());
                }
            }
            Err(problem) => return Exchange::Died(worker.exit_reason(&problem).await),
        }
        let request = self.requests.fetch_add(1, Ordering::Relaxed);
        let run = ToWorker::Run {
            request,
            limits: execution.limits.clone(),
            code: script.code.clone(),
        };
        worker.queue(&run);
        let exchange = execution
            .run(
                &mut worker,
                request,
                self.options.grace,
                &self.methods,
                host,
                &self.starts,
            )
            .await;
        match exchange {
            Ok(ended) if ended.spent || worker.has_unread() => Exchange::ScriptEnd(ended),
            Ok(ended) => {
                self.return_worker(worker);
                Exchange::ScriptEnd(ended)
            }
            Err(execution::WorkerError::Late) => Exchange::Late,
            Err(execution::WorkerError::Overloaded) => {
                Exchange::Refused(Failure::too_many_arguments(2 * MAX_ARGUMENT_BYTES))
            }
            Err(execution::WorkerError::Pipe(problem)) => {
                Exchange::Died(worker.exit_reason(&problem).await)
            }
        }
    }
}
