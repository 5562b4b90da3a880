//! Calls that wait for something although they were expected to be quick, and are answered later.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::RequestId;
use tokio_util::task::TaskTracker;

use super::super::server::{Answer, Answering};

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
        lock(&self.awaited).insert(id.clone());
        let awaited = Arc::clone(&self.awaited);
        self.tasks.spawn(async move {
            let answer = answering.await;
            if lock(&awaited).remove(&id) {
                send(answer);
            }
        });
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
