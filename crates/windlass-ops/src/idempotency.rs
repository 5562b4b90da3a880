//! Idempotency keys: a change that is repeated with the key of the first call returns the first
//! result, and is not made again.
//!
//! What only changes the state is one transaction with its result (`windlass_store::Store::keyed`).
//! What starts processes, runs a script or waits for something is on record while it runs: whoever
//! repeats it then is told so, because nobody can know what has happened already.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use futures::FutureExt as _;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;
use windlass_core::{Error, ErrorKind, Result, hexadecimal};
use windlass_store::{EarlierCall, Keyed, KeyedCall};

use crate::budget;
use crate::context::Context;
use crate::job_host::Owner;
use crate::operation::{AnyOutput, BoxedOutput, Effect, Entry};
use crate::pipeline;
use crate::view::{Block, View};

/// The name of the key in the metadata of a request (`_meta`).
pub const IDEMPOTENCY_KEY: &str = "windlass/idempotency-key";

const LONGEST_KEY: usize = 200;
/// A longer result is not kept: whoever repeats the call is told that it was made.
const LONGEST_RESULT: usize = 1 << 20;

/// The key of a caller. A command that makes several changes has a key for each.
#[derive(Debug)]
pub struct IdempotencyKey {
    text: String,
    used: AtomicU32,
}

impl IdempotencyKey {
    pub fn new(text: &str) -> Result<Self> {
        let fits = (1..=LONGEST_KEY).contains(&text.chars().count());
        if !fits || text.chars().any(char::is_control) {
            return Err(Error::validation(
                "idempotency_key",
                format!("1 to {LONGEST_KEY} printable characters are allowed"),
            )
            .with_hint("Use a fresh random value for each change, for example a UUID."));
        }
        Ok(Self {
            text: text.to_owned(),
            used: AtomicU32::new(0),
        })
    }

    fn next(&self) -> String {
        match self.used.fetch_add(1, Ordering::Relaxed) {
            0 => self.text.clone(),
            more => format!("{}\n{}", self.text, more + 1),
        }
    }
}

/// Runs an operation unless it was run with this key before.
pub async fn call_once(
    entry: &'static Entry,
    context: Context,
    input: Json,
    cancelled: CancellationToken,
    key: &IdempotencyKey,
) -> Result<BoxedOutput> {
    let call = KeyedCall {
        caller: caller(&context),
        key: key.next(),
        operation: format!(
            "{}.{}",
            entry.declaration.toolset.name(),
            entry.declaration.name
        ),
        arguments: digest(
            &entry
                .complete(input.clone())
                .unwrap_or_else(|_| input.clone()),
        ),
        owner: serde_json::to_string(&Owner::this_process(None)).unwrap_or_default(),
    };
    let only_changes_the_state = !entry.declaration.long_running
        && matches!(
            entry.declaration.effect,
            Effect::Write | Effect::Destructive
        );
    if only_changes_the_state {
        return pipeline::in_time(entry, context, move |context| async move {
            at_once(entry, context, input, &call)
        })
        .await;
    }
    let store = std::sync::Arc::clone(&context.store);
    let origin = context.origin.clone();
    if let Some(earlier) = store.begin_keyed(&origin, &call)? {
        return repeated(entry, &call, earlier);
    }
    let shown = Shown::of(&context);
    let result = pipeline::executed(entry, context, input, cancelled.clone()).await;
    if result.is_err() && cancelled.is_cancelled() {
        // What it did until then is not known, so it stays on record as begun.
        return result;
    }
    let kept = result.as_ref().ok().map(|output| kept(&**output, shown));
    store.end_keyed(&origin, &call, kept.as_deref())?;
    result
}

/// Runs the operation and keeps its result, in one transaction.
fn at_once(
    entry: &'static Entry,
    context: Context,
    input: Json,
    call: &KeyedCall,
) -> Result<BoxedOutput> {
    let store = std::sync::Arc::clone(&context.store);
    let (deadline, shown) = (context.deadline, Shown::of(&context));
    let done = store.keyed(deadline, call, || {
        let ended = entry.start(context, input)?.now_or_never();
        let output = ended.ok_or_else(|| {
            Error::internal(format!(
                "{} waits for something, so that it cannot take a key",
                entry.declaration.name
            ))
        })??;
        let kept = kept(&*output, shown);
        Ok((output, kept))
    })?;
    match done {
        Keyed::First(output) => Ok(output),
        Keyed::Earlier(earlier) => repeated(entry, call, earlier),
    }
}

/// Who may have the result: people and agents never each other's, and a session on record only its
/// own.
fn caller(context: &Context) -> String {
    let actor = context.origin.actor.name();
    if context.access.is_filtered() {
        return format!("{actor} {}", context.origin.session);
    }
    actor.to_owned()
}

