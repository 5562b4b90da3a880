//! `windlass run`: a command of the repository with its output as it comes and its exit code, asked
//! for where nobody has allowed it yet.

use std::ffi::OsString;
use std::io::BufRead as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::{ArgMatches, Command};
use tokio::sync::Notify;
use windlass_core::{Error, ErrorKind, Result};
use windlass_ops::{Choice, Context, Launch, StartInput};
use windlass_process::{Job, JobState, OutputSink, Stream};

use crate::surface::cli::caller::{Caller, operation};
use crate::surface::cli::confirm;
use crate::surface::cli::execute;
use crate::surface::cli::exit_codes::DECLINED;
use crate::surface::cli::output::{self, Output};
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::cli::render::escape;
use crate::surface::cli::tree::input_argument;
use crate::surface::signals::{Signal, Signals};

const START: &str = "task_start";

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["run"], build, run)
    .operations(&[START])
    .examples(&[
        ("A command of the repository", &["run", "build"]),
        (
            "What would be run, and whether it may",
            &["run", "build", "--dry-run"],
        ),
        (
            "With an argument and a variable",
            &["run", "greet", "--env", "LOG_LEVEL=debug", "--", "loud"],
        ),
    ])];

fn build(command: Command, _: &[OsString]) -> Command {
    let Ok(entry) = operation(START) else {
        return command;
    };
    let command = entry.augment(command);
    let fields: Vec<_> = command
        .get_arguments()
        .map(|argument| argument.get_id().clone())
        .collect();
    command
        .long_about(
            "Run a command of the repository, with its output as it comes and its exit code. What \
             nobody has allowed yet is shown and asked about on a terminal, and refused elsewhere. \
             `windlass commands` lists what there is.",
        )
        .arg(input_argument().conflicts_with_all(fields))
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let entry = operation(START)?;
    let input = caller.input(entry, matches)?;
    let start: StartInput = serde_json::from_value(input.clone())
        .map_err(|problem| Error::invalid_params(problem.to_string()))?;
    if start.dry_run {
        return caller.answer_call(START, input);
    }
    let (context, output) = (caller.context()?, &caller.output);
    execute::runtime()?.block_on(run_command(context, start, output))
}

/// Runs the command to its end and answers with its exit code.
async fn run_command(context: Context, input: StartInput, output: &Output) -> Result<ExitCode> {
    let host = Arc::clone(&context.host);
    let result = launch(context.clone(), input, output).await;
    host.close().await;
    // Where no server runs, nobody else would record what killed processes left.
    let _ = windlass_ops::end_orphaned_jobs(&context);
    result
}

async fn launch(context: Context, input: StartInput, output: &Output) -> Result<ExitCode> {
    context.store.check_trusted()?;
    // Received from here on, so that a signal never leaves a job behind.
    let mut signals = Signals::listen()?;
    let grace = context.workspace.commands_config()?.limits().grace;
    let chunk = context.workspace.commands_config()?.chunk_bytes;
    let mut launch = Launch::prepare(context, input.wish())?;
    if let Some(reason) = launch.question() {
        let choice = ask(&launch, &input.unique_name, &reason, output);
        let agreed = match choice {
            Some(choice) => decide(&mut launch, choice, output)?,
            None => false,
        };
        if !agreed {
            output.error("stopped", "Nothing was run.", None);
            return Ok(ExitCode::from(DECLINED));
        }
    }
    let live = Arc::new(Live {
        quiet: output.is_json(),
        broken: AtomicBool::new(false),
        closed: Notify::new(),
    });
    let job = launch
        .start(Arc::clone(&live) as Arc<dyn OutputSink>)
        .await?;
    let limit = input
        .wait_seconds
        .map(|it| Duration::from_secs(u64::from(it)));
    let ended = tokio::select! {
        state = job.wait_exit(limit) => match state {
            Some(state) => End::Of(state),
            None => End::TimedOut,
        },
        signal = signals.next() => End::Signalled(signal),
        () = live.closed.notified() => End::Signalled(Signal::Pipe),
    };
    if !matches!(ended, End::Of(_)) {
        tokio::select! {
            _ = job.stop(grace) => {}
            // Whoever asks twice does not want to wait.
            _ = signals.next() => drop(job.stop(Duration::ZERO).await),
        }
    }
    let result = windlass_ops::start_result(&job, chunk);
    windlass_ops::confirm_text(&job)?;
    if output.is_json() {
        output.answer(&result)?;
    }
    Ok(match ended {
        End::Of(state) => exit_code(&job, &state),
        End::Signalled(signal) => signal.exit_code(),
        End::TimedOut => {
            let seconds = limit.unwrap_or_default().as_secs();
            return Err(Error::new(
                ErrorKind::RequestTimeout,
                format!(
                    "'{}' did not end within {seconds} s and was stopped",
                    job.label
                ),
            ));
        }
    })
}

