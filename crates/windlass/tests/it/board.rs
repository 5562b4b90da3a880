//! The board on a real terminal: what a person sees after each key, and what is left of it afterwards.

use std::fs;
use std::io::{Read as _, Write as _};
use std::num::NonZeroU16;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::repository::Repository;

/// How long a screen may take to show something, on a machine with much else to do.
const PATIENCE: Duration = Duration::from_mins(1);

/// A terminal with a person before it.
struct Terminal {
    child: Child,
    keyboard: ChildStdin,
    screen: Arc<Mutex<vt100::Parser>>,
    /// Everything that was printed.
    printed: Arc<Mutex<Vec<u8>>>,
    folder: tempfile::TempDir,
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).expect("more than none")
}

impl Terminal {
    /// Opens a terminal of 80 by 24 and types a line of shell into it. `$windlass` is the binary.
    fn open(repository: &Repository, line: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("command.sh");
        let binary = env!("CARGO_BIN_EXE_windlass");
        let text = format!(
            "windlass={binary}\nstty cols 80 rows 24\ntty > {0}/tty\n\
             stty -g > {0}/before\n{line}\nstty -g > {0}/after\necho THE END\n",
            folder.path().display()
        );
        fs::write(&file, text).expect("written");
        let mut terminal = Command::new("script");
        terminal
            .args(["-qec", &format!("bash '{}'", file.display()), "/dev/null"])
            .current_dir(&repository.root)
            .envs(
                repository
                    .command(&[])
                    .get_envs()
                    .filter_map(|(name, value)| Some((name, value?))),
            )
            .env("TERM", "xterm-256color")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = terminal.spawn().expect("script, of bsdutils");
        let keyboard = child.stdin.take().expect("piped");
        let mut output = child.stdout.take().expect("piped");
        let screen = Arc::new(Mutex::new(vt100::Parser::new(cells(24), cells(80), 0)));
        let printed = Arc::new(Mutex::new(Vec::new()));
        let (to_screen, to_printed) = (Arc::clone(&screen), Arc::clone(&printed));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                let new = &bytes[..count];
                to_screen.lock().expect("whole").process(new);
                to_printed.lock().expect("whole").extend_from_slice(new);
            }
        });
        Self {
            child,
            keyboard,
            screen,
            printed,
            folder,
        }
    }

    fn shown(&self) -> String {
        self.screen.lock().expect("whole").screen().contents()
    }

    /// Waits until the screen has a text, and returns how long that took.
    fn sees(&self, text: &str) -> Duration {
        self.waits(text, |shown| shown.contains(text))
    }

    fn sees_no_more(&self, text: &str) {
        self.waits(text, |shown| !shown.contains(text));
    }

    fn waits(&self, text: &str, is_there: impl Fn(&str) -> bool) -> Duration {
        let start = Instant::now();
        while !is_there(&self.shown()) {
            let shown = self.shown();
            assert!(start.elapsed() < PATIENCE, "{text:?} in:\n{shown}");
            std::thread::sleep(Duration::from_millis(5));
        }
        start.elapsed()
    }

    fn types(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("typed");
        self.keyboard.flush().expect("typed");
    }

    fn resize(&self, columns: u16, rows: u16) {
        let tty = fs::read_to_string(self.folder.path().join("tty")).expect("its name");
        let mut screen = self.screen.lock().expect("whole");
        screen.set_size(cells(rows), cells(columns));
        drop(screen);
        let (columns, rows) = (columns.to_string(), rows.to_string());
        let mut stty = Command::new("stty");
        stty.args(["-F", tty.trim(), "cols", &columns, "rows", &rows]);
        assert!(stty.status().expect("stty").success());
    }

    /// The terminal must be as it was: its modes, its screen and its cursor.
    fn ends_as_it_began(mut self) {
        self.sees("THE END");
        let read = |name: &str| fs::read_to_string(self.folder.path().join(name)).expect(name);
        assert_eq!(read("before"), read("after"));
        let screen = self.screen.lock().expect("whole");
        assert!(!screen.screen().alternate_screen());
        assert!(!screen.screen().hide_cursor());
        assert!(!screen.screen().bracketed_paste());
        drop(screen);
        self.child.wait().expect("ended");
    }
}

fn repository() -> Repository {
    let repository = Repository::new(&[]);
    for words in [
        &["add", "Set up the database"][..],
        &["add", "Hostile \u{1b}]0;owned\u{7}\u{1b}[2J title"],
        &["add", "Pay by card"],
        &["tasks", "block", "3", "1"],
    ] {
        let output = repository.run(words);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{words:?}: {said}");
    }
    repository
}

