//! Searches by meaning in projects of several sizes: how long a whole query takes, and how much memory
//! it needs beyond the files that are mapped. With `--embed`: how long it takes to give vectors to so
//! many entities in the background, and how much slower other calls are meanwhile. Prints the tables of
//! docs/guide/search.md.
#![expect(
    clippy::print_stdout,
    reason = "the tables are the result of this program"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use clap::Parser;
use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;
use windlass_bench::{Outcome, Places, Random, call, context, fill, models, text};
use windlass_ops::{Context, Machine, keep_embedding};
use windlass_store::Project;

/// Measures searches by meaning, and what embedding costs others.
#[derive(Parser)]
struct Arguments {
    /// The numbers of entities.
    #[arg(long, value_delimiter = ',', default_value = "1000,10000,100000")]
    sizes: Vec<usize>,
    /// Give vectors to so many entities in the background, and measure other calls meanwhile.
    #[arg(long)]
    embed: Option<usize>,
    /// A project that is measured by this process alone.
    #[arg(long, hide = true)]
    project: Option<PathBuf>,
    #[arg(long, hide = true)]
    models: Option<PathBuf>,
}

const QUESTIONS: [&str; 8] = [
    "how are database connections shared between workers",
    "why was the payment provider changed",
    "what happens when the disk is full",
    "error: cannot open src/main.rs: permission denied",
    "retry_after_seconds",
    "who may approve a release on Friday",
    "tests that fail only on the build server",
    "memory grows while files are uploaded",
];
/// Questions in words of the generated texts, as common as words of real texts are.
const GENERATED: u64 = 16;
const ROUNDS: usize = 12;
/// Calls of other operations, before, during and after.
const CALLS: usize = 400;

fn main() -> Outcome {
    let arguments = Arguments::parse();
    if let (Some(project), Some(models)) = (&arguments.project, &arguments.models) {
        return measure(project, models);
    }
    let places = Places::find(None)?;
    let folder = models(&places)?;
    if let Some(count) = arguments.embed {
        return embed(&places, &folder, count);
    }
    println!("| entities | search | p50 | p99 | processor time (mean) | memory beyond the maps |");
    println!("|---|---|---|---|---|---|");
    for size in arguments.sizes {
        let project = places.copy(&format!("search-{size}"), size)?;
        fill(&context_of(&project, &folder)?)?;
        // In a process of its own: what was needed to make the vectors is not counted.
        let status = Command::new(std::env::current_exe()?)
            .arg("--project")
            .arg(project.root())
            .arg("--models")
            .arg(&folder)
            .args(["--sizes", &size.to_string()])
            .status()?;
        if !status.success() {
            return Err("the measurement failed".into());
        }
    }
    Ok(())
}

fn context_of(project: &Project, models: &Path) -> Outcome<Context> {
    let machine = Machine {
        models: models.to_owned(),
        ..Machine::without_jobs(project.root())
    };
    context(project, machine)
}

fn now(context: &Context, operation: &str, input: Json) -> Outcome<Json> {
    futures::executor::block_on(call(context, operation, input))
}

fn measure(project: &Path, models: &Path) -> Outcome {
    let context = context_of(&Project::find(project)?, models)?;
    let size = context.store.read(None, |reader| reader.vector_count())?;
    let mut questions: Vec<String> = QUESTIONS.iter().map(|&it| it.to_owned()).collect();
    questions.extend((0..GENERATED).map(|seed| text(&mut Random::new(seed), 7)));
    for (name, operation) in [("by meaning", "search_semantic"), ("both", "search")] {
        let before = memory()?;
        let mut times = Vec::new();
        let used_before = processor_time()?;
        for _ in 0..ROUNDS {
            for question in &questions {
                let begun = Instant::now();
                let found = now(&context, operation, json!({"query": question}))?;
                times.push(begun.elapsed());
                if found["mode"] == "fulltext" {
                    return Err("the model was not used".into());
                }
            }
        }
        let used = processor_time()?.saturating_sub(used_before) / u32::try_from(times.len())?;
        // The first of each opens files.
        let mut times = times.split_off(questions.len());
        let more = memory()?.saturating_sub(before);
        println!(
            "| {size} | {name} | {:.1} ms | {:.1} ms | {:.1} ms | {:.1} MB |",
            milliseconds(share(&mut times, 50)),
            milliseconds(share(&mut times, 99)),
            milliseconds(used),
            f64::from(u32::try_from(more)?) / 1_000.0
        );
    }
    Ok(())
}

