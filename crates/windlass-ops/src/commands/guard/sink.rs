//! Output that is passed on as it comes: only as long as the job counts as run.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use windlass_process::{OutputSink, Stream};

use super::Guard;

pub struct GuardedSink {
    pub guard: Arc<Guard>,
    pub inner: Arc<dyn OutputSink>,
}

impl OutputSink for GuardedSink {
    fn write(&self, stream: Stream, bytes: &[u8]) {
        let holds = if self.guard.is_starting() {
            self.guard.look()
        } else {
            self.guard.changed.get().is_none()
        };
        if holds {
            self.guard.has_written.store(true, Ordering::Relaxed);
            self.inner.write(stream, bytes);
        }
    }

    fn replaces_ring(&self) -> bool {
        self.inner.replaces_ring()
    }
}
