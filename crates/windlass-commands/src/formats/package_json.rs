//! package.json: scripts, started by the package manager of the project.

use std::collections::HashMap;
use std::rc::Rc;

use crate::command::{ArgumentStyle, Command, Kind};
use crate::data::{Node, read_json};
use crate::launcher::{Launcher, Provided};
use crate::paths;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::pins;

/// Lock files, in the order of precedence.
const LOCKS: &[(&str, Runner)] = &[
    ("package-lock.json", Runner::Npm),
    ("npm-shrinkwrap.json", Runner::Npm),
    ("pnpm-lock.yaml", Runner::Pnpm),
    ("yarn.lock", Runner::Yarn),
    ("bun.lock", Runner::Bun),
    ("bun.lockb", Runner::Bun),
];

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let package = match read_json(text) {
        Ok(package) => Rc::new(package),
        Err(broken) => return Found::default().broken(context.path, broken),
    };
    let mut found = Found::default();
    context.memo.remember(context.path, &package);
    if let Some(scripts) = package.get("scripts") {
        if scripts.is_map() {
            self::scripts(&package, scripts, context, &mut found);
        } else {
            found.problem(context.path, scripts.line, "`scripts` is not an object");
        }
    }
    programs(&package, context, &mut found);
    found
}

fn scripts(package: &Node, scripts: &Node, context: &FileContext<'_>, found: &mut Found) {
    if scripts.entries().is_empty() {
        return;
    }
    let runner = manager(package, context);
    if let Some(message) = clash(package, context, runner) {
        found.problem(context.path, scripts.line, message);
    }
    let seal = pins::packages::pin(context, runner);
    let provided = provided(package, context, runner);
    let texts = scripts.entries().iter();
    let texts: HashMap<&str, &str> = texts
        .filter_map(|(name, script)| Some((name.as_str(), script.text()?)))
        .collect();
    for (name, script) in scripts.entries() {
        match script.text() {
            Some(text) => {
                let command = command(context, runner, name, text, &texts).at(script.line);
                found.push(command.provided_by(provided.clone()), &seal);
            }
            None => found.problem(
                context.path,
                script.line,
                format!("the script {name:?} is not a string"),
            ),
        }
    }
}

/// Scripts that the package manager runs by itself.
const LIFECYCLE: &[&str] = &[
    "dependencies",
    "install",
    "postinstall",
    "postpack",
    "postprepare",
    "postpublish",
    "postrestart",
    "poststop",
    "postuninstall",
    "postversion",
    "preinstall",
    "prepack",
    "prepare",
    "preprepare",
    "prepublish",
    "prepublishOnly",
    "preuninstall",
    "preversion",
    "publish",
    "uninstall",
    "version",
];

/// Whether the package manager runs the script by itself: at its own time, or around another script.
fn is_lifecycle(name: &str, texts: &HashMap<&str, &str>) -> bool {
    let around = name
        .strip_prefix("pre")
        .or_else(|| name.strip_prefix("post"));
    LIFECYCLE.contains(&name) || around.is_some_and(|other| texts.contains_key(other))
}

/// Lock files of several managers: which one is right is not known.
fn clash(package: &Node, context: &FileContext<'_>, runner: Runner) -> Option<String> {
    if named_manager(package).is_some() {
        return None;
    }
    let present: Vec<&(&str, Runner)> = LOCKS
        .iter()
        .filter(|(name, _)| context.has_beside(name))
        .collect();
    let several = present.iter().any(|(_, other)| *other != runner);
    let names: Vec<&str> = present.iter().map(|(name, _)| *name).collect();
    (several && present.iter().any(|(_, it)| *it == runner)).then(|| {
        format!(
            "{} are both here; {runner} is taken. Remove one, or set `packageManager`",
            names.join(" and ")
        )
    })
}

/// The programs that the package installs, where their files are in the repository.
fn programs(package: &Node, context: &FileContext<'_>, found: &mut Found) {
    let Some(bin) = package.get("bin") else {
        return;
    };
    let own = package.text_at("name").unwrap_or_default();
    let own = own.rsplit('/').next().unwrap_or_default();
    let one = [(own.to_owned(), bin.clone())];
    let entries = match bin.text() {
        Some(_) => one.as_slice(),
        None => bin.entries(),
    };
    for (name, target) in entries {
        let Some(path) = target
            .text()
            .and_then(|it| paths::resolve(context.folder(), it))
        else {
            continue;
        };
        let Ok(text) = context.source.read(&path) else {
            continue;
        };
        if found.has(name) || name.is_empty() {
            continue;
        }
        let written = format!(
            "./{}",
            target.text().unwrap_or_default().trim_start_matches("./")
        );
        let first = text.lines().next().unwrap_or_default();
        let scripts = ["js", "mjs", "cjs"].contains(&paths::ending_of(&path));
        let command = context
            .command(Runner::Node, name, &format!("{name}: {written}"))
            .at(target.line)
            .described(package.text_at("description"))
            .of_kind(Kind::Program);
        let command = if first.starts_with("#!") && context.source.is_executable(&path) {
            command.with_program(written)
        } else if scripts || first.contains("node") {
            command.with_args([&written])
        } else {
            continue;
        };
        found.push(command, &pins::packages::pin_program(context, &path));
    }
}

