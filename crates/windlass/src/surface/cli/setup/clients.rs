//! The clients that can be set up: where each stores its settings, and the format of an entry.
//! One row per client; no other module names a client.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::document::Format;
use super::entry::Shape;
use super::hooks::{self, Hooks};
use super::instructions::{self, Instructions};
use super::program::look_up;
use crate::surface::environment::UserFolders;

/// Whose settings are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// A file in the project, for everyone who works on it.
    Project,
    /// A file of the user, for everything that the client opens.
    User,
}

impl Scope {
    pub const NAMES: [&'static str; 2] = ["project", "user"];

    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

/// The folder that a file of the user is in.
#[derive(Debug, Clone, Copy)]
pub enum Base {
    Home,
    Config,
    Applications,
    Codex,
    Claude,
}

/// One client.
#[derive(Debug)]
pub struct Client {
    /// The name on the command line.
    pub name: &'static str,
    pub title: &'static str,
    /// What it is started as; one of them on PATH is a sign that it is installed.
    programs: &'static [&'static str],
    /// The file in a project. Of several names, one that exists is used, else the first.
    project: &'static [&'static str],
    user: Option<(Base, &'static [&'static str])>,
    /// The default scope.
    pub default_scope: Scope,
    pub format: Format,
    /// The key that holds the servers.
    pub container: &'static str,
    pub shape: Shape,
    /// How a file in the project names the project's folder, if the client may start servers in
    /// another folder. Other clients start them in the folder that they work in.
    pub folder_variable: Option<&'static str>,
    /// Whether the client is started without the search path of a shell.
    pub needs_absolute_program: bool,
    /// The files of a project with texts for agents that the client reads by itself.
    pub instructions: &'static [&'static Instructions],
    /// The commands that the client runs by itself.
    pub hooks: Option<&'static Hooks>,
    /// What to do in the client afterwards.
    pub next: &'static str,
}

pub const CLIENTS: &[Client] = &[
    Client {
        name: "claude-code",
        title: "Claude Code",
        programs: &["claude"],
        project: &[".mcp.json"],
        user: Some((Base::Claude, &[".claude.json"])),
        default_scope: Scope::Project,
        format: Format::Json,
        container: "mcpServers",
        shape: Shape::CommandAndArguments,
        folder_variable: None,
        needs_absolute_program: false,
        instructions: &[&instructions::CLAUDE, &instructions::CLAUDE_SKILL],
        hooks: Some(&hooks::CLAUDE),
        next: "Start claude in the project and approve the server; /mcp shows it.",
    },
    Client {
        name: "claude-desktop",
        title: "Claude Desktop",
        programs: &["claude-desktop"],
        project: &[],
        user: Some((Base::Applications, &["Claude/claude_desktop_config.json"])),
        default_scope: Scope::User,
        format: Format::Json,
        container: "mcpServers",
        shape: Shape::CommandAndArguments,
        folder_variable: None,
        needs_absolute_program: true,
        instructions: &[],
        hooks: None,
        next: "Quit Claude Desktop and start it again.",
    },
    Client {
        name: "cursor",
        title: "Cursor",
        programs: &["cursor", "cursor-agent"],
        project: &[".cursor/mcp.json"],
        user: Some((Base::Home, &[".cursor/mcp.json"])),
        default_scope: Scope::Project,
        format: Format::JsonWithComments,
        container: "mcpServers",
        shape: Shape::CommandAndArguments,
        folder_variable: Some("${workspaceFolder}"),
        needs_absolute_program: false,
        instructions: &[&instructions::CURSOR_RULE],
        hooks: None,
        next: "Turn the server on in Cursor's settings, under MCP.",
    },
    Client {
        name: "vscode",
        title: "VS Code",
        programs: &["code", "codium"],
        project: &[".vscode/mcp.json"],
        user: Some((Base::Applications, &["Code/User/mcp.json"])),
        default_scope: Scope::Project,
        format: Format::JsonWithComments,
        container: "servers",
        shape: Shape::TypedCommandAndArguments,
        folder_variable: Some("${workspaceFolder}"),
        needs_absolute_program: false,
        instructions: &[&instructions::AGENTS],
        hooks: None,
        next: "Run \"MCP: List Servers\" in VS Code, start the server and trust it.",
    },
    Client {
        name: "codex",
        title: "Codex",
        programs: &["codex"],
        project: &[".codex/config.toml"],
        user: Some((Base::Codex, &["config.toml"])),
        // The file of the user would start the server on one project, whatever Codex works on. The
        // file in a project is used once the user trusts the project.
        default_scope: Scope::Project,
        format: Format::Toml,
        container: "mcp_servers",
        shape: Shape::CommandAndArguments,
        folder_variable: None,
        needs_absolute_program: false,
        instructions: &[&instructions::AGENTS],
        hooks: None,
        next: "Start codex in the project and trust the folder when it asks; /mcp shows the server.",
    },
    Client {
        name: "gemini",
        title: "Gemini CLI",
        programs: &["gemini"],
        project: &[".gemini/settings.json"],
        user: Some((Base::Home, &[".gemini/settings.json"])),
        default_scope: Scope::Project,
        format: Format::JsonWithComments,
        container: "mcpServers",
        shape: Shape::CommandAndArguments,
        folder_variable: None,
        needs_absolute_program: false,
        instructions: &[&instructions::GEMINI],
        hooks: None,
        next: "Start gemini in the project and trust the folder when it asks; /mcp shows the server.",
    },
    Client {
        name: "zed",
        title: "Zed",
        programs: &["zed", "zeditor"],
        project: &[".zed/settings.json"],
        user: Some((Base::Config, &["zed/settings.json"])),
        default_scope: Scope::Project,
        format: Format::JsonWithComments,
        container: "context_servers",
        shape: Shape::CommandAndArguments,
        folder_variable: None,
        needs_absolute_program: false,
        instructions: &[&instructions::AGENTS],
        hooks: None,
        next: "Zed starts the server once the project is trusted; the agent's settings show it.",
    },
    Client {
        name: "opencode",
        title: "OpenCode",
        programs: &["opencode"],
        project: &["opencode.json", "opencode.jsonc"],
        user: Some((
            Base::Config,
            &["opencode/opencode.json", "opencode/opencode.jsonc"],
        )),
        default_scope: Scope::Project,
        format: Format::JsonWithComments,
        container: "mcp",
        shape: Shape::OneList,
        folder_variable: None,
        needs_absolute_program: false,
        instructions: &[&instructions::AGENTS],
        hooks: None,
        next: "Start opencode in the project again.",
    },
];

