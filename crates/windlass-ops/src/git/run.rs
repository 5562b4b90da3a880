//! Runs git as a child process with a time limit, and without anything that a repository could name
//! for it to run.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(20);
/// Checking out a large repository takes longer than a question.
const CHECKOUT_LIMIT: Duration = Duration::from_mins(10);
/// More output than this is not kept.
const MAX_OUTPUT_BYTES: usize = 64 * 1024 * 1024;

/// Overrides of the repository's configuration that hold for every call.
const SETTINGS: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.sshCommand=false",
    "core.pager=cat",
    "color.ui=false",
    "commit.gpgSign=false",
    "submodule.recurse=false",
    "protocol.allow=never",
];

/// The one line that git answers, if it does.
pub fn line(root: &Path, words: &[&str]) -> Option<String> {
    let bytes = ask(root, words).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let text = text.trim();
    (!text.is_empty() && text.len() <= 200).then(|| text.to_owned())
}

/// Names, each ended by a zero byte.
pub fn names(root: &Path, words: &[&str]) -> Result<Vec<Vec<u8>>, String> {
    let bytes = ask(root, words)?;
    let names = bytes.split(|byte| *byte == 0).filter(|it| !it.is_empty());
    Ok(names.map(<[u8]>::to_vec).collect())
}

/// Overrides that switch off the filters that the repository's own configuration defines: agents can
/// write that file, and git runs the programs that it names. Filters of the user, such as that of
/// Git LFS, stay on.
pub fn filters_off(root: &Path) -> Vec<String> {
    let words = [
        "config",
        "-z",
        "--show-scope",
        "--name-only",
        "--get-regexp",
        "^filter\\.",
    ];
    let known = names(root, &words).unwrap_or_default();
    let pairs = known.chunks_exact(2);
    let of_repository = pairs.filter(|pair| pair[0] != b"global" && pair[0] != b"system");
    let off = |pair: &[Vec<u8>]| {
        let name = String::from_utf8_lossy(&pair[1]).into_owned();
        let value = if name.ends_with(".required") {
            "false"
        } else {
            ""
        };
        format!("{name}={value}")
    };
    of_repository.map(off).collect()
}

/// The output of git, or its error message.
pub fn ask(root: &Path, words: &[&str]) -> Result<Vec<u8>, String> {
    ask_with(root, words, &[], Vec::new())
}

/// The same with more overrides, and with input.
pub fn ask_with(
    root: &Path,
    words: &[&str],
    settings: &[String],
    input: Vec<u8>,
) -> Result<Vec<u8>, String> {
    run(root, words, settings, input, LIMIT)
}

/// Changes files: without the repository's filters, and with time for large repositories.
pub fn change(root: &Path, words: &[&str]) -> Result<Vec<u8>, String> {
    run(root, words, &filters_off(root), Vec::new(), CHECKOUT_LIMIT)
}

fn run(
    root: &Path,
    words: &[&str],
    settings: &[String],
    input: Vec<u8>,
    limit: Duration,
) -> Result<Vec<u8>, String> {
    let mut command = Command::new("git");
    command.arg("--no-pager");
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    for setting in settings {
        command.args(["-c", setting]);
    }
    let mut child = command
        .arg("-C")
        .arg(root)
        .args(words)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "none")
        .env("GIT_EDITOR", "true")
        .env("LC_ALL", "C")
        .env_remove("GIT_EXTERNAL_DIFF")
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .env_remove("GIT_CONFIG_PARAMETERS")
        .env_remove("GIT_CONFIG_COUNT")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|problem| problem.to_string())?;
    let writer = child.stdin.take().map(|mut stdin| {
        std::thread::spawn(move || {
            // It may exit before it has read everything.
            let _ = std::io::Write::write_all(&mut stdin, &input);
        })
    });
    let stdout = child.stdout.take().map(read);
    let stderr = child.stderr.take().map(read);
    let ended = wait(&mut child, limit);
    let text = |reader: Option<std::thread::JoinHandle<Vec<u8>>>| {
        reader.and_then(|it| it.join().ok()).unwrap_or_default()
    };
    let (stdout, stderr) = (text(stdout), text(stderr));
    if let Some(writer) = writer {
        let _ = writer.join();
    }
    if ended == Some(true) {
        return Ok(stdout);
    }
    let said = String::from_utf8_lossy(&stderr).trim().to_owned();
    Err(match ended {
        None => format!("it did not respond within {} s", limit.as_secs()),
        Some(_) => said,
    })
}

fn read(mut stream: impl std::io::Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // Read to the end, so that git does not block.
        let mut part = [0; 16 * 1024];
        while let Ok(count @ 1..) = stream.read(&mut part) {
            if bytes.len() <= MAX_OUTPUT_BYTES {
                bytes.extend_from_slice(&part[..count]);
            }
        }
        bytes
    })
}

/// Whether it succeeded; none if it exceeded the limit and was killed.
fn wait(child: &mut Child, limit: Duration) -> Option<bool> {
    let begin = Instant::now();
    while begin.elapsed() < limit {
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
