//! Looking after the gates of a review until nothing of them is left to do, by one process at a time.
//!
//! Who does so is on record. A process that ends, in whatever manner, leaves its reviews to whoever
//! looks next: a gate that was running is run again under the same attempt.

use std::time::Duration;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use windlass_core::workflow::{GateExit, GateStatus, ReviewStatus};
use windlass_core::{Page, Result, Timestamp};
use windlass_store::{GateEnd, GateResult, Repo, Review, ReviewFilter};

use super::execute::{Ended, Errand, Execution, waits_for};
use super::file::{self, PLACEHOLDER};
use crate::commands::Owner;
use crate::context::Context;

/// How soon another process's word about a review is noticed.
const LOOK: Duration = Duration::from_millis(250);
/// How often a gate that waits for a person is looked at.
const LOOK_AT_WAITING: Duration = Duration::from_secs(1);

const UNREGISTERED: &str =
    "The repository of the review is not registered any more: repo_register brings it back.";

/// Sees to the gates of a review in the background, if this process is to do so. Needs a runtime.
fn tend(context: &Context, review: &Review) {
    if review.status != ReviewStatus::GatesPending {
        return;
    }
    let yard = context.workshop.gates();
    if !yard.enter(&review.id) {
        return;
    }
    let mut context = context.clone();
    // It goes on when its caller has long had an answer.
    context.deadline = None;
    context.progress = None;
    context.on_job = None;
    let id = review.id.clone();
    yard.tasks.spawn(async move {
        let yard = context.workshop.gates();
        // A database that does not answer leaves the review to the next who looks.
        let _ = see_through(&context, &id).await;
        yard.leave(&id);
    });
}

/// Sees to the gates of one review: in the background, or until they have come to an end.
pub async fn look_after(context: &Context, review: &Review, wait: bool) -> Result<()> {
    if wait || is_lasting(context) {
        tend(context, review);
    }
    if wait {
        settled(context, &review.id).await?;
    }
    Ok(())
}

/// Whether this process stays long enough to run gates that nobody waits for. One that is about to end
/// would only begin them and take them down with it.
fn is_lasting(context: &Context) -> bool {
    context.origin.source != "cli" && tokio::runtime::Handle::try_current().is_ok()
}

/// Takes over the reviews of this place whose process is gone. Answers how many.
pub fn take_over(context: &Context) -> Result<usize> {
    if !is_lasting(context) {
        return Ok(0);
    }
    let filter = ReviewFilter {
        status: Some(ReviewStatus::GatesPending),
        ..ReviewFilter::default()
    };
    let page = Page {
        limit: 1_000,
        offset: 0,
    };
    let mut taken = 0;
    for review in context.read(|reader| reader.reviews(&filter, page))? {
        if is_left(&review) && is_here(context, &review)? && has_open_gates(context, &review)? {
            tend(context, &review);
            taken += 1;
        }
    }
    Ok(taken)
}

fn has_open_gates(context: &Context, review: &Review) -> Result<bool> {
    let results = context.read(|reader| reader.current_results(review))?;
    Ok(results.iter().any(|result| result.status.is_open()))
}

fn is_left(review: &Review) -> bool {
    let owner = serde_json::from_value::<Owner>(review.owner.clone());
    !owner.is_ok_and(|owner| owner.is_alive())
}

/// Whether the work lies where this process is.
fn is_here(context: &Context, review: &Review) -> Result<bool> {
    Ok(repo_of(context, review)?
        .is_some_and(|repo| context.workshop.root().to_str() == Some(repo.path.as_str())))
}

fn repo_of(context: &Context, review: &Review) -> Result<Option<Repo>> {
    context.read(|reader| Ok(reader.repo(&review.repo).ok()))
}

/// Waits until the gates of a review have come to an end or wait for a person; progress is told.
async fn settled(context: &Context, id: &str) -> Result<Review> {
    loop {
        let (review, results) = context.store.read(None, |reader| {
            let review = reader.review(id)?;
            let results = reader.current_results(&review)?;
            Ok((review, results))
        })?;
        let open: Vec<&GateResult> = results.iter().filter(|it| it.status.is_open()).collect();
        let waits = |gate: &&GateResult| {
            gate.status == GateStatus::Waiting && what_waits(context, &review, gate).is_some()
        };
        let stuck = !open.is_empty() && open.iter().all(waits);
        if review.status != ReviewStatus::GatesPending || open.is_empty() || stuck {
            return Ok(review);
        }
        if let Some(report) = &context.progress {
            let count = |number: usize| u32::try_from(number).map_or(0.0, f64::from);
            report(crate::context::Progress {
                done: count(results.len() - open.len()),
                total: Some(count(results.len())),
                message: format!(
                    "gate {}: {}",
                    open[0].definition.name,
                    open[0].status.name()
                ),
            });
        }
        // The process that looked after it may have gone.
        if is_left(&review) && is_here(context, &review)? {
            tend(context, &review);
        }
        tokio::time::sleep(LOOK).await;
    }
}

