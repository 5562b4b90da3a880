//! `windlass mcp`: from its options to the server.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use windlass_core::Result;
use windlass_ops::{Config, Toolset, parse_toolsets};
use windlass_store::Project;

use super::caller::Caller;
use super::own_command::OwnCommand;
use crate::surface::mcp::{OutputSchemas, ServeOptions, SessionName, serve};

const TOOLSETS: &str = "toolsets";
const SESSION: &str = "session";
const READ_ONLY: &str = "read-only";
const OUTPUT_SCHEMAS: &str = "output-schemas";
const ALL: &str = "all";

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["mcp"], build, run)];

fn build(command: Command, _: &[OsString]) -> Command {
    command
        .long_about("Serve the project to an agent: MCP on standard input and output.")
        .arg(toolsets_argument())
        .arg(
            Arg::new(SESSION).long("session").value_name("ID").help(
                "Serve this session: its tools, its task, its name (see windlass session start)",
            ),
        )
        .arg(read_only_argument())
        .arg(output_schemas_argument())
}

/// Also an option of `windlass serve`.
pub fn toolsets_argument() -> Arg {
    let names = Toolset::ALL.iter().map(|toolset| toolset.name());
    Arg::new(TOOLSETS)
        .long("toolsets")
        .value_name("NAMES")
        .value_delimiter(',')
        .value_parser(PossibleValuesParser::new(names.chain([ALL])))
        .help("The toolsets that the agent gets, separated by commas [default: those of config.toml, or focus,commands,knowledge,code]")
}

/// Also an option of `windlass serve`.
pub fn read_only_argument() -> Arg {
    Arg::new(READ_ONLY)
        .long("read-only")
        .action(ArgAction::SetTrue)
        .help("Only tools that change nothing")
}

pub fn read_only(matches: &ArgMatches) -> bool {
    matches.get_flag(READ_ONLY)
}

/// Also an option of `windlass serve`.
pub fn output_schemas_argument() -> Arg {
    Arg::new(OUTPUT_SCHEMAS)
        .long("output-schemas")
        .action(ArgAction::SetTrue)
        .help("List the tools with the schemas of their outputs, for programs that read them")
}

/// Whether the list of tools has output schemas: by option, or by the project's settings.
pub fn output_schemas(matches: &ArgMatches, cwd: &Path) -> Result<OutputSchemas> {
    let published =
        matches.get_flag(OUTPUT_SCHEMAS) || Config::load(&Project::find(cwd)?)?.mcp.output_schemas;
    Ok(if published {
        OutputSchemas::Published
    } else {
        OutputSchemas::Omitted
    })
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let (global, environment) = (&caller.global, &caller.environment);
    let session = match matches.get_one::<String>(SESSION) {
        Some(session) => Some(SessionName::Recorded(session.clone())),
        None => environment.session()?.map(SessionName::Any),
    };
    serve(ServeOptions {
        cwd: global.cwd.clone(),
        toolsets: toolsets(matches, &global.cwd)?,
        read_only: read_only(matches),
        output_schemas: output_schemas(matches, &global.cwd)?,
        session,
        settings: environment.settings()?,
        machine: environment.machine(&global.cwd),
        log: environment.log_settings("mcp", &global.cwd)?,
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The requested toolsets; else those of the project's settings; else the default ones.
pub fn toolsets(matches: &ArgMatches, cwd: &Path) -> Result<Vec<Toolset>> {
    if let Some(named) = named_toolsets(matches)? {
        return Ok(named);
    }
    match Config::load(&Project::find(cwd)?)?.mcp.toolsets {
        Some(names) => parse_toolsets(&names),
        None => Ok(Toolset::DEFAULT.to_vec()),
    }
}

/// The toolsets that were requested by name.
pub fn named_toolsets(matches: &ArgMatches) -> Result<Option<Vec<Toolset>>> {
    let names = matches.get_many::<String>(TOOLSETS);
    names
        .map(|names| parse_toolsets(&names.collect::<Vec<_>>()))
        .transpose()
}

#[cfg(test)]
mod tests {
    use windlass_core::ErrorKind;

    use super::*;

    fn chosen(words: &[&str], folder: &Path) -> Result<Vec<Toolset>> {
        toolsets(
            &build(Command::new("mcp"), &[]).get_matches_from(words),
            folder,
        )
    }

    #[test]
    fn toolsets_by_name_or_all() {
        let folder = tempfile::tempdir().unwrap();
        Project::init(folder.path()).unwrap();
        let usual = chosen(&["mcp"], folder.path());
        assert_eq!(usual.unwrap(), Toolset::DEFAULT);
        for words in [
            &["mcp", "--toolsets", "all"],
            &["mcp", "--toolsets", "knowledge,all"],
        ] {
            assert_eq!(chosen(words, folder.path()).unwrap(), Toolset::ALL);
        }
        let named = chosen(&["mcp", "--toolsets", "knowledge"], folder.path());
        assert_eq!(named.unwrap(), [Toolset::Knowledge]);
        assert!(
            build(Command::new("mcp"), &[])
                .try_get_matches_from(["mcp", "--toolsets", "knowlege"])
                .is_err()
        );
    }

    #[test]
    fn the_settings_of_the_project_choose() {
        let folder = tempfile::tempdir().unwrap();
        let (project, _) = Project::init(folder.path()).unwrap();
        let path = project.folder().join("config.toml");
        std::fs::write(&path, "[mcp]\ntoolsets = [\"knowledge\"]\n").unwrap();
        assert_eq!(
            chosen(&["mcp"], folder.path()).unwrap(),
            [Toolset::Knowledge]
        );
        std::fs::write(&path, "[mcp]\ntoolset = []\n").unwrap();
        let error = chosen(&["mcp"], folder.path()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidConfig);
        assert!(error.message().starts_with(".windlass/config.toml, line 2"));
    }
}
