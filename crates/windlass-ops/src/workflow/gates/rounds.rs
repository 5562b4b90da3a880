//! One round after another over the gates of a review, until there is nothing left to do.

use std::time::Duration;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use windlass_core::workflow::{GateExit, GateStatus, ReviewStatus};
use windlass_core::{Result, Timestamp};
use windlass_store::{GateEnd, GateResult, Review};

use super::execute::{Errand, Execution, GateRun, Work, waits_for};
use super::gates_file::{self, PLACEHOLDER};
use super::runner::{is_left, repo_of};
use crate::context::{Context, ReadContext};
use crate::job_host::Owner;
use crate::telemetry::{GateSpan, GatesSpan};

/// How often a gate that waits for a person is checked: the person may edit a file.
pub(super) const LOOK_AT_WAITING: Duration = Duration::from_secs(2);

const UNREGISTERED: &str =
    "The repository of the review is not registered any more; register it again.";

/// Runs the gates of a review until they have finished, or another process has taken over.
pub(super) async fn see_through(context: &Context, id: &str) -> Result<()> {
    let (span, inside) = GatesSpan::begin(context).unzip();
    let result = rounds(inside.as_ref().unwrap_or(context), id).await;
    if let Some(span) = span {
        span.end(context, id);
    }
    result
}

async fn rounds(context: &Context, id: &str) -> Result<()> {
    let executor = context.host.gates();
    while !executor.closing.is_cancelled() {
        let review = context.read(|reader| reader.review(id))?;
        if review.status != ReviewStatus::GatesPending || !own(context, &review)? {
            return Ok(());
        }
        let Some(wait) = round(context, &review).await? else {
            return Ok(());
        };
        tokio::select! {
            () = executor.closing.cancelled() => {}
            () = tokio::time::sleep(wait) => {}
        }
    }
    Ok(())
}

/// Makes this process the owner of the review's gates.
fn own(context: &Context, review: &Review) -> Result<bool> {
    let this = json!(Owner::this_process(None));
    if review.owner == this {
        return Ok(true);
    }
    if !is_left(review) {
        return Ok(false);
    }
    context.write(|writer| writer.own_review(&review.id, &review.owner, &this))
}

/// Does the first thing that can be done. Returns how long to wait for the next, or that there is
/// none.
async fn round(context: &Context, review: &Review) -> Result<Option<Duration>> {
    let results = context.read(|reader| reader.current_results(review))?;
    let mut wait: Option<Duration> = None;
    for gate in results.iter().filter(|gate| gate.status.is_open()) {
        let next = match due_in(gate) {
            Some(later) => later,
            None => match attempt(context, review, gate).await? {
                Done::Something => return Ok(Some(Duration::ZERO)),
                Done::Waits => LOOK_AT_WAITING,
            },
        };
        wait = Some(wait.map_or(next, |soonest| soonest.min(next)));
    }
    // Failed gates wait until the work is submitted again.
    Ok(wait)
}

/// How long until a gate that exited with 75 is run again.
fn due_in(gate: &GateResult) -> Option<Duration> {
    let at = gate
        .next_poll_at
        .filter(|_| gate.status == GateStatus::Pending)?;
    let left = u64::try_from(at - Timestamp::now().as_millis()).ok()?;
    let left = Duration::from_millis(left);
    // A gate never waits for longer than its interval: the clock was set back since.
    let interval = Duration::from_secs(gate.definition.poll_interval_secs.into());
    (!left.is_zero() && left <= interval).then_some(left)
}

enum Done {
    Something,
    Waits,
}

async fn attempt(context: &Context, review: &Review, gate: &GateResult) -> Result<Done> {
    let phases = context.workspace.phases()?;
    if let Some(problem) = what_waits(context, review, gate) {
        context.write(|writer| writer.gate_waits(gate, &problem))?;
        return Ok(Done::Waits);
    }
    if let Some(name) = gate.gate.strip_prefix("file:") {
        let gates = gates_file::read(&context.workspace);
        if gate.gate == PLACEHOLDER {
            context
                .write(|writer| writer.replace_waiting(&review.id, PLACEHOLDER, &gates, phases))?;
            return Ok(Done::Something);
        }
        let same = |it: &&windlass_store::EffectiveGate| {
            it.id == gate.gate && it.definition.command == gate.definition.command
        };
        if gates.iter().find(same).is_none() {
            let message = format!(
                "{} has changed since: gate \"{name}\" is a different one now. Submit the work again.",
                gates_file::GATES_FILE
            );
            let end = end_of(
                gate,
                GateRun {
                    exit: GateExit::Lost,
                    message: Some(message),
                    stdout: String::new(),
                    stderr: String::new(),
                },
            );
            context.write(|writer| {
                writer.gate_started(gate)?;
                writer.gate_ended(gate, &end, phases)
            })?;
            return Ok(Done::Something);
        }
    }
    execute(context, review, gate).await
}

