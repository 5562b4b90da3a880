//! What git knows about the work, if the project uses git. Nothing is changed unless the settings
//! request it.
//!
//! git runs as a child process with a time limit, without hooks, pagers, locks or prompts; without
//! git, or if it does not respond, this information is absent.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use windlass_core::{Entity, Error, Result};
use windlass_store::WorkPlace;

const LIMIT: Duration = Duration::from_secs(10);
/// The most bytes of a change that are shown.
const MAX_DIFF_BYTES: usize = 256 * 1024;
const MAX_UNTRACKED: usize = 200;

/// What has changed since work began.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    pub from: String,
    pub text: String,
    /// Whether the text is cut.
    pub truncated: bool,
    pub untracked: Vec<String>,
}

/// Whether the folder lies in a git repository.
pub fn is_there(root: &Path) -> bool {
    root.ancestors().any(|folder| folder.join(".git").exists())
}

/// The current commit and branch of the folder.
pub fn place(root: &Path) -> WorkPlace {
    if !is_there(root) {
        return WorkPlace::default();
    }
    WorkPlace {
        commit: line(root, &["rev-parse", "--verify", "--quiet", "HEAD"]),
        branch: line(root, &["symbolic-ref", "--quiet", "--short", "HEAD"]),
    }
}

/// The change since a commit, including uncommitted changes.
pub fn change_since(root: &Path, commit: &str) -> Option<Change> {
    let is_commit = commit.len() >= 7 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_commit || !is_there(root) {
        return None;
    }
    let options = ["diff", "--no-ext-diff", "--no-textconv", "--no-color"];
    let bytes = ask(root, &[&options[..], &[commit, "--"]].concat()).ok()?;
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    let truncated = text.len() > MAX_DIFF_BYTES;
    if truncated {
        let mut end = MAX_DIFF_BYTES;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
    }
    let others = ask(root, &["ls-files", "--others", "--exclude-standard", "-z"]);
    let untracked = others.unwrap_or_default();
    Some(Change {
        from: commit.to_owned(),
        text,
        truncated,
        untracked: untracked
            .split(|byte| *byte == 0)
            .filter(|name| !name.is_empty())
            .take(MAX_UNTRACKED)
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .collect(),
    })
}

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
    ask(root, words)
        .map(drop)
        .map_err(|problem| refused("switch to its branch", &problem))
}

/// Commits everything that has changed, if anything has.
pub fn commit_all(root: &Path, task: &Entity) -> Result<()> {
    if !is_there(root) {
        return Ok(());
    }
    let failed = |problem: String| refused("commit the work", &problem);
    ask(root, &["add", "--all", "--", "."]).map_err(failed)?;
    if ask(root, &["diff", "--cached", "--quiet"]).is_ok() {
        return Ok(());
    }
    let message = format!("task {}: {}", task.number, task.title);
    let words = ["commit", "--quiet", "--no-verify", "--message", &message];
    ask(root, &words).map(drop).map_err(failed)
}

fn refused(what: &str, problem: &str) -> Error {
    Error::storage(format!("git could not {what}: {problem}")).with_hint(
        "Fix what git reports, or switch the option off in [workflow.git] of config.toml.",
    )
}

fn line(root: &Path, words: &[&str]) -> Option<String> {
    let bytes = ask(root, words).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let text = text.trim();
    (!text.is_empty() && text.len() <= 200).then(|| text.to_owned())
}

/// The output of git, or its error message.
fn ask(root: &Path, words: &[&str]) -> std::result::Result<Vec<u8>, String> {
    let mut child = Command::new("git")
        .args(["--no-pager", "-c", "core.hooksPath=/dev/null"])
        .args(["-c", "core.fsmonitor=false", "-c", "color.ui=false"])
        .arg("-C")
        .arg(root)
        .args(words)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_EDITOR", "true")
        .env_remove("GIT_EXTERNAL_DIFF")
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|problem| problem.to_string())?;
    let stdout = child.stdout.take().map(read);
    let stderr = child.stderr.take().map(read);
    let ended = wait(&mut child);
    let text = |reader: Option<std::thread::JoinHandle<Vec<u8>>>| {
        reader.and_then(|it| it.join().ok()).unwrap_or_default()
    };
    let (stdout, stderr) = (text(stdout), text(stderr));
    if ended == Some(true) {
        return Ok(stdout);
    }
    let said = String::from_utf8_lossy(&stderr).trim().to_owned();
    Err(match ended {
        None => format!("it did not respond within {} s", LIMIT.as_secs()),
        Some(_) => said,
    })
}

fn read(mut stream: impl std::io::Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // Read to the end, so that git does not block; only the shown part is stored.
        let mut part = [0; 16 * 1024];
        while let Ok(count @ 1..) = stream.read(&mut part) {
            if bytes.len() <= MAX_DIFF_BYTES {
                bytes.extend_from_slice(&part[..count]);
            }
        }
        bytes
    })
}

/// Whether it succeeded; none if it exceeded the limit and was killed.
fn wait(child: &mut Child) -> Option<bool> {
    let begin = Instant::now();
    while begin.elapsed() < LIMIT {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.success()),
            Ok(None) => std::thread::sleep(Duration::from_millis(2)),
            Err(_) => break,
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}
