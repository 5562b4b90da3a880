//! Gives vectors to texts that have none, in the background: one process at a time, on one thread
//! that yields to everything else. That thread only computes. Whatever takes the write lock runs on a
//! thread of usual priority, because on a busy machine everybody would wait for a lock whose holder is
//! not given a processor.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio_util::sync::CancellationToken;
use windlass_core::{Error, Result};
use windlass_store::{EmbeddedPiece, JournalKind, Reader, Unembedded};
use windlass_vectors::{Model, pieces};

use super::models::{Availability, MODEL};
use super::text::heading_and_body;
use super::vector_file;
use crate::context::Context;
use crate::job_host::Owner;

/// A process that is killed is followed by another after this time.
const LEASE: Duration = Duration::from_secs(30);
/// Texts whose vectors are stored together.
const BATCH: u32 = 16;
/// After each text, a pause of this share of the time that it took; while others change the project,
/// of so many times the time.
const PAUSE: u32 = 4;
const BUSY_PAUSE: u32 = 4;
/// The lowest priority.
const NICENESS: i32 = 19;
/// Several changes in a row are dealt with together.
const SETTLE: Duration = Duration::from_millis(200);
/// A look even where nothing was noticed, for example after another process was killed.
const EVERY: Duration = Duration::from_secs(20);
const FIRST_AFTER: Duration = Duration::from_secs(1);

/// What was done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Embedded {
    pub texts: u64,
}

/// Gives vectors to texts as long as a server runs, and reports what it did or why it cannot.
pub async fn keep_embedding(
    context: Context,
    closing: CancellationToken,
    report: impl Fn(&Result<Embedded>),
) {
    let mut changes = context.store.watch();
    let mut wait = FIRST_AFTER;
    let mut failed = String::new();
    loop {
        tokio::select! {
            () = closing.cancelled() => return,
            () = tokio::time::sleep(wait) => {}
            () = changes.changed(), if wait == EVERY => tokio::time::sleep(SETTLE).await,
        }
        wait = EVERY;
        let done = on_a_thread_of_its_own(context.clone(), closing.clone()).await;
        match &done {
            Ok(embedded) if embedded.texts == 0 => failed.clear(),
            // The same problem is reported once.
            Err(problem) if *problem.message() == *failed => {}
            Err(problem) => {
                problem.message().clone_into(&mut failed);
                report(&done);
            }
            Ok(_) => report(&done),
        }
    }
}

/// It may take hours, and the threads for blocking work are few.
async fn on_a_thread_of_its_own(context: Context, closing: CancellationToken) -> Result<Embedded> {
    let (done, result) = tokio::sync::oneshot::channel();
    let spawned = std::thread::Builder::new()
        .name("windlass-embed".to_owned())
        .spawn(move || {
            let _ = done.send(embed_waiting(&context, &|| closing.is_cancelled()));
        });
    match spawned {
        Ok(_) => result
            .await
            .unwrap_or_else(|_| Err(Error::internal("the thread that embeds texts panicked"))),
        Err(problem) => Err(Error::internal(format!("cannot start a thread: {problem}"))),
    }
}

/// Computes on a thread of the lowest priority, because priorities belong to threads and cannot be
/// raised again.
fn quietly<T: Send>(compute: impl FnOnce() -> T + Send) -> Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("windlass-model".to_owned())
            .spawn_scoped(scope, || {
                // Where it is not allowed, the pauses have to be enough.
                let _ = rustix::process::nice(NICENESS);
                compute()
            });
        thread
            .map_err(|problem| Error::internal(format!("cannot start a thread: {problem}")))?
            .join()
            .map_err(|_| Error::internal("the thread that makes vectors panicked"))
    })
}

/// Whether a process that gives vectors to texts would have anything to do. Cheap.
pub fn has_texts_to_embed(context: &Context) -> bool {
    let wanted = context.workspace.uses_meaning() && context.may_change();
    wanted
        && context.workspace.models().is_installed()
        && context
            .store
            .read(None, |reader| reader.unembedded_count())
            .is_ok_and(|count| count > 0)
}