async fn execute(context: &Context, review: &Review, gate: &GateResult) -> Result<Done> {
    let executor = context.host.gates();
    let Ok(_place) = executor.places.acquire().await else {
        return Ok(Done::Something);
    };
    let Some(repo) = repo_of(context, review)? else {
        context.write(|writer| writer.gate_waits(gate, UNREGISTERED))?;
        return Ok(Done::Waits);
    };
    if !context.write(|writer| writer.gate_started(gate))? {
        return Ok(Done::Something);
    }
    let (span, inside) = GateSpan::begin(context).unzip();
    let context = inside.as_ref().unwrap_or(context);
    let abandon = executor.closing.child_token();
    let work = Work {
        task: review.task.as_str(),
        repo: &repo.id,
        folder: &repo.path,
        review: &review.id,
        attempt: gate.attempt,
    };
    let errand = Errand {
        context,
        executor,
        definition: &gate.definition,
        folder: &repo.path,
        environment: work.environment(&gate.definition.name),
        abandon: &abandon,
        result: Some(gate),
    };
    let run = errand.run();
    tokio::pin!(run);
    let execution = tokio::select! {
        execution = &mut run => execution?,
        () = gone_on(context, review, &abandon) => run.await?,
    };
    match execution {
        Execution::Abandoned => {}
        Execution::GateRun(ended) => {
            let begun = GateResult {
                polls: gate.polls + 1,
                ..gate.clone()
            };
            let end = end_of(gate, ended);
            let phases = context.workspace.phases()?;
            context.write(|writer| writer.gate_ended(&begun, &end, phases))?;
            if let Some(span) = span {
                span.end(context, review, gate, &end);
            }
        }
    }
    Ok(Done::Something)
}

/// What a person currently has to do before a gate can run.
pub(super) fn what_waits(
    context: &ReadContext,
    review: &Review,
    gate: &GateResult,
) -> Option<String> {
    if gate.gate.starts_with("file:")
        && let Some(why) = gates_file::read(&context.workspace)
            .into_iter()
            .find_map(|it| it.waiting)
    {
        return Some(why);
    }
    match repo_of(context, review) {
        Ok(None) => Some(UNREGISTERED.to_owned()),
        _ => waits_for(context, &gate.gate, &gate.definition),
    }
}

/// Ends when the review no longer waits for its gates, or another process has taken over.
async fn gone_on(context: &Context, review: &Review, abandon: &CancellationToken) {
    let mut changes = context.state.watch();
    loop {
        changes.changed().await;
        let now = context.store.read(None, |reader| reader.review(&review.id));
        if let Ok(now) = now
            && (now.status != ReviewStatus::GatesPending || now.round != review.round)
        {
            abandon.cancel();
            return;
        }
    }
}

fn end_of(gate: &GateResult, ended: GateRun) -> GateEnd {
    let waited = waited_seconds(
        gate.started_at.as_ref().map(Timestamp::as_millis),
        Timestamp::now().as_millis(),
        gate.polls,
        gate.definition.poll_interval_secs,
    );
    let status = ended.exit.status(waited, &gate.definition);
    let message = ended.message.or_else(|| {
        let late = status == GateStatus::Timeout;
        late.then(|| format!("It was still not ready after {waited} s."))
    });
    GateEnd {
        status,
        exit_code: match ended.exit {
            GateExit::Code(code) => Some(code),
            _ => None,
        },
        message,
        stdout: ended.stdout,
        stderr: ended.stderr,
    }
}

/// How long a gate has been tried. Between two tries is at least its interval, also where the clock
/// was set back since the first: otherwise it would be tried for as much longer.
fn waited_seconds(begun: Option<i64>, now: i64, polls: u32, interval: u32) -> i64 {
    let by_clock = begun.map_or(0, |begun| (now - begun) / 1000);
    let by_tries = i64::from(polls) * i64::from(interval);
    if by_clock < 0 { by_tries } else { by_clock }
}

#[cfg(test)]
mod tests {
    use super::waited_seconds;

    #[test]
    fn a_gate_is_tried_no_longer_because_the_clock_was_set_back() {
        const DAY: i64 = 86_400_000;
        assert_eq!(waited_seconds(None, 5_000, 0, 60), 0);
        assert_eq!(waited_seconds(Some(1_000), 61_000, 1, 60), 60);
        assert_eq!(waited_seconds(Some(DAY), 61_000, 7, 60), 420);
    }
}
