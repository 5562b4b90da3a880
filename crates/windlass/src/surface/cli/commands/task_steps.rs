//! The way of a task: `claim`, `release`, `start`, `submit`, `done`, `cancel`.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use serde::Serialize;
use serde_json::{Value as Json, json};
use windlass_core::{Error, Result};
use windlass_ops::{AnyOutput, Render, Response, Span, Style, View};

use super::several;
use crate::surface::cli::caller::{Caller, operation};
use crate::surface::cli::execute::{self, CommandEnd};
use crate::surface::cli::own_command::OwnCommand;

pub const COMMANDS: &[OwnCommand] = &[
    OwnCommand::new(&["start"], build_start, run_start)
        .operations(&["work_start"])
        .examples(&[("Work on task 2", &["start", "2"])]),
    OwnCommand::new(&["tasks", "start"], build_start, run_start),
    OwnCommand::new(&["done"], build_done, run_done)
        .operations(&["task_complete"])
        .examples(&[
            ("Task 2 is done", &["done", "2"]),
            ("Several at once", &["done", "2", "3", "7"]),
        ]),
    OwnCommand::new(&["tasks", "complete"], build_done, run_done),
    OwnCommand::new(&["tasks", "submit"], build_submit, run_submit)
        .operations(&["work_submit"])
        .examples(&[("Task 2, with its gates", &["tasks", "submit", "2"])]),
    OwnCommand::new(&["tasks", "claim"], build_claim, run_claim)
        .operations(&["task_claim"])
        .examples(&[
            ("The next ready task", &["tasks", "claim"]),
            (
                "Task 2 for ten minutes",
                &["tasks", "claim", "2", "--lease-seconds", "600"],
            ),
        ]),
    OwnCommand::new(&["tasks", "release"], build_release, run_release)
        .examples(&[("Task 2", &["tasks", "release", "2"])]),
    OwnCommand::new(&["tasks", "cancel"], build_cancel, run_cancel)
        .operations(&["work_cancel"])
        .examples(&[("Task 2", &["tasks", "cancel", "2"])]),
];

fn build_start(command: Command, _: &[OsString]) -> Command {
    command
        .about("Start tasks: in progress, and yours")
        .long_about(
            "Start tasks: each is in progress from now on and claimed for you. The commit and the branch are \
             recorded, so that the review shows what changed since.",
        )
        .arg(several::argument())
}

fn run_start(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    step_each(matches, caller, "work_start", "Started")
}

fn build_cancel(command: Command, _: &[OsString]) -> Command {
    command
        .about("Cancel tasks that are not done")
        .long_about(
            "Cancel tasks that are not done. An active review is withdrawn and an open question is closed. \
             Tasks that wait for a cancelled one still wait: `windlass tasks unblock`.",
        )
        .arg(several::argument())
}

fn run_cancel(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    step_each(matches, caller, "work_cancel", "Cancelled")
}

fn step_each(
    matches: &ArgMatches,
    caller: &Caller,
    name: &str,
    word: &'static str,
) -> Result<ExitCode> {
    several::each(matches, caller, |id| {
        caller.call(name, json!({ "id": id }))?;
        Step::of(id, word, caller)
    })
}

fn build_release(command: Command, _: &[OsString]) -> Command {
    command
        .about("Give tasks back, so that others can take them")
        .arg(several::argument())
        .arg(owner())
}

fn run_release(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let owner = matches.get_one::<String>("owner");
    several::each(matches, caller, |id| {
        let input = json!({ "id": id, "release": true, "owner": owner });
        let released = caller.call("task_claim", input)?.to_json();
        let word = if released["released"] == true {
            "Released"
        } else {
            "Not claimed:"
        };
        Step::of(id, word, caller)
    })
}

fn owner() -> Arg {
    Arg::new("owner")
        .long("owner")
        .value_name("OWNER")
        .help("In whose name, if not yours")
}

fn build_claim(command: Command, _: &[OsString]) -> Command {
    let Ok(entry) = operation("task_claim") else {
        return command;
    };
    several::in_place_of_one(entry.augment(command))
        .about("Claim tasks, so that no other session is given them")
        .long_about(
            "Claim tasks, so that no other session is given them; without a number, the next ready one. A \
             claim is a lease: claim again before it ends to keep it.",
        )
        .mut_arg("release", |argument| argument.hide(true))
}

fn run_claim(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let input = operation("task_claim")?.input_of_matches(matches)?;
    if several::ids(matches).is_empty() {
        return caller.answer_call("task_claim", input);
    }
    several::each(matches, caller, |id| {
        let mut input = input.clone();
        input["id"] = json!(id);
        caller.call("task_claim", input)?;
        Step::of(id, "Claimed", caller)
    })
}

