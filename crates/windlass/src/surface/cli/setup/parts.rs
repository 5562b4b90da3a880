//! The parts of a setup, each with the file that it is in, and what would become of that file.

use std::path::Path;

use serde::Serialize;
use windlass_core::{Error, ErrorKind, Result};

use super::clients::{CLIENTS, Client, Scope};
use super::command::{Action, Request};
use super::document::Broken;
use super::entry;
use super::file::ConfigFile;
use super::instructions::Instructions;
use super::plan::Plan;
use super::program::Program;
use crate::surface::environment::UserFolders;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The entry that starts the server.
    Mcp,
    /// Texts for agents in files that the client reads by itself.
    Instructions,
    /// Commands that the client runs by itself.
    Hooks,
}

impl Part {
    pub const ALL: [Self; 3] = [Self::Mcp, Self::Instructions, Self::Hooks];
    pub const NAMES: [&'static str; 3] = ["mcp", "instructions", "hooks"];

    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// A file, and what would become of it.
pub struct PlannedFile {
    pub part: Part,
    pub file: ConfigFile,
    pub plan: Plan,
}

impl PlannedFile {
    pub fn write(&self, within: Option<&Path>) -> Result<()> {
        match &self.plan.after {
            Some(text) => self.file.write(text),
            None if self.file.is_link() => self.file.write(""),
            None => self.file.delete(within),
        }
    }
}

/// Plans every file of a setup. Nothing is written yet, so a file that cannot be read stops all.
pub struct Planner<'a> {
    pub request: &'a Request,
    pub root: &'a Path,
    pub user: &'a UserFolders,
    pub program: &'a Program,
}

impl Planner<'_> {
    pub fn plan(&self) -> Result<Vec<PlannedFile>> {
        let mut files = Vec::new();
        for part in &self.request.parts {
            match part {
                Part::Mcp => files.push(self.server_entry()?),
                Part::Instructions => {
                    for instructions in self.request.client.instructions {
                        files.push(self.instructions(instructions)?);
                    }
                }
                Part::Hooks => files.extend(self.hooks()?),
            }
        }
        Ok(files)
    }

    fn is_removal(&self) -> bool {
        matches!(self.request.action, Action::Remove)
    }

    fn server_entry(&self) -> Result<PlannedFile> {
        let Request {
            client,
            scope,
            name,
            ..
        } = self.request;
        let path = client
            .file(*scope, Some(self.root), self.user)
            .ok_or_else(|| Error::internal("the client has no file of that scope"))?;
        let within = (*scope == Scope::Project).then_some(self.root);
        let file = ConfigFile::open(&path, within)?;
        let text = file.text.as_deref();
        let plan = match &self.request.action {
            Action::Remove => Plan::remove(client, text, name),
            Action::Add {
                toolsets,
                read_only,
            } => {
                let mut arguments = self.arguments()?;
                if !toolsets.is_empty() {
                    arguments.extend(["--toolsets".to_owned(), toolsets.join(",")]);
                }
                if *read_only {
                    arguments.push("--read-only".to_owned());
                }
                let word = self.program.word(client.needs_absolute_program);
                let entry = entry::entry(client.shape, &word, &arguments);
                Plan::add(client, text, name, entry)
            }
        };
        planned(Part::Mcp, file, plan)
    }

    /// The arguments that start a server on this project.
    fn arguments(&self) -> Result<Vec<String>> {
        let mut words = vec!["mcp".to_owned()];
        let folder = match (self.request.scope, self.request.client.folder_variable) {
            (Scope::Project, variable) => variable.map(str::to_owned),
            (Scope::User, _) => Some(self.root.to_str().map(str::to_owned).ok_or_else(|| {
                Error::new(
                    ErrorKind::InvalidConfig,
                    format!(
                        "{} is not UTF-8, so no settings can name it",
                        self.root.display()
                    ),
                )
            })?),
        };
        if let Some(folder) = folder {
            words.extend(["--cwd".to_owned(), folder]);
        }
        Ok(words)
    }

    fn instructions(&self, instructions: &Instructions) -> Result<PlannedFile> {
        let file = ConfigFile::open(&self.root.join(instructions.file), Some(self.root))?;
        let text = file.text.as_deref();
        let plan = if !self.is_removal() {
            Plan::add_section(instructions, text)
        } else if self.other_reader(instructions).is_some() {
            Ok(Plan::kept(text))
        } else {
            Plan::remove_section(instructions, text)
        };
        planned(Part::Instructions, file, plan)
    }

    /// Another client of this project that reads the same file, so that the text is still needed.
    pub fn other_reader(&self, instructions: &Instructions) -> Option<&'static Client> {
        CLIENTS
            .iter()
            .filter(|client| client.name != self.request.client.name)
            .filter(|client| client.instructions.contains(&instructions))
            .find(|client| starts_windlass(client.name, self.root))
    }

    fn hooks(&self) -> Result<Option<PlannedFile>> {
        let Some(hooks) = self.request.client.hooks else {
            return Ok(None);
        };
        let file = ConfigFile::open(&self.root.join(hooks.file), Some(self.root))?;
        let text = file.text.as_deref();
        let plan = if self.is_removal() {
            Plan::remove_hooks(hooks, text)
        } else {
            Plan::add_hooks(hooks, text, &self.program.word(false))
        };
        planned(Part::Hooks, file, plan).map(Some)
    }
}

/// Whether the settings of that client in a folder start windlass.
pub fn starts_windlass(client: &str, folder: &Path) -> bool {
    let servers = || {
        let client = Client::of_name(client)?;
        let file = client.project_file(folder)?;
        let text = ConfigFile::open(&file, Some(folder)).ok()?.text?;
        client.format.servers(&text, client.container).ok()
    };
    servers().is_some_and(|servers| servers.values().any(entry::is_windlass))
}

fn planned(part: Part, file: ConfigFile, plan: Result<Plan, Broken>) -> Result<PlannedFile> {
    let plan = plan.map_err(|problem| broken(&file.path, &problem))?;
    Ok(PlannedFile { part, file, plan })
}

fn broken(path: &Path, problem: &Broken) -> Error {
    let path = path.display().to_string();
    Error::new(
        ErrorKind::InvalidConfig,
        format!(
            "{path}, line {}: {}; the file was not changed",
            problem.line, problem.message
        ),
    )
    .with("file", path)
    .with("line", problem.line)
    .with_hint("Fix the file and try again.")
}
