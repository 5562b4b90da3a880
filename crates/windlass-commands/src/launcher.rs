//! Programs that bring a runner with them, where the machine does not have the runner itself:
//! corepack for the package manager that `packageManager` names, and `mise exec` for tools of mise's
//! configuration. Which one a project provides is read from its files; whether it is needed depends
//! on what is installed, and only when a command is started.

use std::rc::Rc;
use std::sync::Arc;

use crate::command::{Command, Invocation, fingerprint};
use crate::data::{Node, Value, read_toml};
use crate::formats::pin_mise;
use crate::paths;
use crate::pins::Pins;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

/// A program that starts a runner which it installs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Launcher {
    Corepack,
    Mise,
}

impl Launcher {
    pub const ALL: &'static [Self] = &[Self::Corepack, Self::Mise];

    /// The executable, and its name in outputs.
    pub const fn program(self) -> &'static str {
        match self {
            Self::Corepack => "corepack",
            Self::Mise => "mise",
        }
    }

    /// The words before the program that it starts.
    const fn words(self) -> &'static [&'static str] {
        match self {
            Self::Corepack => &[],
            Self::Mise => &["exec", "--"],
        }
    }

    /// The same invocation, started by it.
    #[must_use]
    pub fn start(self, invocation: Invocation) -> Invocation {
        let words = self.words().iter().map(|&word| word.to_owned());
        let before: Vec<String> = words.chain([invocation.program]).collect();
        let unshown = &invocation.unshown;
        Invocation {
            program: self.program().to_owned(),
            unshown: unshown.start + before.len()..unshown.end + before.len(),
            args: before.into_iter().chain(invocation.args).collect(),
            cwd: invocation.cwd,
        }
    }
}

/// That the project's files provide the runner of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provided {
    pub launcher: Launcher,
    /// The version that they ask for.
    pub version: Option<String>,
}

/// Files of the root that name tools; in other folders only the first two and the last are looked
/// for.
const CONFIGURATIONS: &[&str] = &[
    "mise.toml",
    ".mise.toml",
    "mise/config.toml",
    ".mise/config.toml",
    ".config/mise.toml",
    ".config/mise/config.toml",
    ".config/mise/mise.toml",
    ".tool-versions",
];

/// What else a program may be called as a tool of mise.
const TOOLS: &[(&str, &[&str])] = &[
    ("npm", &["node", "nodejs"]),
    ("node", &["nodejs"]),
    ("cargo", &["rust"]),
    ("rake", &["ruby"]),
    ("mvn", &["maven"]),
    ("poe", &["poethepoet"]),
    ("task", &["go-task"]),
    ("bazel", &["bazelisk"]),
    ("moon", &["cli"]),
    ("ctest", &["cmake"]),
];

/// Notes for each command whose runner is a tool of mise's configuration that mise provides it, and
/// pins what mise reads then.
pub fn provide_by_mise(found: &mut Found, context: &FileContext<'_>) {
    let wanted = |command: &Command| {
        let program = &command.invocation.program;
        let own = matches!(
            command.runner,
            Runner::Mise | Runner::Shell | Runner::VsCode | Runner::Procfile | Runner::Travis
        );
        !own && !program.contains('/') && command.provided.is_none()
    };
    if !found.commands.iter().any(wanted) {
        return;
    }
    let tools = tools(context);
    if tools.is_empty() {
        return;
    }
    let mut mise = None;
    // The commands of a file share their pins.
    let mut last: Option<(Arc<Pins>, Arc<Pins>)> = None;
    for command in found.commands.iter_mut().filter(|it| wanted(it)) {
        let Some(provided) = provided_in(&tools, &command.invocation.program) else {
            continue;
        };
        let mise = mise.get_or_insert_with(|| pin_mise(context, context.folder()));
        let both = match &last {
            Some((own, both)) if Arc::ptr_eq(own, &command.pins) => Arc::clone(both),
            _ => Arc::new(joined(&command.pins, &mise.pins)),
        };
        let own = std::mem::replace(&mut command.pins, Arc::clone(&both));
        last = Some((own, both));
        let before = &command.fingerprint;
        command.fingerprint = fingerprint(&format!("{before}\nmise {}", mise.digest));
        command.provided = Some(provided);
    }
}

fn joined(one: &Pins, other: &Pins) -> Pins {
    let mut all = one.clone();
    for file in &other.files {
        all.add(file.clone());
    }
    for reason in &other.unreadable {
        if !all.unreadable.contains(reason) {
            all.unreadable.push(reason.clone());
        }
    }
    all
}

/// The tools that mise's configuration names here and at the root, with their versions.
fn tools(context: &FileContext<'_>) -> Vec<(String, Option<String>)> {
    let mut tools = Vec::new();
    let own = context.folder();
    let last = CONFIGURATIONS.len() - 1;
    for (place, name) in CONFIGURATIONS.iter().enumerate() {
        if !own.is_empty() && (place < 2 || place == last) {
            named_in(&paths::join_display(own, name), context, &mut tools);
        }
    }
    for name in CONFIGURATIONS {
        named_in(name, context, &mut tools);
    }
    tools
}

fn named_in(path: &str, context: &FileContext<'_>, tools: &mut Vec<(String, Option<String>)>) {
    if !context.source.exists(path) {
        return;
    }
    if paths::ending_of(path) != "toml" {
        let text = context.source.read(path).unwrap_or_default();
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or_default();
            let mut words = line.split_whitespace();
            if let Some(tool) = words.next() {
                tools.push((tool.to_owned(), words.next().map(str::to_owned)));
            }
        }
        return;
    }
    let config: Option<Rc<Node>> = context.memo.parsed(context.source, path, read_toml).ok();
    let entries = config.as_ref().and_then(|it| it.get("tools"));
    for (tool, value) in entries.map(Node::entries).unwrap_or_default() {
        let version = match &value.value {
            Value::Map(_) => value.text_at("version").map(str::to_owned),
            Value::List(_) => value.texts().into_iter().next(),
            _ => value.text().map(str::to_owned),
        };
        tools.push((tool.clone(), version));
    }
}

