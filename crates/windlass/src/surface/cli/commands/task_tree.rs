//! `windlass tasks tree`: milestones, their tasks and their subtasks, as a tree.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde::Serialize;
use serde_json::{Map, Value as Json, json};
use windlass_core::Result;
use windlass_ops::{AnyOutput as _, Column, Render, Span, Style, View};

use crate::surface::cli::caller::Caller;
use crate::surface::cli::own_command::OwnCommand;

const ROOT: &str = "id";
const OPEN: &str = "open";

/// As many as a person can look through. The rest is said to be there.
const MOST_TASKS: usize = 2000;

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["tasks", "tree"], build, run)
    .operations(&["work_tree"])
    .examples(&[
        ("What is still open", &["tasks", "tree", "--open"]),
        (
            "A milestone with everything below it",
            &["tasks", "tree", "2"],
        ),
    ])];

fn build(command: Command, _: &[OsString]) -> Command {
    command
        .about("Show tasks as a tree: milestones, tasks, subtasks")
        .arg(
            Arg::new(ROOT)
                .value_name("N")
                .help("Only this task and what is below it"),
        )
        .arg(
            Arg::new(OPEN)
                .long(OPEN)
                .action(ArgAction::SetTrue)
                .help("Leave out what is done, skipped or cancelled"),
        )
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let status = if matches.get_flag(OPEN) {
        json!(["!done", "!skipped", "!cancelled"])
    } else {
        json!([])
    };
    let (tasks, total) = all_tasks(&status, caller)?;
    let root = match matches.get_one::<String>(ROOT) {
        Some(id) => {
            let shown = caller.call("board_show", json!({ "id": id }))?.to_json();
            Some(shown["number"].as_i64().unwrap_or_default())
        }
        None => None,
    };
    let truncated = tasks.len() < total;
    let tree = Tree {
        tree: grow(&tasks, root),
        truncated,
    };
    caller.answer(&tree)
}

/// Every task of these statuses, page by page, and how many there are.
fn all_tasks(status: &Json, caller: &Caller) -> Result<(Vec<Json>, usize)> {
    let mut tasks = Vec::new();
    loop {
        let offset = tasks.len();
        let input = json!({"status": status, "sort": "number", "limit": 100, "offset": offset});
        let page = caller.call("board_list", input)?.to_json();
        let found = page["tasks"].as_array().cloned().unwrap_or_default();
        let ended = found.is_empty() || page["next_offset"].is_null();
        tasks.extend(found);
        if ended || tasks.len() >= MOST_TASKS {
            let total = page["total"].as_u64().unwrap_or_default();
            return Ok((tasks, usize::try_from(total).unwrap_or(usize::MAX)));
        }
    }
}

/// The tasks below their parents. A task whose parent is not among them stands at the top.
fn grow(tasks: &[Json], root: Option<i64>) -> Vec<Node> {
    let number = |task: &Json| task["number"].as_i64();
    let is_top = |task: &&Json| match (root, task["parent"].as_i64()) {
        (Some(root), _) => number(task) == Some(root),
        (None, Some(parent)) => !tasks.iter().any(|other| number(other) == Some(parent)),
        (None, None) => true,
    };
    let tops = tasks.iter().filter(is_top);
    tops.map(|task| Node::grow(task, tasks)).collect()
}

#[derive(Serialize)]
struct Node {
    #[serde(flatten)]
    task: Map<String, Json>,
    children: Vec<Self>,
}

impl Node {
    fn grow(task: &Json, tasks: &[Json]) -> Self {
        let below = tasks
            .iter()
            .filter(|other| !other["parent"].is_null() && other["parent"] == task["number"]);
        Self {
            task: task.as_object().cloned().unwrap_or_default(),
            children: below.map(|child| Self::grow(child, tasks)).collect(),
        }
    }

    fn text(&self, name: &str) -> &str {
        self.task
            .get(name)
            .and_then(Json::as_str)
            .unwrap_or_default()
    }

    fn add_rows(&self, lead: &str, branch: &str, rows: &mut Vec<Vec<Span>>) {
        let number = self.task.get("number").and_then(Json::as_i64);
        let status = self.text("status");
        let style = match status {
            "done" => Style::Good,
            "in_progress" | "in_review" | "awaiting_human" => Style::Warning,
            "blocked" => Style::Bad,
            "skipped" | "cancelled" | "draft" => Style::Dim,
            _ => Style::Plain,
        };
        rows.push(vec![
            Span::new(format!("#{}", number.unwrap_or_default()), Style::Id),
            Span::new(status, style),
            Span::from(self.text("claimed_by")),
            Span::from(format!("{lead}{branch}{}", self.text("title"))),
        ]);
        let lead = match branch {
            "" => lead.to_owned(),
            "└ " => format!("{lead}  "),
            _ => format!("{lead}│ "),
        };
        for (at, child) in self.children.iter().enumerate() {
            let last = at + 1 == self.children.len();
            child.add_rows(&lead, if last { "└ " } else { "├ " }, rows);
        }
    }
}

#[derive(Serialize)]
struct Tree {
    tree: Vec<Node>,
    /// Whether there are more than fit.
    truncated: bool,
}

impl Render for Tree {
    fn view(&self) -> View {
        if self.tree.is_empty() {
            return View::nothing("No tasks. `windlass add TITLE` makes one.");
        }
        let mut rows = Vec::new();
        for root in &self.tree {
            root.add_rows("", "", &mut rows);
        }
        let columns = vec![
            Column::new("#").right(),
            Column::new("STATUS"),
            Column::new("HELD BY").shrinking(),
            Column::new("TITLE").shrinking(),
        ];
        let view = View::default().table(columns, rows);
        if self.truncated {
            let text = format!("Only the first {MOST_TASKS}; name a task to see what is below it.");
            return view.line([Span::new(text, Style::Dim)]);
        }
        view
    }
}
