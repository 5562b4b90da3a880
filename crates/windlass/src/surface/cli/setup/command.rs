//! The arguments of `windlass setup`.

use std::ffi::OsString;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use windlass_core::{Error, Result};
use windlass_ops::Toolset;

use super::clients::{CLIENTS, Client, Scope};
use super::parts::Part;

const CLIENT: &str = "client";
const SCOPE: &str = "scope";
const NAME: &str = "name";
const TOOLSETS: &str = "toolsets";
const READ_ONLY: &str = "read-only";
const PRINT: &str = "print";
const REMOVE: &str = "remove";
const YES: &str = "yes";
const ONLY: &str = "only";

/// Longer names break clients, which put them before the name of each tool.
const LONGEST_NAME: usize = 32;

const ABOUT: &str = "\
Make an MCP client start windlass on this project, with an entry in the client's settings, and give \
its agents the rules of the project where the client reads them by itself: a section between markers \
in CLAUDE.md, AGENTS.md or GEMINI.md, a rule of Cursor, a skill and hooks of Claude Code. The rest of \
each file, including comments, is not changed. All changes are shown first and need confirmation on a \
terminal; without a terminal, only replacing an entry needs --yes. Running it again updates what is \
outdated; --remove undoes it.";

pub fn build(command: Command, _: &[OsString]) -> Command {
    let toolsets = Toolset::ALL.iter().map(|toolset| toolset.name());
    command
        .long_about(ABOUT)
        .arg(
            Arg::new(CLIENT)
                .value_name("CLIENT")
                .required(true)
                .value_parser(PossibleValuesParser::new(CLIENTS.iter().map(|it| it.name)))
                .help("The client"),
        )
        .arg(
            Arg::new(TOOLSETS)
                .long("toolsets")
                .value_name("NAMES")
                .value_delimiter(',')
                .value_parser(PossibleValuesParser::new(toolsets.chain(["all"])))
                .conflicts_with(REMOVE)
                .help("The toolsets that the agent gets, separated by commas [default: those of config.toml]"),
        )
        .arg(flag(READ_ONLY, "Only tools that change nothing").conflicts_with(REMOVE))
        .arg(
            Arg::new(SCOPE)
                .long("scope")
                .value_name("SCOPE")
                .value_parser(PossibleValuesParser::new(Scope::NAMES))
                .help("A file in the project, or in the user's home [default: project, if the client has such a file]"),
        )
        .arg(
            Arg::new(NAME)
                .long("name")
                .value_name("NAME")
                .default_value("windlass")
                .help("The name of the entry"),
        )
        .arg(
            Arg::new(ONLY)
                .long(ONLY)
                .value_name("PARTS")
                .value_delimiter(',')
                .value_parser(PossibleValuesParser::new(Part::NAMES))
                .help("Only the entry (mcp), the texts for agents (instructions) or the commands that the client runs by itself (hooks)"),
        )
        .arg(flag(PRINT, "Only print the resulting files"))
        .arg(flag(REMOVE, "Remove what a setup has written"))
        .arg(flag(YES, "Do not ask, and replace an entry of the same name").short('y'))
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

/// What to do with the entry.
#[derive(Debug)]
pub enum Action {
    Add {
        toolsets: Vec<String>,
        read_only: bool,
    },
    Remove,
}

/// The parsed arguments.
#[derive(Debug)]
pub struct Request {
    pub client: &'static Client,
    pub scope: Scope,
    pub name: String,
    pub parts: Vec<Part>,
    pub action: Action,
    /// Print only; write nothing.
    pub print: bool,
    pub yes: bool,
}

impl Request {
    pub fn of(matches: &ArgMatches) -> Result<Self> {
        let text = |name: &str| matches.get_one::<String>(name).cloned();
        let client = text(CLIENT)
            .and_then(|name| Client::of_name(&name))
            .ok_or_else(|| Error::invalid_params("Which client?"))?;
        let scope = match text(SCOPE).as_deref() {
            Some("project") => Scope::Project,
            Some(_) => Scope::User,
            None => client.default_scope,
        };
        if !client.has(scope) {
            let message = format!("{} has no settings in a {}", client.title, scope.name());
            return Err(Error::validation("--scope", message).with_hint("Omit --scope."));
        }
        let name = text(NAME).unwrap_or_default();
        check_name(&name)?;
        let action = if matches.get_flag(REMOVE) {
            Action::Remove
        } else {
            let toolsets = matches.get_many::<String>(TOOLSETS);
            Action::Add {
                toolsets: toolsets.into_iter().flatten().cloned().collect(),
                read_only: matches.get_flag(READ_ONLY),
            }
        };
        Ok(Self {
            parts: parts(client, scope, matches)?,
            client,
            scope,
            name,
            action,
            print: matches.get_flag(PRINT),
            yes: matches.get_flag(YES),
        })
    }
}

/// The parts that are asked for; all that the client has if none is named. What agents read is in
/// files of the project.
fn parts(client: &Client, scope: Scope, matches: &ArgMatches) -> Result<Vec<Part>> {
    let has = |part: Part| match part {
        Part::Mcp => true,
        Part::Instructions => scope == Scope::Project && !client.instructions.is_empty(),
        Part::Hooks => scope == Scope::Project && client.hooks.is_some(),
    };
    let Some(names) = matches.get_many::<String>(ONLY) else {
        return Ok(Part::ALL.into_iter().filter(|part| has(*part)).collect());
    };
    let wanted = |part: &Part| names.clone().any(|name| name == part.name());
    let parts: Vec<Part> = Part::ALL.into_iter().filter(wanted).collect();
    match parts.iter().find(|part| !has(**part)) {
        None => Ok(parts),
        Some(part) => {
            let (title, part, scope) = (client.title, part.name(), scope.name());
            let message = format!("{title} has no {part} in the settings of a {scope}");
            Err(Error::validation("--only", message).with_hint("Omit --only."))
        }
    }
}

fn check_name(name: &str) -> Result<()> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    if (1..=LONGEST_NAME).contains(&name.len()) && name.chars().all(plain) {
        return Ok(());
    }
    let message = format!("The name must be 1 to {LONGEST_NAME} letters, digits, _ or -");
    Err(Error::validation("--name", message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(words: &[&str]) -> Result<Request> {
        let words = [&["setup"], words].concat();
        Request::of(&build(Command::new("setup"), &[]).get_matches_from(words))
    }

    #[test]
    fn the_scope_is_the_clients_own() {
        for (words, scope) in [
            (&["cursor"][..], Scope::Project),
            (&["cursor", "--scope", "user"], Scope::User),
            (&["codex"], Scope::Project),
            (&["claude-desktop"], Scope::User),
        ] {
            assert_eq!(request(words).unwrap().scope, scope, "{words:?}");
        }
        assert!(request(&["claude-desktop", "--scope", "project"]).is_err());
    }

    #[test]
    fn a_client_gets_what_it_has() {
        let parts = |words: &[&str]| request(words).map(|request| request.parts);
        for (words, expected) in [
            (&["claude-code"][..], &Part::ALL[..]),
            (&["codex"], &[Part::Mcp, Part::Instructions]),
            (&["codex", "--scope", "user"], &[Part::Mcp]),
            (&["claude-desktop"], &[Part::Mcp]),
            (
                &["claude-code", "--only", "hooks,mcp"],
                &[Part::Mcp, Part::Hooks],
            ),
        ] {
            assert_eq!(parts(words).unwrap(), expected, "{words:?}");
        }
        assert!(parts(&["codex", "--only", "hooks"]).is_err());
        assert!(parts(&["codex", "--scope", "user", "--only", "instructions"]).is_err());
    }

    #[test]
    fn names_are_plain() {
        assert_eq!(request(&["zed"]).unwrap().name, "windlass");
        assert!(request(&["zed", "--name", "a.b"]).is_err());
        assert!(request(&["zed", "--name", ""]).is_err());
        assert!(request(&["zed", "--name", &"x".repeat(33)]).is_err());
    }
}
