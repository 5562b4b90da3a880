//! How well the searches find what is meant: by words, by meaning, and both together, over the
//! documented items of this repository; and what a briefing finds by both that it does not find by
//! words. Prints the tables of docs/guide/search.md.
#![expect(
    clippy::print_stdout,
    reason = "the tables are the result of this program"
)]
#![expect(clippy::print_stderr, reason = "progress goes to standard error")]

mod briefings;
mod queries;
mod table;
mod texts;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Parser;
use serde_json::{Value as Json, json};
use windlass_bench::{Outcome, call, context};
use windlass_ops::{Context, Machine, embed_waiting};
use windlass_store::Project;

use queries::{Half, Query};
use table::{METHODS, Table};
use texts::Text;

/// Compares the searches over the documented items of this repository.
#[derive(Parser)]
struct Arguments {
    /// The repository.
    #[arg(default_value = ".")]
    root: PathBuf,
    /// The folder of the installed model.
    #[arg(long)]
    models: PathBuf,
    /// List the questions of the tuning half that both searches together do not answer first.
    #[arg(long)]
    missed: bool,
    /// Questions of each class that are made from the texts.
    #[arg(long, default_value_t = 120)]
    each: usize,
    /// A project with the texts and their vectors, made where there is none.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Fail where both searches together are worse than one of them, in any class and by any measure.
    #[arg(long)]
    strict: bool,
    /// Compare briefings instead.
    #[arg(long)]
    briefings: bool,
}

fn main() -> Outcome {
    let arguments = Arguments::parse();
    let texts = texts::collect(&arguments.root)?;
    let scratch = tempfile::tempdir()?;
    let folder = arguments
        .keep
        .clone()
        .unwrap_or_else(|| scratch.path().join("project"));
    if arguments.briefings {
        return briefings::compare(&folder, &arguments.models, &texts);
    }
    let (queries, missing) = queries::queries(&texts, arguments.each);
    eprintln!(
        "{} texts, {} questions, {missing} of them about texts that are gone",
        texts.len(),
        queries.len()
    );
    if missing > 10 {
        return Err("Too many paraphrases are about texts that are gone: write new ones.".into());
    }
    let context = project_of(&folder, &arguments.models, &texts)?;
    embed(&context)?;
    let numbers: BTreeMap<&str, i64> = texts
        .iter()
        .zip(1..)
        .map(|(text, number)| (text.key.as_str(), number))
        .collect();
    let (mut tuning, mut held_out) = (Table::default(), Table::default());
    for query in &queries {
        let table = match query.half {
            Half::Tuning => &mut tuning,
            Half::HeldOut => &mut held_out,
        };
        for (method, operation) in METHODS {
            let place = place(&context, operation, query, numbers[query.expected.as_str()])?;
            let is_missed = method == "both" && place.is_none_or(|it| it > 0);
            // What is held out is not looked at.
            if arguments.missed && is_missed && query.half == Half::Tuning {
                eprintln!(
                    "{}: {place:?} {} ({})",
                    query.class, query.text, query.expected
                );
            }
            table.add(query.class, method, place);
        }
    }
    println!("Held out:\n\n{held_out}\nFor tuning:\n\n{tuning}");
    let worse = [tuning.worse(), held_out.worse()].concat();
    for line in &worse {
        eprintln!("Both together are worse: {line}");
    }
    if arguments.strict && !worse.is_empty() {
        return Err("Both searches together are worse than one of them.".into());
    }
    Ok(())
}

/// A project with these texts as its first notes.
fn project_of(folder: &Path, models: &Path, texts: &[Text]) -> Outcome<Context> {
    let is_new = !folder.join(".windlass").exists();
    let (project, _) = Project::init(folder)?;
    let machine = Machine {
        models: models.to_owned(),
        ..Machine::without_jobs(folder)
    };
    let context = context(&project, machine)?;
    if is_new {
        for batch in texts.chunks(100) {
            let operations: Vec<Json> = batch.iter().map(note).collect();
            now(&context, "entity_batch", json!({"operations": operations}))?;
        }
    }
    Ok(context)
}

fn note(text: &Text) -> Json {
    json!({"op": "create", "type": "note", "title": text.title, "content": text.content,
        "properties": {"note_type": "doc"}})
}

fn embed(context: &Context) -> Outcome {
    let begun = Instant::now();
    let done = embed_waiting(context, &|| false)?;
    let seconds = begun.elapsed().as_secs_f64();
    eprintln!("{} texts got vectors in {seconds:.0} s", done.texts);
    Ok(())
}

fn now(context: &Context, operation: &str, input: Json) -> Outcome<Json> {
    futures::executor::block_on(call(context, operation, input))
}

/// The place of the expected text among the first ten.
fn place(
    context: &Context,
    operation: &str,
    query: &Query,
    expected: i64,
) -> Outcome<Option<usize>> {
    let mut input = json!({"query": query.text, "limit": 10});
    if operation == "search_semantic" {
        input["threshold"] = json!(0.0);
    }
    let found = now(context, operation, input)?;
    if operation != "search_fulltext" && found["mode"] == "fulltext" {
        return Err("The model is not installed in that folder.".into());
    }
    let results = found["results"].as_array().cloned().unwrap_or_default();
    Ok(results
        .iter()
        .position(|it| it["sequence_number"] == expected))
}
