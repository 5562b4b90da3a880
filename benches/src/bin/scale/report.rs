//! What the simulation showed, and what it would cost.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::fleet::Truth;
use crate::network::Cloud;
use crate::options::Arguments;

/// List prices of S3 Standard in us-east-1 in US dollars, as of November 2026: a thousand PUT or LIST
/// requests, a thousand GET requests, a gigabyte to the internet. DELETE and bytes in are free.
const PUT_OR_LIST: f64 = 0.005;
const GET: f64 = 0.0004;
const GIGABYTE_OUT: f64 = 0.09;

#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn float(number: u64) -> f64 {
    number as f64
}

fn read(count: &AtomicU64) -> f64 {
    float(count.load(Ordering::Relaxed))
}

/// The value below which this share of all is.
fn percentile(all: &mut [Duration], share: usize) -> String {
    all.sort_unstable();
    match all.get((all.len() * share / 100).min(all.len().saturating_sub(1))) {
        Some(time) => format!("{:.1} s", time.as_secs_f64()),
        None => "-".to_owned(),
    }
}

fn both(all: &[Duration]) -> String {
    let mut all = all.to_vec();
    let middle = percentile(&mut all, 50);
    format!(
        "p50 {middle}, p99 {} ({} samples)",
        percentile(&mut all, 99),
        all.len()
    )
}

/// What has become of the simulation after so many hours.
pub fn report(
    arguments: &Arguments,
    hours: f64,
    truth: &Truth,
    cloud: &Cloud,
    took: Duration,
) -> String {
    let seconds = hours * 3_600.0;
    let counts = &cloud.counts;
    let claims = float(truth.claims.get() + truth.local_claims.get());
    let tasks = float(truth.completed.get()).max(1.0);
    let (puts, lists, gets) = (read(&counts.puts), read(&counts.lists), read(&counts.gets));
    let out = read(&counts.bytes_out);
    let requests = (puts + lists) / 1_000.0 * PUT_OR_LIST + gets / 1_000.0 * GET;
    let traffic = out / 1e9 * GIGABYTE_OUT;
    let listed = float(truth.packs_listed.get()) / float(truth.passes.get()).max(1.0);
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<26}{value}");
    };
    line(
        "simulated",
        format!(
            "{} clones × {} agents, {} h, tasks of {} min, an exchange each {} s",
            arguments.clones, arguments.agents, hours, arguments.work_minutes, arguments.interval
        ),
    );
    line("in", format!("{:.0} s of real time", took.as_secs_f64()));
    line(
        "claims",
        format!(
            "{claims} ({:.2}/s), {} of them local; {} refused as taken, {} contested; with a free lease {} were done, {} under way, {} claimed here; {} not started",
            claims / seconds,
            truth.local_claims.get(),
            truth.refused.get(),
            truth.contested.get(),
            truth.found_done.get(),
            truth.found_under_way.get(),
            truth.found_claimed.get(),
            truth.not_started.get()
        ),
    );
    line("time of a claim", both(&truth.claim_times.borrow()));
    line("tasks completed", format!("{}", truth.completed.get()));
    line(
        "work done twice",
        format!(
            "{} tasks, {:.2} % of the time",
            truth.wasted.get(),
            100.0 * truth.wasted_time.get().as_secs_f64()
                / truth.worked.get().as_secs_f64().max(1.0)
        ),
    );
    line("until another clone knows", both(&truth.lags.borrow()));
    line("until all clones know", both(&truth.agreed.borrow()));
    line(
        "exchanges",
        format!(
            "{}, {} failed; {}; {listed:.0} packs listed in each",
            truth.passes.get(),
            truth.failed_passes.get(),
            both(&truth.pass_times.borrow())
        ),
    );
    line(
        "requests",
        format!(
            "{puts} PUT, {lists} LIST, {gets} GET, {} DELETE; {} conditional writes lost, {} throttled",
            read(&counts.deletes),
            read(&counts.conflicts),
            read(&counts.throttled)
        ),
    );
    line(
        "for each task",
        format!(
            "{:.1} requests, {:.1} kB up, {:.1} kB down",
            (puts + lists + gets) / tasks,
            read(&counts.bytes_in) / tasks / 1e3,
            out / tasks / 1e3
        ),
    );
    line(
        "at list prices",
        format!(
            "${requests:.2} requests + ${traffic:.2} traffic out of the region (none inside of it): ${:.5} for each task",
            (requests + traffic) / tasks
        ),
    );
    text
}
