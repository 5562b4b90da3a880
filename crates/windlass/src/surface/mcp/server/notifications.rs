//! Notifications while a call runs: its progress, and the output of its job. Only clients that
//! asked for them receive any.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken,
};
use rmcp::service::{Peer, RequestContext};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use windlass_ops::{Context, Progress};
use windlass_process::{JobHandle, JobState, ReadOptions, Stream};

use super::is_modern;

/// How often the output of a job is sent, and how much of it at once. Further output is skipped,
/// and the next message says how much.
const EVERY: Duration = Duration::from_millis(100);
const AT_ONCE: usize = 8 * 1024;

/// The notifications of one call.
pub struct CallNotifications {
    progress: Option<(ProgressToken, mpsc::UnboundedReceiver<Progress>)>,
    peer: Peer<RoleServer>,
    /// Since 2026-07-28 a log belongs to a request, and ends with it.
    followers: Arc<Mutex<Vec<AbortHandle>>>,
    end_followers: bool,
}

impl CallNotifications {
    /// Enables the notifications that the client asked for.
    pub fn attach(
        ours: &mut Context,
        context: &RequestContext<RoleServer>,
        level: Option<LoggingLevel>,
    ) -> Self {
        let progress = context.meta.get_progress_token().map(|token| {
            let (sender, receiver) = mpsc::unbounded_channel();
            ours.progress = Some(Arc::new(move |progress| drop(sender.send(progress))));
            (token, receiver)
        });
        let followers = Arc::<Mutex<Vec<AbortHandle>>>::default();
        if let Some(level) = level {
            let (peer, followers) = (context.peer.clone(), Arc::clone(&followers));
            ours.on_job = Some(Arc::new(move |job| {
                let follower = tokio::spawn(follow(job.clone(), peer.clone(), level));
                let mut followers = followers.lock().unwrap_or_else(PoisonError::into_inner);
                followers.push(follower.abort_handle());
            }));
        }
        Self {
            progress,
            peer: context.peer.clone(),
            followers,
            end_followers: is_modern(context),
        }
    }

    /// Sends notifications until the call returns; all of them before its response.
    pub async fn during<T>(mut self, call: impl Future<Output = T>) -> T {
        let Some((token, mut news)) = self.progress.take() else {
            return call.await;
        };
        tokio::pin!(call);
        loop {
            tokio::select! {
                biased;
                Some(progress) = news.recv() => self.tell(&token, progress).await,
                result = &mut call => {
                    while let Ok(progress) = news.try_recv() {
                        self.tell(&token, progress).await;
                    }
                    return result;
                }
            }
        }
    }

    async fn tell(&self, token: &ProgressToken, progress: Progress) {
        let mut news = ProgressNotificationParam::new(token.clone(), progress.done);
        news.total = progress.total;
        news.message = Some(progress.message);
        // A client that has disconnected receives nothing more.
        let _ = self.peer.notify_progress(news).await;
    }
}

impl Drop for CallNotifications {
    fn drop(&mut self) {
        if self.end_followers {
            let mut followers = self
                .followers
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            followers.drain(..).for_each(|follower| follower.abort());
        }
    }
}

/// Sends the output of a job until it has ended or the client has disconnected.
async fn follow(job: JobHandle, peer: Peer<RoleServer>, level: LoggingLevel) {
    let mut written = job.watch_output();
    let mut cursor = 0;
    loop {
        // Checked before the output is read, so that no output is missed in between.
        let state = job.state();
        written.borrow_and_update();
        let running = state.is_running();
        let options = ReadOptions {
            max_bytes: AT_ONCE,
            whole_lines: true,
            ..ReadOptions::default()
        };
        let page = job.from(cursor, &options);
        if windlass_ops::confirm_text(&job).is_err() {
            return;
        }
        cursor = page.next;
        let mut dropped = page.dropped;
        for chunk in page.chunks {
            let stream = match chunk.stream {
                Stream::Stdout => "stdout",
                Stream::Stderr => "stderr",
            };
            let lines: Vec<&str> = chunk.text.lines().collect();
            let mut data = json!({
                "pid": job.pid, "unique_name": job.label, "type": stream, "lines": lines,
            });
            let passed_over = std::mem::take(&mut dropped);
            if passed_over > 0 {
                data["dropped"] = json!(passed_over);
            }
            if is_wanted(LoggingLevel::Info, level)
                && !log(&peer, &job, LoggingLevel::Info, data).await
            {
                return;
            }
        }
        if page.truncated {
            tokio::time::sleep(EVERY).await;
        } else if running {
            tokio::select! {
                _ = written.changed() => {}
                _ = job.wait_exit(None) => {}
            }
            if job.state().is_running() {
                tokio::time::sleep(EVERY).await;
            }
        } else {
            let data = ended(&job, &state);
            if is_wanted(LoggingLevel::Notice, level) {
                log(&peer, &job, LoggingLevel::Notice, data).await;
            }
            return;
        }
    }
}

fn ended(job: &JobHandle, state: &JobState) -> serde_json::Value {
    let mut data = json!({"pid": job.pid, "unique_name": job.label, "event": "ended"});
    match state {
        JobState::Exited(code) => data["exit_code"] = json!(code),
        JobState::Signaled(signal) => data["signal"] = json!(signal),
        JobState::Failed(reason) => data["reason"] = json!(reason),
        JobState::Running => {}
    }
    data
}

async fn log(
    peer: &Peer<RoleServer>,
    job: &JobHandle,
    level: LoggingLevel,
    data: serde_json::Value,
) -> bool {
    let mut message = LoggingMessageNotificationParam::new(level, data);
    message.logger = Some(format!("job:{}", job.pid));
    peer.notify_logging_message(message).await.is_ok()
}

fn is_wanted(level: LoggingLevel, least: LoggingLevel) -> bool {
    rank(level) >= rank(least)
}

fn rank(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_takes_in_all_above_it() {
        assert!(is_wanted(LoggingLevel::Notice, LoggingLevel::Info));
        assert!(is_wanted(LoggingLevel::Info, LoggingLevel::Info));
        assert!(!is_wanted(LoggingLevel::Info, LoggingLevel::Warning));
    }
}
