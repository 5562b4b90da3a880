//! The background task that stops a job when its files change.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use windlass_process::JobHandle;

use super::Guard;

/// How often the files are looked at where the system does not report changes.
const POLL: Duration = Duration::from_millis(50);

/// Stops the job as soon as a change is noticed; ends with the job.
pub async fn keep_watch(guard: Arc<Guard>, job: JobHandle) {
    let source = guard.event_source().and_then(registered);
    loop {
        let ended = tokio::select! {
            _ = job.wait_exit(None) => true,
            () = guard.noticed.notified() => false,
            () = reported(source.as_ref()) => false,
        };
        let (looking, looked_at) = (Arc::clone(&guard), job.clone());
        let look = tokio::task::spawn_blocking(move || looking.look_at(&looked_at));
        // A look that panics counts as a change.
        if !look.await.unwrap_or(false) {
            // It must not go on for a moment longer than necessary.
            let _ = job.stop(Duration::ZERO).await;
            return;
        }
        if ended || (guard.of_person && !guard.is_starting()) {
            return;
        }
    }
}

#[expect(
    deprecated,
    reason = "the descriptor is owned, so it stays open as long as it is registered; the other way is unsafe"
)]
fn registered(source: OwnedFd) -> Option<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(source, Interest::READABLE).ok()
}

/// Waits until there may be something to see.
async fn reported(source: Option<&AsyncFd<OwnedFd>>) {
    let ready = match source {
        Some(source) => source.readable().await.ok(),
        None => None,
    };
    match ready {
        Some(mut ready) => ready.clear_ready(),
        None => tokio::time::sleep(POLL).await,
    }
}
