//! Texts of the project's state that run something: the shell text of gates, and the MCP servers of
//! disciplines. They count only if this user allowed them.
//!
//! The state lies in the project, where agents can write files, and it may have come with a copy of the
//! project. So what a person allows is kept in the user's own folder, beside the allowlist.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use windlass_core::{Entity, Error, ErrorKind, McpServer, Result, hexadecimal};

use crate::workspace::Workspace;

/// The file beside the user's allowlist.
const FILE: &str = "granted.toml";

/// What a text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextKind {
    Gate,
    Server,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Grants {
    #[serde(default)]
    granted: Vec<Grant>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Grant {
    project: PathBuf,
    kind: TextKind,
    /// For people who read the file.
    name: String,
    sha256: String,
}

/// The texts that this user has allowed for one project.
pub struct GrantedTexts {
    file: PathBuf,
    project: PathBuf,
    /// Why the file is not believed.
    untrusted: Option<String>,
    /// Whether it is the file of the machine, which everyone reads and root writes.
    of_system: bool,
}

impl GrantedTexts {
    pub(crate) fn of(workspace: &Workspace) -> Self {
        let allowlist = workspace.allowlist();
        let own = Self::beside(allowlist.own_file(), &main_root(workspace));
        Self {
            untrusted: allowlist
                .check_trusted(&own.file)
                .err()
                .map(|why| why.to_string()),
            of_system: allowlist.is_exclusive(),
            ..own
        }
    }

    /// Those beside an allowlist, for the project in that folder.
    pub fn beside(allowlist: &Path, root: &Path) -> Self {
        Self {
            file: allowlist.with_file_name(FILE),
            project: root.canonicalize().unwrap_or_else(|_| root.to_owned()),
            untrusted: None,
            of_system: false,
        }
    }

    /// Whether the user allowed exactly this text in this project.
    pub fn allows(&self, kind: TextKind, text: &str) -> bool {
        if self.untrusted.is_some() {
            return false;
        }
        let digest = digest(text);
        self.read().is_ok_and(|grants| {
            grants.granted.iter().any(|grant| {
                grant.project == self.project && grant.kind == kind && grant.sha256 == digest
            })
        })
    }

    /// Allows a text. Only operations for people call this.
    pub fn allow(&self, kind: TextKind, name: &str, text: &str) -> Result<()> {
        if self.allows(kind, text) {
            return Ok(());
        }
        if let Some(why) = &self.untrusted {
            return Err(Error::new(ErrorKind::InvalidConfig, why.as_str())
                .with_hint("Until that is fixed, nothing is allowed."));
        }
        let failed = |problem: io::Error| {
            let error = Error::storage(format!("{}: {problem}", self.file.display()));
            if self.of_system && problem.kind() == io::ErrorKind::PermissionDenied {
                return error.with_hint(
                    "Only the list of this machine counts: run the command again with sudo.",
                );
            }
            error
        };
        let mut grants = self.read().map_err(failed)?;
        grants.granted.push(Grant {
            project: self.project.clone(),
            kind,
            name: name.to_owned(),
            sha256: digest(text),
        });
        self.write(&grants).map_err(failed)
    }

    /// Whether the user allowed this server of a discipline.
    pub fn allows_server(&self, server: &McpServer) -> bool {
        self.allows(TextKind::Server, &server_text(server))
    }

    /// Allows all servers of a discipline.
    pub fn allow_servers(&self, discipline: &Entity) -> Result<()> {
        for server in McpServer::all_of(discipline.text("mcp_servers")) {
            self.allow(TextKind::Server, &server.name, &server_text(&server))?;
        }
        Ok(())
    }

    fn read(&self) -> io::Result<Grants> {
        match fs::read_to_string(&self.file) {
            Ok(text) => toml::from_str(&text).map_err(io::Error::other),
            Err(problem) if problem.kind() == io::ErrorKind::NotFound => Ok(Grants::default()),
            Err(problem) => Err(problem),
        }
    }

    /// Replaces the file as a whole, readable by its user only.
    fn write(&self, grants: &Grants) -> io::Result<()> {
        use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
        let folder = self.file.parent().unwrap_or_else(|| Path::new("/"));
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
        let text = toml::to_string(grants).map_err(io::Error::other)?;
        let beside = self.file.with_extension("toml.new");
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(if self.of_system { 0o644 } else { 0o600 })
            .open(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_data()?;
        fs::rename(&beside, &self.file)
    }
}

/// Everything that decides what the client starts.
fn server_text(server: &McpServer) -> String {
    serde_json::json!([server.command, server.args, server.env]).to_string()
}

/// The main worktree: what is allowed there holds for its linked worktrees too.
fn main_root(workspace: &Workspace) -> PathBuf {
    workspace.project().main_root().to_owned()
}

/// All that a permission for the servers of a discipline covers, for people to read.
pub fn servers_text(discipline: &Entity) -> String {
    let servers = McpServer::all_of(discipline.text("mcp_servers"));
    serde_json::to_string_pretty(&servers).unwrap_or_default()
}

/// Names a text, so that what is allowed is what was read.
pub fn fingerprint(text: &str) -> String {
    digest(text)
}

/// Refuses a text that is another one than the one that a person has read.
pub fn check_unchanged(seen: Option<&str>, now: &str) -> Result<()> {
    match seen {
        Some(seen) if seen != fingerprint(now) => Err(Error::validation(
            "fingerprint",
            "the text has changed since it was shown",
        )
        .with_hint("Nothing was allowed. Look at it again.")),
        _ => Ok(()),
    }
}

fn digest(text: &str) -> String {
    hexadecimal(&Sha256::digest(text.as_bytes()))
}