#[test]
fn a_board_is_worked_with_keys_and_follows_others() {
    let repository = repository();
    let mut terminal = Terminal::open(&repository, "$windlass board; echo code $?");
    terminal.sees("Ready 2");
    terminal.sees("#1 Set up the database");
    terminal.types("lll");
    terminal.sees("waits for #1");
    terminal.types("\r");
    terminal.sees("Blocked by");
    terminal.types("\u{1b}");
    terminal.sees_no_more("Blocked by");
    // Another process is seen without a key.
    assert!(repository.run(&["add", "Came later"]).status.success());
    terminal.types("gl");
    terminal.sees("#4 pending");
    assert!(repository.run(&["add", "Came last"]).status.success());
    terminal.sees("Came last");
    terminal.types("/card\r");
    terminal.sees_no_more("Came last");
    terminal.sees("Pay by card");
    terminal.types("+");
    terminal.sees("#3 has priority high");
    assert_eq!(repository.json(&["show", "3"])["priority"], "high");
    terminal.types("\u{1b}");
    terminal.sees("Came last");
    terminal.types("gbhhhs");
    terminal.sees("Started #1");
    terminal.sees("In progress 1");
    terminal.types("?");
    terminal.sees("suspend");
    terminal.types("?q");
    terminal.sees("code 0");
    let printed = terminal.printed.lock().expect("whole").clone();
    let printed = String::from_utf8_lossy(&printed).into_owned();
    assert!(
        !printed.contains("\u{1b}]0;"),
        "the title of a task was obeyed"
    );
    assert!(printed.contains("\\u{1b}]0;owned"));
    terminal.ends_as_it_began();
}

#[test]
fn a_small_window_and_a_changed_one() {
    let repository = repository();
    let mut terminal = Terminal::open(&repository, "$windlass board; echo code $?");
    terminal.sees("In progress 0 ›");
    terminal.resize(40, 12);
    terminal.sees("‹ Ready 2 ›");
    terminal.resize(150, 30);
    terminal.sees("Done 0");
    terminal.types("q");
    terminal.sees("code 0");
    terminal.ends_as_it_began();
}

#[test]
fn interrupts_and_signals_give_the_terminal_back() {
    let repository = repository();
    let mut terminal = Terminal::open(&repository, "$windlass watch; echo code $?");
    terminal.sees("What happens");
    terminal.sees("task.created");
    terminal.types("\u{3}");
    terminal.sees("code 130");
    terminal.ends_as_it_began();
    let terminal = Terminal::open(&repository, "$windlass board; echo code $?");
    terminal.sees("Ready 2");
    let processes = repository.processes();
    let board = processes
        .iter()
        .find(|(_, line)| line.contains("windlass board"));
    let (pid, _) = board.unwrap_or_else(|| panic!("{processes:?}"));
    let mut kill = Command::new("kill");
    assert!(kill.arg(pid.to_string()).status().expect("kill").success());
    terminal.sees("code 143");
    terminal.ends_as_it_began();
}

#[test]
fn it_stops_and_goes_on_as_a_job_of_a_shell() {
    let repository = repository();
    let line = "set -m; $windlass board; echo stopped $?; read -r _; fg > /dev/null; echo code $?";
    let mut terminal = Terminal::open(&repository, line);
    terminal.sees("Ready 2");
    terminal.types("\u{1a}");
    terminal.sees("stopped 148");
    assert!(
        !terminal
            .screen
            .lock()
            .expect("whole")
            .screen()
            .alternate_screen()
    );
    terminal.types("\n");
    terminal.sees("Ready 2");
    terminal.types("q");
    terminal.sees("code 0");
    terminal.ends_as_it_began();
}

#[test]
fn without_a_terminal_it_is_printed_once() {
    let repository = repository();
    let text = repository.run(&["board"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.starts_with("Ready (2)\n"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
    let json = repository.json(&["board", "--once"]);
    assert_eq!(json["columns"][4]["tasks"][0]["title"], "Pay by card");
    let numbers = |at: usize| json["columns"][at]["total"].as_i64().expect("a number");
    assert_eq!((0..6).map(numbers).sum::<i64>(), 3);
    let watched = repository.json(&["watch"]);
    assert!(watched["events"][0]["seq"].is_i64());
    let one = repository.json(&["board", "--limit", "1", "--text", "title"]);
    assert_eq!(one["columns"][1]["total"], 1);
}

#[test]
fn pages_are_written_where_they_were_asked_for() {
    let repository = repository();
    for words in [
        ["board", "--html", "board.html"],
        ["graph", "--html", "graph.html"],
    ] {
        let written = repository.json(&words);
        let page = fs::read_to_string(repository.root.join(words[2])).expect("a page");
        assert_eq!(written["bytes"], page.len());
        assert!(page.starts_with("<!DOCTYPE html>"));
        assert!(page.contains("Content-Security-Policy"));
        assert!(page.contains("Pay by card"));
        let printed = repository.run(&[words[0], words[1], "-"]);
        assert!(printed.stdout.starts_with(b"<!DOCTYPE html>"));
    }
    let output = repository.run(&["board", "--html", "no/such/folder/x.html"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("hint: "), "{said}");
}

#[test]
fn the_graph_knows_the_critical_path() {
    let repository = repository();
    let graph = repository.json(&["graph"]);
    assert_eq!(graph["critical_path"], serde_json::json!([1, 3]));
    let text = repository.run(&["graph"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.starts_with("Critical path (2 tasks)\n"), "{text}");
    let dot = repository.run(&["graph", "--dot"]);
    assert!(String::from_utf8_lossy(&dot.stdout).contains("1 -> 3 [color=red];"));
    // A cancelled task is waited for as long as nobody removes it.
    assert!(repository.run(&["tasks", "cancel", "1"]).status.success());
    assert_eq!(
        repository.json(&["graph"])["critical_path"],
        serde_json::json!([1, 3])
    );
}
