//! Who may do what only people may: for each sign of an agent and each way to start a command, `allow`
//! is refused; without a sign, every way is a person's.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::json;
use windlass::surface::person::AGENTS;
use windlass_core::workflow::GateDefinition;

use crate::http_server::HttpServer;
use crate::person::at_a_terminal;
use crate::repository::Repository;
use crate::sample;
use crate::server::{Server, search_path};

/// Starts `windlass $WORDS` in every way that makes a terminal of some kind, and writes how each ended
/// into the file `$CODES`, a line with the label and the way. The last ways cut themselves off from
/// what started them.
const WAYS: &str = r#"
label=$1
command="$WINDLASS $WORDS"
clean="env -i PATH=$PATH HOME=$HOME XDG_CONFIG_HOME=$XDG_CONFIG_HOME XDG_STATE_HOME=$XDG_STATE_HOME"
ended() { echo "$label $1 $2" >> "$CODES"; }
told() {
    tries=0
    while [ ! -s "$2" ] && [ $tries -lt 300 ]; do sleep 0.05; tries=$((tries + 1)); done
    ended "$1" "$(cat "$2" 2>/dev/null || echo never)"
    rm -f "$2"
}
mark="$CODES.$$"

$command; ended direct $?
if true 2>/dev/null < /dev/tty; then
    $command < /dev/tty > /dev/tty 2>&1; ended tty $?
fi
script -qec "$command" /dev/null < /dev/null; ended script $?
python3 -c 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' $command < /dev/null
ended python $?
setsid --wait script -qec "$command" /dev/null < /dev/null; ended setsid $?
nohup script -qec "$command" /dev/null < /dev/null > /dev/null 2>&1; ended nohup $?
$clean script -qec "$command" /dev/null < /dev/null; ended clean $?
"#;

/// A terminal server that goes on by itself; it keeps the variables that it was started with.
const TMUX: &str = r#"
tmux -f /dev/null -L "$label$$" new-session -d "sh -c '$command; echo \$? > $mark'" < /dev/null; told tmux "$mark"
"#;

/// A process that left everything behind. Only where whatever starts it keeps its orphans can it be
/// told from a person.
const ORPHANS: &str = r#"
$clean setsid --fork sh -c "script -qec '$command' /dev/null < /dev/null > /dev/null 2>&1; echo \$? > $mark"
told orphan "$mark"
$clean tmux -f /dev/null -L "clean$label$$" new-session -d "sh -c '$command; echo \$? > $mark'" < /dev/null
told clean-tmux "$mark"
"#;

/// The way that does not need a program which may be missing.
fn is_missing(way: &str) -> bool {
    way.ends_with("tmux") && which("tmux").is_none()
}

fn which(program: &str) -> Option<PathBuf> {
    let path = search_path();
    std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.exists())
}

const EVERYWHERE: &[&str] = &["script", "python", "setsid", "nohup", "clean", "tmux"];

/// Refused, because only a person may do it.
const REFUSED: &str = "6";
const DONE: &str = "0";

struct Bench {
    repository: Repository,
}

impl Bench {
    fn new() -> Self {
        let repository = Repository::new(&[(
            "Makefile",
            "evil:\n\t@touch ran\ntry:\n\t@sh \"$$WAYS\" job\n",
        )]);
        let write = |name: &str, texts: &[&str]| {
            fs::write(repository.base().join(name), texts.concat()).expect("written");
        };
        write("below", &[WAYS]);
        write("ways", &[WAYS, TMUX]);
        write("all", &[WAYS, TMUX, ORPHANS]);
        Self { repository }
    }

    fn codes(&self) -> PathBuf {
        self.repository.base().join("codes")
    }

    /// A shell that knows what the ways need.
    fn shell(&self, words: &str, text: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", text]).current_dir(&self.repository.root);
        self.prepare(&mut shell, words);
        shell
    }