/// What mise brings if one of the tools has the program.
fn provided_in(tools: &[(String, Option<String>)], program: &str) -> Option<Provided> {
    let others = TOOLS.iter().find(|(known, _)| *known == program);
    let others = others.map_or(&[] as &[&str], |(_, others)| others);
    let found = tools.iter().find(|(tool, _)| {
        // `npm:@moonrepo/cli[x=y]` is the package `cli`.
        let tool = tool.split('[').next().unwrap_or_default();
        let tool = tool.rsplit([':', '/']).next().unwrap_or_default();
        tool == program || others.contains(&tool)
    });
    // A version of `node` says nothing about npm.
    found.map(|(tool, version)| {
        let same = tool.rsplit([':', '/']).next() == Some(program) || program != "npm";
        Provided {
            launcher: Launcher::Mise,
            version: version.clone().filter(|_| same),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Format;
    use crate::source::MemorySource;

    fn provided(source: &MemorySource, path: &str) -> Vec<String> {
        use crate::source::FileSource as _;
        let text = source.read(path).unwrap();
        let context = FileContext::new(path, source);
        let mut found = Format::of(path).unwrap().0.read(&text, &context);
        provide_by_mise(&mut found, &context);
        let rows = found.commands.iter().map(|command| {
            let by = command.provided.as_ref().map(|it| {
                let version = it.version.as_deref().unwrap_or("-");
                format!("{} {version}", it.launcher.program())
            });
            let files = command.pins.files.iter();
            let pinned = files.filter(|it| it.path.contains("mise") && !it.text.is_empty());
            let by = by.unwrap_or_else(|| "-".to_owned());
            format!("{} | {by} | {}", command.name, pinned.count())
        });
        rows.collect()
    }

    #[test]
    fn tools_of_mise_by_all_of_their_names() {
        for (config, text, path, recipe, expected) in [
            (
                "mise.toml",
                "[tools]\njust = \"1.40\"\n",
                "justfile",
                "a:\n",
                "a | mise 1.40 | 1",
            ),
            (
                "mise.toml",
                "[tools]\n\"aqua:go-task/task\" = {version = \"3\"}\n",
                "web/Taskfile.yml",
                "version: '3'\ntasks:\n  a: ls\n",
                "a | mise 3 | 1",
            ),
            (
                ".tool-versions",
                "# all\nnodejs 22.1.0\n",
                "package.json",
                r#"{"scripts": {"a": "b"}}"#,
                "a | mise - | 0",
            ),
            (
                "mise.toml",
                "[tools]\nnode = [\"22\", \"20\"]\n",
                "justfile",
                "a:\n",
                "a | - | 0",
            ),
            (
                "web/mise.toml",
                "[tools]\n\"pipx:tox\" = \"4\"\n",
                "web/tox.ini",
                "[tox]\nenvlist = a\n",
                "a | mise 4 | 1",
            ),
        ] {
            let source = MemorySource::default()
                .with(config, text)
                .with(path, recipe);
            assert_eq!(provided(&source, path)[0], expected, "{config} {path}");
        }
    }

    #[test]
    fn corepack_brings_the_manager_that_the_package_names() {
        let package = r#"{"packageManager": "pnpm@9.1.0+sha512.abc", "scripts": {"a": "b"}}"#;
        let source = MemorySource::default()
            .with("package.json", package)
            .with("web/package.json", r#"{"scripts": {"c": "d"}}"#);
        assert_eq!(
            provided(&source, "package.json"),
            ["a | corepack 9.1.0 | 0"]
        );
        assert_eq!(
            provided(&source, "web/package.json"),
            ["c | corepack 9.1.0 | 0"]
        );
        // Corepack does not know npm's own lock files, nor bun.
        let bun = r#"{"packageManager": "bun@1.2.0", "scripts": {"a": "b"}}"#;
        let source = MemorySource::default().with("package.json", bun);
        assert_eq!(provided(&source, "package.json"), ["a | - | 0"]);
        let source = MemorySource::default()
            .with("package.json", r#"{"scripts": {"a": "b"}}"#)
            .with("pnpm-lock.yaml", "");
        assert_eq!(provided(&source, "package.json"), ["a | - | 0"]);
    }

    #[test]
    fn what_mise_reads_changes_the_fingerprint() {
        let of = |config: &str| {
            let source = MemorySource::default()
                .with("mise.toml", config)
                .with("justfile", "a:\n  ls\n");
            let context = FileContext::new("justfile", &source);
            let mut found = Format::Just.read("a:\n  ls\n", &context);
            provide_by_mise(&mut found, &context);
            found.commands[0].fingerprint.clone()
        };
        let one = of("[tools]\njust = \"1\"\n");
        assert_ne!(one, of("[tools]\njust = \"1\"\n[hooks]\nenter = \"x\"\n"));
        assert_eq!(one, of("[tools]\njust = \"1\"\n"));
    }

    #[test]
    fn words_before_the_runner() {
        let command = Command::new("justfile", Runner::Just, "a", "");
        let command = command.with_args(["a"]).started_on(0, ["-f", "justfile"]);
        let started = Launcher::Mise.start(command.invocation);
        assert_eq!(started.display(), "mise exec -- just a");
        assert_eq!(started.display_whole(), "mise exec -- just -f justfile a");
    }
}