fn build_submit(command: Command, _: &[OsString]) -> Command {
    command
        .about("Submit tasks for review and run their gates")
        .long_about(
            "Submit tasks for review: each gets a review, its gates run, and their results are shown. The exit \
             code is 11 where a gate failed.",
        )
        .arg(several::argument())
}

fn run_submit(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    several::each(matches, caller, |id| submit(id, caller))
}

fn submit(id: &str, caller: &Caller) -> Result<Response> {
    let entry = operation("work_submit")?;
    let input = json!({ "id": id, "wait": true });
    match execute::with_progress(entry, input, &caller.output, caller.context()?)? {
        CommandEnd::Response(response) => Ok(response),
        CommandEnd::Signal(_) => Err(Error::internal("The command was interrupted")
            .with_hint("`windlass reviews active` says how far the review is.")),
    }
}

fn build_done(command: Command, _: &[OsString]) -> Command {
    command
        .about("Finish tasks; where gates apply, submit them")
        .long_about(
            "Finish tasks. A task with gates, or one that was ever submitted, is submitted for review and its \
             gates run; any other is done at once. One that fails does not stop the rest.",
        )
        .arg(several::argument())
}

fn run_done(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    several::each(matches, caller, |id| {
        if is_reviewed(id, caller)? {
            let task = caller.call("board_show", json!({ "id": id }))?.to_json();
            if matches!(task["status"].as_str(), Some("pending" | "draft")) {
                caller.call("work_start", json!({ "id": id }))?;
            }
            return submit(id, caller).map(Finished::Submitted);
        }
        let done = caller.call("task_complete", json!({ "id": id }))?.to_json();
        let mut step = Step::of(id, "Done", caller)?;
        step.released = numbers(&done["unblocked"]);
        Ok(Finished::Done(step))
    })
}

/// Whether a task is finished by its review only.
fn is_reviewed(id: &str, caller: &Caller) -> Result<bool> {
    let task = json!({ "task_id": id });
    let gates = caller.call("gate_get_effective", task)?.to_json();
    let has = |list: &Json| list.as_array().is_some_and(|items| !items.is_empty());
    if has(&gates["gates"]) {
        return Ok(true);
    }
    let reviews = json!({ "task_id": id, "limit": 1 });
    Ok(has(
        &caller.call("review_list", reviews)?.to_json()["reviews"],
    ))
}

fn numbers(summaries: &Json) -> Vec<(i64, String)> {
    let items = summaries.as_array().into_iter().flatten();
    items
        .filter_map(|item| {
            let title = item["title"].as_str()?.to_owned();
            Some((item["sequence_number"].as_i64()?, title))
        })
        .collect()
}

/// What came of finishing a task.
enum Finished {
    Submitted(Response),
    Done(Step),
}

impl AnyOutput for Finished {
    fn to_json(&self) -> Json {
        self.inner().to_json()
    }

    fn view(&self) -> View {
        self.inner().view()
    }

    fn failed(&self) -> bool {
        self.inner().failed()
    }

    fn unsuccessful(&self) -> bool {
        self.inner().unsuccessful()
    }
}

impl Finished {
    fn inner(&self) -> &dyn AnyOutput {
        match self {
            Self::Submitted(response) => response,
            Self::Done(step) => step,
        }
    }
}

/// What happened to a task: one line for a person, the whole task for a program.
pub struct Step {
    word: &'static str,
    task: Json,
    /// Tasks that can be worked on because of it.
    released: Vec<(i64, String)>,
}

impl Step {
    pub fn of(id: &str, word: &'static str, caller: &Caller) -> Result<Self> {
        let task = caller.call("board_show", json!({ "id": id }))?.to_json();
        Ok(Self {
            word,
            task,
            released: Vec::new(),
        })
    }
}

impl Serialize for Step {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut task = self.task.clone();
        if !self.released.is_empty() {
            let released = self.released.iter();
            task["unblocked"] = released
                .map(|(number, title)| json!({ "number": number, "title": title }))
                .collect();
        }
        task.serialize(serializer)
    }
}

impl Render for Step {
    fn view(&self) -> View {
        let number = self.task["number"].as_i64().unwrap_or_default();
        let title = self.task["title"].as_str().unwrap_or_default();
        let view = View::default().line([
            Span::new(format!("{} ", self.word), Style::Good),
            Span::new(format!("#{number}"), Style::Id),
            Span::from(format!(" {title}")),
        ]);
        self.released.iter().fold(view, |view, (number, title)| {
            view.line([
                Span::from("  now ready: "),
                Span::new(format!("#{number}"), Style::Id),
                Span::from(format!(" {title}")),
            ])
        })
    }
}