    fn prepare(&self, command: &mut Command, words: &str) {
        let base = self.repository.base();
        command
            .env("WORDS", words)
            .env("WINDLASS", env!("CARGO_BIN_EXE_windlass"))
            .env("CODES", self.codes())
            .env("WAYS", base.join("all"))
            .env("HOME", &base)
            .env("XDG_CONFIG_HOME", base.join("config"))
            .env("XDG_STATE_HOME", sample::state_home())
            .env("TERM", "xterm")
            .env("NO_COLOR", "1");
    }

    /// How each way ended, by label.
    fn ended(&self) -> BTreeMap<String, BTreeMap<String, String>> {
        let text = fs::read_to_string(self.codes()).expect("codes");
        let mut ended: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        for line in text.lines() {
            let mut words = line.split(' ').map(str::to_owned);
            let (label, way, code) = (words.next(), words.next(), words.next());
            let ways = ended.entry(label.expect("a label")).or_default();
            ways.insert(way.expect("a way"), code.expect("a code"));
        }
        let _ = fs::remove_file(self.codes());
        ended
    }

    /// Checks that each of these ways ended so under each label.
    fn expect(&self, labels: &[String], ways: &[&str], code: &str, output: &Output) {
        let printed = String::from_utf8_lossy(&output.stdout);
        let ended = self.ended();
        for label in labels {
            for way in ways.iter().filter(|way| !is_missing(way)) {
                let found = ended.get(label).and_then(|ways| ways.get(*way));
                assert_eq!(
                    found.map(String::as_str),
                    Some(code),
                    "{label} {way}: {printed}"
                );
            }
        }
    }
}

/// Every variable of the table.
fn variables() -> Vec<String> {
    let all = AGENTS.iter().flat_map(|agent| agent.variables);
    all.map(|pattern| pattern.replace('*', "X")).collect()
}

/// Every program of the table.
fn programs() -> Vec<String> {
    let all = AGENTS.iter().flat_map(|agent| agent.programs);
    all.map(|name| (*name).to_owned()).collect()
}

fn allows_nothing(repository: &Repository) {
    assert!(!repository.allowlist().exists());
}

#[test]
fn without_a_sign_of_an_agent_every_way_is_a_persons() {
    let bench = Bench::new();
    // Settings that people have are no sign.
    let text = "CODEX_HOME=/x CLAUDE_CODE_USE_BEDROCK=1 CLAUDE_CODE_SSE_PORT=1 CURSOR_TRACE_ID=1 \
                sh ../all nobody";
    let output = at_a_terminal(&bench.shell("deny evil", text), "");
    let ways = [EVERYWHERE, &["direct", "tty", "orphan", "clean-tmux"]].concat();
    bench.expect(&["nobody".to_owned()], &ways, DONE, &output);
    assert!(bench.repository.allowlist().exists());
}

#[test]
fn each_variable_of_an_agent_counts_in_each_way() {
    let bench = Bench::new();
    let variables = variables();
    let text = format!(
        "for name in {}; do env \"$name=1\" sh ../ways \"$name\"; done",
        variables.join(" ")
    );
    let output = at_a_terminal(&bench.shell("allow evil", &text), "");
    let ways = [EVERYWHERE, &["direct", "tty"]].concat();
    bench.expect(&variables, &ways, REFUSED, &output);
    allows_nothing(&bench.repository);
    let printed = String::from_utf8_lossy(&output.stdout);
    for name in &variables {
        let said = format!("environment variable {name}");
        assert!(printed.contains(&said), "{name}: {printed}");
    }
    assert!(printed.contains("terminal of their own"), "{printed}");
}

#[test]
fn each_agent_counts_as_what_led_here_in_each_way() {
    let bench = Bench::new();
    let programs = programs();
    let bin = bench.repository.base().join("bin");
    for name in &programs {
        bench.repository.write(
            &format!("../bin/{name}.sh"),
            "#!/bin/sh\nsh ../below \"$1\"\nexit $?\n",
        );
        fs::rename(bin.join(format!("{name}.sh")), bin.join(name)).expect("renamed");
    }
    let text = format!(
        "for name in {}; do ../bin/$name \"$name\"; done",
        programs.join(" ")
    );
    let output = at_a_terminal(&bench.shell("allow evil", &text), "");
    // A terminal server is not below the agent that started it, and only has its variables.
    let ways: Vec<&str> = EVERYWHERE
        .iter()
        .copied()
        .filter(|way| *way != "tmux")
        .collect();
    bench.expect(
        &programs,
        &[ways, vec!["direct", "tty"]].concat(),
        REFUSED,
        &output,
    );
    allows_nothing(&bench.repository);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        printed.contains("(claude), which led to it, is Claude Code"),
        "{printed}"
    );
}