enum End {
    Of(JobState),
    Signalled(Signal),
    TimedOut,
}

fn exit_code(job: &Job, state: &JobState) -> ExitCode {
    let code = match state {
        JobState::Exited(code) => *code,
        JobState::Signaled(signal) => 128 + signal,
        JobState::Running | JobState::Failed(_) => 1,
    };
    debug_assert!(!job.state().is_running());
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// Passes the output on as it comes, to the streams that it was written to.
struct Live {
    quiet: bool,
    broken: AtomicBool,
    closed: Notify,
}

impl OutputSink for Live {
    fn write(&self, stream: Stream, bytes: &[u8]) {
        if self.quiet || self.broken.load(Ordering::Relaxed) {
            return;
        }
        let written = match stream {
            Stream::Stdout => output::pass_on(&mut std::io::stdout().lock(), bytes),
            Stream::Stderr => output::pass_on(&mut std::io::stderr().lock(), bytes),
        };
        // Nobody reads any more, so nobody waits for the rest.
        if written.is_err() && !self.broken.swap(true, Ordering::Relaxed) {
            self.closed.notify_one();
        }
    }

    fn replaces_ring(&self) -> bool {
        false
    }
}

/// Shows the person at the terminal everything that decides what would run, and asks. No answer is a
/// no.
fn ask(launch: &Launch, name: &str, reason: &str, output: &Output) -> Option<Choice> {
    output::ask(&format!(
        "'{name}' is not allowed: {}.\nIt would run: {}\nas defined at {}:\n\n",
        escape::one_line(reason),
        escape::one_line(&launch.command()),
        escape::one_line(&launch.place()),
    ));
    output.show_in_full(&launch.view());
    output::ask(if launch.can_be_pinned() {
        "Allow it?  o) once   c) this command, as it stands   f) all of its file   \
         d) all of its folder   x) never   n) no\n[o/c/f/d/x/N] "
    } else {
        "Allow it?  o) once   d) all of its folder   x) never   n) no\n[o/d/x/N] "
    });
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.ok().and_then(|_| choice_of(&answer))
}

/// Carries out what the person chose; what covers more than the command is shown and asked about.
/// Returns whether to go on.
fn decide(launch: &mut Launch, choice: Choice, output: &Output) -> Result<bool> {
    let plan = launch.grant_of(choice)?;
    if let Some(plan) = plan.as_ref().filter(|_| choice != Choice::Command) {
        output.show_in_full(&plan.view());
        if !confirm::ask(&format!("{} [y/N] ", plan.question())) {
            return Ok(false);
        }
    }
    launch.choose(choice, plan.as_ref())?;
    Ok(true)
}

fn choice_of(answer: &str) -> Option<Choice> {
    match answer.trim() {
        "o" | "once" => Some(Choice::Once),
        "c" | "command" => Some(Choice::Command),
        "f" | "file" => Some(Choice::File),
        "d" | "directory" => Some(Choice::Directory),
        "x" | "never" => Some(Choice::Deny),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_answer_allows() {
        assert_eq!(choice_of("o\n"), Some(Choice::Once));
        assert_eq!(choice_of(" c "), Some(Choice::Command));
        for no in ["", "\n", "n", "y", "yes", "O", "ok", "oc"] {
            assert_eq!(choice_of(no), None, "{no:?}");
        }
    }
}
