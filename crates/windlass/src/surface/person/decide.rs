//! From what is known about a process to whether a person runs it.

use std::fmt;
use std::io::IsTerminal as _;
use std::path::Path;

use super::agents::Agent;
use super::processes::Process;
use crate::surface::os;

/// The terminal of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terminal {
    /// It reads or writes something else.
    Missing,
    /// One that belongs to other processes.
    Foreign,
    Controlling,
}

/// What the decision is made from.
#[derive(Debug)]
pub struct Facts {
    pub terminal: Terminal,
    /// The names of the variables of this process that have a value.
    pub variables: Vec<String>,
    /// The processes that led to this one, from the parent upwards.
    pub ancestors: Result<Vec<Process>, String>,
}

/// Why this is not a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotAPerson {
    NoTerminal,
    ForeignTerminal,
    Variable {
        variable: String,
        agent: &'static str,
    },
    AncestorVariable {
        process: String,
        variable: String,
        agent: &'static str,
    },
    Ancestor {
        process: String,
        agent: &'static str,
    },
    UnknownAncestors(String),
}

impl fmt::Display for NotAPerson {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTerminal => {
                out.write_str("its standard input and output are not both a terminal")
            }
            Self::ForeignTerminal => {
                out.write_str("the terminal that it reads is not its controlling terminal")
            }
            Self::Variable { variable, agent } => write!(
                out,
                "the environment variable {variable} is set, which is a sign of {agent}"
            ),
            Self::AncestorVariable {
                process,
                variable,
                agent,
            } => write!(
                out,
                "{process}, which led to it, was started with the environment variable {variable}, \
                 which is a sign of {agent}"
            ),
            Self::Ancestor { process, agent } => {
                write!(out, "{process}, which led to it, is {agent}")
            }
            Self::UnknownAncestors(why) => write!(out, "it is not known what started it: {why}"),
        }
    }
}

impl Terminal {
    pub fn of_process() -> Self {
        let reads = std::io::stdout().is_terminal() || std::io::stderr().is_terminal();
        let input = std::io::stdin();
        if !input.is_terminal() || !reads {
            return Self::Missing;
        }
        // The system only tells this about the terminal that controls the process, or about the
        // other end of a pseudoterminal, which is no terminal that a person types at.
        let controlled = rustix::termios::tcgetpgrp(&input).is_ok();
        if controlled && !os::is_other_end(&input) {
            Self::Controlling
        } else {
            Self::Foreign
        }
    }
}

pub fn decide(facts: &Facts) -> Result<(), NotAPerson> {
    match facts.terminal {
        Terminal::Missing => return Err(NotAPerson::NoTerminal),
        Terminal::Foreign => return Err(NotAPerson::ForeignTerminal),
        Terminal::Controlling => {}
    }
    if let Some((variable, agent)) = sign_in(&facts.variables) {
        return Err(NotAPerson::Variable { variable, agent });
    }
    let ancestors = facts.ancestors.as_ref();
    let ancestors = ancestors.map_err(|why| NotAPerson::UnknownAncestors(why.clone()))?;
    for process in ancestors {
        if let Some(agent) = agent_of(process) {
            return Err(NotAPerson::Ancestor {
                process: shown(process),
                agent,
            });
        }
        if let Some((variable, agent)) = sign_in(&process.variables) {
            return Err(NotAPerson::AncestorVariable {
                process: shown(process),
                variable,
                agent,
            });
        }
    }
    Ok(())
}

fn sign_in(variables: &[String]) -> Option<(String, &'static str)> {
    variables.iter().find_map(|name| {
        let agent = Agent::of_variable(name)?;
        Some((name.clone(), agent.name))
    })
}

fn shown(process: &Process) -> String {
    format!("process {} ({})", process.pid, process.name)
}

/// Programs that run a script which their arguments name.
const INTERPRETERS: &[&str] = &[
    "ash", "bash", "bun", "dash", "deno", "fish", "ksh", "node", "nodejs", "npm", "npx", "perl",
    "pipx", "pnpm", "pypy", "python", "ruby", "sh", "tsx", "uv", "uvx", "yarn", "zsh",
];

/// How many words of an interpreter may name its script: `deno run -A FILE`.
const SCRIPT_WITHIN: usize = 3;

/// What kind of agent a process is.
fn agent_of(process: &Process) -> Option<&'static str> {
    let path = process.program.as_deref().unwrap_or(Path::new(""));
    let called = process.words.first().map_or("", String::as_str);
    // A process may have set the first word to any title.
    let title = called.split(' ').next().unwrap_or_default();
    let names = [
        process.name.as_str(),
        last_part(called).trim_start_matches('-'),
        last_part(title).trim_start_matches('-'),
        last_part(path.to_str().unwrap_or_default()),
    ];
    if let Some(own) = windlass(process, &names) {
        return Some(own);
    }
    let by_name = names.iter().find_map(|name| Agent::of_program(name));
    let by_path = || {
        let mut paths = [path.to_str().unwrap_or_default(), called].into_iter();
        paths.find_map(Agent::of_path)
    };
    let by_script = || {
        let interprets = names.iter().any(|name| is_interpreter(name));
        interprets.then(|| script(&process.words)).flatten()
    };
    by_name
        .or_else(by_path)
        .or_else(by_script)
        .map(|agent| agent.name)
}

/// The parts of Windlass that act for agents or run what agents start.
fn windlass(process: &Process, names: &[&str]) -> Option<&'static str> {
    let words = &process.words;
    let has = |word: &str| words.iter().skip(1).any(|it| it == word);
    match words.get(1).map(String::as_str) {
        Some(crate::SHIM) => return Some("a job, a gate or a launched agent of Windlass"),
        Some(crate::WORKER) => return Some("a script of Windlass"),
        _ => {}
    }
    if !names.contains(&"windlass") {
        return None;
    }
    if has("launch") && has("session") {
        Some("a launched agent of Windlass")
    } else if has("mcp") || has("serve") {
        Some("a server of Windlass")
    } else if has("exec") {
        Some("a script of Windlass")
    } else {
        None
    }
}

fn is_interpreter(name: &str) -> bool {
    // `python3.12` too.
    let plain = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    INTERPRETERS.contains(&plain)
}

/// The agent whose script an interpreter runs.
fn script(words: &[String]) -> Option<&'static Agent> {
    let mut given = words
        .iter()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .take(SCRIPT_WITHIN);
    let first = given.next()?;
    // A text that a shell is given (`sh -c`) is no script, but `python -m aider` is.
    let is_text = words
        .iter()
        .skip(1)
        .any(|word| word == "-c" || word == "-e");
    let name = last_part(first);
    let name = name.split_once('.').map_or(name, |(name, _)| name);
    let by_name = (!is_text).then(|| Agent::of_program(name)).flatten();
    by_name
        .or_else(|| Agent::of_path(first))
        .or_else(|| given.find_map(|word| Agent::of_path(word)))
}

/// What is behind the last slash.
fn last_part(path: &str) -> &str {
    let path = path.strip_suffix(" (deleted)").unwrap_or(path);
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