#[test]
fn a_job_is_never_a_person() {
    let bench = Bench::new();
    bench.repository.allow_all();
    let before = fs::read_to_string(bench.repository.allowlist()).expect("read");
    let ways = [EVERYWHERE, &["direct", "orphan", "clean-tmux"]].concat();
    // Of an MCP server, and of a person who runs it at a terminal.
    let mut command = bench.repository.command(&["mcp"]);
    bench.prepare(&mut command, "allow evil");
    let mut server = Server::of(command);
    let done = server.ok(
        "task_start",
        json!({"unique_name": "try", "wait_seconds": 100}),
    );
    let output = Output {
        status: std::process::ExitStatus::default(),
        stdout: done.to_string().into_bytes(),
        stderr: Vec::new(),
    };
    bench.expect(&["job".to_owned()], &ways, REFUSED, &output);
    let mut command = bench.repository.command(&["run", "try"]);
    bench.prepare(&mut command, "allow evil");
    let output = at_a_terminal(&command, "");
    bench.expect(&["job".to_owned()], &ways, REFUSED, &output);
    let after = fs::read_to_string(bench.repository.allowlist()).expect("read");
    assert_eq!(after, before);
}

#[test]
fn a_gate_is_never_a_person() {
    let bench = Bench::new();
    let project = sample::empty();
    let name = GateDefinition::new("try", "sh \"$WAYS\" gate");
    sample::add_gate(&project, &name);
    let mut command = Command::new(env!("CARGO_BIN_EXE_windlass"));
    command
        .args(["mcp", "--toolsets", "all", "--cwd"])
        .arg(project.folder.path());
    bench.prepare(&mut command, "allow .windlass/config.toml");
    command
        .env("HOME", project.config.path())
        .env("XDG_CONFIG_HOME", project.config.path());
    let mut server = Server::of(command);
    let tried = server.ok("gate_try", json!({"name": "try"}));
    let output = Output {
        status: std::process::ExitStatus::default(),
        stdout: tried.to_string().into_bytes(),
        stderr: Vec::new(),
    };
    let ways = [EVERYWHERE, &["direct", "orphan", "clean-tmux"]].concat();
    bench.expect(&["gate".to_owned()], &ways, REFUSED, &output);
}

#[test]
fn a_launched_client_is_never_a_person() {
    let bench = Bench::new();
    let launch = |more: &str| {
        let text = format!(
            "\"$WINDLASS\" session launch --recipe yap -- sh \"$WAYS\" client {{config}} {more}; true"
        );
        bench.shell("allow evil", &text)
    };
    let ways = [EVERYWHERE, &["direct", "orphan", "clean-tmux"]].concat();
    // One that a person uses at the terminal, and one that works by itself.
    for (more, ways) in [
        ("", [&ways[..], &["tty"]].concat()),
        ("{prompt}", ways.clone()),
    ] {
        let output = at_a_terminal(&launch(more), "");
        bench.expect(&["client".to_owned()], &ways, REFUSED, &output);
    }
    allows_nothing(&bench.repository);
}

#[test]
fn the_refusal_says_what_was_seen_and_what_a_person_does() {
    let bench = Bench::new();
    let mut command = bench.repository.command(&["allow", "evil"]);
    command.env("CLAUDECODE", "1");
    let output = at_a_terminal(&command, "");
    let printed = String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n");
    assert_eq!(output.status.code(), Some(6), "{printed}");
    let flat = printed.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "Only a person at a terminal can do this: windlass allow",
        "the environment variable CLAUDECODE is set, which is a sign of Claude Code",
        "a terminal of their own, one that no agent started",
    ] {
        assert!(flat.contains(words), "{printed}");
    }
    // A program reads the same without a terminal.
    let output = bench.repository.run(&["allow", "evil", "--json"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("are not both a terminal"), "{said}");
}

