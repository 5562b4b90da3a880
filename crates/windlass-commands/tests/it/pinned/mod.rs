//! Edits of everything that decides what a command runs, for each runner: every one is noticed, and
//! edits of anything else are not. Where the real runner is installed, it shows that the edits are
//! real: with them, it runs another text.

mod added;
mod change;
mod makefiles;
mod others;
mod packages;
mod programs;
mod python;
mod real;

use std::collections::{BTreeMap, BTreeSet};

use windlass_commands::formats::declared;
use windlass_commands::{Discovery, How, Runner};

use crate::support::{AllAvailable, Repository};
use change::Change::{self, Write};

type Files = &'static [(&'static str, &'static str)];

/// A repository with a command, and edits of it.
pub struct Case {
    pub runner: Runner,
    /// The unique name of the command.
    pub command: &'static str,
    pub files: Files,
    /// The kind of the edited file, the edit, and whether the real runner shows it by printing EVIL.
    pub edits: &'static [(&'static str, Change, Shown)],
    pub harmless: &'static [Change],
}

/// Whether an edit can be seen with the real runner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// The runner prints EVIL.
    Yes,
    /// The runner does something else, or needs what is not here.
    No,
}

pub fn cases() -> Vec<&'static Case> {
    [
        makefiles::CASES,
        programs::CASES,
        packages::CASES,
        python::CASES,
        others::CASES,
        added::CASES,
    ]
    .concat()
}

impl Case {
    pub fn repository(&self) -> Repository {
        let repository = Repository::new(self.files);
        change::make_executable(&repository);
        repository
    }
}

/// What a person would have to look at again, or why nothing can be granted.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Fingerprint(String),
    Unreadable(Vec<String>),
    Gone,
}

fn seen(discovery: &Discovery, command: &str) -> Seen {
    let found = discovery.discover();
    match found.get(command) {
        Some(command) if !command.pins.unreadable.is_empty() => {
            Seen::Unreadable(command.pins.unreadable.clone())
        }
        Some(command) => Seen::Fingerprint(command.fingerprint.clone()),
        None => Seen::Gone,
    }
}

/// Looks with the cache of the repository and without one.
fn seen_both_ways(repository: &Repository, command: &str) -> Seen {
    let cached = seen(&repository.discovery, command);
    let fresh = Discovery::with_lookup(&repository.root, Box::new(AllAvailable)).unwrap();
    assert_eq!(
        cached,
        seen(&fresh, command),
        "{command}: the cache is stale"
    );
    cached
}

#[derive(Default)]
struct Row {
    kinds: BTreeSet<String>,
    tried: usize,
    noticed: usize,
    unseen: Vec<String>,
}

impl Row {
    fn count(&mut self, kind: &str, noticed: bool, edit: String) {
        self.kinds.insert(kind.to_owned());
        self.tried += 1;
        if noticed {
            self.noticed += 1;
        } else {
            self.unseen.push(edit);
        }
    }
}

#[test]
fn every_edit_of_what_decides_is_noticed() {
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    for case in cases() {
        let row = rows.entry(case.runner.short_name()).or_default();
        for (kind, change, _) in case.edits {
            let repository = case.repository();
            let before = seen_both_ways(&repository, case.command);
            assert!(
                matches!(before, Seen::Fingerprint(_)),
                "{} {before:?}",
                case.command
            );
            change.apply(&repository);
            let after = seen_both_ways(&repository, case.command);
            row.count(kind, before != after, format!("{change:?}"));
        }
        // The list is about the folder of the definition.
        if !case.command.contains('/') {
            declared_files(case, row);
        }
    }
    let (mut tried, mut noticed) = (0, 0);
    println!("| runner | file kinds | edits | noticed |\n|---|---|---|---|");
    for (runner, row) in &rows {
        let kinds: Vec<&str> = row.kinds.iter().map(String::as_str).collect();
        println!(
            "| {runner} | {} | {} | {} |",
            kinds.join(", "),
            row.tried,
            row.noticed
        );
        tried += row.tried;
        noticed += row.noticed;
    }
    println!("| all {} | | {tried} | {noticed} |", rows.len());
    let unseen: Vec<String> = rows.values().flat_map(|row| row.unseen.clone()).collect();
    assert!(unseen.is_empty(), "unseen: {unseen:#?}");
    assert!(tried >= 250 && rows.len() >= 20, "{tried} {}", rows.len());
}