/// Gives vectors to all texts that have none, unless another process is at it. What was done when it
/// is stopped or killed is stored.
pub fn embed_waiting(
    context: &Context,
    is_stopped: &(dyn Fn() -> bool + Sync),
) -> Result<Embedded> {
    let mut embedded = Embedded::default();
    if !context.may_change() || !context.workspace.uses_meaning() {
        return Ok(embedded);
    }
    let project = context.workspace.project();
    let is_done =
        |reader: &Reader<'_>| Ok(is_done(reader)? && !vector_file::is_due(project, reader)?);
    if !context.workspace.models().is_installed() || context.store.read(None, is_done)? {
        return Ok(embedded);
    }
    let model = match context.workspace.models().model() {
        Availability::Ready(model) => model,
        Availability::Unusable(problem) => {
            return Err(Error::storage(problem)
                .with_hint("\"windlass models install\" replaces the file of weights."));
        }
        Availability::Off | Availability::Missing => return Ok(embedded),
    };
    let owner = json!(Owner::this_process(None)).to_string();
    let lease = i64::try_from(LEASE.as_millis()).unwrap_or(i64::MAX);
    let store = &context.store;
    let taken = store.write(&context.origin, |writer| {
        // What a process left that was killed need not wait for the end of its lease.
        let holder = writer.embedding_owner()?;
        let gone = serde_json::from_str::<Owner>(&holder).is_ok_and(|it| !it.is_alive());
        if gone {
            writer.end_embedding(&holder)?;
        }
        let taken = writer.lease_embedding(&owner, lease)?;
        if taken {
            writer.use_vector_model(MODEL.version)?;
        }
        Ok(taken)
    })?;
    if !taken {
        return Ok(embedded);
    }
    let pace = Pace {
        context,
        last_event: AtomicI64::new(store.last_event()?),
    };
    let result = (|| {
        while !is_stopped() {
            let batch = store.read(None, |reader| reader.unembedded(BATCH))?;
            if batch.is_empty() {
                break;
            }
            let vectors: Vec<(Unembedded, Vec<EmbeddedPiece>)> = quietly(|| {
                batch
                    .into_iter()
                    .map_while(|text| Some((embed(&model, &text, &pace, is_stopped)?, text)))
                    .map(|(pieces, text)| (text, pieces))
                    .collect()
            })?;
            let texts = vectors.iter().map(|(text, _)| &text.entity);
            let new_words = store.read(None, |reader| reader.new_words(texts))?;
            let stored = store.write(&context.origin, |writer| {
                if !writer.lease_embedding(&owner, lease)? {
                    return Ok(None);
                }
                writer.add_words(&new_words)?;
                let mut stored = 0;
                for (text, pieces) in &vectors {
                    stored += u64::from(writer.store_vectors(text, pieces)?);
                }
                Ok(Some(stored))
            })?;
            // Another process has taken over: this one was asleep for longer than its lease.
            let Some(stored) = stored else {
                return Ok(());
            };
            embedded.texts += stored;
        }
        embedded.texts += embed_learnings(context, &model, is_stopped)?;
        vector_file::keep_up(context)
    })();
    let ended = store.write(&context.origin, |writer| writer.end_embedding(&owner));
    result.and(ended)?;
    Ok(embedded)
}

fn is_done(reader: &Reader<'_>) -> Result<bool> {
    Ok(reader.unembedded_count()? == 0
        && learnings_without_vectors(reader)?.is_empty()
        && reader.vector_model()? == MODEL.version)
}

/// How much of a processor is used. Threads of low priority still share caches and memory with those
/// that somebody waits for.
struct Pace<'c> {
    context: &'c Context,
    last_event: AtomicI64,
}

impl Pace<'_> {
    fn rest(&self, took: Duration) {
        let last = self.context.store.last_event().unwrap_or_default();
        let is_busy = self.last_event.swap(last, Ordering::Relaxed) != last;
        std::thread::sleep(if is_busy {
            took * BUSY_PAUSE
        } else {
            took / PAUSE
        });
    }
}

/// The vectors of a text; `None` if it was stopped.
fn embed(
    model: &Model,
    text: &Unembedded,
    pace: &Pace<'_>,
    is_stopped: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<EmbeddedPiece>> {
    let (heading, body) = heading_and_body(&text.entity);
    let mut embedded = Vec::new();
    for piece in pieces(model.tokenizer(), &heading, &body) {
        if is_stopped() {
            return None;
        }
        let begun = Instant::now();
        embedded.push(EmbeddedPiece {
            vector: model.embed_tokens(&piece.tokens).to_bytes(),
            bytes: piece.bytes,
        });
        pace.rest(begun.elapsed());
    }
    Some(embedded)
}

/// Learnings are not entities, and few: they have vectors by their text.
fn learnings_without_vectors(reader: &Reader<'_>) -> Result<Vec<String>> {
    let mut missing = Vec::new();
    let of_entities = reader.all_learnings()?.into_iter();
    let of_entities =
        of_entities.filter_map(|(_, _, body)| Some(body["text"].as_str()?.to_owned()));
    let of_project = reader.journal(JournalKind::Learnings)?.into_iter();
    for text in of_entities.chain(of_project.map(|entry| entry.text)) {
        if reader.text_vector(&text)?.is_none() {
            missing.push(text);
        }
    }
    Ok(missing)
}

fn embed_learnings(
    context: &Context,
    model: &Model,
    is_stopped: &(dyn Fn() -> bool + Sync),
) -> Result<u64> {
    let mut stored = 0;
    let missing = context.store.read(None, learnings_without_vectors)?;
    for batch in missing.chunks(BATCH as usize) {
        if is_stopped() {
            break;
        }
        let vectors: Vec<Vec<u8>> =
            quietly(|| batch.iter().map(|it| model.embed(it).to_bytes()).collect())?;
        context.store.write(&context.origin, |writer| {
            for (text, vector) in batch.iter().zip(&vectors) {
                writer.store_text_vector(text, vector)?;
            }
            Ok(())
        })?;
        stored += batch.len() as u64;
    }
    Ok(stored)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How much this thread yields to others.
    fn niceness() -> i32 {
        rustix::process::nice(0).unwrap()
    }

    #[test]
    fn only_the_computing_yields_to_everything_else() {
        let before = niceness();
        assert_eq!(quietly(niceness).unwrap(), NICENESS);
        assert_eq!(niceness(), before);
    }

    #[test]
    fn a_panic_while_computing_is_an_error() {
        let problem = quietly::<()>(|| panic!("no such token")).unwrap_err();
        assert_eq!(problem.message(), "the thread that makes vectors panicked");
    }
}