/// What only people may do, by each surface: the one function decides for all of them.
#[test]
fn every_surface_refuses_an_agent_what_is_a_persons() {
    let sample = sample::filled();
    let folder = sample.folder.path();
    let person_only: &[&[&str]] = &[
        &["allow", "build"],
        &["deny", "build"],
        &["revoke", "build"],
        &["gates", "add", "x", "true"],
        &["disciplines", "allow", "backend"],
        &[
            "call",
            "allowlist_allow",
            "--input",
            "{\"target\": \"build\"}",
        ],
        &[
            "call",
            "gate_add",
            "--input",
            "{\"name\": \"x\", \"command\": \"true\"}",
        ],
        &["call", "work_force_complete", "--input", "{\"id\": \"2\"}"],
        &["exec", "-e", "await allowlist.allow({target: 'build'})"],
        &[
            "exec",
            "-e",
            "await gates.add({name: 'x', command: 'true'})",
        ],
    ];
    let command = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_windlass"));
        command
            .args(words)
            .current_dir(folder)
            .env("HOME", sample.config.path())
            .env("XDG_CONFIG_HOME", sample.config.path())
            .env("NO_COLOR", "1");
        command
    };
    for words in person_only {
        let mut agent = command(words);
        agent.env("AI_AGENT", "own-agent");
        let output = at_a_terminal(&agent, "");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(printed.contains("person"), "{words:?}: {printed}");
        assert!(!output.status.success(), "{words:?}: {printed}");
    }
    let server = HttpServer::start(folder);
    let mut mcp = Server::start(folder);
    for (tool, input) in [
        ("allowlist_allow", json!({"target": "build"})),
        ("gate_add", json!({"name": "x", "command": "true"})),
        ("discipline_allow", json!({"name": "backend"})),
        ("work_force_complete", json!({"id": "2"})),
    ] {
        let answer = server.call(tool, input.clone());
        assert!(answer["error"].is_object(), "{tool}: {answer}");
        let answer = mcp.call(tool, input.clone()).expect("an answer");
        assert!(answer["error"].is_object(), "{tool}: {answer}");
    }
    assert!(
        !sample
            .config
            .path()
            .join("windlass/allowlist.toml")
            .exists()
    );
    assert!(!Path::new(&sample.config.path().join("windlass/granted.toml")).exists());
}

#[test]
fn a_script_never_has_a_persons_rights() {
    let bench = Bench::new();
    let scripts: &[(&str, &str)] = &[
        ("allow.ts", "await allowlist.allow({ target: \"evil\" })"),
        ("deny.ts", "await allowlist.deny({ target: \"evil\" })"),
        (
            "gate.ts",
            "await gates.add({ name: \"x\", command: \"true\" })",
        ),
    ];
    for (name, text) in scripts {
        bench.repository.write(name, text);
        let output = at_a_terminal(&bench.repository.command(&["exec", name]), "");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(!output.status.success(), "{name}: {printed}");
        let flat = printed.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            flat.contains("a script never has a person's rights"),
            "{name}: {printed}"
        );
    }
    allows_nothing(&bench.repository);
    // What it does is not a person's work.
    let made = "const made = await entities.create({ type: \"note\", title: \"x\" });\n\
                (await events.list({})).events.map((event) => event.actor)";
    bench.repository.write("made.ts", made);
    let output = at_a_terminal(
        &bench.repository.command(&["exec", "made.ts", "--json"]),
        "",
    );
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        printed.contains("agent") && !printed.contains("human"),
        "{printed}"
    );
}

/// Without a terminal, as in CI, nobody is a person.
#[test]
fn without_a_terminal_nobody_is_a_person() {
    let bench = Bench::new();
    let mut command = bench.repository.command(&["allow", "evil"]);
    let output = command
        .env_clear()
        .env("HOME", bench.repository.base())
        .env("CI", "true")
        .stdin(Stdio::null())
        .output()
        .expect("started");
    assert_eq!(output.status.code(), Some(6));
    allows_nothing(&bench.repository);
}
