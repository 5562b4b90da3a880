//! What task reads: the Taskfile, those that it includes, files of variables, and its settings.

use std::collections::HashSet;

use crate::data::{Node, Value, read_yaml};
use crate::decides::{Decides, How};
use crate::paths;
use crate::pinner::{Pinner, Seal};
use crate::source::{FileContext, MAX_INCLUDES};

use super::super::taskfile::NAMES;
use super::super::templates;

pub const DECLARED: &[Decides] = &[
    Decides::upwards(".taskrc.yml", How::Settings),
    Decides::upwards(".taskrc.yaml", How::Settings),
];

pub fn pin(context: &FileContext<'_>) -> Seal {
    let mut reader = Reader {
        pinner: Pinner::new(context),
        visited: HashSet::new(),
    };
    reader.taskfile(context.path, 0);
    reader.pinner.declared(context.folder(), DECLARED);
    reader.pinner.seal()
}

struct Reader<'a> {
    pinner: Pinner<'a>,
    visited: HashSet<String>,
}

impl Reader<'_> {
    fn taskfile(&mut self, path: &str, depth: usize) {
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
        // A file that does not parse stops task too; its text is pinned.
        let Ok(root) = memo.parsed(self.pinner.source, path, read_yaml) else {
            return;
        };
        for (_, include) in root.get("includes").map(Node::entries).unwrap_or_default() {
            if let Some(written) = include.text().or_else(|| include.text_at("taskfile")) {
                self.include(path, &templates::filled(written, &root), depth);
            }
        }
        self.variables(path, &root);
        for (_, task) in root.get("tasks").map(Node::entries).unwrap_or_default() {
            self.variables(path, task);
        }
    }

    fn include(&mut self, from: &str, written: &str, depth: usize) {
        if written.contains("{{") || written.contains('$') || written.contains("://") {
            let reason = format!("{from} includes a file that only task can find: {written}");
            return self.pinner.unreadable(reason);
        }
        let folder = paths::folder_of(from);
        let Some(path) = self.pinner.resolve(from, folder, written) else {
            return;
        };
        if self.pinner.source.exists(&path)
            || paths::ending_of(written) == "yml"
            || paths::ending_of(written) == "yaml"
        {
            return self.taskfile(&path, depth + 1);
        }
        for name in NAMES {
            let file = paths::join_display(&path, name);
            let exists = self.pinner.source.exists(&file);
            self.taskfile(&file, depth + 1);
            if exists {
                break;
            }
        }
    }

    /// The files of variables of a Taskfile, or of one task.
    fn variables(&mut self, from: &str, node: &Node) {
        let Some(list) = node.get("dotenv") else {
            return;
        };
        let one = [list.clone()];
        let files = match &list.value {
            Value::List(items) => items.as_slice(),
            _ => one.as_slice(),
        };
        for written in files.iter().filter_map(Node::text) {
            if written.contains("{{") || written.contains('$') {
                let reason =
                    format!("{from} reads variables from a file whose name is computed: {written}");
                self.pinner.unreadable(reason);
            } else if let Some(path) = self.pinner.resolve(from, paths::folder_of(from), written) {
                self.pinner.variables(&path);
            }
        }
    }
}