fn command(
    context: &FileContext<'_>,
    runner: Runner,
    name: &str,
    script: &str,
    texts: &HashMap<&str, &str>,
) -> Command {
    // The package manager also runs `pre…` and `post…`, so they are part of the definition.
    let mut definition = script.to_owned();
    for hook in [format!("pre{name}"), format!("post{name}")] {
        if let Some(text) = texts.get(hook.as_str()) {
            definition.extend(["\n", &hook, ": ", text]);
        }
    }
    let arguments = match runner {
        Runner::Npm => ArgumentStyle::AfterDashes,
        _ => ArgumentStyle::Appended,
    };
    context
        .command(runner, name, &definition)
        .with_args(["run", name])
        .described(Some(script))
        .of_kind(if is_lifecycle(name, texts) {
            Kind::Lifecycle
        } else {
            Kind::Task
        })
        .taking(arguments)
}

/// The package manager of a folder, for definitions that are not a package.json.
pub fn manager_of(context: &FileContext<'_>) -> Runner {
    let path = paths::join_display(context.folder(), "package.json");
    let here = FileContext {
        path: &path,
        source: context.source,
        memo: context.memo.clone(),
    };
    match context.memo.parsed(context.source, &path, read_json) {
        Ok(package) => manager(&package, &here),
        Err(_) => Runner::Npm,
    }
}

/// The package manager according to `packageManager` or a lock file, in this folder or the nearest
/// parent that has either; npm by default.
fn manager(package: &Node, context: &FileContext<'_>) -> Runner {
    if let Some(runner) = named_manager(package) {
        return runner;
    }
    for folder in paths::ancestors(context.folder()) {
        let file = |name: &str| paths::join_display(folder, name);
        if let Some((_, runner)) = LOCKS
            .iter()
            .find(|(name, _)| context.source.exists(&file(name)))
        {
            return *runner;
        }
        if folder != context.folder()
            && let Ok(package) =
                (context.memo).parsed(context.source, &file("package.json"), read_json)
            && let Some(runner) = named_manager(&package)
        {
            return runner;
        }
    }
    Runner::Npm
}

/// Corepack brings the manager that `packageManager` names, here or in the nearest parent that has
/// it, in that version.
fn provided(package: &Node, context: &FileContext<'_>, runner: Runner) -> Option<Provided> {
    let known = [Runner::Npm, Runner::Pnpm, Runner::Yarn].contains(&runner);
    let field = |package: &Node| package.text_at("packageManager").map(str::to_owned);
    let written = field(package).or_else(|| {
        let above = paths::ancestors(context.folder()).skip(1);
        let mut above = above.map(|folder| paths::join_display(folder, "package.json"));
        above.find_map(|path| {
            let package = (context.memo).parsed(context.source, &path, read_json);
            field(&*package.ok()?)
        })
    });
    let written = written.filter(|_| known)?;
    let (name, version) = written.split_once('@')?;
    let version = version.split('+').next().unwrap_or_default();
    (name == runner.short_name()).then(|| Provided {
        launcher: Launcher::Corepack,
        version: Some(version.to_owned()).filter(|it| !it.is_empty()),
    })
}

fn named_manager(package: &Node) -> Option<Runner> {
    let name = package.text_at("packageManager")?.split('@').next()?;
    [Runner::Npm, Runner::Pnpm, Runner::Yarn, Runner::Bun]
        .into_iter()
        .find(|runner| runner.short_name() == name)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, problems, read, read_alone, rows};
    use crate::source::MemorySource;

    #[test]
    fn scripts_with_hooks_in_the_order_of_the_file() {
        let found = read_alone(
            "package.json",
            "{\r\n  \"name\": \"app\",\r\n  \"scripts\": {\r\n    \"test\": \"vitest run\",\r\n    \"pretest\": \"node prepare.js\",\r\n    \"build:prod\": \"vite build --mode \\\"production\\\"\"\r\n  }\r\n}",
        );
        assert_eq!(
            rows(&found),
            [
                "test | npm run test | vitest run",
                "pretest | npm run pretest | node prepare.js",
                "build:prod | npm run build:prod | vite build --mode \"production\"",
            ]
        );
        assert_eq!(found.commands[2].line, 6);
        assert!(found.commands[0].definition_text.contains("prepare.js"));
    }

    #[test]
    fn the_manager_comes_from_lock_files_and_fields_here_and_in_parents() {
        let scripts = r#"{"scripts": {"x": "y"}}"#;
        for (extra, text, expected) in [
            ("yarn.lock", "", "yarn run x"),
            ("packages/web/bun.lock", "", "bun run x"),
            ("pnpm-lock.yaml", "", "pnpm run x"),
            (
                "package.json",
                r#"{"packageManager": "pnpm@9.1.0+sha512.x"}"#,
                "pnpm run x",
            ),
            ("unrelated", "", "npm run x"),
        ] {
            let source = MemorySource::default()
                .with(extra, text)
                .with("packages/web/package.json", scripts);
            let found = read(&source, "packages/web/package.json");
            assert_eq!(found.commands[0].display(), expected, "{extra}");
            assert_eq!(found.commands[0].full_name(), "packages/web/x");
        }
    }

    #[test]
    fn broken_files_and_odd_names() {
        let found = read_alone("package.json", "{\n \"scripts\": {\n  \"a\": \"x\"\n");
        assert_eq!(found.problems[0].file, "package.json");
        let found = read_alone(
            "package.json",
            "\u{feff}{\"scripts\": {\"\": \"a\", \"--eval\": \"b\", \"日本\": \"c\", \"n\": 1}}",
        );
        assert_eq!(names(&found), ["日本"]);
        assert_eq!(found.problems.len(), 3);
        assert!(problems(&found)[2].contains("is not a string"));
        assert!(read_alone("package.json", "{}").commands.is_empty());
        assert_eq!(
            read_alone("package.json", r#"{"scripts": []}"#)
                .problems
                .len(),
            1
        );
    }
}
