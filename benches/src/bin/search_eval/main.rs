//! How well the searches find what is meant: by words, by meaning, and both together, over the
//! documented items of this repository. Prints the table of docs/search.md.
#![expect(
    clippy::print_stdout,
    reason = "the table is the result of this program"
)]
#![expect(clippy::print_stderr, reason = "progress goes to standard error")]

mod queries;
mod texts;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use clap::Parser;
use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;
use windlass_bench::Outcome;
use windlass_core::{Actor, Origin};
use windlass_ops::{
    AnyOutput as _, Context, JobHost, Lifetime, Machine, Settings, Workspace, embed_waiting,
};
use windlass_store::{Project, Store};

use queries::{CLASSES, Query};

/// Compares the searches over the documented items of this repository.
#[derive(Parser)]
struct Arguments {
    /// The repository.
    #[arg(default_value = ".")]
    root: PathBuf,
    /// The folder of the installed model.
    #[arg(long)]
    models: PathBuf,
    /// List the questions that each search does not answer among its first ten.
    #[arg(long)]
    missed: bool,
    /// A project with the texts and their vectors, made where there is none.
    #[arg(long)]
    keep: Option<PathBuf>,
}

const METHODS: [(&str, &str); 3] = [
    ("words", "search_fulltext"),
    ("meaning", "search_semantic"),
    ("both", "search"),
];

fn main() -> Outcome {
    let arguments = Arguments::parse();
    let texts = texts::collect(&arguments.root)?;
    let (queries, missing) = queries::queries(&texts);
    eprintln!(
        "{} texts, {} questions, {missing} of them about texts that are gone",
        texts.len(),
        queries.len()
    );
    if missing > 6 {
        return Err("Too many paraphrases are about texts that are gone: write new ones.".into());
    }
    let scratch = tempfile::tempdir()?;
    let folder = arguments
        .keep
        .clone()
        .unwrap_or_else(|| scratch.path().join("project"));
    let is_new = !folder.join(".windlass").exists();
    let context = context(&folder, &arguments)?;
    if is_new {
        for batch in texts.chunks(100) {
            let operations: Vec<Json> = batch
                .iter()
                .map(|text| {
                    json!({"op": "create", "type": "note", "title": text.title,
                        "content": text.content, "properties": {"note_type": "doc"}})
                })
                .collect();
            call(&context, "entity_batch", json!({"operations": operations}))?;
        }
    }
    let begun = Instant::now();
    let done = embed_waiting(&context, &|| false)?;
    eprintln!(
        "{} texts got vectors in {:.0} s",
        done.texts,
        begun.elapsed().as_secs_f64()
    );
    let numbers: BTreeMap<&str, i64> = texts
        .iter()
        .zip(1..)
        .map(|(text, number)| (text.key.as_str(), number))
        .collect();
    let mut table: BTreeMap<(&str, &str), Vec<Option<usize>>> = BTreeMap::new();
    for query in &queries {
        for (method, operation) in METHODS {
            let place = place(&context, operation, query, numbers[query.expected.as_str()])?;
            if arguments.missed && method == "both" && place.is_none_or(|it| it > 0) {
                eprintln!(
                    "{}: {:?} {} ({})",
                    query.class, place, query.text, query.expected
                );
            }
            table.entry((query.class, method)).or_default().push(place);
        }
    }
    print(&table);
    Ok(())
}

fn context(folder: &std::path::Path, arguments: &Arguments) -> Outcome<Context> {
    let (project, _) = Project::init(folder)?;
    let machine = Machine {
        models: arguments.models.clone(),
        ..Machine::without_jobs(folder)
    };
    let store = Arc::new(Store::open(&project)?);
    let workspace = Arc::new(Workspace::new(project, machine));
    let host = Arc::new(JobHost::new(workspace, Lifetime::Command));
    let origin = Origin {
        actor: Actor::Agent,
        source: "bench",
        session: "bench".to_owned(),
        correlation_id: None,
    };
    Ok(Context::new(
        store,
        host,
        origin,
        Arc::new(Settings::default()),
    ))
}

fn call(context: &Context, operation: &str, input: Json) -> Outcome<Json> {
    let entry = windlass_ops::find(operation).ok_or("unknown operation")?;
    let input = entry.complete(input)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let calling = windlass_ops::call(entry, context.clone(), input, CancellationToken::new());
    Ok(runtime.block_on(calling)?.to_json())
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
    let found = call(context, operation, input)?;
    if operation != "search_fulltext" && found["mode"] == "fulltext" {
        return Err("The model is not installed in that folder.".into());
    }
    let results = found["results"].as_array().cloned().unwrap_or_default();
    Ok(results
        .iter()
        .position(|it| it["sequence_number"] == expected))
}

#[expect(clippy::cast_precision_loss, reason = "a few hundred questions")]
fn print(table: &BTreeMap<(&str, &str), Vec<Option<usize>>>) {
    println!("| class | questions | search | recall@1 | @5 | @10 | MRR |");
    println!("|---|---|---|---|---|---|---|");
    let all = |method: &str| -> Vec<Option<usize>> {
        let of_method = CLASSES
            .iter()
            .filter_map(|class| table.get(&(*class, method)));
        of_method.flatten().copied().collect()
    };
    for class in CLASSES.iter().copied().chain(["all"]) {
        for (method, _) in METHODS {
            let places = match class {
                "all" => all(method),
                class => table.get(&(class, method)).cloned().unwrap_or_default(),
            };
            let count = places.len().max(1) as f64;
            let within = |most: usize| {
                let found = places
                    .iter()
                    .flatten()
                    .filter(|place| **place < most)
                    .count();
                found as f64 / count
            };
            let mean: f64 = places
                .iter()
                .flatten()
                .map(|place| 1.0 / (*place as f64 + 1.0))
                .sum();
            println!(
                "| {class} | {} | {method} | {:.3} | {:.3} | {:.3} | {:.3} |",
                places.len(),
                within(1),
                within(5),
                within(10),
                mean / count
            );
        }
    }
}
