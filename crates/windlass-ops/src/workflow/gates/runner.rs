//! Runs the gates of a review until they have finished, by one process at a time.
//!
//! The owner process is recorded. When it exits, for whatever reason, another process takes over its
//! reviews: a gate that was running is run again under the same attempt.

use windlass_core::workflow::{GateStatus, ReviewStatus};
use windlass_core::{Page, Result};
use windlass_store::{GateResult, Reader, Repo, Review, ReviewFilter, Store};

use super::rounds::{LOOK_AT_WAITING, see_through, what_waits};
use crate::context::{Context, ReadContext};
use crate::job_host::Owner;
use crate::pipeline::spawn_apart;

/// Runs the gates of a review in the background, if this process should. Needs a runtime.
fn tend(context: &Context, review: &Review) {
    if review.status != ReviewStatus::GatesPending {
        return;
    }
    let executor = context.host.gates();
    if !executor.enter(&review.id) {
        return;
    }
    // It continues after its caller has received the response.
    let mut context = context.clone();
    context.deadline = None;
    context.progress = None;
    context.on_job = None;
    let id = review.id.clone();
    spawn_apart(&executor.tasks, async move {
        let executor = context.host.gates();
        loop {
            // If the database does not respond, another process takes over the review.
            let ended = see_through(&context, &id).await;
            executor.leave(&id);
            // If the work was just submitted again, that call found this owner and did not start
            // another.
            let more = ended.is_ok() && has_work_here(&context, &id).unwrap_or(false);
            if !more || !executor.enter(&id) {
                return;
            }
        }
    });
}

/// Runs the gates of one review: in the background, or until they have finished.
pub async fn look_after(context: &Context, review: &Review, wait: bool) -> Result<()> {
    if wait || context.host.is_lasting() {
        tend(context, review);
    }
    if wait {
        settled(context, &review.id).await?;
    }
    Ok(())
}

/// Takes over the reviews of this repository whose process has exited. Returns how many.
pub async fn take_over(context: &Context) -> Result<usize> {
    let filter = ReviewFilter {
        status: Some(ReviewStatus::GatesPending),
        ..ReviewFilter::default()
    };
    let page = Page {
        limit: 1_000,
        offset: 0,
    };
    let left = context
        .offload(move |context| {
            let mut left = Vec::new();
            for review in context.read(|reader| reader.reviews(&filter, page))? {
                if is_left(&review)
                    && is_here(context, &review)?
                    && has_open_gates(context, &review)?
                {
                    left.push(review);
                }
            }
            Ok(left)
        })
        .await?;
    for review in &left {
        tend(context, review);
    }
    Ok(left.len())
}

fn has_open_gates(context: &ReadContext, review: &Review) -> Result<bool> {
    let results = context.read(|reader| reader.current_results(review))?;
    Ok(results.iter().any(|result| result.status.is_open()))
}

/// Whether a review has open gates that this process should run.
fn has_work_here(context: &Context, id: &str) -> Result<bool> {
    if context.host.gates().closing.is_cancelled() {
        return Ok(false);
    }
    let review = context.state.read(None, |reader| reader.review(id))?;
    let ours = is_ours(&review) || is_left(&review);
    Ok(ours && review.status == ReviewStatus::GatesPending && has_open_gates(context, &review)?)
}

fn is_ours(review: &Review) -> bool {
    let owner = serde_json::from_value::<Owner>(review.owner.clone());
    owner.is_ok_and(|owner| owner.is_this_process())
}

/// Whether no living process runs the gates of a review.
pub fn is_left(review: &Review) -> bool {
    let owner = serde_json::from_value::<Owner>(review.owner.clone());
    !owner.is_ok_and(|owner| owner.is_alive())
}

/// Whether a review has gates that nothing runs and nobody has to allow.
pub fn is_abandoned(reader: &Reader<'_>, review: &Review) -> Result<bool> {
    if review.status != ReviewStatus::GatesPending || !is_left(review) {
        return Ok(false);
    }
    let results = reader.current_results(review)?;
    Ok(results
        .iter()
        .any(|it| it.status.is_open() && it.status != GateStatus::Waiting))
}

/// The reviews whose gates nothing runs, because the process that ran them has exited.
pub fn abandoned_reviews(store: &Store) -> Result<Vec<Review>> {
    let filter = ReviewFilter {
        status: Some(ReviewStatus::GatesPending),
        ..ReviewFilter::default()
    };
    let page = Page {
        limit: 1_000,
        offset: 0,
    };
    store.read(None, |reader| {
        let mut abandoned = Vec::new();
        for review in reader.reviews(&filter, page)? {
            if is_abandoned(reader, &review)? {
                abandoned.push(review);
            }
        }
        Ok(abandoned)
    })
}

/// Whether the work is in the folder of this process.
fn is_here(context: &ReadContext, review: &Review) -> Result<bool> {
    Ok(repo_of(context, review)?
        .is_some_and(|repo| context.workspace.root().to_str() == Some(repo.path.as_str())))
}

pub(super) fn repo_of(context: &ReadContext, review: &Review) -> Result<Option<Repo>> {
    context.read(|reader| Ok(reader.repo(&review.repo).ok()))
}

/// A review with its results, and whether every remaining gate waits for a person.
fn standing(context: &ReadContext, id: &str) -> Result<(Review, Vec<GateResult>, bool)> {
    let (review, results) = context.state.read(None, |reader| {
        let review = reader.review(id)?;
        let results = reader.current_results(&review)?;
        Ok((review, results))
    })?;
    let waits = |gate: &GateResult| {
        gate.status == GateStatus::Waiting && what_waits(context, &review, gate).is_some()
    };
    let mut open = results.iter().filter(|it| it.status.is_open()).peekable();
    let stuck = open.peek().is_some() && open.all(waits);
    Ok((review, results, stuck))
}

/// Runs the gates of a review and waits while any of them runs: not for a person, and not for those
/// that have no result yet and are asked again later.
pub async fn wait_for(context: &Context, review: &Review) -> Result<()> {
    tend(context, review);
    settle(context, &review.id, true).await.map(drop)
}

/// Waits until the gates of a review have finished or wait for a person, and reports progress.
pub async fn settled(context: &ReadContext, id: &str) -> Result<Review> {
    settle(context, id, false).await
}

/// Those that are asked again later count as finished where the caller does not want to wait for them.
async fn settle(context: &ReadContext, id: &str, not_for_pending: bool) -> Result<Review> {
    let mut changes = context.state.watch();
    loop {
        let id = id.to_owned();
        let (review, results, stuck) = context
            .offload(move |context| standing(context, &id))
            .await?;
        let open: Vec<&GateResult> = results.iter().filter(|it| it.status.is_open()).collect();
        let later = |it: &&GateResult| {
            it.status == GateStatus::Waiting || (it.status == GateStatus::Pending && it.polls > 0)
        };
        let stuck = stuck || (not_for_pending && open.iter().all(later));
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
        // What a gate waits for may be in a file, and no commit reports that it was edited.
        let _ = tokio::time::timeout(LOOK_AT_WAITING, changes.changed()).await;
    }
}
