//! `windlass graph`: which open tasks wait for which others, as text, as a page, or for other tools.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde::Deserialize;
use windlass_core::{Error, Result};
use windlass_ops::AnyOutput as _;

use super::command::{HTML, html_file};
use super::html;
use crate::surface::cli::caller::{Caller, operation};
use crate::surface::cli::output;
use crate::surface::cli::own_command::OwnCommand;
use crate::surface::cli::render::escape;

const GRAPH: &str = "board_graph";
const DOT: &str = "dot";
const MERMAID: &str = "mermaid";

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["graph"], build, run)
    .operations(&[GRAPH])
    .examples(&[
        ("The critical path, and what waits for what", &["graph"]),
        ("For Graphviz", &["graph", "--dot"]),
    ])];

/// A task of the graph.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Node {
    pub number: i64,
    pub title: String,
    pub status: String,
    pub priority: String,
    #[serde(default)]
    pub assignee: Option<String>,
    pub blocked_by: Vec<i64>,
}

/// The output of `board_graph`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct TaskGraph {
    pub tasks: Vec<Node>,
    pub critical_path: Vec<i64>,
}

impl TaskGraph {
    /// Whether the second comes right after the first on the critical path.
    pub fn is_critical(&self, from: i64, to: i64) -> bool {
        let mut pairs = self.critical_path.windows(2);
        pairs.any(|pair| pair == [from, to])
    }
}

fn build(command: Command, _: &[OsString]) -> Command {
    let Ok(entry) = operation(GRAPH) else {
        return command;
    };
    let flag = |name: &'static str, about: &'static str| {
        Arg::new(name)
            .long(name)
            .action(ArgAction::SetTrue)
            .conflicts_with(HTML)
            .help(about)
    };
    entry
        .augment(command)
        .about("How tasks and other entities relate: critical path, paths, orphans")
        .long_about(
            "Which open tasks wait for which others, and the critical path: the longest chain of tasks \
             of which each waits for the one before it. --html writes it as a page that works offline.",
        )
        .arg(html_file())
        .arg(flag(DOT, "Print it in the language of Graphviz"))
        .arg(flag(MERMAID, "Print it in the language of Mermaid").conflicts_with(DOT))
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let input = operation(GRAPH)?.input_of_matches(matches)?;
    let response = caller.call(GRAPH, input)?;
    let file = matches.get_one::<PathBuf>(HTML);
    let (dot, mermaid) = (matches.get_flag(DOT), matches.get_flag(MERMAID));
    if file.is_none() && !dot && !mermaid {
        return caller.answer(&response);
    }
    let graph: TaskGraph = serde_json::from_value(response.to_json())
        .map_err(|problem| Error::internal(format!("Cannot read {GRAPH}: {problem}")))?;
    if let Some(file) = file {
        let page = html::graph(&graph, caller)?;
        return html::write(caller, file, &page);
    }
    let text = if dot {
        as_dot(&graph)
    } else {
        as_mermaid(&graph)
    };
    output::raw(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn as_dot(graph: &TaskGraph) -> String {
    let mut out = String::from("digraph tasks {\n  rankdir=LR;\n  node [shape=box];\n");
    for task in &graph.tasks {
        let title = escape::one_line(&task.title).replace('\\', "\\\\");
        let title = title.replace('"', "\\\"");
        let color = if graph.critical_path.contains(&task.number) {
            ", color=red"
        } else {
            ""
        };
        let _ = writeln!(out, "  {0} [label=\"#{0} {title}\"{color}];", task.number);
    }
    for (from, to) in edges(graph) {
        let color = if graph.is_critical(from, to) {
            " [color=red]"
        } else {
            ""
        };
        let _ = writeln!(out, "  {from} -> {to}{color};");
    }
    out + "}\n"
}

fn as_mermaid(graph: &TaskGraph) -> String {
    let mut out = String::from("flowchart LR\n");
    for task in &graph.tasks {
        // Inside of quotes Mermaid reads entities; so nothing of a title is syntax.
        let mut title = String::new();
        for letter in escape::one_line(&task.title).chars() {
            if letter.is_alphanumeric() || " ,.:-_/()!?+".contains(letter) {
                title.push(letter);
            } else {
                let _ = write!(title, "#{};", u32::from(letter));
            }
        }
        let _ = writeln!(out, "  t{0}[\"#35;{0} {title}\"]", task.number);
    }
    for (from, to) in edges(graph) {
        let arrow = if graph.is_critical(from, to) {
            "==>"
        } else {
            "-->"
        };
        let _ = writeln!(out, "  t{from} {arrow} t{to}");
    }
    out
}

fn edges(graph: &TaskGraph) -> impl Iterator<Item = (i64, i64)> {
    let tasks = graph.tasks.iter();
    tasks.flat_map(|task| task.blocked_by.iter().map(|from| (*from, task.number)))
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn node(number: i64, title: &str, blocked_by: &[i64]) -> Node {
        Node {
            number,
            title: title.to_owned(),
            status: "pending".to_owned(),
            priority: "normal".to_owned(),
            assignee: None,
            blocked_by: blocked_by.to_vec(),
        }
    }

    fn graph() -> TaskGraph {
        TaskGraph {
            tasks: vec![
                node(1, "One \"quoted\" \\", &[]),
                node(2, "Two ] --> x", &[1]),
                node(3, "Three", &[1]),
            ],
            critical_path: vec![1, 2],
        }
    }

    #[test]
    fn titles_are_no_syntax_of_graphviz() {
        insta::assert_snapshot!(as_dot(&graph()), @r##"
        digraph tasks {
          rankdir=LR;
          node [shape=box];
          1 [label="#1 One \"quoted\" \\", color=red];
          2 [label="#2 Two ] --> x", color=red];
          3 [label="#3 Three"];
          1 -> 2 [color=red];
          1 -> 3;
        }
        "##);
    }

    #[test]
    fn titles_are_no_syntax_of_mermaid() {
        insta::assert_snapshot!(as_mermaid(&graph()), @r##"
        flowchart LR
          t1["#35;1 One #34;quoted#34; #92;"]
          t2["#35;2 Two #93; --#62; x"]
          t3["#35;3 Three"]
          t1 ==> t2
          t1 --> t3
        "##);
    }
}
