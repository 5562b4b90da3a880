//! What the tools themselves say about one definition file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value as Json;

/// Reads formats that are plain data.
const READER: &str = include_str!("truth.py");

/// What a program prints, if it ends well within a minute.
pub fn printed(here: &Path, program: &str, words: &[&str]) -> Option<String> {
    let output = Command::new("timeout")
        .args(["60", program])
        .args(words)
        .current_dir(here)
        .env("MISE_TRUSTED_CONFIG_PATHS", "/")
        .env("TASK_X_REMOTE_TASKFILES", "0")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    // Make ends with 1 or 2 where something is not up to date.
    let ended = output.status.success() || program == "make";
    ended.then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

pub fn lines(here: &Path, program: &str, words: &[&str]) -> Option<Vec<String>> {
    let text = printed(here, program, words)?;
    let names = text
        .lines()
        .map(str::trim)
        .filter(|it| !it.is_empty() && !it.contains(' '));
    Some(names.map(str::to_owned).collect())
}

/// The names in a file of plain data, by runner.
pub fn data(here: &Path, format: &str, name: &str) -> Option<BTreeMap<String, Vec<String>>> {
    let text = printed(here, "python3", &["-c", READER, format, name])?;
    serde_json::from_str(&text).ok()
}

/// The targets of a makefile, and those of them that exist without `$(shell …)`.
pub struct Targets {
    pub all: Vec<String>,
    /// Names without a recipe and prerequisites. Make accepts them, and does not say whether a rule
    /// has them or only `.PHONY`.
    pub empty: Vec<String>,
    pub without_shell: BTreeSet<String>,
}

pub fn make(here: &Path, name: &str) -> Option<Targets> {
    // First, because the other makes the files that this makefile includes.
    let (without_shell, _) = targets(here, name, &["SHELL=/bin/true"]);
    let (all, empty) = targets(here, name, &[]);
    // A makefile that stops at an error tells nothing.
    if all.is_empty() {
        return None;
    }
    Some(Targets {
        all,
        empty,
        without_shell: without_shell.into_iter().collect(),
    })
}

/// The explicit targets of make's database that are not files, and those that are empty.
fn targets(here: &Path, name: &str, more: &[&str]) -> (Vec<String>, Vec<String>) {
    let mut words = vec!["-pqrR", "-f", name];
    words.extend(more);
    words.push(".no-such-target");
    let text = printed(here, "make", &words).unwrap_or_default();
    let files = text.split_once("\n# Files").map(|(_, files)| files);
    let (mut names, mut without) = (Vec::new(), Vec::new());
    for block in files.unwrap_or_default().split("\n\n") {
        // Variables of the target come before it, as comments.
        let mut lines = block.lines().filter(|line| !line.starts_with('#'));
        let first = lines.next().unwrap_or_default();
        let is_rule = !first.starts_with(['\t', ' ']) && !block.contains("# Not a target:");
        let Some((name, _)) = first.split_once(':').filter(|_| is_rule) else {
            continue;
        };
        let phony = block.contains("Phony target");
        let file = name.contains(['/', '.']) && !phony;
        let odd =
            name.starts_with(['.', '_', '-']) || name.contains(['%', '$', '=', '*', '(', ')']);
        let empty = first.trim_end().ends_with(':') && !block.contains("recipe to execute");
        if name.is_empty() || file || odd || name == "FORCE" || name.starts_with('/') {
            continue;
        }
        // Make looks whether the makefile itself can be made, with or without a rule.
        let itself = name.ends_with("akefile") && !phony;
        let list = if empty || itself {
            &mut without
        } else {
            &mut names
        };
        list.push(name.to_owned());
    }
    (names, without)
}

pub fn just(here: &Path) -> Option<Vec<String>> {
    let text = printed(here, "just", &["--dump", "--dump-format", "json"])?;
    let dump: Json = serde_json::from_str(&text).ok()?;
    let mut names = Vec::new();
    just_module(&dump, "", &mut names);
    Some(names)
}

fn just_module(module: &Json, prefix: &str, names: &mut Vec<String>) {
    for (name, recipe) in module["recipes"].as_object().into_iter().flatten() {
        if recipe["private"] != true {
            names.push(format!("{prefix}{name}"));
        }
    }
    for (name, alias) in module["aliases"].as_object().into_iter().flatten() {
        let private = alias["attributes"]
            .as_array()
            .is_some_and(|it| it.iter().any(|it| it == "private"));
        if !private && !name.starts_with('_') {
            names.push(format!("{prefix}{name}"));
        }
    }
    for (name, inner) in module["modules"].as_object().into_iter().flatten() {
        just_module(inner, &format!("{prefix}{name}::"), names);
    }
}

pub fn task(here: &Path, name: &str) -> Option<Vec<String>> {
    let text = printed(here, "task", &["--taskfile", name, "--list-all", "--json"])?;
    let list: Json = serde_json::from_str(&text).ok()?;
    let tasks = list["tasks"].as_array()?.iter();
    // `name` is the label where a task has one. Before it shows them, task takes the colon off the
    // names of included ones.
    let name = |it: &Json| {
        let name = it["task"].as_str().or_else(|| it["name"].as_str())?;
        Some(name.trim_end_matches(':').to_owned())
    };
    Some(tasks.filter_map(name).collect())
}

/// The tasks of the configuration in a folder, without those of the folders above and of the user.
pub fn mise(here: &Path) -> Option<Vec<String>> {
    let text = printed(here, "mise", &["tasks", "ls", "--json"])?;
    let list: Json = serde_json::from_str(&text).ok()?;
    let own = list.as_array()?.iter().filter(|task| {
        let source = task["source"].as_str().unwrap_or_default();
        Path::new(source).starts_with(here)
    });
    // Below the root of a monorepo `//folder:name` is what `name` means in its folder.
    let name = |it: &Json| {
        let name = it["name"].as_str()?;
        let plain = name.strip_prefix("//").and_then(|it| it.split_once(':'));
        Some(plain.map_or(name, |(_, name)| name).to_owned())
    };
    Some(own.filter_map(name).collect())
}

pub fn cargo(here: &Path) -> Option<Vec<String>> {
    let words = [
        "metadata",
        "--no-deps",
        "--offline",
        "--format-version",
        "1",
        "--manifest-path",
        "Cargo.toml",
    ];
    let text = printed(here, "cargo", &words)?;
    let metadata: Json = serde_json::from_str(&text).ok()?;
    let own = here.join("Cargo.toml").canonicalize().ok()?;
    let packages = metadata["packages"].as_array()?.iter();
    let own = packages.filter(|it| {
        it["manifest_path"]
            .as_str()
            .is_some_and(|it| Path::new(it) == own)
    });
    let targets = own.flat_map(|it| it["targets"].as_array().cloned().unwrap_or_default());
    let bins = targets.filter(|it| {
        it["kind"]
            .as_array()
            .is_some_and(|it| it.iter().any(|it| it == "bin"))
    });
    Some(
        bins.filter_map(|it| Some(it["name"].as_str()?.to_owned()))
            .collect(),
    )
}

pub fn poe(here: &Path) -> Option<Vec<String>> {
    let text = printed(here, "poe", &["_list_tasks"])?;
    Some(text.split_whitespace().map(str::to_owned).collect())
}

pub fn rake(here: &Path) -> Option<Vec<String>> {
    let text = printed(here, "rake", &["-AT"])?;
    let names = text.lines().filter_map(|line| {
        let name = line.strip_prefix("rake ")?.split([' ', '[']).next()?;
        // Files that rake makes are no commands.
        (!name.contains(['/', '.'])).then(|| name.to_owned())
    });
    Some(names.collect())
}

/// The JSON of nox has only the sessions that run by default; its list has all.
pub fn nox(here: &Path) -> Option<Vec<String>> {
    let text = printed(here, "nox", &["--list"])?;
    let mut names = BTreeSet::new();
    for line in text.lines() {
        let Some(name) = line.strip_prefix("* ").or_else(|| line.strip_prefix("- ")) else {
            continue;
        };
        // Without parameters, and with and without a version.
        let name = name.split([' ', '(']).next()?.to_owned();
        if let Some((base, version)) = name.rsplit_once('-')
            && version
                .trim_start_matches("python")
                .trim_start_matches("pypy")
                .starts_with(|it: char| it.is_ascii_digit())
            && !base.ends_with("-pypy")
        {
            names.insert(base.to_owned());
        }
        names.insert(name);
    }
    Some(names.into_iter().collect())
}

/// The custom targets of a CMake project, by the folder of the file that adds them. It is configured
/// in a folder of its own, with its default options.
pub fn cmake(here: &Path) -> Option<BTreeMap<String, Vec<String>>> {
    let build = std::env::temp_dir().join(format!("windlass-cmake-{}", std::process::id()));
    let found = cmake_in(&build, here);
    let _ = std::fs::remove_dir_all(build);
    found
}

fn cmake_in(build: &Path, here: &Path) -> Option<BTreeMap<String, Vec<String>>> {
    let query = build.join(".cmake/api/v1/query");
    std::fs::create_dir_all(&query).ok()?;
    std::fs::write(query.join("codemodel-v2"), "").ok()?;
    let place = build.to_str()?;
    printed(here, "cmake", &["-S", ".", "-B", place, "-Wno-dev"])?;
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let reply = build.join(".cmake/api/v1/reply");
    for entry in std::fs::read_dir(reply).ok()?.flatten() {
        if !entry.file_name().to_string_lossy().starts_with("target-") {
            continue;
        }
        let text = std::fs::read_to_string(entry.path()).ok()?;
        let target: Json = serde_json::from_str(&text).ok()?;
        let (name, folder) = (
            target["name"].as_str()?,
            target["paths"]["source"].as_str()?,
        );
        // Modules of CMake itself add targets too.
        let graph = &target["backtraceGraph"];
        let node = target["backtrace"]
            .as_u64()
            .and_then(|it| usize::try_from(it).ok());
        let file = node.and_then(|node| graph["nodes"][node]["file"].as_u64());
        let file = file.and_then(|it| graph["files"][usize::try_from(it).ok()?].as_str());
        let own = file.is_some_and(|it| !it.starts_with('/'));
        if own && target["type"] == "UTILITY" && target["isGeneratorProvided"] != true {
            let folder = if folder == "." { "" } else { folder };
            found
                .entry(folder.to_owned())
                .or_default()
                .push(name.to_owned());
        }
    }
    Some(found)
}
