//! Progress reports during a wait, with the last line that the job wrote.

use std::future::Future;
use std::time::Duration;

use tokio::time::{Instant, interval_at};
use windlass_process::{Job, ReadOptions};

use super::guard::confirm_text;
use crate::context::{Progress, ReadContext};

const EVERY: Duration = Duration::from_secs(1);
/// The longest line that is shown as progress.
const LONGEST: usize = 200;

/// Waits for `work`, with a progress report every second. `total` is the time it may take.
pub async fn with_progress<T>(
    context: &ReadContext,
    job: &Job,
    total: Option<f64>,
    work: impl Future<Output = T>,
) -> T {
    let Some(report) = &context.progress else {
        return work.await;
    };
    let begin = Instant::now();
    let mut ticks = interval_at(begin + EVERY, EVERY);
    tokio::pin!(work);
    loop {
        tokio::select! {
            result = &mut work => return result,
            _ = ticks.tick() => report(Progress {
                done: begin.elapsed().as_secs_f64().round(),
                total,
                message: last_line(job),
            }),
        }
    }
}

fn last_line(job: &Job) -> String {
    let options = ReadOptions {
        max_bytes: LONGEST,
        ..ReadOptions::default()
    };
    let tail = job.tail(1, &options);
    if confirm_text(job).is_err() {
        return format!("{}: stopped", job.label);
    }
    let line = tail.lines.first().map(|line| line.text.trim());
    format!("{}: {}", job.label, line.unwrap_or("running"))
}
