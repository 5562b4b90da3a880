//! Cargo: the aliases of a project, and the programs that its packages build.

use crate::command::{ArgumentStyle, Kind};
use crate::data::{Node, Value, read_toml};
use crate::paths;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::pins;

/// `.cargo/config.toml`: aliases, in the folder above.
pub fn read_config(text: &str, context: &FileContext<'_>) -> Found {
    let config = match read_toml(text) {
        Ok(config) => config,
        Err(broken) => return Found::default().broken(context.path, broken),
    };
    let mut found = Found::default();
    let folder = paths::folder_of(context.folder());
    let seal = pins::cargo::pin(context, folder);
    for (name, alias) in config.get("alias").map(Node::entries).unwrap_or_default() {
        let words = words(alias);
        if words.is_empty() {
            let message = format!("the alias {name:?} is neither a string nor a list of strings");
            found.problem(context.path, alias.line, message);
            continue;
        }
        // An alias that ends in `--` (xtask) passes on all further arguments; others need their own
        // `--`.
        let arguments = if words.iter().any(|word| word == "--") {
            ArgumentStyle::Appended
        } else {
            ArgumentStyle::AfterDashes
        };
        let command = context
            .command(Runner::Cargo, name, &words.join(" "))
            .within(folder)
            .with_args([name])
            .at(alias.line)
            .described(Some(format!("cargo {}", words.join(" "))))
            .taking(arguments);
        found.push(command, &seal);
    }
    found
}

fn words(alias: &Node) -> Vec<String> {
    match &alias.value {
        Value::Text(text) => text.split_whitespace().map(str::to_owned).collect(),
        Value::List(items) => items
            .iter()
            .filter_map(|item| item.text())
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    }
}

/// `Cargo.toml`: every program of the package.
pub fn read_manifest(text: &str, context: &FileContext<'_>) -> Found {
    let manifest = match read_toml(text) {
        Ok(manifest) => manifest,
        Err(broken) => return Found::default().broken(context.path, broken),
    };
    let mut found = Found::default();
    let Some(package) = manifest.get("package") else {
        return found;
    };
    let Some(package_name) = package.text_at("name") else {
        return found;
    };
    let description = package.text_at("description");
    let seal = pins::cargo::pin(context, context.folder());
    let declared = manifest.get("bin").map(Node::items).unwrap_or_default();
    let mut add = |name: &str, line: usize, bin: Option<&Node>| {
        if found.has(name) {
            return;
        }
        let features = bin.and_then(|bin| bin.get("required-features"));
        let features = features.map(Node::texts).unwrap_or_default().join(",");
        let mut words = vec!["run", "--bin", name];
        if !features.is_empty() {
            words.extend(["--features", &features]);
        }
        let command = context
            .command(
                Runner::Cargo,
                name,
                &bin.map(Node::render).unwrap_or_default(),
            )
            .with_words(&words)
            .at(line)
            .described(description)
            .of_kind(Kind::Program)
            .taking(ArgumentStyle::AfterDashes);
        found.push(command, &seal);
    };
    for bin in declared {
        if let Some(name) = bin.text_at("name") {
            let line = bin.get("name").map_or(bin.line, |name| name.line);
            add(name, line, Some(bin));
        }
    }
    if package.is_false("autobins") {
        return found;
    }
    let file = |path: &str| paths::join_display(context.folder(), path);
    // A file that a declared program has as its path is not another one.
    let is_named = |path: &str| {
        let own = paths::resolve("", path);
        let mut written = declared.iter().filter_map(|bin| bin.text_at("path"));
        written.any(|it| paths::resolve("", it) == own)
    };
    if !is_named("src/main.rs") && context.source.exists(&file("src/main.rs")) {
        add(package_name, package.line, None);
    }
    for name in context.source.list(&file("src/bin")) {
        if let Some(stem) = name.strip_suffix(".rs")
            && !is_named(&format!("src/bin/{name}"))
        {
            add(stem, 1, None);
        }
    }
    for name in context.source.list_folders(&file("src/bin")) {
        let main = format!("src/bin/{name}/main.rs");
        if context.source.exists(&file(&main)) && !is_named(&main) {
            add(&name, 1, None);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, problems, read, read_alone, rows};
    use crate::command::ArgumentStyle;
    use crate::source::MemorySource;

    #[test]
    fn aliases_and_xtask() {
        let found = read_alone(
            "tool/.cargo/config.toml",
            "[build]\r\nrustc-wrapper = \"sccache\"\r\n[alias]\r\nxtask = \"run --package xtask --\"\r\nt = [\"test\", \"--workspace\"]\r\nbad = 1\r\n",
        );
        assert_eq!(
            rows(&found),
            [
                "xtask | cargo xtask | cargo run --package xtask --",
                "t | cargo t | cargo test --workspace",
            ]
        );
        assert_eq!(found.commands[0].full_name(), "tool/xtask");
        assert_eq!(found.commands[0].arguments, ArgumentStyle::Appended);
        assert_eq!(found.commands[1].arguments, ArgumentStyle::AfterDashes);
        assert_eq!(found.problems.len(), 1);
    }

    #[test]
    fn declared_and_detected_programs() {
        let source = MemorySource::default()
            .with(
                "crates/a/Cargo.toml",
                "[package]\nname = \"a\"\n[[bin]]\nname = \"tool\"\npath = \"src/tool.rs\"\n",
            )
            .with("crates/a/src/main.rs", "")
            .with("crates/a/src/bin/extra.rs", "")
            .with("crates/a/src/bin/notes.txt", "");
        let found = read(&source, "crates/a/Cargo.toml");
        assert_eq!(names(&found), ["tool", "a", "extra"]);
        assert_eq!(found.commands[0].display(), "cargo run --bin tool");
        assert_eq!(found.commands[0].line, 4);
    }

    #[test]
    fn workspaces_libraries_and_broken_files() {
        assert!(
            read_alone("Cargo.toml", "[workspace]\nmembers = []\n")
                .commands
                .is_empty()
        );
        assert!(
            read_alone("Cargo.toml", "[package]\nname = \"lib\"\n")
                .commands
                .is_empty()
        );
        assert_eq!(problems(&read_alone("Cargo.toml", "[package\n")).len(), 1);
    }
}
