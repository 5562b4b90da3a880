//! What an older version wrote for the clients of a project: sections for agents, and hooks.

use std::path::{Path, PathBuf};

use windlass_core::Result;

use super::answer::diff;
use super::clients::{CLIENTS, Client, Scope};
use super::command::{Action, Request};
use super::parts::{Part, PlannedFile, Planner, starts_windlass};
use super::plan::Change;
use super::program::Program;
use crate::surface::environment::UserFolders;

/// A file with a part that this version would write otherwise.
pub struct OutdatedFile {
    planned: PlannedFile,
    pub client: &'static Client,
}

/// Parts that are there and outdated, for each client that starts windlass on the project. Nothing is
/// proposed that is not there, and no entry of a server, which may have a person's own arguments.
pub fn outdated_files(root: &Path, user: &UserFolders) -> Vec<OutdatedFile> {
    let program = Program::of_process();
    let mut found: Vec<OutdatedFile> = Vec::new();
    for client in CLIENTS {
        if !starts_windlass(client.name, root) {
            continue;
        }
        for part in [Part::Instructions, Part::Hooks] {
            let request = Request {
                client,
                scope: Scope::Project,
                name: "windlass".to_owned(),
                parts: vec![part],
                action: Action::Add {
                    toolsets: Vec::new(),
                    read_only: false,
                },
                print: false,
                yes: true,
            };
            let planner = Planner {
                request: &request,
                root,
                user,
                program: &program,
            };
            // A file that cannot be read is told by the check of clients.
            for planned in planner.plan().unwrap_or_default() {
                let is_known = found
                    .iter()
                    .any(|it| it.planned.file.path == planned.file.path);
                if planned.plan.change == Change::Replaced && !is_known {
                    found.push(OutdatedFile { planned, client });
                }
            }
        }
    }
    found
}

impl OutdatedFile {
    pub fn path(&self) -> PathBuf {
        self.planned.file.path.clone()
    }

    /// The change as a unified diff.
    pub fn diff(&self) -> String {
        let (file, plan) = (&self.planned.file, &self.planned.plan);
        let path = file.path.display().to_string();
        diff(&path, file.text.as_deref(), plan.after.as_deref())
    }

    pub fn write(&self, root: &Path) -> Result<()> {
        self.planned.write(Some(root))
    }
}
