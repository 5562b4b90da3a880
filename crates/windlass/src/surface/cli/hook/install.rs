//! Puts the lines of Windlass into a hook, takes them out, and says what is there.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use windlass_core::{Error, Result};

use super::repository::{Manager, Repository};
use super::script::{self, Call, Found, KEPT};

/// What became of one hook, or what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It runs Windlass, and nothing else.
    Installed,
    /// It runs Windlass, and then what it ran before.
    Chained,
    /// It runs another program, or the lines are of an older version or another place.
    Outdated,
    /// It does not run Windlass.
    Missing,
    /// Another program manages it, and a person has added Windlass there.
    Managed,
    /// Another program manages it: a person adds Windlass there.
    ByHand,
}

/// One hook.
#[derive(Debug, Clone, Serialize)]
pub struct HookReport {
    pub hook: &'static str,
    pub state: State,
    /// The script, or the file of the program that manages the hook.
    pub file: PathBuf,
    /// Whether this command changed it.
    pub changed: bool,
    /// The program that manages it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub managed_by: Option<&'static str>,
    /// What a person adds to the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub add: Option<String>,
}

/// What a hook is now. Nothing is changed.
pub fn look(repository: &Repository, hook: &'static str, call: &Call<'_>) -> HookReport {
    if let Some(manager) = repository.manager(hook)
        // What was installed before the other program came still counts.
        && !has_lines(&repository.file(hook), call)
    {
        return managed(repository, manager, hook, call);
    }
    let file = repository.file(hook);
    let script = read(&file).unwrap_or_default();
    let state = match script::found(&script, call.folder) {
        Found::Nothing => State::Missing,
        _ if !is_current(&script, hook, call) || !is_executable(&file) => State::Outdated,
        Found::OnlyOurs => State::Installed,
        Found::Inserted | Found::InPlace => State::Chained,
    };
    HookReport {
        hook,
        state,
        file,
        changed: false,
        managed_by: None,
        add: None,
    }
}

/// Makes a hook run Windlass.
pub fn install(repository: &Repository, hook: &'static str, call: &Call<'_>) -> Result<HookReport> {
    let before = look(repository, hook, call);
    let is_other = matches!(before.state, State::Installed | State::Chained)
        && !has_exactly(&before.file, hook, call);
    if is_other || matches!(before.state, State::Missing | State::Outdated) {
        if before.state != State::Missing {
            take_out(&before.file, call)?;
        }
        put_in(&before.file, hook, call)?;
        let after = look(repository, hook, call);
        return Ok(HookReport {
            changed: true,
            ..after
        });
    }
    Ok(before)
}

/// Makes a hook what it was before.
pub fn uninstall(
    repository: &Repository,
    hook: &'static str,
    call: &Call<'_>,
) -> Result<HookReport> {
    let before = look(repository, hook, call);
    let changed = has_lines(&before.file, call) && take_out(&before.file, call)?;
    let after = look(repository, hook, call);
    Ok(HookReport { changed, ..after })
}

fn managed(
    repository: &Repository,
    manager: Manager,
    hook: &'static str,
    call: &Call<'_>,
) -> HookReport {
    let file = manager.file(repository, hook);
    let text = fs::read_to_string(&file).unwrap_or_default();
    let is_there = text.contains(&format!("hook run {hook}"));
    HookReport {
        hook,
        state: if is_there {
            State::Managed
        } else {
            State::ByHand
        },
        file,
        changed: false,
        managed_by: Some(manager.name()),
        add: (!is_there).then(|| manager.instruction(hook, call.folder)),
    }
}

fn put_in(file: &Path, hook: &str, call: &Call<'_>) -> Result<()> {
    let failed = |problem: io::Error| broken(file, &problem);
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let Ok(metadata) = fs::symlink_metadata(file) else {
        let script = script::own_script(hook, call);
        return replace(file, script.as_bytes(), 0o755).map_err(failed);
    };
    // A hook that is not executable is switched off, and stays so. A link leads to a file of the
    // repository, which is not changed.
    if metadata.is_file() && is_executable(file) {
        let before = read(file).map_err(failed)?;
        if let Some(with) = script::insert(&before, hook, call) {
            let mode = metadata.permissions().mode() & 0o7777;
            return replace(file, &with, mode).map_err(failed);
        }
    }
    let kept = kept(file);
    if fs::symlink_metadata(&kept).is_ok() {
        return Err(Error::storage(format!("{} exists already", kept.display()))
            .with_hint("It is the hook of an earlier installation: move it away first."));
    }
    fs::rename(file, &kept).map_err(failed)?;
    let script = script::script_in_place(hook, call);
    replace(file, script.as_bytes(), 0o755).map_err(failed)
}

/// Returns whether there was anything to take out.
fn take_out(file: &Path, call: &Call<'_>) -> Result<bool> {
    let failed = |problem: io::Error| broken(file, &problem);
    let script = read(file).map_err(failed)?;
    let Some(rest) = script::remove(&script, call.folder) else {
        return Ok(false);
    };
    match script::found(&script, call.folder) {
        Found::OnlyOurs => fs::remove_file(file).map_err(failed)?,
        Found::InPlace if fs::symlink_metadata(kept(file)).is_ok() => {
            fs::rename(kept(file), file).map_err(failed)?;
        }
        _ => {
            let mode = fs::metadata(file).map_err(failed)?.permissions().mode() & 0o7777;
            replace(file, &rest, mode).map_err(failed)?;
        }
    }
    Ok(true)
}

fn has_lines(file: &Path, call: &Call<'_>) -> bool {
    let script = read(file).unwrap_or_default();
    script::found(&script, call.folder) != Found::Nothing
}

/// Whether the lines are those of this program, strict or not.
fn is_current(script: &[u8], hook: &str, call: &Call<'_>) -> bool {
    [true, false].into_iter().any(|strict| {
        let lines = script::lines(
            hook,
            &Call {
                strict,
                ..call.clone()
            },
        );
        script.windows(lines.len()).any(|it| it == lines.as_bytes())
    })
}

fn has_exactly(file: &Path, hook: &str, call: &Call<'_>) -> bool {
    let lines = script::lines(hook, call);
    let script = read(file).unwrap_or_default();
    script.windows(lines.len()).any(|it| it == lines.as_bytes())
}

fn kept(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".{KEPT}"));
    PathBuf::from(name)
}

/// The bytes of a plain file; a link is not followed.
fn read(file: &Path) -> io::Result<Vec<u8>> {
    if !fs::symlink_metadata(file)?.is_file() {
        return Err(io::Error::other("it is not a plain file"));
    }
    fs::read(file)
}

fn is_executable(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|it| it.permissions().mode() & 0o111 != 0)
}

/// Replaces a file as a whole: git may run it at any moment.
fn replace(file: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(bytes)?;
    new.as_file()
        .set_permissions(fs::Permissions::from_mode(mode))?;
    new.as_file().sync_all()?;
    new.persist(file).map(drop).map_err(|failed| failed.error)
}

fn broken(file: &Path, problem: &io::Error) -> Error {
    Error::storage(format!("{}: {problem}", file.display()))
}
