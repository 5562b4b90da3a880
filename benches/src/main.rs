//! Measures Windlass beside its yardsticks and says where it is too slow.
#![expect(clippy::print_stdout, reason = "the table is what this program is for")]
#![expect(clippy::print_stderr, reason = "progress goes beside the table")]

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use windlass_bench::{Places, ROWS, Rounds, Row, generate, is_over, json, table, tokens};
use windlass_store::Project;

/// Measures Windlass beside its yardsticks.
#[derive(Parser)]
struct Arguments {
    /// Rows to measure, by name or the beginning of one; all without any. Or `generate DIR N`: a
    /// project of N tasks in a new folder. Or `tokens`: what a model pays for its tools.
    #[arg(value_name = "ROW")]
    words: Vec<String>,
    /// Show only that everything runs: few calls, numbers that mean little.
    #[arg(long)]
    quick: bool,
    /// Answer JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// Exit with 0 even if a row is over its limit.
    #[arg(long)]
    report_only: bool,
    /// The windlass to measure, instead of the one beside this program.
    #[arg(long, value_name = "FILE")]
    windlass: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(code) => code,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: Arguments) -> Result<ExitCode, Box<dyn Error>> {
    if let [first, folder, number] = arguments.words.as_slice()
        && first == "generate"
    {
        let (project, _) = Project::init(folder.as_ref())?;
        generate(&project, number.parse()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.words == ["tokens"] {
        print!("{}", tokens(&Places::find(arguments.windlass)?)?);
        return Ok(ExitCode::SUCCESS);
    }
    let rows = chosen(&arguments.words)?;
    let places = Places::find(arguments.windlass)?;
    let rounds = Rounds {
        quick: arguments.quick,
    };
    let mut results = Vec::new();
    for row in rows {
        eprintln!("{}: {}", row.name, row.about);
        let measured = (row.measure)(&places, rounds)?;
        eprintln!("  {} calls, no error", measured.calls());
        results.push((row, measured));
    }
    if arguments.json {
        println!("{:#}", json(&results));
    } else {
        print!("{}", table(&results));
    }
    let over = results.iter().any(|(row, measured)| is_over(row, measured));
    Ok(if over && !arguments.report_only {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

fn chosen(words: &[String]) -> Result<Vec<&'static Row>, String> {
    for word in words {
        if !ROWS.iter().any(|row| row.name.starts_with(word.as_str())) {
            let known: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
            return Err(format!(
                "No row is called {word}. Rows: {}",
                known.join(", ")
            ));
        }
    }
    let wanted = |row: &&Row| {
        words.is_empty() || words.iter().any(|word| row.name.starts_with(word.as_str()))
    };
    Ok(ROWS.iter().filter(wanted).collect())
}
