//! What docker compose reads: the file and its override, what they include and extend, and files of
//! variables.

use std::collections::HashSet;

use crate::data::{Node, Value, read_yaml};
use crate::decides::{Decides, How};
use crate::paths;
use crate::pinner::{Pinner, Seal};
use crate::source::{FileContext, MAX_INCLUDES};

/// Compose reads the first of these beside the file.
pub const OVERRIDES: &[&str] = &[
    "compose.override.yml",
    "compose.override.yaml",
    "docker-compose.override.yml",
    "docker-compose.override.yaml",
];

pub const DECLARED: &[Decides] = &[
    Decides::here("compose.override.yml", How::Whole),
    Decides::here("compose.override.yaml", How::Whole),
    Decides::here("docker-compose.override.yml", How::Whole),
    Decides::here("docker-compose.override.yaml", How::Whole),
    Decides::here(".env", How::Variables),
];

/// The pins, and the override that compose would read.
pub fn pin(context: &FileContext<'_>) -> (Seal, Option<&'static str>) {
    let mut reader = Reader {
        pinner: Pinner::new(context),
        visited: HashSet::new(),
    };
    let folder = context.folder();
    reader.file(context.path, folder, 0);
    let exists = |name: &&&str| context.source.exists(&paths::join_display(folder, name));
    let found = OVERRIDES.iter().find(exists).copied();
    if let Some(name) = found {
        reader.file(&paths::join_display(folder, name), folder, 0);
    }
    reader.pinner.declared(folder, DECLARED);
    (reader.pinner.seal(), found)
}

struct Reader<'a> {
    pinner: Pinner<'a>,
    visited: HashSet<String>,
}

impl Reader<'_> {
    fn file(&mut self, path: &str, folder: &str, depth: usize) {
        if !self.visited.insert(path.to_owned()) {
            return;
        }
        if depth > MAX_INCLUDES {
            let reason = format!("{path} is included more than {MAX_INCLUDES} levels deep");
            return self.pinner.unreadable(reason);
        }
        if self.pinner.whole(path).is_none() {
            return;
        }
        let memo = self.pinner.memo.clone();
        // A file that does not parse stops compose too.
        let Ok(project) = memo.parsed(self.pinner.source, path, read_yaml) else {
            return;
        };
        for include in project.get("include").map(Node::items).unwrap_or_default() {
            let files = match &include.value {
                Value::Map(_) => include
                    .get("path")
                    .map(Node::path_texts)
                    .unwrap_or_default(),
                _ => include.path_texts(),
            };
            for written in files {
                if let Some(file) = self.named(path, folder, &written) {
                    let inner = paths::folder_of(&file).to_owned();
                    self.file(&file, &inner, depth + 1);
                    // The variables of the included project.
                    self.pinner.variables(&paths::join_display(&inner, ".env"));
                }
            }
            for written in include
                .get("env_file")
                .map(Node::path_texts)
                .unwrap_or_default()
            {
                self.variables(path, folder, &written);
            }
        }
        let services = project.get("services").map(Node::entries);
        for (_, service) in services.unwrap_or_default() {
            if let Some(written) = service.at(&["extends", "file"]).and_then(Node::text)
                && let Some(file) = self.named(path, folder, written)
            {
                let inner = paths::folder_of(&file).to_owned();
                self.file(&file, &inner, depth + 1);
            }
            for key in ["env_file", "label_file"] {
                for written in service.get(key).map(Node::path_texts).unwrap_or_default() {
                    self.variables(path, folder, &written);
                }
            }
        }
    }

    fn variables(&mut self, from: &str, folder: &str, written: &str) {
        if let Some(file) = self.named(from, folder, written) {
            self.pinner.variables(&file);
        }
    }

    fn named(&mut self, from: &str, folder: &str, written: &str) -> Option<String> {
        if written.contains('$') || written.contains("://") || written.starts_with("git@") {
            let reason = format!("{from} reads a file that only compose can find: {written}");
            self.pinner.unreadable(reason);
            return None;
        }
        self.pinner.resolve(from, folder, written)
    }
}
