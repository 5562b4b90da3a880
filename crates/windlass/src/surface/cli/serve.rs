//! `windlass mcp`: from its options to the server.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use windlass_core::Result;
use windlass_ops::Toolset;

use super::global::Global;
use crate::surface::environment::Environment;
use crate::surface::mcp::{ServeOptions, serve};

const TOOLSETS: &str = "toolsets";
const SESSION: &str = "session";
const READ_ONLY: &str = "read-only";
const ALL: &str = "all";

pub fn command() -> Command {
    let names = Toolset::ALL.iter().map(|toolset| toolset.name());
    Command::new("mcp")
        .about("Serve the project to an agent: MCP on standard input and output")
        .arg(
            Arg::new(TOOLSETS)
                .long("toolsets")
                .value_name("NAMES")
                .value_delimiter(',')
                .value_parser(PossibleValuesParser::new(names.chain([ALL])))
                .default_value(ALL)
                .help("Which toolsets the agent is given, separated by commas"),
        )
        .arg(
            Arg::new(SESSION)
                .long("session")
                .value_name("ID")
                .help("The name that claims and events carry [default: a fresh one]"),
        )
        .arg(
            Arg::new(READ_ONLY)
                .long("read-only")
                .action(ArgAction::SetTrue)
                .help("Only tools that change nothing"),
        )
}

pub fn run(matches: &ArgMatches, global: &Global, environment: &Environment) -> Result<()> {
    let session = match matches.get_one::<String>(SESSION) {
        Some(session) => Some(session.clone()),
        None => environment.session()?,
    };
    serve(ServeOptions {
        cwd: global.cwd.clone(),
        toolsets: toolsets(matches),
        read_only: matches.get_flag(READ_ONLY),
        session,
        settings: environment.settings()?,
        log: environment.log_directives()?,
    })
}

fn toolsets(matches: &ArgMatches) -> Vec<Toolset> {
    let names: Vec<&String> = matches
        .get_many::<String>(TOOLSETS)
        .unwrap_or_default()
        .collect();
    let everything = names.iter().any(|name| *name == ALL);
    let chosen = |toolset: &Toolset| everything || names.iter().any(|name| *name == toolset.name());
    Toolset::ALL.iter().copied().filter(chosen).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toolsets_by_name_or_all() {
        for words in [
            &["mcp"][..],
            &["mcp", "--toolsets", "all"],
            &["mcp", "--toolsets=knowledge,all"],
        ] {
            let matches = command().get_matches_from(words);
            assert_eq!(toolsets(&matches), Toolset::ALL);
        }
        let matches = command().get_matches_from(["mcp", "--toolsets", "knowledge"]);
        assert_eq!(toolsets(&matches), [Toolset::Knowledge]);
        assert!(
            command()
                .try_get_matches_from(["mcp", "--toolsets", "knowlege"])
                .is_err()
        );
    }
}
