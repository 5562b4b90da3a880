//! A thread for requests to a remote, for callers that cannot wait in an async runtime: operations on
//! the command line have none, and those of a server run on blocking threads.

use std::future::Future;
use std::io;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::LocalBoxFuture;
use tokio::runtime::Builder;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::LocalSet;

use super::RemoteError;

/// Makes a request on the thread.
type Job = Box<dyn FnOnce() -> LocalBoxFuture<'static, ()> + Send>;

/// The thread. It ends with this handle, and what it was asked for last is finished before.
pub struct Worker {
    jobs: UnboundedSender<Job>,
}

impl Worker {
    pub fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (jobs, mut received) = unbounded_channel::<Job>();
        thread::Builder::new()
            .name("remote".to_owned())
            .spawn(move || {
                let tasks = LocalSet::new();
                tasks.block_on(&runtime, async {
                    while let Some(job) = received.recv().await {
                        tokio::task::spawn_local(job());
                    }
                });
            })?;
        Ok(Self { jobs })
    }

    fn send<F: Future<Output = ()> + 'static>(&self, work: impl FnOnce() -> F + Send + 'static) {
        // The thread ends with this handle, so that it is there.
        let _ = self.jobs.send(Box::new(|| work().boxed_local()));
    }

    /// Begins a request whose result nobody waits for.
    pub fn begin<F>(&self, work: impl FnOnce() -> F + Send + 'static)
    where
        F: Future<Output = Result<(), RemoteError>> + 'static,
    {
        self.send(|| async {
            if let Err(problem) = work().await {
                tracing::debug!(%problem, "the remote was not told");
            }
        });
    }

    /// Runs a request for a caller that can await it.
    pub async fn run<T, F>(
        &self,
        longest: Duration,
        work: impl FnOnce() -> F + Send + 'static,
    ) -> Result<T, RemoteError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, RemoteError>> + 'static,
    {
        let (answer, answered) = oneshot::channel();
        self.send(move || async move {
            // The caller has gone if it did not wait for the answer.
            let _ = answer.send(timed(longest, work()).await);
        });
        answered.await.unwrap_or_else(|_| Err(no_answer(longest)))
    }

    /// Runs a request and waits for it, at most this long. What was sent may take effect later.
    pub fn wait<T, F>(
        &self,
        longest: Duration,
        work: impl FnOnce() -> F + Send + 'static,
    ) -> Result<T, RemoteError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, RemoteError>> + 'static,
    {
        let (answer, answered) = mpsc::sync_channel(1);
        self.send(move || async move {
            let _ = answer.send(timed(longest, work()).await);
        });
        // The thread has a moment more than the request, so that its own answer comes first.
        answered
            .recv_timeout(longest + Duration::from_secs(2))
            .unwrap_or_else(|_| Err(no_answer(longest)))
    }
}

async fn timed<T>(
    longest: Duration,
    work: impl Future<Output = Result<T, RemoteError>>,
) -> Result<T, RemoteError> {
    match tokio::time::timeout(longest, work).await {
        Ok(result) => result,
        Err(_) => Err(no_answer(longest)),
    }
}

fn no_answer(longest: Duration) -> RemoteError {
    RemoteError::Unreachable(format!("no answer within {} s", longest.as_secs_f32()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_awaited_from_anywhere() {
        let worker = Worker::start().unwrap();
        let wait = Duration::from_secs(20);
        assert_eq!(worker.wait(wait, || async { Ok(7) }).unwrap(), 7);
        // Also from inside of another runtime, as operations of a server do.
        let other = Builder::new_current_thread().build().unwrap();
        let inside = other.block_on(async { worker.wait(wait, || async { Ok(8) }) });
        assert_eq!(inside.unwrap(), 8);
        let awaited = other.block_on(worker.run(wait, || async { Ok(9) }));
        assert_eq!(awaited.unwrap(), 9);
    }

    #[test]
    fn nobody_waits_for_ever() {
        let worker = Worker::start().unwrap();
        let never = std::future::pending::<Result<(), RemoteError>>;
        let answer = worker.wait(Duration::from_millis(10), never);
        assert!(answer.is_err_and(|error| error.is_transient()));
    }
}
