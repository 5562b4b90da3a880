//! `windlass setup` on real files: what each client's settings look like with an entry, and that
//! nothing else in them changes.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value as Json, json};

/// A project and a home of its own, with this binary on the search path.
pub struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    pub fn new() -> Self {
        let bench = Self::without_project();
        assert!(bench.run(&["init"]).status.success());
        bench
    }

    pub fn without_project() -> Self {
        let bench = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for name in ["project", "home/.config", "bin"] {
            fs::create_dir_all(bench.path(name)).unwrap();
        }
        let program = env!("CARGO_BIN_EXE_windlass");
        std::os::unix::fs::symlink(program, bench.path("bin/windlass")).unwrap();
        bench
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    pub fn project(&self) -> PathBuf {
        self.path("project")
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_windlass"));
        command
            .args(words)
            .current_dir(self.project())
            .stdin(Stdio::null())
            .env("HOME", self.path("home"))
            .env(
                "PATH",
                format!("{}:/usr/bin:/bin", self.path("bin").display()),
            )
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_STATE_HOME")
            .env_remove("CODEX_HOME")
            .env_remove("CLAUDE_CONFIG_DIR")
            .env_remove("CLICOLOR_FORCE");
        command
    }

    pub fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    /// Runs a command at a terminal, where a person types the answer; its words hold no blanks.
    pub fn typed(&self, words: &str, answer: &str) -> Output {
        let words: Vec<&str> = words.split(' ').collect();
        crate::person::at_a_terminal(&self.command(&words), answer)
    }

    /// What a setup of the entry alone answers as JSON.
    fn setup(&self, words: &[&str]) -> Json {
        self.setup_all(&[words, &["--only", "mcp"]].concat())
    }

    /// What a setup answers as JSON.
    fn setup_all(&self, words: &[&str]) -> Json {
        let output = self.run(&[&["setup", "--json"], words].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words:?}: {error}");
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Each client: its words, its file, a text that people have there, and where the entry then is.
const CASES: &[(&[&str], &str, &str, &str)] = &[
    (
        &["claude-code"],
        "project/.mcp.json",
        "{\n    \"mcpServers\": {\n        \"git\": {\"command\": \"git-mcp\"}\n    }\n}\n",
        "/mcpServers/windlass",
    ),
    (
        &["claude-code", "--scope", "user"],
        "home/.claude.json",
        "{\n  \"numStartups\": 7,\n  \"projects\": {\"/a\": {\"mcpServers\": {}}}\n}",
        "/mcpServers/windlass",
    ),
    (
        &["claude-desktop"],
        "home/.config/Claude/claude_desktop_config.json",
        "{\n  \"globalShortcut\": \"\"\n}",
        "/mcpServers/windlass",
    ),
    (
        &["cursor"],
        "project/.cursor/mcp.json",
        "{\r\n\t\"mcpServers\": {\r\n\t\t// mine\r\n\t\t\"git\": {\"url\": \"https://x\"},\r\n\t},\r\n}\r\n",
        "/mcpServers/windlass",
    ),
    (
        &["vscode"],
        "project/.vscode/mcp.json",
        "{\n  // Servers of the team\n  \"servers\": {\n    \"git\": {\"command\": \"git-mcp\"}, // in use\n  },\n  \"inputs\": [],\n}\n",
        "/servers/windlass",
    ),
    (
        &["gemini"],
        "project/.gemini/settings.json",
        "{\n  \"theme\": \"Dark\" /* good for eyes */\n}\n",
        "/mcpServers/windlass",
    ),
    (
        &["zed"],
        "project/.zed/settings.json",
        "// Zed settings\n{\n  \"tab_size\": 4, // wide\n  \"languages\": {}\n}\n",
        "/context_servers/windlass",
    ),
    (
        &["opencode"],
        "project/opencode.jsonc",
        "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"mcp\": {\n    \"git\": {\"type\": \"local\", \"command\": [\"git-mcp\"]},\n  },\n}\n",
        "/mcp/windlass",
    ),
];

/// Comments and commas at the end go, so that any reader can look inside.
fn relaxed(text: &str) -> Json {
    let mut plain = String::new();
    for line in text.lines() {
        let line = line.split(" // ").next().unwrap();
        if !line.trim_start().starts_with("//") {
            plain.push_str(line);
        }
    }
    let plain = plain.replace("/* good for eyes */", "");
    let mut plain: String = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    for (comma, bare) in [(", }", " }"), (",}", "}"), ("},}", "}}")] {
        plain = plain.replace(comma, bare);
    }
    serde_json::from_str(&plain).unwrap_or_else(|problem| panic!("{problem}: {plain}"))
}

#[test]
fn every_client_keeps_what_it_had_and_gets_it_back() {
    for (words, file, text, place) in CASES {
        let bench = Bench::new();
        let path = bench.write(file, text);
        let answer = bench.setup(words);
        assert_eq!(answer["change"], "added", "{words:?}");
        assert_eq!(answer["files"][0]["file"], json!(path), "{words:?}");
        let added = read(&path);
        assert_eq!(
            relaxed(&added).pointer(place),
            Some(&answer["entry"]),
            "{words:?}: {added}"
        );
        for line in text.lines().filter(|line| line.contains("//")) {
            let comment = &line[line.find("//").unwrap()..];
            assert!(added.contains(comment), "{words:?}: {added}");
        }
        let again = bench.setup(words);
        assert_eq!(
            (&again["change"], &again["written"]),
            (&json!("unchanged"), &json!(false))
        );
        assert_eq!(read(&path), added);
        let removed = bench.setup(&[*words, &["--remove"]].concat());
        assert_eq!(removed["change"], "removed");
        assert_eq!(read(&path), *text, "{words:?}");
        let again = bench.setup(&[*words, &["--remove"]].concat());
        assert_eq!(again["change"], "absent");
    }
}

#[test]
fn a_file_that_was_made_goes_again() {
    for (words, file, ..) in CASES {
        let bench = Bench::new();
        let answer = bench.setup(words);
        let path = PathBuf::from(answer["files"][0]["file"].as_str().unwrap());
        let expected = bench.path(&file.replace(".jsonc", ".json"));
        assert_eq!(path, expected, "{words:?}");
        assert!(read(&path).ends_with("}\n"));
        bench.setup(&[*words, &["--remove"]].concat());
        assert!(!path.exists(), "{words:?}");
        let folder = path.parent().unwrap();
        let left = folder.starts_with(bench.project()) && folder != bench.project();
        assert!(!(left && folder.exists()), "{words:?}");
    }
}

#[test]
fn codex_has_toml() {
    let bench = Bench::new();
    let text =
        "# my settings\nmodel = \"best\" # the best\n\n[mcp_servers.git]\ncommand = \"git-mcp\"\n";
    let path = bench.write("home/.codex/config.toml", text);
    let user = ["codex", "--scope", "user"];
    bench.setup(
        &[
            &user[..],
            &["--toolsets", "commands,knowledge", "--read-only"],
        ]
        .concat(),
    );
    assert_eq!(
        read(&path),
        format!(
            "{text}\n[mcp_servers.windlass]\ncommand = \"windlass\"\nargs = [\"mcp\", \"--cwd\", \
             \"{}\", \"--toolsets\", \"commands,knowledge\", \"--read-only\"]\n",
            bench.project().display()
        )
    );
    bench.setup(&[&user[..], &["--remove"]].concat());
    assert_eq!(read(&path), text);
    bench.setup(&["codex"]);
    assert_eq!(
        read(&bench.path("project/.codex/config.toml")),
        "[mcp_servers.windlass]\ncommand = \"windlass\"\nargs = [\"mcp\"]\n"
    );
    bench.setup(&["codex", "--remove"]);
    assert!(!bench.path("project/.codex").exists());
}

#[test]
fn the_entry_is_what_the_client_wants() {
    let bench = Bench::new();
    let root = bench.project();
    let entry = |words: &[&str]| bench.setup(words)["entry"].clone();
    assert_eq!(
        entry(&["claude-code"]),
        json!({"command": "windlass", "args": ["mcp"]})
    );
    assert_eq!(
        entry(&["vscode"]),
        json!({"type": "stdio", "command": "windlass", "args": ["mcp", "--cwd", "${workspaceFolder}"]})
    );
    assert_eq!(
        entry(&["opencode", "--read-only"]),
        json!({"type": "local", "command": ["windlass", "mcp", "--read-only"], "enabled": true})
    );
    assert_eq!(
        entry(&["claude-desktop"]),
        json!({"command": bench.path("bin/windlass"), "args": ["mcp", "--cwd", root]})
    );
    // Where the search path leads elsewhere or nowhere, the path of this very program is named.
    fs::remove_file(bench.path("bin/windlass")).unwrap();
    let answer = bench.setup(&["zed"]);
    let this = Path::new(env!("CARGO_BIN_EXE_windlass"))
        .canonicalize()
        .unwrap();
    assert_eq!(answer["entry"]["command"], json!(this));
    assert!(answer["notes"][1].as_str().unwrap().contains("not on PATH"));
}

#[test]
fn the_entry_starts_a_server_on_the_project() {
    let bench = Bench::new();
    let answer = bench.setup(&["claude-desktop", "--read-only", "--toolsets", "knowledge"]);
    let args: Vec<String> = serde_json::from_value(answer["entry"]["args"].clone()).unwrap();
    let program = answer["entry"]["command"].as_str().unwrap();
    let input = bench.write(
        "input",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}\n",
    );
    let output = Command::new(program)
        .args(args)
        .current_dir("/")
        .stdin(fs::File::open(input).unwrap())
        .output()
        .unwrap();
    let answer: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        answer["result"]["serverInfo"]["name"], "windlass",
        "{answer}"
    );
}

