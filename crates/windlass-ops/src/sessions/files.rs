//! The two files of a session: what it may use, and how a client reaches it. The same state of the
//! project gives the same bytes, except for the session's id.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use windlass_core::{Entity, Error, ErrorKind, McpServer, Result};
use windlass_store::Project;

use crate::granted_texts::GrantedTexts;
use crate::plain_file;

/// The name that this server has in a client's configuration.
const SERVER: &str = "windlass";

/// What the session may use, in the form of the plan contract.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContextFile {
    pub session_id: String,
    pub recipe: String,
    pub discipline: Option<String>,
    pub feature: Option<String>,
    pub task_id: Option<i64>,
    pub disabled_tools: Vec<String>,
}

/// Where the files of a session are.
pub fn folder(project: &Project, id: &str) -> PathBuf {
    project.state().join("sessions").join(id)
}

pub fn context_path(project: &Project, id: &str) -> PathBuf {
    folder(project, id).join("context.json")
}

pub fn config_path(project: &Project, id: &str) -> PathBuf {
    folder(project, id).join("mcp.json")
}

/// The calls of a session that was launched, one line each.
pub fn calls_path(project: &Project, id: &str) -> PathBuf {
    folder(project, id).join("calls.jsonl")
}

/// The client's configuration: this server, and those of the discipline.
pub fn client_config(
    program: &Path,
    root: &Path,
    id: &str,
    discipline: Option<&Entity>,
    grants: &GrantedTexts,
) -> Result<Json> {
    let mut servers = Map::new();
    let this = json!({
        "command": program.display().to_string(),
        "args": ["--cwd", root.display().to_string(), "mcp", "--session", id],
    });
    servers.insert(SERVER.to_owned(), this);
    let others = McpServer::all_of(discipline.and_then(|one| one.text("mcp_servers")));
    if let Some(server) = others.iter().find(|server| !grants.allows_server(server)) {
        return Err(not_allowed(discipline, server));
    }
    for server in others {
        let mut entry = json!({"command": server.command, "args": server.args});
        if !server.env.is_empty() {
            entry["env"] = json!(server.env);
        }
        if servers.insert(server.name.clone(), entry).is_some() {
            return Err(Error::validation(
                "mcp_servers",
                format!("two servers are called \"{}\"", server.name),
            )
            .with("value", server.name)
            .with_hint("Rename the one of the discipline with [[update_discipline]]."));
        }
    }
    Ok(json!({ "mcpServers": servers }))
}

/// A program that a client would start, and that this user has not allowed.
fn not_allowed(discipline: Option<&Entity>, server: &McpServer) -> Error {
    let name = discipline.map_or("", |it| it.title.as_str());
    Error::new(
        ErrorKind::NotAllowlisted,
        format!(
            "The discipline {name} adds the MCP server \"{}\", which has not been allowed on this machine: {} {}",
            server.name,
            server.command,
            server.args.join(" ")
        ),
    )
    .with("server", server.name.as_str())
    .with_hint("If it is what you want: [[discipline_allow]].")
}

/// Writes both files, readable only by this user: servers may carry secrets in their environment.
pub fn write(project: &Project, context: &ContextFile, config: &Json) -> Result<()> {
    let folder = folder(project, &context.session_id);
    let failed = |error: io::Error| Error::storage(format!("{}: {error}", folder.display()));
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&folder)
        .map_err(failed)?;
    let context_text = serde_json::to_string_pretty(context).unwrap_or_default();
    let config_text = serde_json::to_string_pretty(config).unwrap_or_default();
    for (path, text) in [
        (context_path(project, &context.session_id), context_text),
        (config_path(project, &context.session_id), config_text),
    ] {
        replace(&path, &format!("{text}\n")).map_err(failed)?;
    }
    Ok(())
}

/// Replaces a file as a whole, so that no reader sees half of it.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let beside = path.with_extension("new");
    let mut options = fs::OpenOptions::new();
    let mut file = options
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_data()?;
    fs::rename(&beside, path)
}

/// The content of a session's context file; none if the file no longer exists.
pub fn read_context(project: &Project, id: &str) -> Result<Option<ContextFile>> {
    let path = context_path(project, id);
    let text = match plain_file::read_text(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::storage(format!("{}: {error}", path.display()))),
    };
    serde_json::from_str(&text).map(Some).map_err(|problem| {
        Error::storage(format!("{}: {problem}", path.display()))
            .with_hint("The file was changed by hand; fix it or end the session.")
    })
}
