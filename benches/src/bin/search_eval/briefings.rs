//! What the briefing of a task finds: the same tasks and decisions in a project of 2,000 notes, without
//! and with a model.

use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use windlass_bench::Outcome;
use windlass_ops::Context;

use crate::texts::Text;
use crate::{embed, now, project_of};

const NOTES: usize = 2_000;
/// Texts that are decisions about other things.
const OTHER_DECISIONS: usize = 200;
const CASES: &str = include_str!("../../../data/briefings.tsv");

/// A task, and the decision that whoever works on it has to know.
struct Case {
    decision: &'static str,
    reason: &'static str,
    task: &'static str,
    description: &'static str,
}

fn cases() -> Vec<Case> {
    let lines = CASES.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| {
            let mut parts = line.split('\t');
            Some(Case {
                decision: parts.next()?,
                reason: parts.next()?,
                task: parts.next()?,
                description: parts.next()?,
            })
        })
        .collect()
}

pub fn compare(folder: &Path, models: &Path, texts: &[Text]) -> Outcome {
    let cases = cases();
    let (notes, others) = texts.split_at(NOTES.min(texts.len()));
    let context = project_of(folder, models, notes)?;
    let mut numbered = Vec::new();
    for case in &cases {
        let decision = json!({"type": "decision", "title": case.decision, "content": case.reason,
            "properties": {"status": "accepted"}});
        let task = json!({"type": "task", "title": case.task, "content": case.description});
        numbered.push((create(&context, decision)?, create(&context, task)?));
    }
    for text in others.iter().take(OTHER_DECISIONS) {
        let decision = json!({"type": "decision", "title": text.title, "content": text.content,
            "properties": {"status": "accepted"}});
        create(&context, decision)?;
    }
    embed(&context)?;
    let nowhere = PathBuf::from("/nonexistent");
    let by_words = project_of(folder, &nowhere, &[])?;
    println!("| task | decision that matters | by words | by words and meaning |");
    println!("|---|---|---|---|");
    let (mut before, mut after) = (0, 0);
    for (case, (decision, task)) in cases.iter().zip(numbered) {
        let found = |context: &Context| -> Outcome<bool> {
            let briefing = now(
                context,
                "begin",
                json!({"id": task.to_string(), "peek": true}),
            )?;
            let decisions = briefing["decisions"].as_array().cloned();
            Ok(decisions
                .unwrap_or_default()
                .iter()
                .any(|it| it["id"] == decision))
        };
        let (old, new) = (found(&by_words)?, found(&context)?);
        before += u32::from(old);
        after += u32::from(new);
        let word = |found| if found { "found" } else { "-" };
        let (task, decision) = (case.task, case.decision);
        println!("| {task} | {decision} | {} | {} |", word(old), word(new));
    }
    let count = cases.len();
    println!("| all {count} | | {before} | {after} |");
    Ok(())
}

fn create(context: &Context, input: Json) -> Outcome<i64> {
    let created = now(context, "entity_create", input)?;
    Ok(created["sequence_number"].as_i64().ok_or("no number")?)
}