/// How long this thread has run so far: other work on the machine does not count.
fn processor_time() -> Outcome<Duration> {
    let times = fs::read_to_string("/proc/thread-self/schedstat")?;
    let running = times.split_whitespace().next().ok_or("no time")?;
    Ok(Duration::from_nanos(running.parse()?))
}

/// How long all threads of this process have run so far, those that have ended too. To a hundredth of
/// a second.
fn processor_time_of_all() -> Outcome<Duration> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(')').ok_or("no fields")?;
    let times = fields.split_whitespace().skip(11).take(2);
    let mut hundredths = 0;
    for time in times {
        hundredths += time.parse::<u64>()?;
    }
    Ok(Duration::from_millis(hundredths * 10))
}

/// Kilobytes of this process that are not of files.
fn memory() -> Outcome<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    Ok(number.ok_or("no RssAnon")?.parse()?)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// The time that so many of a hundred do not exceed.
fn share(times: &mut [Duration], of_hundred: usize) -> Duration {
    times.sort();
    let at = (times.len() * of_hundred / 100).min(times.len().saturating_sub(1));
    times.get(at).copied().unwrap_or_default()
}

/// Calls that an agent makes all the time.
const OTHERS: [(&str, &str); 4] = [
    ("task_ready", "{}"),
    ("entity_list", r#"{"type": "task", "limit": 20}"#),
    ("search_fulltext", r#"{"query": "deploy"}"#),
    ("entity_create", r#"{"type": "task", "title": "A task"}"#),
];

fn embed(places: &Places, models: &Path, count: usize) -> Outcome {
    let project = places.copy("embed", count)?;
    let context = context_of(&project, models)?;
    let quiet_before = medians(&context, CALLS)?;
    let closing = CancellationToken::new();
    let begun = Instant::now();
    let background = {
        let (context, closing) = (context.clone(), closing.clone());
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            if let Ok(runtime) = runtime {
                runtime.block_on(keep_embedding(context, closing, |_| {}));
            }
        })
    };
    let waiting = || context.store.read(None, |reader| reader.unembedded_count());
    let all = waiting()?;
    while waiting()? == all {
        std::thread::yield_now();
    }
    let background_time =
        || -> Outcome<Duration> { Ok(processor_time_of_all()?.saturating_sub(processor_time()?)) };
    let (begun_calls, used_before) = (Instant::now(), background_time()?);
    let meanwhile = medians(&context, CALLS)?;
    let used = background_time()?.saturating_sub(used_before);
    let share_used = used.as_secs_f64() / begun_calls.elapsed().as_secs_f64();
    if waiting()? == 0 {
        return Err("everything had its vectors before the other calls were measured".into());
    }
    while waiting()? > 0 {
        std::thread::sleep(Duration::from_millis(100));
    }
    let used_in_all = background_time()?;
    let took = begun.elapsed().as_secs_f64();
    closing.cancel();
    background.join().map_err(|_| "the background panicked")?;
    let quiet_after = medians(&context, CALLS)?;
    println!(
        "{count} entities and {} more tasks had vectors after {took:.0} s, of which {:.0} s of processor time.",
        2 * CALLS,
        used_in_all.as_secs_f64()
    );
    println!(
        "While the other calls were measured it used {:.0} % of a processor.\n",
        100.0 * share_used
    );
    println!("| call | quiet | meanwhile | ratio |");
    println!("|---|---|---|---|");
    for (at, (name, _)) in OTHERS.iter().enumerate() {
        let quiet = f64::midpoint(
            milliseconds(quiet_before[at]),
            milliseconds(quiet_after[at]),
        );
        let busy = milliseconds(meanwhile[at]);
        println!(
            "| {name} | {quiet:.3} ms | {busy:.3} ms | {:.2} |",
            busy / quiet
        );
    }
    Ok(())
}

fn medians(context: &Context, calls: usize) -> Outcome<Vec<Duration>> {
    let mut times = vec![Vec::new(); OTHERS.len()];
    for _ in 0..calls {
        for (at, (name, input)) in OTHERS.iter().enumerate() {
            let input = serde_json::from_str(input)?;
            let begun = Instant::now();
            now(context, name, input)?;
            times[at].push(begun.elapsed());
        }
    }
    Ok(times.iter_mut().map(|times| share(times, 50)).collect())
}
