use super::*;
use crate::surface::person::AGENTS;

fn process(name: &str, words: &[&str], program: &str) -> Process {
    Process {
        pid: 7,
        name: name.to_owned(),
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        program: (!program.is_empty()).then(|| program.into()),
        variables: vec!["HOME".to_owned()],
    }
}

fn at_a_terminal(ancestors: Vec<Process>) -> Facts {
    Facts {
        terminal: Terminal::Controlling,
        variables: vec!["HOME".to_owned(), "CODEX_HOME".to_owned()],
        ancestors: Ok(ancestors),
    }
}

fn shell() -> Process {
    process("bash", &["-bash"], "/usr/bin/bash")
}

#[test]
fn people_are_people_however_they_came() {
    for way in [
        vec![process("systemd", &["/sbin/init"], "")],
        vec![
            process("sshd", &["sshd: claude@pts/0"], ""),
            process("sshd", &["sshd: claude [priv]"], ""),
        ],
        vec![process("tmux: server", &["tmux", "new"], "/usr/bin/tmux")],
        vec![
            process("sudo", &["sudo", "windlass", "allow", "x", "--system"], ""),
            shell(),
        ],
        vec![process(
            "code",
            &["/usr/share/code/code", "--type=zygote"],
            "/usr/share/code/code",
        )],
        vec![process(
            "cursor",
            &["/usr/share/cursor/cursor"],
            "/usr/share/cursor/cursor",
        )],
        vec![process("script", &["script", "-q"], "/usr/bin/script")],
        vec![
            process("vim", &["vim", "claude.md"], "/usr/bin/vim"),
            process(
                "windlass",
                &["windlass", "config", "edit"],
                "/usr/bin/windlass",
            ),
        ],
        vec![process("make", &["make", "codex"], "/usr/bin/make")],
        vec![process(
            "sh",
            &["sh", "-c", "claude --version; windlass allow build"],
            "/bin/sh",
        )],
        vec![process(
            "node",
            &["node", "/srv/app/server.js"],
            "/usr/bin/node",
        )],
    ] {
        let ancestors = [vec![shell()], way].concat();
        assert_eq!(
            decide(&at_a_terminal(ancestors.clone())),
            Ok(()),
            "{ancestors:?}"
        );
    }
}

/// What each is, the name that the kernel keeps, the arguments, and the file.
type Row = (
    &'static str,
    (&'static str, &'static [&'static str], &'static str),
);

const NOT_PEOPLE: &[Row] = &[
    ("Claude Code", ("claude", &["claude"], "/usr/bin/node")),
    (
        "Claude Code",
        (
            "2.1.3",
            &["claude", "-p"],
            "/home/u/.local/share/claude/versions/2.1.3",
        ),
    ),
    (
        "Claude Code",
        (
            "node",
            &[
                "node",
                "--no-warnings",
                "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js",
            ],
            "/usr/bin/node",
        ),
    ),
    (
        "Claude Code",
        (
            "MainThread",
            &["/usr/bin/node", "/usr/local/bin/claude", "-p"],
            "/usr/bin/node",
        ),
    ),
    (
        "Claude Code",
        (
            "renamed",
            &["renamed"],
            "/opt/node_modules/@anthropic-ai/claude-code/bin (deleted)",
        ),
    ),
    ("Claude Code", ("sh", &["/bin/sh", "./claude"], "/bin/dash")),
    (
        "Codex",
        ("codex", &["/usr/bin/codex", "exec"], "/usr/bin/codex"),
    ),
    (
        "Codex",
        ("node", &["node", "/opt/@openai/codex/bin/codex.js"], ""),
    ),
    (
        "Gemini CLI",
        ("node", &["node", "/usr/local/bin/gemini"], ""),
    ),
    (
        "Cursor's agent",
        (
            "node",
            &[
                "/home/u/.local/share/cursor-agent/versions/1/node",
                "--x",
                "/index.js",
            ],
            "",
        ),
    ),
    ("OpenCode", ("opencode", &["opencode"], "")),
    ("goose", ("goose", &["goose", "session"], "")),
    (
        "Aider",
        (
            "python3.12",
            &["python3.12", "-m", "aider", "--yes"],
            "/usr/bin/python3.12",
        ),
    ),
    (
        "Aider",
        (
            "aider",
            &["/usr/bin/python3", "/home/u/.local/bin/aider"],
            "",
        ),
    ),
    (
        "a job, a gate or a launched agent of Windlass",
        ("exe", &["/proc/self/exe", "__shim"], "/opt/w"),
    ),
    (
        "a server of Windlass",
        (
            "windlass",
            &["windlass", "--cwd", "/x", "mcp"],
            "/usr/bin/windlass",
        ),
    ),
    (
        "a server of Windlass",
        ("windlass", &["/usr/bin/windlass", "serve"], ""),
    ),
    (
        "a launched agent of Windlass",
        (
            "windlass",
            &["windlass", "session", "launch", "--", "x"],
            "",
        ),
    ),
    (
        "a script of Windlass",
        ("windlass", &["windlass", "exec", "x.ts"], ""),
    ),
];

#[test]
fn agents_are_found_among_those_that_led_here() {
    for (agent, (name, words, program)) in NOT_PEOPLE.iter().copied() {
        let found = process(name, words, program);
        for above in [vec![], vec![shell(), process("script", &["script"], "")]] {
            let ancestors = [vec![shell()], vec![found.clone()], above].concat();
            let refused = decide(&at_a_terminal(ancestors)).unwrap_err();
            let process = format!("process 7 ({})", found.name);
            assert_eq!(
                refused,
                NotAPerson::Ancestor { process, agent },
                "{found:?}"
            );
        }
    }
}

#[test]
fn every_variable_of_the_table_counts_here_and_above() {
    for (variable, agent) in AGENTS.iter().flat_map(|agent| {
        agent
            .variables
            .iter()
            .map(|it| (it.replace('*', "X"), agent.name))
    }) {
        let mut facts = at_a_terminal(vec![shell()]);
        facts.variables.push(variable.clone());
        assert_eq!(
            decide(&facts),
            Err(NotAPerson::Variable {
                variable: variable.clone(),
                agent
            })
        );
        let mut server = process("tmux: server", &["tmux"], "");
        server.variables.push(variable.clone());
        let refused = decide(&at_a_terminal(vec![shell(), server])).unwrap_err();
        let process = "process 7 (tmux: server)".to_owned();
        assert_eq!(
            refused,
            NotAPerson::AncestorVariable {
                process,
                variable,
                agent
            }
        );
    }
}

#[test]
fn without_a_terminal_nobody_is_a_person() {
    for (terminal, refused) in [
        (Terminal::Missing, NotAPerson::NoTerminal),
        (Terminal::Foreign, NotAPerson::ForeignTerminal),
    ] {
        let facts = Facts {
            terminal,
            ..at_a_terminal(vec![])
        };
        assert_eq!(decide(&facts), Err(refused));
    }
    let unknown = Facts {
        ancestors: Err("/proc cannot be read".to_owned()),
        ..at_a_terminal(vec![])
    };
    let refused = decide(&unknown).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "it is not known what started it: /proc cannot be read"
    );
}
