//! The README and the guide are true: every `console` block is run in order, in a fresh folder, by a
//! person at a terminal of 80 columns, and prints what the page says.
//!
//! A line that begins with `$ ` is a command; lines that begin with `> ` go on with it. What follows is
//! the output, in which `…` stands for anything that differs from run to run. A command without output
//! in the page may print anything, but must succeed. `# exit 2` at the end of a command says how it
//! ends otherwise.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::person;
use crate::server::search_path;

/// One command of a page.
#[derive(Debug)]
struct Step {
    line: usize,
    command: String,
    exit: i32,
    output: Vec<String>,
}

fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut in_block = false;
    for (number, line) in text.lines().enumerate() {
        match line.trim_end() {
            "```console" => in_block = true,
            "```" => in_block = false,
            _ if !in_block => {}
            line => match (line.strip_prefix("$ "), line.strip_prefix("> ")) {
                (Some(command), _) => steps.push(step(number + 1, command)),
                (None, Some(more)) if steps.last().is_some_and(|it| it.output.is_empty()) => {
                    if let Some(step) = steps.last_mut() {
                        let _ = write!(step.command, "\n{more}");
                    }
                }
                _ => steps
                    .last_mut()
                    .expect("a command before its output")
                    .output
                    .push(line.to_owned()),
            },
        }
    }
    steps
}

fn step(line: usize, command: &str) -> Step {
    let (command, exit) = match command.rsplit_once("  # exit ") {
        Some((command, code)) => (command, code.trim().parse().expect("an exit code")),
        None => (command, 0),
    };
    Step {
        line,
        command: command.to_owned(),
        exit,
        output: Vec::new(),
    }
}

/// A folder in which the commands of one page are run.
struct Walk {
    folder: tempfile::TempDir,
    cwd: PathBuf,
}

impl Walk {
    fn begin() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let cwd = folder.path().join("shop");
        fs::create_dir(&cwd).expect("made");
        Self { folder, cwd }
    }

    /// What the command prints on a terminal, and its exit code.
    fn run(&self, command: &str) -> (String, i32) {
        let home = self.folder.path();
        let binary = Path::new(env!("CARGO_BIN_EXE_windlass"));
        let bin = binary.parent().expect("a folder").display();
        let path = search_path();
        let file = home.join("command.sh");
        fs::write(&file, format!("stty cols 80 rows 50\n{command}\n")).expect("written");
        let mut shell = Command::new("sh");
        shell
            .arg(&file)
            .current_dir(&self.cwd)
            .env("PATH", format!("{bin}:{path}"))
            .env("HOME", home)
            .env("USER", "ann")
            .env("TERM", "xterm")
            .env("NO_COLOR", "1")
            .env("PAGER", "cat")
            .env("TZ", "UTC")
            .env("LANG", "C.UTF-8")
            .env("GIT_AUTHOR_NAME", "Ann")
            .env("GIT_AUTHOR_EMAIL", "ann@example.com")
            .env("GIT_COMMITTER_NAME", "Ann")
            .env("GIT_COMMITTER_EMAIL", "ann@example.com");
        let output = person::at_a_terminal(&shell, "");
        let text = String::from_utf8_lossy(&output.stdout).replace('\r', "");
        // Progress is drawn on a line that is cleared before the next thing is printed.
        let lines = text
            .lines()
            .map(|line| line.rsplit("\u{1b}[2K").next().unwrap_or(line));
        let text: Vec<&str> = lines.collect();
        (text.join("\n"), output.status.code().unwrap_or(-1))
    }
}

/// Whether a printed line is the one of the page, where `…` stands for anything.
fn is_line(printed: &str, expected: &str) -> bool {
    let mut rest = printed;
    let parts: Vec<&str> = expected.split('…').collect();
    let Some((first, others)) = parts.split_first() else {
        return false;
    };
    let Some(after) = rest.strip_prefix(first) else {
        return false;
    };
    rest = after;
    for (number, part) in others.iter().enumerate() {
        if number + 1 == others.len() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.is_empty()
}

fn lines_of(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

fn walk(page: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join(page)).expect(page);
    let walk = Walk::begin();
    let steps = steps(&text);
    assert!(!steps.is_empty(), "{page} has no console block");
    for step in steps {
        let place = format!("{page}:{}: {}", step.line, step.command);
        let (printed, exit) = walk.run(&step.command);
        assert_eq!(exit, step.exit, "{place}\n{printed}");
        if step.output.is_empty() {
            continue;
        }
        let expected: Vec<&str> = step.output.iter().map(|line| line.trim_end()).collect();
        let expected = lines_of_slice(&expected);
        let printed_lines = lines_of(&printed);
        let same = expected.len() == printed_lines.len()
            && expected
                .iter()
                .zip(&printed_lines)
                .all(|(expected, printed)| is_line(printed, expected));
        assert!(
            same,
            "{place}\n--- the page says\n{}\n--- it prints\n{}",
            expected.join("\n"),
            printed_lines.join("\n")
        );
    }
}

fn lines_of_slice<'a>(lines: &'a [&'a str]) -> &'a [&'a str] {
    let end = lines.iter().rposition(|line| !line.is_empty());
    &lines[..end.map_or(0, |end| end + 1)]
}

#[test]
fn dots_stand_for_anything() {
    assert!(is_line("#1  A  3 min ago", "#1  A  …"));
    assert!(is_line("a b c", "a … c"));
    assert!(!is_line("a b d", "a … c"));
    assert!(!is_line("ab", "a"));
}

#[test]
fn the_readme() {
    walk("README.md");
}

#[test]
fn every_page_of_the_guide() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide");
    let mut pages: Vec<String> = fs::read_dir(guide)
        .expect("a guide")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|it| it == "md"))
        .filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()))
        .collect();
    pages.sort();
    for page in pages {
        let page = format!("docs/guide/{page}");
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let text = fs::read_to_string(root.join(&page)).expect("read");
        if text.contains("```console") {
            walk(&page);
        }
    }
}