impl Client {
    pub fn of_name(name: &str) -> Option<&'static Self> {
        CLIENTS.iter().find(|client| client.name == name)
    }

    pub fn has(&self, scope: Scope) -> bool {
        match scope {
            Scope::Project => !self.project.is_empty(),
            Scope::User => self.user.is_some(),
        }
    }

    /// Whether this machine has it: its program, or settings of this user.
    pub fn is_installed(&self, user: &UserFolders) -> bool {
        let settings = self.file(Scope::User, None, user);
        self.programs
            .iter()
            .any(|program| look_up(program).is_some())
            || settings.is_some_and(|file| file.exists())
    }

    /// The file of that scope, whether it exists or not. `None` if the client has no such file.
    pub fn file(&self, scope: Scope, root: Option<&Path>, user: &UserFolders) -> Option<PathBuf> {
        if scope == Scope::Project {
            return self.project_file(root?);
        }
        let (base, names) = self.user?;
        let folder = match base {
            Base::Home => &user.home,
            Base::Config => &user.config,
            Base::Applications => &user.applications,
            Base::Codex => &user.codex,
            Base::Claude => &user.claude,
        };
        chosen(folder, names)
    }

    /// The file in a project.
    pub fn project_file(&self, root: &Path) -> Option<PathBuf> {
        chosen(root, self.project)
    }
}

/// Of several names, one that exists, else the first.
fn chosen(folder: &Path, names: &[&str]) -> Option<PathBuf> {
    let mut files = names.iter().map(|name| folder.join(name));
    let existing = files
        .clone()
        .find(|file| file.is_symlink() || file.exists());
    existing.or_else(|| files.next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_has_its_default_scope_and_a_name_of_its_own() {
        for (place, client) in CLIENTS.iter().enumerate() {
            assert!(client.has(client.default_scope), "{}", client.name);
            let same = |other: &Client| other.name == client.name;
            assert_eq!(CLIENTS.iter().position(same), Some(place));
            assert!(client.next.ends_with('.'), "{}", client.name);
        }
    }
}
