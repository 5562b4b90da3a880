//! What a call costs while a project grows: from 10,000 to 1,000,000 entities, in chains and stars of
//! relations, and for one entity with 100,000 updates. A call may cost at most half as much again.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the tables are the result, progress goes to standard error"
)]

mod calls;
mod curve;
mod plot;
mod servers;
mod shapes;
mod timing;
mod updates;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use windlass_bench::{Outcome, Places};

use crate::curve::{Curve, table};

/// Measures what calls cost in projects of several sizes and shapes.
#[derive(Debug, Parser)]
struct Arguments {
    /// What to measure: calls, servers, chain, dependants, updates; all by default.
    #[arg(value_name = "PART")]
    parts: Vec<String>,
    /// The numbers of entities.
    #[arg(long, value_delimiter = ',', default_value = "10000,100000,1000000")]
    sizes: Vec<usize>,
    /// The length of the chain, and the number of tasks that wait for one.
    #[arg(long, default_value_t = 10_000)]
    related: usize,
    /// How often one entity is updated.
    #[arg(long, default_value_t = 100_000)]
    updates: usize,
    /// Small sizes and few calls: only checks that everything runs.
    #[arg(long)]
    quick: bool,
    /// Exit with 0 even if something is over its limit.
    #[arg(long)]
    report_only: bool,
    /// Draw the curves into this file.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// The windlass binary to measure, instead of the one beside this program.
    #[arg(long, value_name = "FILE")]
    windlass: Option<PathBuf>,
}

/// How much is measured.
#[derive(Debug, Clone)]
struct Extent {
    sizes: Vec<usize>,
    related: usize,
    updates: usize,
    /// How often all sizes are measured in turn.
    rounds: usize,
    /// The most calls of one size in a round.
    calls: u64,
}

type Part = fn(&Places, &Extent) -> Outcome<Vec<Curve>>;

/// What can be measured, in the order of the tables.
const PARTS: [(&str, &str, Part); 5] = [
    ("calls", "calls, by number of entities", calls::measure),
    (
        "servers",
        "processes, by number of entities",
        servers::measure,
    ),
    ("chain", "a chain of tasks, by its length", shapes::chain),
    (
        "dependants",
        "one task for which others wait, by their number",
        shapes::dependants,
    ),
    (
        "updates",
        "updates of one entity, by their number",
        updates::measure,
    ),
];

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(code) => code,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: Arguments) -> Outcome<ExitCode> {
    for part in &arguments.parts {
        if !PARTS.iter().any(|(name, ..)| name == part) {
            let known = PARTS.map(|(name, ..)| name).join(", ");
            return Err(format!("There is no part {part}. Parts: {known}").into());
        }
    }
    let places = Places::find(arguments.windlass.clone())?;
    let extent = arguments.extent();
    let mut groups = Vec::new();
    for (name, title, measure) in PARTS {
        if arguments.parts.is_empty() || arguments.parts.iter().any(|part| part == name) {
            eprintln!("{name}");
            let curves = measure(&places, &extent)?;
            print!("{}", table(title, &curves));
            groups.push((title, curves));
        }
    }
    if let Some(file) = &arguments.svg {
        fs::write(file, plot::draw(&groups))
            .map_err(|problem| format!("{}: {problem}", file.display()))?;
    }
    let is_over = groups
        .iter()
        .flat_map(|(_, curves)| curves)
        .any(Curve::is_over);
    // What was measured quickly says nothing.
    let counts = !arguments.quick && !arguments.report_only;
    Ok(if is_over && counts {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

impl Arguments {
    fn extent(&self) -> Extent {
        if self.quick {
            return Extent {
                sizes: vec![200, 400, 800],
                related: 100,
                updates: 200,
                rounds: 2,
                calls: 3,
            };
        }
        Extent {
            sizes: self.sizes.clone(),
            related: self.related,
            updates: self.updates,
            rounds: 10,
            calls: 50,
        }
    }
}
