//! Calls that are answered later: changes, and reads that wait for something although they were expected
//! to be quick.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::RequestId;
use tokio_util::task::TaskTracker;

use super::super::server::{Answer, Answering, Blocking};

/// How long the end of the session waits for them, as long as for any other request.
const FINISH_WITHIN: Duration = Duration::from_secs(5);

#[derive(Default)]
pub struct Begun {
    tasks: TaskTracker,
    awaited: Arc<Mutex<HashSet<RequestId>>>,
}

impl Begun {
    /// Sends the answer when it is there, unless the request is cancelled until then.
    pub fn follow(
        &self,
        id: RequestId,
        answering: Answering,
        send: impl FnOnce(Answer) + Send + 'static,
    ) {
        let send = self.unless_cancelled(id, send);
        self.tasks.spawn(async move { send(answering.await) });
    }

    /// Does the work on a thread that may wait for the disk, and sends the answer from there.
    pub fn run(&self, id: RequestId, work: Blocking, send: impl FnOnce(Answer) + Send + 'static) {
        let send = self.unless_cancelled(id, send);
        self.tasks.spawn_blocking(move || send(work()));
    }

    fn unless_cancelled(
        &self,
        id: RequestId,
        send: impl FnOnce(Answer) + Send + 'static,
    ) -> impl FnOnce(Answer) + Send + 'static {
        lock(&self.awaited).insert(id.clone());
        let awaited = Arc::clone(&self.awaited);
        move |answer| {
            if lock(&awaited).remove(&id) {
                send(answer);
            }
        }
    }

    /// A cancelled request gets no response.
    pub fn forget(&self, id: &RequestId) {
        lock(&self.awaited).remove(id);
    }

    pub async fn finish(&self) {
        self.tasks.close();
        // What is late then is not waited for.
        let _ = tokio::time::timeout(FINISH_WITHIN, self.tasks.wait()).await;
    }
}

fn lock(awaited: &Mutex<HashSet<RequestId>>) -> MutexGuard<'_, HashSet<RequestId>> {
    awaited.lock().unwrap_or_else(PoisonError::into_inner)
}