/// Every file of the declared list: its creation, and then a change of it.
fn declared_files(case: &Case, row: &mut Row) {
    for decides in declared(case.runner) {
        let path = match decides.how {
            How::Tree(ending) => format!("{}/new{ending}", decides.file),
            _ => decides.file.to_owned(),
        };
        let repository = case.repository();
        let mut before = seen_both_ways(&repository, case.command);
        for text in ["# one\n", "# two\n"] {
            repository.write(&path, text);
            let after = seen_both_ways(&repository, case.command);
            row.count(decides.file, before != after, format!("{path}: {text}"));
            // Where the file is the definition itself, the command is gone.
            if after == Seen::Gone {
                break;
            }
            before = after;
        }
    }
}

#[test]
fn edits_of_anything_else_ask_nobody() {
    let mut tried = 0;
    for case in cases() {
        let everywhere = [
            Write("README.md", "# Other\n"),
            Write("src/main.c", "int main() { return 1; }\n"),
            Write("docs/notes.txt", "other\n"),
            Write("src/deep/new/file.py", "print()\n"),
        ];
        for change in everywhere.iter().chain(case.harmless) {
            let repository = case.repository();
            let before = seen_both_ways(&repository, case.command);
            change.apply(&repository);
            let after = seen_both_ways(&repository, case.command);
            assert_eq!(
                before, after,
                "{} {}: {change:?}",
                case.runner, case.command
            );
            tried += 1;
        }
    }
    println!("{tried} harmless edits asked nobody");
    assert!(tried >= 100);
}

/// A command, its repository, and a part of the reason why it cannot be pinned.
const UNREADABLE: &[(&str, Files, &str)] = &[
    (
        "a",
        &[("Makefile", "include $(X).mk\na:\n")],
        "Makefile (line 1) reads a file whose name is computed: $(X).mk",
    ),
    (
        "a",
        &[("Makefile", "-include ../../x.mk\na:\n")],
        "outside the project",
    ),
    (
        "a",
        &[("Makefile", "-include /etc/x.mk\na:\n")],
        "outside the project",
    ),
    (
        "a",
        &[("Makefile", "a:\n\tfor d in x y; do $(MAKE) -C $$d; done\n")],
        "starts make in a folder whose name is computed: $$d",
    ),
    (
        "a",
        &[(
            "Makefile",
            "define D\ninclude $(1)\nendef\n$(eval $(call D,x))\na:\n",
        )],
        "computed",
    ),
    (
        "a",
        &[("Makefile", "$(eval include $(X))\na:\n")],
        "computed",
    ),
    (
        "a",
        &[("Makefile", "MAKEFLAGS += -I x\na:\n")],
        "changes where make looks",
    ),
    (
        "a",
        &[("Makefile", "a:\n"), ("Makefile.sh", "x")],
        "make would create Makefile from Makefile.sh",
    ),
    (
        "a",
        &[("justfile", "import x'$HOME/a.just'\na:\n  x\n")],
        "computed",
    ),
    (
        "a",
        &[("justfile", "mod m '../../m.just'\na:\n  x\n")],
        "outside the project",
    ),
    (
        "a",
        &[("justfile", "set dotenv-path := env('X')\na:\n  x\n")],
        "computed",
    ),
    (
        "a",
        &[(
            "Taskfile.yml",
            "includes: {x: './{{.X}}.yml'}\ntasks: {a: x}\n",
        )],
        "only task can find",
    ),
    (
        "a",
        &[(
            "Taskfile.yml",
            "includes: {x: 'https://host/t.yml'}\ntasks: {a: x}\n",
        )],
        "only task can find",
    ),
    (
        "a",
        &[(
            "pyproject.toml",
            "[tool.poe]\ninclude = '${X}/a.toml'\n[tool.poe.tasks]\na = 'x'\n",
        )],
        "computed",
    ),
    (
        "a",
        &[(
            "mise.toml",
            "[env]\n_.source = '{{env.X}}/a.sh'\n[tasks]\na = 'x'\n",
        )],
        "only mise can find",
    ),
    (
        "up",
        &[(
            "compose.yml",
            "include: ['${X}.yml']\nservices: {a: {image: x}}\n",
        )],
        "only compose can find",
    ),
    (
        "a",
        &[("build.gradle", "apply from: \"$x/a.gradle\"\ntask a {}\n")],
        "only gradle can find",
    ),
    (
        "a",
        &[
            ("settings.gradle", "file('.').eachDir { include it.name }\n"),
            ("build.gradle", "task a {}\n"),
        ],
        "computes which folders belong",
    ),
    (
        "a",
        &[(
            "CMakeLists.txt",
            "include(${X}/a.cmake)\nadd_custom_target(a)\n",
        )],
        "computed",
    ),
    ("a", &[("Rakefile", "load name\ntask :a\n")], "computed"),
    ("run", &[("run.sh", "#!/bin/sh\n. \"$LIB\"\n")], "computed"),
];

