//! A person at a terminal.
//!
//! Whoever runs the tests may be an agent, and then everything that the tests start comes from an
//! agent too. So a person's terminal is cut off from the tests: the process that opens it is given to
//! the first process of the system, and has only the variables that it is given.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use crate::server::search_path;

/// How long a person waits for a command.
const PATIENCE: Duration = Duration::from_mins(2);

/// Opens the terminal once nothing of the tests is above it. Where the system gives orphans to another
/// process than its first, everything above is hidden instead.
const LAUNCHER: &str = r#"
above() { read -r stat < /proc/$$/stat; set -- ${stat##*) }; echo "$2"; }
while [ "$(cat "/proc/$(above)/comm")" = setsid ]; do sleep 0.01; done
if [ "$(above)" != 1 ] && [ -z "$HIDDEN" ]; then
    [ "$(id -u)" = 0 ] || user="--user --map-current-user"
    exec unshare $user --pid --fork --mount-proc env HIDDEN=1 sh "$0"
fi
unset HIDDEN
cd "$(dirname "$0")" || exit 1
script -qec 'sh ./command.sh' /dev/null < typed > printed 2>&1
echo $? > code.new
mv code.new code
"#;

/// What a person sees of a command at a terminal of their own, and its exit code. The variables are
/// those that the command sets, and a search path. `typed` is what the person types.
pub fn at_a_terminal(command: &Command, typed: &str) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let write =
        |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<String> = words.map(|word| quoted(&word.to_string_lossy())).collect();
    let place = command.get_current_dir().unwrap_or(Path::new("/"));
    let place = quoted(&place.display().to_string());
    write(
        "command.sh",
        &format!("cd {place}\nexec {}\n", words.join(" ")),
    );
    write("typed", typed);
    write("launcher.sh", LAUNCHER);
    let mut launcher = Command::new("setsid");
    launcher
        .args(["--fork", "sh"])
        .arg(folder.path().join("launcher.sh"))
        .env_clear()
        .env("PATH", search_path())
        .envs(
            command
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    assert!(launcher.status().expect("setsid").success());
    let end = Instant::now() + PATIENCE;
    let code = loop {
        if let Ok(code) = fs::read_to_string(folder.path().join("code")) {
            break code.trim().parse::<i32>().expect("a code");
        }
        let printed = || fs::read_to_string(folder.path().join("printed")).unwrap_or_default();
        assert!(
            Instant::now() < end,
            "{words:?} does not end: {}",
            printed()
        );
        std::thread::sleep(Duration::from_millis(10));
    };
    Output {
        status: ExitStatus::from_raw(code << 8),
        stdout: fs::read(folder.path().join("printed")).expect("printed"),
        stderr: Vec::new(),
    }
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
