//! The playbooks of a project.

use std::path::Path;

use super::builtin;
use super::file::{self, Problem, stem_and_ending};
use super::playbook::{Playbook, Source};

/// The folder of the project's playbooks, relative to the project.
pub const FOLDER: &str = ".windlass/playbooks";

const EXTENSIONS: &[&str] = &["toml", "yaml", "yml", "json"];

/// All playbooks, the built-in ones first.
#[derive(Debug, Clone, Default)]
pub struct Playbooks {
    /// The valid playbooks.
    pub playbooks: Vec<Playbook>,
    /// Problems in files. A problem never hides the playbook of another file.
    pub problems: Vec<Problem>,
}

/// The playbook does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Playbook {id} not found")]
pub struct NotFound {
    /// The requested id.
    pub id: String,
    /// The most similar id.
    pub nearest: Option<String>,
}

impl Playbooks {
    /// Reads all playbooks of the project at `root`.
    pub fn load(root: &Path) -> Self {
        let mut loaded = Self {
            playbooks: builtin::all(),
            problems: Vec::new(),
        };
        let root = match root.canonicalize() {
            Ok(root) => root,
            Err(problem) => {
                loaded.add_problem(FOLDER, problem.to_string());
                return loaded;
            }
        };
        for name in loaded.file_names(&root) {
            loaded.read(&root, &format!("{FOLDER}/{name}"));
        }
        loaded
    }

    /// Returns the playbook with this id.
    pub fn get(&self, id: &str) -> Result<&Playbook, NotFound> {
        self.playbooks
            .iter()
            .find(|playbook| playbook.id == id)
            .ok_or_else(|| NotFound {
                id: id.to_owned(),
                nearest: windlass_core::nearest(
                    id,
                    self.playbooks.iter().map(|playbook| playbook.id.as_str()),
                )
                .map(str::to_owned),
            })
    }

    fn file_names(&mut self, root: &Path) -> Vec<String> {
        let entries = match root.join(FOLDER).read_dir() {
            Ok(entries) => entries,
            Err(problem) if problem.kind() == std::io::ErrorKind::NotFound => return Vec::new(),
            Err(problem) => {
                self.add_problem(FOLDER, problem.to_string());
                return Vec::new();
            }
        };
        let mut names: Vec<String> = entries
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| EXTENSIONS.contains(&stem_and_ending(name).1) && !name.starts_with('.'))
            .collect();
        names.sort_unstable();
        names
    }

    fn read(&mut self, root: &Path, file: &str) {
        let bytes = match file::read_bytes(root, file) {
            Ok(bytes) => bytes,
            Err(problem) => return self.problems.push(problem),
        };
        match file::parse(file, &bytes) {
            Ok(playbook) => self.add(file, playbook),
            Err(problems) => self.problems.extend(problems),
        }
    }

    fn add(&mut self, file: &str, playbook: Playbook) {
        let before = self.playbooks.iter().find(|known| known.id == playbook.id);
        match before.map(|known| &known.source) {
            None => self.playbooks.push(playbook),
            Some(source) => {
                let whose = match source {
                    Source::BuiltIn => "a built-in playbook".to_owned(),
                    Source::File { path, .. } => path.clone(),
                };
                self.add_problem(file, format!("the id {} belongs to {whose}", playbook.id));
            }
        }
    }

    fn add_problem(&mut self, file: &str, message: String) {
        self.problems.push(Problem {
            file: file.to_owned(),
            line: 1,
            message,
        });
    }
}
