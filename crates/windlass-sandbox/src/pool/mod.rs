//! The host's half: workers that wait for scripts, and what becomes of each script.

mod calls;
mod execution;
mod process;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use self::execution::{Exchange, Execution};
use self::process::Worker;
use crate::call_handler::CallHandler;
use crate::limits::{Limits, MAX_CODE_BYTES};
use crate::method::Method;
use crate::outcome::{ErrorCode, Failure, Outcome};
use crate::wire::ToWorker;

/// How the worker is started: the same executable, with a word that makes it call
/// [`worker_main`](crate::worker_main).
#[derive(Clone, Debug)]
pub struct WorkerCommand {
    pub program: std::path::PathBuf,
    pub args: Vec<std::ffi::OsString>,
}

/// How many workers there are, and how patient one is with them.
#[derive(Clone, Debug)]
pub struct PoolOptions {
    /// Workers that wait for a script. One that waits answers thirty times faster than a new one.
    pub idle: usize,
    /// Workers at the same time. Further scripts wait their turn.
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

/// A script to be run.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its source.
    pub code: String,
    /// What it may use. Brought within the ceilings.
    pub limits: Limits,
}

/// Workers, and the scripts that wait for them. Cheap to clone. Workers end with the last clone.
#[derive(Clone)]
pub struct Pool {
    inner: Arc<Inner>,
}

struct Inner {
    command: WorkerCommand,
    options: PoolOptions,
    methods: Arc<[Method]>,
    /// What every worker is told first.
    setup: Vec<u8>,
    idle: Mutex<VecDeque<Worker>>,
    /// Fair: who waits longest comes first.
    places: Semaphore,
    requests: AtomicU32,
    jail: AtomicU8,
}

const JAIL_UNKNOWN: u8 = 0;
const JAIL_OPEN: u8 = 1;
const JAIL_CLOSED: u8 = 2;

impl Pool {
    /// A pool without a worker yet.
    pub fn new(command: WorkerCommand, methods: Vec<Method>, options: PoolOptions) -> Self {
        let setup = ToWorker::Setup {
            methods: methods.clone(),
        };
        Self {
            inner: Arc::new(Inner {
                places: Semaphore::new(options.most.max(1)),
                command,
                options,
                methods: methods.into(),
                setup: setup.encode(),
                idle: Mutex::default(),
                requests: AtomicU32::new(0),
                jail: AtomicU8::new(JAIL_UNKNOWN),
            }),
        }
    }

    /// Starts a worker that waits, unless there are enough. Must be called within a runtime.
    pub fn warm(&self) {
        let busy = self.inner.options.most.max(1) - self.inner.places.available_permits();
        if self.inner.idle().len() + busy >= self.inner.options.idle {
            return;
        }
        // Where that fails, whoever needs one will be told why there is none.
        if let Ok(worker) = self.inner.start() {
            self.inner.give_back(worker);
        }
    }

    /// Whether the kernel filters the system calls of workers. Not known before the first script.
    pub fn is_jailed(&self) -> Option<bool> {
        match self.inner.jail.load(Ordering::Relaxed) {
            JAIL_CLOSED => Some(true),
            JAIL_OPEN => Some(false),
            _ => None,
        }
    }

    /// The process numbers of the workers that wait.
    pub fn idle_workers(&self) -> Vec<u32> {
        self.inner.idle().iter().filter_map(Worker::pid).collect()
    }

    /// Runs a script to its end, and answers its calls through `host`. Where this is dropped, the
    /// script ends at once.
    pub async fn execute(&self, request: Request, host: &dyn CallHandler) -> Outcome {
        let limits = request.limits.within_ceilings();
        if request.code.len() > MAX_CODE_BYTES {
            let length = request.code.len();
            let failure = Failure::new(
                ErrorCode::InvalidParams,
                format!("The code is {length} bytes long; at most {MAX_CODE_BYTES} are allowed"),
            );
            return Execution::new(limits).finish(Err(failure), Instant::now());
        }
        // The semaphore is never closed.
        let place = self.inner.places.acquire().await;
        let outcome = self.inner.execute(limits, &request.code, host).await;
        drop(place);
        // One that was discarded is replaced before anyone waits for it, and a second one answers
        // while the first makes itself ready again.
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

    fn give_back(&self, worker: Worker) {
        let mut idle = self.idle();
        if idle.len() < self.options.idle {
            idle.push_back(worker);
        }
    }

    /// The one that waits longest, and so is ready most surely, if it still lives.
    fn take(&self) -> Option<Worker> {
        loop {
            let mut worker = self.idle().pop_front()?;
            if worker.is_alive() {
                return Some(worker);
            }
        }
    }

    async fn execute(&self, limits: Limits, code: &str, host: &dyn CallHandler) -> Outcome {
        if let Some(worker) = self.take() {
            let mut execution = Execution::new(limits.clone());
            let began = Instant::now();
            match self.exchange(worker, &mut execution, code, host).await {
                // It has ended while it waited, and the script has not begun.
                Exchange::Died(_) if !execution.has_heard => {}
                exchange => return execution.conclude(exchange, began),
            }
        }
        let mut execution = Execution::new(limits);
        let began = Instant::now();
        let exchange = match self.start() {
            Ok(worker) => self.exchange(worker, &mut execution, code, host).await,
            Err(problem) => Exchange::Died(format!("it could not be started: {problem}")),
        };
        execution.conclude(exchange, began)
    }

    async fn exchange(
        &self,
        mut worker: Worker,
        execution: &mut Execution,
        code: &str,
        host: &dyn CallHandler,
    ) -> Exchange {
        match worker.ready().await {
            Ok(true) => self.jail.store(JAIL_CLOSED, Ordering::Relaxed),
            Ok(false) => self.jail.store(JAIL_OPEN, Ordering::Relaxed),
            Err(problem) => return Exchange::Died(worker.fate(&problem).await),
        }
        let request = self.requests.fetch_add(1, Ordering::Relaxed);
        let run = ToWorker::Run {
            request,
            limits: execution.limits.clone(),
            code: code.to_owned(),
        };
        worker.say(&run);
        let exchange = execution
            .run(
                &mut worker,
                request,
                self.options.grace,
                &self.methods,
                host,
            )
            .await;
        match exchange {
            Ok(ended) if ended.spent => Exchange::ScriptEnd(ended),
            Ok(ended) => {
                self.give_back(worker);
                Exchange::ScriptEnd(ended)
            }
            Err(execution::Broken::Late) => Exchange::Late,
            Err(execution::Broken::Pipe(problem)) => Exchange::Died(worker.fate(&problem).await),
        }
    }
}
