//! The arguments of `windlass setup`.

use std::ffi::OsString;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use windlass_core::{Error, Result};
use windlass_ops::Toolset;

use super::clients::{CLIENTS, Client, Scope};

const CLIENT: &str = "client";
const SCOPE: &str = "scope";
const NAME: &str = "name";
const TOOLSETS: &str = "toolsets";
const READ_ONLY: &str = "read-only";
const PRINT: &str = "print";
const REMOVE: &str = "remove";
const YES: &str = "yes";

/// Longer names break clients, which put them before the name of each tool.
const LONGEST_NAME: usize = 32;

const ABOUT: &str = "\
Make an MCP client start windlass on this project, with an entry in the client's settings. The \
rest of the file, including comments, is not changed. The change is shown first and needs \
confirmation on a terminal; without a terminal, only replacing an entry needs --yes. --remove \
undoes it.";

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
                .help("A file in the project, or in the user's home [default: project, if the client has such a file; user for codex]"),
        )
        .arg(
            Arg::new(NAME)
                .long("name")
                .value_name("NAME")
                .default_value("windlass")
                .help("The name of the entry"),
        )
        .arg(flag(PRINT, "Only print the resulting file"))
        .arg(flag(REMOVE, "Remove the entry"))
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
            client,
            scope,
            name,
            action,
            print: matches.get_flag(PRINT),
            yes: matches.get_flag(YES),
        })
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
            (&["codex"], Scope::User),
            (&["claude-desktop"], Scope::User),
        ] {
            assert_eq!(request(words).unwrap().scope, scope, "{words:?}");
        }
        assert!(request(&["claude-desktop", "--scope", "project"]).is_err());
    }

    #[test]
    fn names_are_plain() {
        assert_eq!(request(&["zed"]).unwrap().name, "windlass");
        assert!(request(&["zed", "--name", "a.b"]).is_err());
        assert!(request(&["zed", "--name", ""]).is_err());
        assert!(request(&["zed", "--name", &"x".repeat(33)]).is_err());
    }
}