/// What cannot be read from the beginning can be granted by no pin.
#[test]
fn what_cannot_be_read_is_said() {
    for (name, files, part) in UNREADABLE {
        let repository = Repository::new(files);
        let command = repository.command(name);
        let reasons = command.pins.unreadable.join("; ");
        assert!(reasons.contains(part), "{files:?}: {reasons}");
    }
}

/// A file whose text could be read in two ways is broken, and none of its commands is offered.
#[test]
fn two_keys_of_one_name_make_a_file_broken() {
    for (path, text) in [
        (
            "package.json",
            r#"{"scripts": {"a": "x"}, "scripts": {"a": "evil"}}"#,
        ),
        (
            "package.json",
            r#"{"scripts": {"a": "x"}, "\u0073cripts": {"a": "evil"}}"#,
        ),
        (
            "package.json",
            r#"{"scripts": {"a": "x", "prea": "y", "prea": "evil"}}"#,
        ),
        (
            "package.json",
            r#"{"scripts": {"a": "x"}, "__proto__": {"scripts": {}}}"#,
        ),
        ("turbo.json", r#"{"tasks": {"a": {}}, "tasks": {"a": {}}}"#),
        ("turbo.json", r#"{"tasks": {"a": {}, /* x */ "a": {}}}"#),
        (
            "deno.json",
            r#"{"tasks": {"a": "x"}, "tasks": {"a": "evil"}}"#,
        ),
        ("composer.json", r#"{"scripts": {"a": "x", "a": "evil"}}"#),
        ("Taskfile.yml", "tasks: {a: x}\ntasks: {a: evil}\n"),
        ("Taskfile.yml", "tasks:\n  a: x\n  'a': evil\n"),
        (
            "compose.yml",
            "services: {a: {image: x}}\nservices: {a: {image: evil}}\n",
        ),
        (
            ".github/workflows/a.yml",
            "jobs: {a: {}}\njobs: {a: {steps: []}}\n",
        ),
        ("mise.toml", "[tasks]\na = 'x'\na = 'evil'\n"),
        (
            "pyproject.toml",
            "[tool.poe.tasks]\na = 'x'\n[tool.poe.tasks]\na = 'evil'\n",
        ),
        (
            ".cargo/config.toml",
            "[alias]\na = 'test'\n\"a\" = 'evil'\n",
        ),
        (
            "Cargo.toml",
            "[package]\nname = 'a'\nname = 'b'\n[[bin]]\nname = 'a'\n",
        ),
    ] {
        let repository = Repository::new(&[(path, text)]);
        let found = repository.discovery.discover();
        assert!(found.commands.is_empty(), "{path}: {text}");
        assert_eq!(found.problems.len(), 1, "{path}: {text}");
        assert_eq!(found.problems[0].file, path);
    }
}
