//! `windlass serve`: from its options to the server, and the message when it listens.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use serde_json::json;
use windlass_core::{Error, ErrorKind, Result};
use windlass_ops::Toolset;

use super::caller::Caller;
use super::output::{self, Output};
use super::own_command::OwnCommand;
use super::{serve, text};
use crate::surface::environment::Environment;
use crate::surface::http::{self, HttpOptions, Started, Token};

const HTTP: &str = "http";
const TOKEN_FILE: &str = "token-file";
const ALLOW_HOST: &str = "allow-host";
const ALLOW_ORIGIN: &str = "allow-origin";

pub const COMMANDS: &[OwnCommand] = &[OwnCommand::new(&["serve"], build, run)];

pub fn build(command: Command, _: &[OsString]) -> Command {
    command
        .long_about(
            "Serve the project over HTTP. MCP is at /mcp, at /mcp/TOOLSETS for some toolsets only, \
             and at /mcp/session/ID for the agent of a session. Plain \
             JSON-RPC 2.0 is at POST /, the dashboard at GET / (see windlass dashboard). GET /health, \
             /ready and /metrics report its state.\n\n\
             A server that only this machine can reach needs no token: it serves processes of the \
             user who runs it, and of root, and refuses other users. Where the system does not show \
             who connects, the server makes a token and says which file has it. If a token is set, \
             it is required of everyone. A server that other machines can reach does not start \
             without a token: WINDLASS_HTTP_TOKEN, or --token-file.",
        )
        .arg(
            Arg::new(HTTP)
                .long("http")
                .value_name("ADDRESS")
                .default_value("127.0.0.1:3002")
                .help("The address to listen on; port 0 means any free port"),
        )
        .arg(serve::toolsets_argument().help(
            "Only these toolsets, separated by commas [default: those of config.toml at /mcp, all elsewhere]",
        ))
        .arg(serve::read_only_argument())
        .arg(serve::output_schemas_argument())
        .arg(
            Arg::new(TOKEN_FILE)
                .long("token-file")
                .value_name("FILE")
                .value_parser(clap::value_parser!(PathBuf))
                .value_hint(ValueHint::FilePath)
                .help("The file with the token that clients must send"),
        )
        .arg(
            Arg::new(ALLOW_HOST)
                .long("allow-host")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("A host name to accept in the Host header, besides localhost"),
        )
        .arg(
            Arg::new(ALLOW_ORIGIN)
                .long("allow-origin")
                .value_name("URL")
                .action(ArgAction::Append)
                .help("An origin to accept in the Origin header, besides those of this machine"),
        )
}

/// The options of a server, also of the one that `windlass dashboard` starts.
pub fn options(matches: &ArgMatches, caller: &Caller) -> Result<HttpOptions> {
    let (global, environment) = (&caller.global, &caller.environment);
    let asked = serve::named_toolsets(matches)?;
    Ok(HttpOptions {
        cwd: global.cwd.clone(),
        address: matches.get_one::<String>(HTTP).cloned().unwrap_or_default(),
        toolsets: serve::toolsets(matches, &global.cwd)?,
        available: asked.unwrap_or_else(|| Toolset::ALL.to_vec()),
        read_only: serve::read_only(matches),
        output_schemas: serve::output_schemas(matches, &global.cwd)?,
        token: token(matches, &global.cwd, environment)?,
        token_folder: environment.folders().runtime.join("windlass"),
        allowed_hosts: all(matches, ALLOW_HOST),
        allowed_origins: all(matches, ALLOW_ORIGIN),
        settings: environment.settings()?,
        machine: environment.machine(&global.cwd),
        state_home: environment.folders().state,
        naming: text::naming(),
        log: environment.log_settings("serve", &global.cwd)?,
    })
}

fn run(matches: &ArgMatches, caller: &Caller) -> Result<ExitCode> {
    let options = options(matches, caller)?;
    let output = caller.output.clone();
    http::serve(options, move |started| announce(started, &output))?;
    Ok(ExitCode::SUCCESS)
}

/// The file overrides the variable: it was named for this server.
fn token(matches: &ArgMatches, cwd: &Path, environment: &Environment) -> Result<Option<Token>> {
    let Some(path) = matches.get_one::<PathBuf>(TOKEN_FILE) else {
        return environment.http_token();
    };
    let path = cwd.join(path);
    let shown = path.display().to_string();
    let text = std::fs::read_to_string(&path).map_err(|problem| {
        Error::new(
            ErrorKind::InvalidConfig,
            format!("--token-file: {shown}: {problem}"),
        )
        .with_hint("Create it, for example: openssl rand -hex 32 > FILE")
    })?;
    Token::parse(&text, &shown).map(Some)
}

fn all(matches: &ArgMatches, name: &str) -> Vec<String> {
    let values = matches.get_many::<String>(name);
    values.into_iter().flatten().cloned().collect()
}

/// A person reads the address on standard error, a program reads one line of JSON.
fn announce(started: &Started, output: &Output) {
    let url = &started.url;
    if output.is_json() {
        let mut line =
            json!({ "url": url, "mcp": format!("{url}/mcp"), "pid": std::process::id() });
        if let Some(file) = &started.token_file {
            line["token_file"] = json!(file);
        }
        // If nobody reads the address, the server still runs.
        let _ = output::raw(format!("{line}\n").as_bytes());
    } else {
        let text = format!("{url} (MCP at {url}/mcp). Stop with Ctrl-C.");
        let token = started.token_file.as_ref().map(|file| {
            format!(
                "This system does not show which user connects, so clients must send the token in {}.",
                file.display()
            )
        });
        output.error("serving", &text, token.as_deref());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(words: &[&str], folder: &Path) -> Result<Option<Token>> {
        let matches = build(Command::new("serve"), &[]).get_matches_from(words);
        token(&matches, folder, &Environment::empty())
    }

    #[test]
    fn the_token_is_read_from_its_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("token"), "secret\n").unwrap();
        std::fs::write(folder.path().join("empty"), "\n").unwrap();
        let words = |file| ["serve", "--token-file", file];
        let found = given(&words("token"), folder.path()).unwrap();
        assert_eq!(found, Some(Token::parse("secret", "").unwrap()));
        assert_eq!(given(&["serve"], folder.path()).unwrap(), None);
        for file in ["empty", "missing"] {
            let error = given(&words(file), folder.path()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidConfig);
            assert!(error.message().contains(file), "{error}");
        }
    }
}
