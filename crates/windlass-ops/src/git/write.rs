//! The changes that the settings can request: a branch for a task, a commit of its work.

use std::path::Path;

use windlass_core::{Entity, Error, Result};

use super::is_there;
use super::run::{ask, change, line};

/// Switches to the branch of a task, which is created if it does not exist.
pub fn switch_to_branch(root: &Path, task: &Entity) -> Result<()> {
    let branch = format!("task/{}", task.number);
    if !is_there(root)
        || line(root, &["symbolic-ref", "--quiet", "--short", "HEAD"]).as_deref() == Some(&branch)
    {
        return Ok(());
    }
    let known = format!("refs/heads/{branch}");
    let exists = ask(root, &["rev-parse", "--verify", "--quiet", &known]).is_ok();
    let words: &[&str] = if exists {
        &["switch", "--quiet", &branch]
    } else {
        &["switch", "--quiet", "--create", &branch]
    };
    let switched = change(root, words).map(drop);
    switched.map_err(|problem| refused("switch to its branch", &problem))
}

/// Commits everything that has changed, if anything has.
pub fn commit_all(root: &Path, task: &Entity) -> Result<()> {
    if !is_there(root) {
        return Ok(());
    }
    let failed = |problem: String| refused("commit the work", &problem);
    change(root, &["add", "--all", "--", "."]).map_err(failed)?;
    if change(root, &["diff", "--cached", "--quiet", "--no-ext-diff"]).is_ok() {
        return Ok(());
    }
    let message = format!("task {}: {}", task.number, task.title);
    let words = ["commit", "--quiet", "--no-verify", "--message", &message];
    change(root, &words).map(drop).map_err(failed)
}

fn refused(what: &str, problem: &str) -> Error {
    Error::storage(format!("git could not {what}: {problem}")).with_hint(
        "Fix what git reports, or switch the option off in [workflow.git] of config.toml.",
    )
}
