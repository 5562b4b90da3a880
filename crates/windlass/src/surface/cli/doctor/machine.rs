//! This machine: the program itself, its environment, open files, and the port of the server.

use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Resource, getrlimit};

use windlass_ops::{Machine, Workspace, check_script_jail};

use super::check::Check;
use crate::surface::cli::execute;
use crate::surface::cli::setup::Program;
use crate::surface::environment::Environment;

/// The port of `windlass serve` by default.
const PORT: u16 = 3002;
/// Fifty jobs and a few agents need a few hundred.
const FEW_FILES: u64 = 1024;
/// How long another windlass may take to print its version.
const PATIENCE: Duration = Duration::from_secs(3);

/// Whether `windlass` in a shell is this one.
pub fn binary(cwd: &Path) -> Check {
    let program = Program::of_process();
    let this = format!("{} {}", env!("CARGO_PKG_VERSION"), program.this.display());
    let Some(found) = &program.on_path else {
        return Check::warning(
            "binary",
            format!("{this}; no windlass on PATH"),
            format!(
                "Add {} to PATH, or link it into a folder there.",
                program.this.parent().unwrap_or(Path::new("/")).display()
            ),
        );
    };
    if program.is_on_path() {
        return Check::ok("binary", this);
    }
    // A program below this folder may belong to the repository, and is not run.
    let version = if found.starts_with(cwd) {
        None
    } else {
        version_of(found)
    };
    Check::warning(
        "binary",
        format!(
            "{this}; a different windlass is on PATH: {} {}",
            version.as_deref().unwrap_or("unknown version at"),
            found.display()
        ),
        "Install this version there, or remove the other one.",
    )
}

/// The output of a program's `--version`, if it comes within the time limit.
fn version_of(program: &Path) -> Option<String> {
    let mut child = Command::new(program)
        .arg("--version")
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let deadline = Instant::now() + PATIENCE;
    while child.try_wait().ok()?.is_none() {
        if Instant::now() > deadline {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.split_whitespace().nth(1)?;
    output.status.success().then(|| version.to_owned())
}

pub fn environment(environment: &Environment) -> Check {
    let read = environment
        .settings()
        .and_then(|_| environment.session())
        .and_then(|_| environment.correlation_id())
        .and_then(|_| environment.log_directives());
    match read {
        Ok(_) => Check::ok("environment", "All variables are valid"),
        Err(error) => Check::failed("environment", &error, "Unset the variable."),
    }
}

/// Whether the system restricts the process of a script, and whether a person accepts if not.
pub fn scripts(machine: &Machine, workspace: Option<&Workspace>) -> Check {
    let accepted = workspace.map_or(Ok(false), Workspace::trusts_unjailed_scripts);
    let jailed = execute::runtime()
        .and_then(|runtime| runtime.block_on(check_script_jail(machine)))
        .and_then(|jailed| Ok((jailed, accepted?)));
    match jailed {
        Ok((true, _)) => Check::ok("scripts", "The system restricts the process of a script"),
        Ok((false, true)) => Check::warning(
            "scripts",
            "The system does not restrict the process of a script, and unjailed = true accepts that",
            "Use a system with seccomp, or remove unjailed from .windlass/config.toml.",
        ),
        Ok((false, false)) => Check::warning(
            "scripts",
            "The system does not restrict the process of a script (no seccomp), so execute refuses scripts",
            "Use Linux without a container profile that blocks seccomp, or set unjailed = true under \
             [code] in .windlass/config.toml and run windlass allow .windlass/config.toml.",
        ),
        Err(error) => Check::failed(
            "scripts",
            &error,
            "Check that this program can start itself.",
        ),
    }
}

/// Folders in which programs are not looked for, because the project could have put them there.
pub fn search_path(environment: &Environment) -> Option<Check> {
    let shortened = environment.shortened_search_path()?;
    let shown = |folder: &std::path::PathBuf| match folder.to_string_lossy() {
        none if none.is_empty() => "an empty entry".to_owned(),
        folder => folder.into_owned(),
    };
    let dropped: Vec<String> = shortened.dropped.iter().map(shown).collect();
    Some(Check::warning(
        "path",
        format!(
            "PATH has folders of the project or relative ones, in which nothing is looked for and which \
             commands do not get: {}",
            dropped.join(", ")
        ),
        "Let commands name such programs by their path, or install them elsewhere.",
    ))
}

pub fn limits() -> Vec<Check> {
    vec![open_files(getrlimit(Resource::Nofile).current), port(PORT)]
}

fn open_files(limit: Option<u64>) -> Check {
    match limit {
        Some(limit) if limit < FEW_FILES => Check::warning(
            "files",
            format!("A process may have only {limit} files open"),
            "Run ulimit -n 4096 before starting agents.",
        ),
        Some(limit) => Check::ok("files", format!("A process may have {limit} files open")),
        None => Check::ok("files", "A process may have any number of files open"),
    }
}

fn port(number: u16) -> Check {
    match TcpListener::bind((Ipv4Addr::LOCALHOST, number)) {
        Ok(_) => Check::ok("port", format!("{number} is free for windlass serve")),
        Err(problem) => Check::warning(
            "port",
            format!("{number} cannot be used: {problem}"),
            format!(
                "Ignore this if windlass serve is running; else use windlass serve --http 127.0.0.1:{}.",
                number + 1
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::Status;
    use super::*;

    #[test]
    fn few_files_and_a_taken_port_are_told() {
        assert_eq!(open_files(Some(256)).status, Status::Warning);
        assert_eq!(open_files(Some(FEW_FILES)).status, Status::Ok);
        assert_eq!(open_files(None).status, Status::Ok);
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let number = taken.local_addr().unwrap().port();
        assert_eq!(port(number).status, Status::Warning);
    }

    #[test]
    fn a_version_is_asked_for_and_not_waited_for() {
        assert_eq!(version_of(Path::new("/nonexistent")), None);
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("windlass");
        std::fs::write(&script, "#!/bin/sh\necho windlass 9.8.7\n").unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&script, mode).unwrap();
        assert_eq!(version_of(&script).as_deref(), Some("9.8.7"));
    }
}
