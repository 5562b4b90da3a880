//! Git, read from its files: git itself would run programs that a repository's settings name.

use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use windlass_store::Project;

use super::check::Check;

pub fn checks(project: &Project) -> Vec<Check> {
    let root = project.root();
    let Some(top) = repository(root) else {
        let message = "Not a git repository: the project's history stays on this machine";
        return vec![Check::warning(
            "git",
            message,
            "Run git init to make it one.",
        )];
    };
    let kind = if top.join(".git").is_file() {
        "A linked worktree or submodule"
    } else {
        "A repository"
    };
    let mut checks = vec![Check::ok("git", format!("{kind} at {}", top.display()))];
    checks.extend(state(project));
    checks.push(journals(project));
    checks.extend(packs(project, &top));
    checks
}

/// The state belongs to one machine, so git must ignore it.
fn state(project: &Project) -> Option<Check> {
    let state = project.state();
    let top = repository(state)?;
    if project.tracks_state() {
        let fix = "Run git rm -r --cached .windlass/state and commit.";
        let message = "Git tracks files of .windlass/state, which belong to this machine only";
        return Some(Check::error("ignored", message, fix));
    }
    Some(if is_ignored(&top, state) {
        Check::ok("ignored", "Git ignores .windlass/state")
    } else {
        let message = "Git does not ignore .windlass/state, which belongs to this machine only";
        Check::error(
            "ignored",
            message,
            "Add a line /state/ to .windlass/.gitignore.",
        )
    })
}

/// Two branches that add to a tracked file conflict; their entries travel in packs.
fn journals(project: &Project) -> Check {
    let tracked = project.tracked_journals();
    if tracked.is_empty() {
        return Check::ok(
            "journals",
            "Git does not track learnings.txt and progress.txt",
        );
    }
    let files: Vec<String> = tracked
        .iter()
        .map(|file| format!(".windlass/{file}"))
        .collect();
    let files = files.join(" ");
    let message = format!(
        "Git tracks {files}, where branches conflict; the entries are in the state and in packs"
    );
    let fix =
        format!("Run windlass sync, then git rm --cached {files} and windlass init, and commit.");
    Check::warning("journals", message, fix)
}

/// Packs that git ignores reach nobody.
fn packs(project: &Project, top: &Path) -> Option<Check> {
    let folder = project.folder().join("packs");
    let any = folder.join(format!("{}.pack", "0".repeat(64)));
    is_ignored(top, &any).then(|| {
        let message = "Git ignores .windlass/packs, so changes do not reach other clones";
        Check::warning(
            "packs",
            message,
            "Remove that rule, or add !/packs/ to .windlass/.gitignore.",
        )
    })
}

/// The folder of the repository that a path is in.
fn repository(path: &Path) -> Option<PathBuf> {
    let mut folders = path.ancestors();
    folders
        .find(|folder| folder.join(".git").exists())
        .map(Path::to_owned)
}

/// The deepest ignore file with a rule for the path decides.
fn is_ignored(top: &Path, path: &Path) -> bool {
    let folders = path
        .ancestors()
        .skip(1)
        .take_while(|it| it.starts_with(top));
    let rules = folders.map(|folder| (folder, folder.join(".gitignore")));
    let rules = rules.chain([(top, top.join(".git/info/exclude"))]);
    for (folder, file) in rules {
        match read_rules(folder, &file).matched_path_or_any_parents(path, true) {
            Match::Ignore(_) => return true,
            Match::Whitelist(_) => return false,
            Match::None => {}
        }
    }
    false
}

fn read_rules(folder: &Path, file: &Path) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    if file.is_file() {
        // An invalid line is ignored, as git does.
        let _ = builder.add(file);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