#[test]
fn a_broken_file_is_told_with_its_line_and_left() {
    let bench = Bench::new();
    for (words, file, text, line) in [
        (
            ["claude-code", "--yes"],
            "project/.mcp.json",
            "{\n  // no\n}",
            "line 2",
        ),
        (
            ["cursor", "--yes"],
            "project/.cursor/mcp.json",
            "{\n\"a\": 1,,\n}",
            "line 2",
        ),
        (
            ["zed", "--remove"],
            "project/.zed/settings.json",
            "{\n\n\"a\"",
            "line 3",
        ),
        (
            ["gemini", "--yes"],
            "project/.gemini/settings.json",
            "{\"mcpServers\": []}",
            "line 1",
        ),
        (
            ["codex", "--yes"],
            "project/.codex/config.toml",
            "a = 1\na = 2\n",
            "line 2",
        ),
    ] {
        let path = bench.write(file, text);
        let output = bench.run(&[&["setup"], &words[..]].concat());
        assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
        assert!(stderr(&output).contains(line), "{}", stderr(&output));
        assert_eq!(read(&path), text);
    }
}

#[test]
fn another_entry_gives_way_only_after_a_yes() {
    let bench = Bench::new();
    let text =
        "{\"mcpServers\": {\"windlass\": {\"command\": \"other\", \"env\": {\"A\": \"1\"}}}}\n";
    let path = bench.write("project/.mcp.json", text);
    for words in [
        &["setup", "claude-code"][..],
        &["setup", "claude-code", "--remove"],
    ] {
        let output = bench.run(words);
        assert_eq!(output.status.code(), Some(2));
        assert!(
            stderr(&output).contains("-{\"mcpServers\""),
            "{}",
            stderr(&output)
        );
        assert!(stderr(&output).contains("--yes"));
        assert_eq!(read(&path), text);
    }
    let other = bench.setup(&["claude-code", "--name", "second"]);
    assert_eq!(other["change"], "added");
    let answer = bench.setup(&["claude-code", "--yes"]);
    assert_eq!(answer["change"], "replaced");
    assert_eq!(
        answer["entry"],
        json!({"command": "windlass", "env": {"A": "1"}, "args": ["mcp"]})
    );
    // An entry of our own goes without a word.
    assert_eq!(
        bench.setup(&["claude-code", "--remove"])["change"],
        "removed"
    );
}

