//! Where other tools keep a plan in a repository.

use std::path::Path;

use crate::plan::Source;

/// What is looked for, and which path an import is given. The first of a source counts.
const PLACES: &[(Source, &str, &str)] = &[
    (Source::Beads, ".beads/issues.jsonl", ".beads/issues.jsonl"),
    (Source::Beads, ".beads/beads.jsonl", ".beads/beads.jsonl"),
    (Source::Beads, ".beads/beads.db", ".beads/beads.db"),
    (Source::Backlog, "backlog/tasks", "backlog"),
    (Source::Backlog, ".backlog/tasks", ".backlog"),
    (Source::Medulla, ".medulla/loro.db", ".medulla/loro.db"),
    (Source::Overseer, ".overseer/tasks.db", ".overseer/tasks.db"),
    (Source::Ralph, ".ralph/db/ralph.db", ".ralph/db/ralph.db"),
    (Source::Markdown, "TODO.md", "TODO.md"),
    (Source::Markdown, "todo.md", "todo.md"),
    (Source::Markdown, "docs/TODO.md", "docs/TODO.md"),
];

/// The plans that a repository has, each with the path below its root. Nothing is read, and a link,
/// which may lead out of the repository, is no plan.
pub fn plans_in(root: &Path) -> Vec<(Source, &'static str)> {
    let mut found: Vec<(Source, &'static str)> = Vec::new();
    for (source, sign, path) in PLACES {
        let is_new = found.iter().all(|(known, _)| known != source);
        if is_new && is_plain(root, sign) {
            found.push((*source, path));
        }
    }
    found
}

fn is_plain(root: &Path, sign: &str) -> bool {
    let mut path = root.to_owned();
    sign.split('/').all(|part| {
        path.push(part);
        path.symlink_metadata()
            .is_ok_and(|found| found.is_file() || found.is_dir())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_found_where_tools_keep_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        assert!(plans_in(root).is_empty());
        for place in ["backlog/tasks", ".beads", "elsewhere"] {
            std::fs::create_dir_all(root.join(place)).expect("made");
        }
        for file in [".beads/beads.db", ".beads/issues.jsonl", "elsewhere/list"] {
            std::fs::write(root.join(file), "").expect("written");
        }
        std::os::unix::fs::symlink("elsewhere/list", root.join("TODO.md")).expect("linked");
        assert_eq!(
            plans_in(root),
            [
                (Source::Beads, ".beads/issues.jsonl"),
                (Source::Backlog, "backlog")
            ]
        );
    }
}
