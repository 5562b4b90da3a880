//! What act reads: the workflow, the actions and workflows of the repository that it uses, and its
//! own settings.

use std::collections::HashSet;

use crate::data::{Node, read_yaml};
use crate::decides::{Decides, How};
use crate::paths;
use crate::pinner::{Pinner, Seal};
use crate::source::{FileContext, MAX_INCLUDES};

pub const DECLARED: &[Decides] = &[
    Decides::at_root(".actrc", How::Settings),
    Decides::at_root(".env", How::Variables),
    Decides::at_root(".secrets", How::Variables),
    Decides::at_root(".vars", How::Variables),
    Decides::at_root(".input", How::Variables),
];

pub fn pin(context: &FileContext<'_>) -> Seal {
    let mut reader = Reader {
        pinner: Pinner::new(context),
        visited: HashSet::new(),
    };
    reader.file(context.path, 0);
    reader.pinner.declared("", DECLARED);
    reader.pinner.seal()
}

struct Reader<'a> {
    pinner: Pinner<'a>,
    visited: HashSet<String>,
}

impl Reader<'_> {
    fn file(&mut self, path: &str, depth: usize) {
        if depth > MAX_INCLUDES || !self.visited.insert(path.to_owned()) {
            return;
        }
        if self.pinner.whole(path).is_none() {
            return;
        }
        let memo = self.pinner.memo.clone();
        // A file that does not parse stops act too.
        if let Ok(root) = memo.parsed(self.pinner.source, path, read_yaml) {
            self.used(path, &root, depth);
        }
    }

    /// `uses`, at any depth: in jobs, in steps, in the steps of an action.
    fn used(&mut self, from: &str, node: &Node, depth: usize) {
        for (key, value) in node.entries() {
            match value.text() {
                Some(text) if key == "uses" => self.local(from, text, depth),
                _ => self.used(from, value, depth),
            }
        }
        for item in node.items() {
            self.used(from, item, depth);
        }
    }

    /// Paths are relative to the root of the repository.
    fn local(&mut self, from: &str, written: &str, depth: usize) {
        if !written.starts_with("./") && !written.starts_with("../") {
            return;
        }
        let Some(path) = self.pinner.resolve(from, "", written) else {
            return;
        };
        if paths::ending_of(written) == "yml" || paths::ending_of(written) == "yaml" {
            return self.file(&path, depth + 1);
        }
        for name in ["action.yml", "action.yaml"] {
            self.file(&paths::join_display(&path, name), depth + 1);
        }
    }
}