fn repeated(entry: &Entry, call: &KeyedCall, earlier: EarlierCall) -> Result<BoxedOutput> {
    let name = entry.declaration.name;
    let shown = call.key.split('\n').next().unwrap_or_default();
    match earlier {
        EarlierCall::Ended(result) => {
            let kept: Kept = serde_json::from_str(&result).map_err(|problem| {
                Error::storage(format!("A stored result is damaged: {problem}"))
            })?;
            if kept.result.is_none() {
                return Err(Error::new(
                    ErrorKind::CallUnderWay,
                    format!("The first call of {name} with this key was made; its result was too long to be kept"),
                )
                .with("idempotency_key", shown)
                .with_hint("Read what it changed; to make the change again, use another key."));
            }
            Ok(Box::new(Repeated(kept)))
        }
        EarlierCall::Other { operation } => Err(Error::new(
            ErrorKind::KeyReused,
            format!("The idempotency key \"{shown}\" was used for another call"),
        )
        .with("idempotency_key", shown)
        .with("operation", operation)
        .with_hint("Repeat a call with exactly the same arguments, or use another key.")),
        EarlierCall::Begun { owner, at } => {
            let lives = serde_json::from_str::<Owner>(&owner).is_ok_and(|owner| owner.is_alive());
            let error = |message: String, hint: &str| {
                Err(Error::new(ErrorKind::CallUnderWay, message)
                    .with("idempotency_key", shown)
                    .with("since", at.as_str())
                    .with_hint(hint))
            };
            if lives {
                return error(
                    format!(
                        "A call of {name} with this key is under way since {}",
                        at.as_str()
                    ),
                    "Wait, and repeat it with the same key to get its result.",
                );
            }
            error(
                format!(
                    "A call of {name} with this key began at {} and was interrupted: what it did is not known",
                    at.as_str()
                ),
                "Look at what is there, then make the call with another key if it is still needed.",
            )
        }
    }
}

/// A digest of the arguments, the same in whatever order they were given.
fn digest(arguments: &Json) -> String {
    let mut text = String::new();
    write_sorted(arguments, &mut text);
    hexadecimal(&Sha256::digest(text.as_bytes()))
}

fn write_sorted(value: &Json, text: &mut String) {
    match value {
        Json::Object(fields) => {
            let sorted: BTreeMap<&String, &Json> = fields.iter().collect();
            text.push('{');
            for (name, value) in sorted {
                text.push_str(&Json::from(name.as_str()).to_string());
                text.push(':');
                write_sorted(value, text);
                text.push(',');
            }
            text.push('}');
        }
        Json::Array(items) => {
            text.push('[');
            for item in items {
                write_sorted(item, text);
                text.push(',');
            }
            text.push(']');
        }
        other => text.push_str(&other.to_string()),
    }
}

/// Whether a person may see the result as text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    AsText,
    AsJson,
}

impl Shown {
    /// Only outputs for models have a budget.
    fn of(context: &Context) -> Self {
        if context.output_budget.is_none() {
            Self::AsText
        } else {
            Self::AsJson
        }
    }
}

/// A result as it is stored.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// None if it was too long.
    result: Option<Json>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    failed: bool,
    unsuccessful: bool,
}

fn kept(output: &dyn AnyOutput, shown: Shown) -> String {
    let mut kept = Kept {
        result: Some(output.to_json()),
        text: (shown == Shown::AsText).then(|| plain(&output.view())),
        failed: output.failed(),
        unsuccessful: output.unsuccessful(),
    };
    // Plain data with text keys; serialising it cannot fail.
    let text = serde_json::to_string(&kept).unwrap_or_default();
    if text.len() <= LONGEST_RESULT {
        return text;
    }
    (kept.result, kept.text) = (None, None);
    serde_json::to_string(&kept).unwrap_or_default()
}

/// A view as plain text.
fn plain(view: &View) -> String {
    let mut lines = Vec::new();
    for block in &view.blocks {
        match block {
            Block::Line(spans) => {
                let texts: Vec<&str> = spans.iter().map(|span| span.text.as_str()).collect();
                lines.push(texts.concat());
            }
            Block::Table { rows, .. } => {
                for row in rows {
                    let cells: Vec<&str> = row.iter().map(|span| span.text.as_str()).collect();
                    lines.push(cells.join("  "));
                }
            }
            Block::Fields(fields) => {
                for (name, value) in fields {
                    lines.push(format!("{name}: {}", value.text));
                }
            }
            Block::Text(text) => lines.push(text.clone()),
            Block::Blank => lines.push(String::new()),
        }
    }
    lines.join("\n")
}

/// The first result, for a call that was repeated.
struct Repeated(Kept);

impl AnyOutput for Repeated {
    fn to_json(&self) -> Json {
        self.0.result.clone().unwrap_or(Json::Null)
    }

    fn view(&self) -> View {
        match &self.0.text {
            Some(text) => View::default().text(text.clone()),
            None => View::default().text(format!("{:#}", self.to_json())),
        }
    }

    fn failed(&self) -> bool {
        self.0.failed
    }

    fn fit(&self, json: &mut Json, budget: usize) {
        budget::fit_plain(json, budget);
    }

    fn unsuccessful(&self) -> bool {
        self.0.unsuccessful
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_of_arguments_does_not_matter_and_their_values_do() {
        let one = json!({"a": 1, "b": {"c": [1, 2], "d": null}});
        let same = json!({"b": {"d": null, "c": [1, 2]}, "a": 1});
        assert_eq!(digest(&one), digest(&same));
        for other in [
            json!({"a": 1, "b": {"c": [2, 1], "d": null}}),
            json!({"a": "1", "b": {"c": [1, 2], "d": null}}),
            json!({"a": 1}),
        ] {
            assert_ne!(digest(&one), digest(&other), "{other}");
        }
    }

    #[test]
    fn a_key_is_a_short_printable_text() {
        assert!(IdempotencyKey::new("a key of 1 caller: ä").is_ok());
        for wrong in ["", "a\nb", &"x".repeat(201)] {
            assert!(IdempotencyKey::new(wrong).is_err(), "{wrong:?}");
        }
    }
}