#[test]
fn printing_changes_nothing() {
    let bench = Bench::new();
    let path = bench.write("project/.mcp.json", "{}\r\n");
    let output = bench.run(&["setup", "claude-code", "--print", "--only", "mcp"]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("\"windlass\": {\r\n"), "{printed:?}");
    assert_eq!(read(&path), "{}\r\n");
    bench.setup(&["claude-code"]);
    assert_eq!(read(&path), printed);
}

#[test]
fn people_see_a_diff_and_what_to_do_next() {
    let bench = Bench::new();
    bench.write("project/.mcp.json", "{\n  \"mcpServers\": {}\n}\n");
    let output = bench.run(&["setup", "claude-code", "--only", "mcp"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let text = text.replace(&bench.project().display().to_string(), "PROJECT");
    insta::assert_snapshot!(text, @r#"
    --- PROJECT/.mcp.json
    +++ PROJECT/.mcp.json
    @@ -1,3 +1,8 @@
     {
    -  "mcpServers": {}
    +  "mcpServers": {
    +    "windlass": {
    +      "command": "windlass",
    +      "args": ["mcp"]
    +    }
    +  }
     }

    Claude Code is set up:
      mcp added to PROJECT/.mcp.json
    Start claude in the project and approve the server; /mcp shows it.
    "#);
}

#[test]
fn a_person_sees_the_change_and_decides() {
    let bench = Bench::new();
    let path = bench.path("project/.vscode/mcp.json");
    let refused = bench.typed("setup vscode", "n\n");
    let shown = String::from_utf8_lossy(&refused.stdout).into_owned();
    assert_eq!(refused.status.code(), Some(9), "{shown}");
    assert!(shown.contains("+      \"type\": \"stdio\""), "{shown}");
    assert!(shown.contains("Write this? [y/N]"), "{shown}");
    assert!(!path.exists());
    assert_eq!(bench.typed("setup vscode", "y\n").status.code(), Some(0));
    let text = read(&path);
    // Another entry of the name is replaced, and an entry removed, by a yes only.
    for (words, question) in [
        ("setup vscode --read-only", "Replace the entry windlass?"),
        ("setup vscode --remove", "Remove this?"),
    ] {
        let refused = bench.typed(words, "\n");
        assert_eq!(refused.status.code(), Some(9), "{words}");
        assert!(String::from_utf8_lossy(&refused.stdout).contains(question));
        assert_eq!(read(&path), text);
    }
    assert_eq!(
        bench.typed("setup vscode --remove --yes", "").status.code(),
        Some(0)
    );
    assert!(!path.exists());
}

#[test]
fn links_are_followed_inside_and_refused_outside() {
    let bench = Bench::new();
    let dotfiles = bench.write("dotfiles/config.toml", "a = 1\n");
    fs::create_dir_all(bench.path("home/.codex")).unwrap();
    let link = bench.path("home/.codex/config.toml");
    std::os::unix::fs::symlink(&dotfiles, &link).unwrap();
    bench.setup(&["codex", "--scope", "user"]);
    assert!(link.is_symlink());
    assert!(read(&dotfiles).contains("[mcp_servers.windlass]"));
    let outside = bench.write("outside.json", "{}");
    std::os::unix::fs::symlink(&outside, bench.path("project/.mcp.json")).unwrap();
    let output = bench.run(&["setup", "claude-code", "--yes"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        stderr(&output).contains("outside the project"),
        "{}",
        stderr(&output)
    );
    assert_eq!(read(&outside), "{}");
}

#[test]
fn a_setup_needs_a_project() {
    let bench = Bench::without_project();
    let output = bench.run(&["setup", "claude-code"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(!bench.path("project/.mcp.json").exists());
}
