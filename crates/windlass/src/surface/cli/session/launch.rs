//! Starts the session and its client, and waits until the client exits.

use std::ffi::OsString;
use std::process::{Child, Command as Process, ExitCode, ExitStatus};
use std::sync::mpsc;

use clap::{Arg, ArgMatches, Command};
use rustix::process::{Pid, Signal as Kill, kill_process};
use serde_json::Value as Json;
use windlass_core::{Error, ErrorKind, Result};
use windlass_ops::{AnyOutput as _, Context, Number, Response, StartedSession, Wanted};

use super::client::Client;
use crate::surface::cli::caller::Caller;
use crate::surface::cli::execute::{self, CommandEnd};
use crate::surface::cli::output::{self, Output};
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::signals::{Signal, Signals};

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["session", "launch"], build, run)
    .examples(&[
        (
            "An executor for task 7",
            &[
                "session", "launch", "--recipe", "focus", "--task", "7", "--", "claude", "-p",
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

fn build(command: Command, _: &[OsString]) -> Command {
    let option = |name: &'static str, about: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(name.to_uppercase())
            .help(about)
    };
    command
        .about("Start a session and its client, wait for the client, and end the session")
        .long_about(
            "Start a session and its client, wait for the client, and end the session. claude, codex \
             and gemini get the session's MCP servers through their own options; any other client \
             needs {config} in its arguments, which is replaced by the path of the configuration. \
             {prompt} is replaced by the briefing.",
        )
        .arg(option("recipe", "What kind of session: the name of a recipe").required(true))
        .arg(option("discipline", "The discipline, by name; that of the task if absent"))
        .arg(option("feature", "The feature, by name; that of the task if absent"))
        .arg(option("task", "The number of the task to work on"))
        .arg(
            Arg::new("client")
                .value_name("CLIENT")
                .num_args(1..)
                .required(true)
                .last(true)
                .help("The client and its arguments"),
        )
}

/// Runs the client until it exits. Returns its exit code.
fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let (context, output) = (&caller.context()?, &caller.output);
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let Ok(task) = text("task").map(str::parse::<Number>).transpose();
    let words: Vec<String> = matches
        .get_many::<String>("client")
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    let started = windlass_ops::start_session(
        context,
        &Wanted {
            recipe: text("recipe").unwrap_or_default(),
            discipline: text("discipline"),
            feature: text("feature"),
            task: task.as_ref(),
        },
    )?;
    let id = started.session.id.clone();
    let status = match attend(&started, &words, context, output) {
        Ok(status) => status,
        Err(error) => {
            windlass_ops::abandon_session(context, &id)?;
            return Err(error);
        }
    };
    // In every case, the session has ended and its task is released.
    let exit_code = status.code().map(i64::from);
    windlass_ops::end_session(context, &id, exit_code)?;
    let ended = call("session_get", &id, context)?;
    if output.is_json() {
        output.answer(&ended)?;
    } else {
        let json = ended.to_json();
        let how = json["closing"].as_str().unwrap_or("ended");
        output::note(&format!("Session {id}: {how}."));
    }
    Ok(exit_code_of(status))
}

/// Calls an operation on the session.
fn call(name: &str, id: &str, context: &Context) -> Result<Response> {
    let entry = windlass_ops::find(name)
        .ok_or_else(|| Error::internal(format!("{name} is not an operation")))?;
    let input = serde_json::json!({ "id": id });
    match execute::to_the_end(entry, input, context.clone())? {
        CommandEnd::Response(response) => Ok(response),
        CommandEnd::Signal(_) => Err(Error::internal("interrupted")),
    }
}

fn attend(
    started: &StartedSession,
    words: &[String],
    context: &Context,
    output: &Output,
) -> Result<ExitStatus> {
    let id = &started.session.id;
    let path = std::path::Path::new(&started.config_path);
    let config: Json = std::fs::read(path)
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .ok_or_else(|| Error::storage(format!("{} cannot be read", path.display())))?;
    let briefing = call("session_prompt_get", id, context)?.to_json();
    let client = Client::new(
        words,
        path,
        &config,
        briefing["prompt"].as_str().unwrap_or_default(),
    )?;
    windlass_ops::launch_session(context, id, words)?;
    if !started.other_servers.is_empty() && !output.is_json() {
        let names = started.other_servers.join(", ");
        output::note(&format!(
            "The discipline's MCP servers are started too: {names}."
        ));
    }
    let child = Process::new(&client.program)
        .args(&client.args)
        .envs(client.env.iter().map(|(name, value)| (*name, value)))
        .env("WINDLASS_SESSION", id)
        .env("WINDLASS_MCP_CONFIG", &started.config_path)
        .current_dir(context.workspace.root())
        .spawn()
        .map_err(|problem| {
            Error::new(
                ErrorKind::StartFailed,
                format!("{} cannot be started: {problem}", client.program),
            )
            .with_hint("Is the client installed and on PATH?")
        })?;
    wait(child)
}

/// Waits for the client. The client itself receives signals that a terminal sends to the whole
/// group; those sent only to this process are forwarded.
fn wait(mut child: Child) -> Result<ExitStatus> {
    let pid = Pid::from_child(&child);
    let (sender, ended) = mpsc::channel();
    std::thread::spawn(move || drop(sender.send(child.wait())));
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async move {
            let Ok(mut signals) = Signals::listen() else {
                return;
            };
            loop {
                if signals.next().await != Signal::Interrupt {
                    // It may have just exited; then there is nothing to forward.
                    let _ = kill_process(pid, Kill::TERM);
                }
            }
        });
    });
    match ended.recv() {
        Ok(status) => {
            status.map_err(|problem| Error::internal(format!("waiting for the client: {problem}")))
        }
        Err(_) => Err(Error::internal("the client was lost")),
    }
}

/// The client's exit code; if a signal ended it, the code that shells use.
fn exit_code_of(status: ExitStatus) -> ExitCode {
    use std::os::unix::process::ExitStatusExt as _;
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal))
        .unwrap_or(1);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