async fn see_through(context: &Context, id: &str) -> Result<()> {
    let yard = context.workshop.gates();
    while !yard.closing.is_cancelled() {
        let review = context.read(|reader| reader.review(id))?;
        if review.status != ReviewStatus::GatesPending || !own(context, &review)? {
            return Ok(());
        }
        let Some(wait) = round(context, &review).await? else {
            return Ok(());
        };
        tokio::select! {
            () = yard.closing.cancelled() => {}
            () = tokio::time::sleep(wait) => {}
        }
    }
    Ok(())
}

/// Makes this process the one that looks after the review.
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

/// Does the first thing that can be done. Answers how long to wait for the next, or that there is
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
    // Failed gates wait for whoever hands the work in again.
    Ok(wait)
}

/// How long until a gate that said «not yet» is asked again.
fn due_in(gate: &GateResult) -> Option<Duration> {
    let at = gate
        .next_poll_at
        .filter(|_| gate.status == GateStatus::Pending)?;
    let left = u64::try_from(at - Timestamp::now().as_millis()).ok()?;
    (left > 0).then(|| Duration::from_millis(left))
}

enum Done {
    Something,
    Waits,
}

async fn attempt(context: &Context, review: &Review, gate: &GateResult) -> Result<Done> {
    let phases = context.workshop.phases()?;
    if let Some(problem) = what_waits(context, review, gate) {
        context.write(|writer| writer.gate_waits(gate, &problem))?;
        return Ok(Done::Waits);
    }
    if let Some(name) = gate.gate.strip_prefix("file:") {
        let gates = file::read(&context.workshop);
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
                "{} has changed since: gate \"{name}\" is another one now. Submit the work again.",
                file::GATES_FILE
            );
            let end = end_of(
                gate,
                Ended {
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
    let yard = context.workshop.gates();
    let Ok(_place) = yard.places.acquire().await else {
        return Ok(Done::Something);
    };
    let Some(repo) = repo_of(context, review)? else {
        context.write(|writer| writer.gate_waits(gate, UNREGISTERED))?;
        return Ok(Done::Waits);
    };
    let abandon = yard.closing.child_token();
    let errand = Errand {
        context,
        yard,
        review,
        repo: &repo,
        gate,
        abandon: &abandon,
    };
    if !context.write(|writer| writer.gate_started(gate))? {
        return Ok(Done::Something);
    }
    let run = errand.run();
    tokio::pin!(run);
    let execution = tokio::select! {
        execution = &mut run => execution?,
        () = gone_on(context, review, &abandon) => run.await?,
    };
    match execution {
        Execution::Abandoned => {}
        Execution::Ended(ended) => {
            let begun = GateResult {
                polls: gate.polls + 1,
                ..gate.clone()
            };
            let end = end_of(gate, ended);
            let phases = context.workshop.phases()?;
            context.write(|writer| writer.gate_ended(&begun, &end, phases))?;
        }
    }
    Ok(Done::Something)
}

/// What a person has to do before a gate can run, as things are now.
fn what_waits(context: &Context, review: &Review, gate: &GateResult) -> Option<String> {
    if gate.gate.starts_with("file:")
        && let Some(why) = file::read(&context.workshop)
            .into_iter()
            .find_map(|it| it.waiting)
    {
        return Some(why);
    }
    match repo_of(context, review) {
        Ok(None) => Some(UNREGISTERED.to_owned()),
        _ => waits_for(context, gate),
    }
}

/// Ends when the review waits for its gates no more, or another process took them.
async fn gone_on(context: &Context, review: &Review, abandon: &CancellationToken) {
    loop {
        tokio::time::sleep(LOOK).await;
        let now = context.store.read(None, |reader| reader.review(&review.id));
        if let Ok(now) = now
            && (now.status != ReviewStatus::GatesPending || now.round != review.round)
        {
            abandon.cancel();
            return;
        }
    }
}

fn end_of(gate: &GateResult, ended: Ended) -> GateEnd {
    let begun = gate.started_at.as_ref().map_or(0, Timestamp::as_millis);
    let waited = if begun == 0 {
        0
    } else {
        (Timestamp::now().as_millis() - begun) / 1000
    };
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
