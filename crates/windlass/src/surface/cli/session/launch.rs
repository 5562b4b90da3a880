//! The command `windlass session launch`.

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use clap::{Arg, ArgMatches, Command, value_parser};
use tokio_util::sync::CancellationToken;
use windlass_core::Result;
use windlass_ops::{Context, Number, Worktree};
use windlass_process::{Limits, Supervisor};

use super::client::{self, Client};
use super::round::{EndedRound, Launch};
use super::rounds::Rounds;
use crate::surface::cli::caller::Caller;
use crate::surface::cli::global::Global;
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::cli::{execute, output};
use crate::surface::environment::Environment;
use crate::surface::signals::{Signal, Signals};

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["session", "launch"], build, run)
    .examples(&[
        (
            "An executor for task 7",
            &[
                "session", "launch", "--task", "7", "--", "claude", "-p", "{prompt}",
            ],
        ),
        (
            "The next ten tasks, one after another",
            &[
                "session", "launch", "--loop", "10", "--", "codex", "exec", "{prompt}",
            ],
        ),
        (
            "Three at a time, each in a git worktree",
            &[
                "session",
                "launch",
                "--loop",
                "10",
                "--parallel",
                "3",
                "--",
                "claude",
                "-p",
                "{prompt}",
            ],
        ),
        (
            "Your own client",
            &[
                "session",
                "launch",
                "--recipe",
                "yap",
                "--",
                "./agent.sh",
                "--mcp",
                "{config}",
            ],
        ),
    ])];

const LOOP: &str = "loop";
const PARALLEL: &str = "parallel";
const TASK: &str = "task";
/// More would only compete for the machine.
const MOST_PARALLEL: i64 = 32;

fn build(command: Command, _: &[OsString]) -> Command {
    let option = |name: &'static str, about: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(name.to_uppercase())
            .help(about)
    };
    let about = "Start a session and its client, wait for the client, and end the session";
    let clients = client::names();
    command
        .about(about)
        .long_about(format!(
            "{about}. {clients} get the session's MCP servers in their own way (gemini and cursor-agent \
             after windlass setup); any other client needs {{config}} in its arguments, which is \
             replaced by the path of the configuration. {{prompt}} is replaced by the briefing: such a \
             client works by itself, and its calls, commands, gates and words are shown as they come \
             (--json: one line of JSON each). A client without {{prompt}} has the terminal.\n\n\
             The exit code says how the session ended: 0 done, 6 a person was asked, 12 partly done, 13 \
             stuck, 14 the client failed or was stopped. A client that never connected, or failed \
             before it called anything, has not been stuck: the task is only released. Ctrl-C stops the \
             client and everything that it started, and releases the task.",
        ))
        .arg(option("recipe", "What kind of session: the name of a recipe").default_value("focus"))
        .arg(option("discipline", "The discipline, by name; that of the task if absent"))
        .arg(option("feature", "The feature, by name; that of the task if absent"))
        .arg(option(TASK, "The number of the task to work on").conflicts_with_all([LOOP, PARALLEL]))
        .arg(
            option(LOOP, "Take the next ready task, so many times: one session each, until none is ready or a person is asked")
                .value_name("N")
                .value_parser(value_parser!(u32).range(1..)),
        )
        .arg(
            option(PARALLEL, "So many sessions at a time, each in a new git worktree. One without changes is removed afterwards; others stay, with their branch, and nothing is merged")
                .value_name("K")
                .value_parser(value_parser!(u32).range(1..=MOST_PARALLEL)),
        )
        .arg(
            Arg::new("client")
                .value_name("CLIENT")
                .num_args(1..)
                .required(true)
                .last(true)
                .help("The client and its arguments"),
        )
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let context = caller.context()?;
    execute::runtime()?.block_on(async {
        let host = Arc::clone(&context.host);
        let result = launch(matches, caller, &context).await;
        host.close().await;
        result
    })
}

async fn launch(matches: &ArgMatches, caller: &Caller, context: &Context) -> Result<ExitCode> {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let number = |name: &str| matches.get_one::<u32>(name).copied();
    let words: Vec<String> = matches
        .get_many::<String>("client")
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    let parallel = number(PARALLEL);
    let by_itself = Client::is_given_the_prompt(&words) || parallel.is_some();
    let launch = Launch {
        recipe: text("recipe").unwrap_or_default(),
        discipline: text("discipline"),
        feature: text("feature"),
        on_terminal: !by_itself && !caller.output.is_json() && std::io::stdin().is_terminal(),
        words,
        json: caller.output.is_json(),
        shares_output: parallel.is_some(),
        supervisor: Supervisor::new(
            context.workspace.machine().shim.clone(),
            Limits {
                max_jobs: usize::try_from(MOST_PARALLEL).unwrap_or(usize::MAX),
                ..Limits::default()
            },
        ),
        search_path: caller
            .environment
            .shortened_search_path()
            .map(|path| path.given.to_string_lossy().into_owned()),
        stopping: CancellationToken::new(),
    };
    let signal = stop_at_signal(&launch)?;
    let ended = match (number(LOOP), parallel) {
        (None, None) => {
            let Ok(task) = text(TASK).map(|it| it.parse::<Number>()).transpose();
            vec![launch.round(context, task.as_ref()).await?]
        }
        (Some(times), None) => Rounds::new(&launch, times).one_by_one(context).await?,
        (times, Some(at_once)) => {
            let rounds = Rounds::new(&launch, times.unwrap_or(at_once));
            let open = open_in(caller);
            rounds.side_by_side(context, &open, at_once).await?
        }
    };
    if ended.is_empty() && !launch.json {
        output::note("No task is ready.");
    }
    Ok(exit_code(&ended, signal.get().copied()))
}

/// Opens the project in a worktree.
fn open_in(caller: &Caller) -> impl Fn(&Worktree) -> Result<Context> + Sync + use<> {
    let (words, global) = (caller.words.clone(), caller.global.clone());
    move |worktree| {
        let global = Global {
            cwd: worktree.folder.clone(),
            ..global.clone()
        };
        Caller::new(words.clone(), global, Environment::of_process()).context()
    }
}

/// Stops everything at the first signal. A person's Ctrl-C belongs to a client that has the terminal.
fn stop_at_signal(launch: &Launch) -> Result<Arc<OnceLock<Signal>>> {
    let mut signals = Signals::listen()?;
    let seen = Arc::new(OnceLock::new());
    let (stopping, on_terminal) = (launch.stopping.clone(), launch.on_terminal);
    let sender = Arc::clone(&seen);
    tokio::spawn(async move {
        loop {
            let signal = signals.next().await;
            if !(on_terminal && signal == Signal::Interrupt) {
                let _ = sender.set(signal);
                stopping.cancel();
            }
        }
    });
    Ok(seen)
}

/// That of the first session that did not succeed.
fn exit_code(ended: &[EndedRound], signal: Option<Signal>) -> ExitCode {
    let mut outcomes = ended.iter().map(|round| round.outcome);
    match (outcomes.find(|outcome| !outcome.is_success()), signal) {
        (Some(outcome), signal) => outcome.exit_code(signal),
        (None, Some(signal)) => signal.exit_code(),
        (None, None) => ExitCode::SUCCESS,
    }
}
