//! Measures Windlass against its baselines and reports where it is too slow.
#![expect(
    clippy::print_stdout,
    reason = "the table is the result of this program"
)]
#![expect(clippy::print_stderr, reason = "progress goes to standard error")]

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use windlass_bench::{
    LONG_BASELINES, Places, ROWS, Rounds, Row, generate, is_over, json, table, tokens,
};
use windlass_store::Project;

/// Measures Windlass against its baselines.
#[derive(Parser)]
struct Arguments {
    /// Rows to measure, by name or prefix; all by default. Or `generate DIR N`: a project of N
    /// tasks in a new folder. Or `tokens`: the size of the tool list for a model.
    #[arg(value_name = "ROW")]
    words: Vec<String>,
    /// Only check that everything runs: small projects, few calls, numbers that mean little. Without
    /// `commands_cli`, whose baseline is built first, unless it is named.
    #[arg(long)]
    quick: bool,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// Exit with 0 even if a row is over its limit.
    #[arg(long)]
    report_only: bool,
    /// The windlass binary to measure, instead of the one beside this program.
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
    let rows = chosen(&arguments.words, arguments.quick)?;
    let mut places = Places::find(arguments.windlass)?;
    places.quick = arguments.quick;
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

fn chosen(words: &[String], quick: bool) -> Result<Vec<&'static Row>, String> {
    for word in words {
        if !ROWS.iter().any(|row| row.name.starts_with(word.as_str())) {
            let known: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
            return Err(format!(
                "There is no row {word}. Rows: {}",
                known.join(", ")
            ));
        }
    }
    let wanted = |row: &&Row| {
        let by_default = words.is_empty() && !(quick && LONG_BASELINES.contains(&row.name));
        by_default || words.iter().any(|word| row.name.starts_with(word.as_str()))
    };
    Ok(ROWS.iter().filter(wanted).collect())
}
