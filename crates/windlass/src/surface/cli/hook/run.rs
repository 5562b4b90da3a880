//! What git runs, with a limit: the work is done on a thread of its own, and what has not been done in
//! time is left to the next sync. A killed sync leaves nothing half-done.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use windlass_core::Result;
use windlass_ops::{CommitPacks, Context, import_new_packs, packs_for_commit};
use windlass_store::Project;

use crate::surface::cli::caller::Caller;
use crate::surface::cli::exit_codes::NOT_SUCCESSFUL;
use crate::surface::cli::output;

/// For the work on the state.
const FOR_WORK: Duration = Duration::from_millis(600);
/// For git to take the files into the commit.
const FOR_GIT: Duration = Duration::from_millis(250);
/// For git to end when it was told to.
const FOR_END: Duration = Duration::from_millis(100);

/// Git commits the listed files only (`git commit -- FILE`) by an index of this name.
const PARTIAL_INDEX: &str = "next-index-";

/// Runs a hook. It fails only where a person asked for that.
pub fn run(hook: &str, strict: bool, caller: &Caller) -> ExitCode {
    match work(hook, caller) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            output::note(&format!("windlass: {hook}: {why}"));
            if strict {
                ExitCode::from(NOT_SUCCESSFUL)
            } else {
                ExitCode::SUCCESS
            }
        }
    }
}

fn work(hook: &str, caller: &Caller) -> Result<(), String> {
    let Ok(project) = Project::find(&caller.global.cwd) else {
        // A branch without the project.
        return Ok(());
    };
    let later = "It is left to the next windlass sync.";
    if hook != "pre-commit" {
        let imported = in_time(caller, |context| Ok(import_new_packs(context)))
            .map_err(|why| format!("{why} {later}"))?;
        for line in imported.lines() {
            output::note(&format!("windlass: {line}"));
        }
        return Ok(());
    }
    let packs = in_time(caller, packs_for_commit).map_err(|why| format!("{why} {later}"))?;
    let index = caller.environment.git_index();
    if !takes_more_files(index.as_deref()) {
        return Ok(());
    }
    // Git starts a hook where its variables, which may be relative, are valid.
    let folder = index.is_none().then(|| project.root());
    stage(folder, &packs)
        .map_err(|why| format!("the packs were written, but not added to the commit: {why}"))
}

/// Does the work on a thread, and waits for it as long as a commit may wait.
fn in_time<T: Send + 'static>(
    caller: &Caller,
    work: impl FnOnce(&Context) -> Result<T> + Send + 'static,
) -> Result<T, String> {
    let deadline = Instant::now() + FOR_WORK;
    let opening = caller.opening().map_err(|error| error.full_message())?;
    let (sender, receiver) = mpsc::channel();
    let thread = std::thread::Builder::new().spawn(move || {
        let done = opening.open().and_then(|context| {
            context.store.check_trusted()?;
            work(&context)
        });
        // Nobody waits any more if it is too late.
        let _ = sender.send(done);
    });
    thread.map_err(|problem| problem.to_string())?;
    let left = deadline.saturating_duration_since(Instant::now());
    match receiver.recv_timeout(left) {
        Ok(done) => done.map_err(|error| error.full_message()),
        Err(mpsc::RecvTimeoutError::Timeout) => Err("The state is busy or slow.".to_owned()),
        Err(mpsc::RecvTimeoutError::Disconnected) => Err("The work panicked.".to_owned()),
    }
}

/// Whether the commit takes all that is in the index: not one of listed files, and not one that another
/// program makes with an index of its own.
fn takes_more_files(index: Option<&Path>) -> bool {
    let Some(index) = index else {
        return true;
    };
    let name = index.file_name().unwrap_or_default().to_string_lossy();
    !name.starts_with(PARTIAL_INDEX) && (name == "index" || name == "index.lock")
}

/// Adds exactly these files to the index that the commit is made of, and removes replaced ones.
fn stage(folder: Option<&Path>, packs: &CommitPacks) -> Result<(), String> {
    let deadline = Instant::now() + FOR_GIT;
    let add = [
        "--literal-pathspecs",
        "add",
        "--pathspec-from-file=-",
        "--pathspec-file-nul",
    ];
    git(folder, &add, &packs.add, deadline)?;
    let remove = [
        "--literal-pathspecs",
        "rm",
        "--cached",
        "--quiet",
        "--ignore-unmatch",
        "--pathspec-from-file=-",
        "--pathspec-file-nul",
    ];
    git(folder, &remove, &packs.remove, deadline)
}

fn git(
    folder: Option<&Path>,
    words: &[&str],
    files: &[PathBuf],
    deadline: Instant,
) -> Result<(), String> {
    if files.is_empty() {
        return Ok(());
    }
    let mut command = Command::new("git");
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
    let mut child = command
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|problem| format!("git cannot be run: {problem}"))?;
    let mut list = Vec::new();
    for file in files {
        list.extend_from_slice(file.as_os_str().as_encoded_bytes());
        list.push(0);
    }
    if let Some(mut stdin) = child.stdin.take() {
        std::thread::spawn(move || {
            // It may end before it has read everything.
            let _ = std::io::Write::write_all(&mut stdin, &list);
        });
    }
    match wait(&mut child, deadline) {
        Some(true) => Ok(()),
        Some(false) => {
            let mut said = String::new();
            if let Some(mut stderr) = child.stderr.take() {
                let _ = std::io::Read::read_to_string(&mut stderr, &mut said);
            }
            Err(said.lines().next().unwrap_or("git failed").to_owned())
        }
        None => Err("git took too long".to_owned()),
    }
}

/// Whether it succeeded; none if it took too long. It is told to end, so that it removes its lock: a
/// lock that stays would stop the next commit.
fn wait(child: &mut Child, deadline: Instant) -> Option<bool> {
    let until = |child: &mut Child, deadline: Instant| {
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Some(status.success()),
                Ok(None) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                _ => return None,
            }
        }
    };
    if let Some(success) = until(child, deadline) {
        return Some(success);
    }
    if let Some(process) = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    {
        let _ = rustix::process::kill_process(process, rustix::process::Signal::TERM);
    }
    if until(child, Instant::now() + FOR_END).is_none() {
        let _ = child.kill();
        let _ = child.wait();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_commits_take_more_files() {
        for (index, expected) in [
            (None, true),
            (Some(".git/index"), true),
            (Some("/repo/.git/index.lock"), true),
            (Some("/repo/.git/next-index-4711.lock"), false),
            (Some("/tmp/own-index"), false),
        ] {
            assert_eq!(
                takes_more_files(index.map(Path::new)),
                expected,
                "{index:?}"
            );
        }
    }
}
