//! Tasks of mise that are files: each executable file of a task folder is one.

use crate::command::{Command, Kind};
use crate::data::{Node, read_toml};
use crate::paths;
use crate::source::{FileContext, FileSource, Found};

use super::{mise, pins};

/// The folders that mise looks into unless its configuration names others.
const FOLDERS: &[&str] = &[
    "mise-tasks",
    ".mise-tasks",
    "mise/tasks",
    ".mise/tasks",
    ".config/mise/tasks",
];
/// More files than this in one task folder are not tasks that people wrote.
const MAX_FILES: usize = 1_000;
const MAX_DEPTH: usize = 6;

/// A file that is a task.
pub struct FileTask {
    pub path: String,
    pub name: String,
}

/// The folder that a task file belongs to, and its path within the folder of tasks; `None` if it is
/// in no such folder.
pub fn task_of(path: &str) -> Option<(&str, &str)> {
    FOLDERS.iter().find_map(|folder| {
        let at = match path.strip_prefix(folder) {
            Some(rest) if rest.starts_with('/') => 0,
            _ => path.find(&format!("/{folder}/"))? + 1,
        };
        let base = path[..at].trim_end_matches('/');
        // `.config/mise/tasks` contains `mise/tasks` too.
        if paths::name_of(base) == ".config" {
            return None;
        }
        Some((base, &path[at + folder.len() + 1..]))
    })
}

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let mut found = Found::default();
    let Some((base, inner)) = task_of(context.path) else {
        return found;
    };
    if !context.source.is_executable(context.path) || includes_others(context, base) {
        return found;
    }
    let task = FileTask {
        path: context.path.to_owned(),
        name: name_of(inner),
    };
    if let Some(command) = described(context, base, &task, text) {
        found.push(command, &pins::mise::pin(context, base));
    }
    found
}

/// Whether a configuration of the folder names its folders of tasks: those take the place of the
/// usual ones, and the configuration lists their tasks.
fn includes_others(context: &FileContext<'_>, base: &str) -> bool {
    let names = [
        "mise.toml",
        ".mise.toml",
        ".config/mise.toml",
        ".mise/config.toml",
        ".config/mise/config.toml",
    ];
    let files = names.iter().map(|name| paths::join_display(base, name));
    files
        .filter(|path| context.source.exists(path))
        .filter_map(|path| context.memo.parsed(context.source, &path, read_toml).ok())
        .any(|it| it.at(&["task_config", "includes"]).is_some())
}

/// `test/unit.sh` is the task `test:unit`, and `test/_default` is `test`.
fn name_of(inner: &str) -> String {
    let parts: Vec<&str> = inner.split('/').collect();
    let (last, folders) = parts.split_last().map_or(("", &[][..]), |(a, b)| (*a, b));
    let stem = match last.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => last,
    };
    let mut words: Vec<&str> = folders.to_vec();
    if stem != "_default" || words.is_empty() {
        words.push(stem);
    }
    words.join(":")
}

/// The executable files below a folder.
pub fn tasks_below(source: &dyn FileSource, folder: &str) -> Vec<FileTask> {
    let mut found = Vec::new();
    search(source, folder, "", 0, &mut found);
    found
}

fn search(
    source: &dyn FileSource,
    folder: &str,
    inner: &str,
    depth: usize,
    found: &mut Vec<FileTask>,
) {
    if depth > MAX_DEPTH || source.leads_outside(folder) {
        return;
    }
    for name in source.list(folder) {
        let path = paths::join_display(folder, &name);
        if found.len() < MAX_FILES && !name.starts_with('.') && source.is_executable(&path) {
            let name = name_of(&paths::join_display(inner, &name));
            found.push(FileTask { path, name });
        }
    }
    for name in source.list_folders(folder) {
        if !name.starts_with('.') {
            let inside = paths::join_display(inner, &name);
            search(
                source,
                &paths::join_display(folder, &name),
                &inside,
                depth + 1,
                found,
            );
        }
    }
}

/// The command of a task file; `None` if it cannot be read or is hidden.
pub fn command(context: &FileContext<'_>, base: &str, task: &FileTask) -> Option<Command> {
    let text = context.source.read(&task.path).ok()?;
    described(context, base, task, &text)
}

fn described(
    context: &FileContext<'_>,
    base: &str,
    task: &FileTask,
    text: &str,
) -> Option<Command> {
    let settings: String = text.lines().take(60).filter_map(setting).collect();
    let settings = read_toml(&settings).ok();
    let settings = settings.as_ref();
    if settings.is_some_and(|it| it.is_true("hide")) {
        return None;
    }
    let about = settings.and_then(|it: &Node| it.text_at("description"));
    let command = mise::command(context, base, &task.name, text)
        .defined_in(&task.path)
        .described(about)
        .of_kind(Kind::Task);
    Some(command)
}

/// The setting of a comment such as `#MISE description="Build it"` or `# [MISE] hide=true`.
fn setting(line: &str) -> Option<String> {
    let line = line.trim_start().trim_start_matches(['#', '/', '-', ';']);
    let line = line.trim_start().trim_start_matches('[');
    let rest = line
        .strip_prefix("MISE")
        .or_else(|| line.strip_prefix("mise"))?;
    let rest = rest.trim_start_matches(']');
    let rest = rest.starts_with([' ', '\t']).then(|| rest.trim())?;
    rest.contains('=').then(|| format!("{rest}\n"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, read, rows};
    use crate::source::MemorySource;

    #[test]
    fn names_of_files() {
        for (path, base, name) in [
            ("mise-tasks/build", "", "build"),
            ("api/.mise/tasks/test/unit.sh", "api", "test:unit"),
            (".config/mise/tasks/test/_default", "", "test"),
            ("a/b/.mise-tasks/x.y.py", "a/b", "x.y"),
        ] {
            let (found, inner) = super::task_of(path).unwrap();
            assert_eq!((found, super::name_of(inner)), (base, name.to_owned()));
        }
        assert_eq!(super::task_of("promise-tasks/x"), None);
        assert_eq!(super::task_of("mise-tasks"), None);
    }

    #[test]
    fn only_executable_files_are_tasks() {
        let source = MemorySource::default()
            .with("mise-tasks/README.md", "# Tasks\n")
            .with_executable(
                "mise-tasks/db/reset",
                "#!/bin/sh\n#MISE description=\"Drop it\"\necho\n",
            )
            .with_executable("mise-tasks/hidden", "#!/bin/sh\n# [MISE] hide=true\n");
        assert_eq!(
            rows(&read(&source, "mise-tasks/db/reset")),
            ["db:reset | mise run db:reset | Drop it"]
        );
        assert!(names(&read(&source, "mise-tasks/hidden")).is_empty());
        assert!(names(&read(&source, "mise-tasks/README.md")).is_empty());
    }

    #[test]
    fn included_folders_take_the_place_of_the_usual_ones() {
        let source = MemorySource::default()
            .with(
                "mise.toml",
                "[task_config]\nincludes = ['tasks.toml', 'xtasks']\n",
            )
            .with("tasks.toml", "[fmt]\nrun = 'cargo fmt'\nb = 1\n")
            .with_executable("xtasks/lint/fix", "#!/bin/sh\n")
            .with_executable("mise-tasks/old", "#!/bin/sh\n");
        assert_eq!(names(&read(&source, "mise.toml")), ["fmt", "lint:fix"]);
        assert!(names(&read(&source, "mise-tasks/old")).is_empty());
    }
}
