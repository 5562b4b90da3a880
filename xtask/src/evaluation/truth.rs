//! The commands of a checkout as its tools know them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value as Json;

use super::git;

/// Folder, runner, name.
pub type Key = (String, String, String);

/// What the tools say, by format.
#[derive(Default)]
pub struct Truth {
    pub commands: BTreeMap<String, BTreeSet<Key>>,
    /// Files that a tool refused, or for which it is not installed.
    pub refused: Vec<String>,
    /// The folders and runners about which a tool has said everything.
    judged: BTreeSet<(String, String, String)>,
}

/// Folders of scripts.
const SCRIPTS: &[&str] = &["", "bin", "ci", "hack", "script", "scripts", "tools"];

impl Truth {
    pub fn of(checkout: &Path) -> Self {
        let mut truth = Self::default();
        let tracked = git(checkout, &["ls-files", "-s"]);
        let files: Vec<(bool, &str)> = tracked
            .lines()
            .filter_map(|line| {
                let (facts, path) = line.split_once('\t')?;
                Some((facts.starts_with("100755"), path))
            })
            .filter(|(_, path)| is_looked_at(path))
            .collect();
        let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
        for (executable, path) in &files {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            if *executable {
                truth.script(checkout, folder, name);
            }
            let format = match name {
                "GNUmakefile" | "makefile" | "Makefile" => "make",
                "package.json" => "package",
                "pyproject.toml" => "pyproject",
                "Taskfile.yml" | "Taskfile.yaml" | "taskfile.yml" | "Taskfile.dist.yml" => "task",
                "justfile" | "Justfile" | ".justfile" => "just",
                "Cargo.toml" => "cargo",
                "deno.json" => "deno",
                "composer.json" => "composer",
                "turbo.json" => "turbo",
                "Rakefile" | "rakefile" => "rake",
                "noxfile.py" => "nox",
                "tox.ini" | "tox.toml" => "tox",
                "hatch.toml" => "hatch",
                "mise.toml" | ".mise.toml" => "mise",
                _ => {
                    if folder == ".github/workflows"
                        && let Some((stem, "yml" | "yaml")) = name.rsplit_once('.')
                    {
                        truth.add("actions", "", "act", stem);
                    }
                    continue;
                }
            };
            if seen.insert((folder, format)) {
                truth.format(checkout, format, folder, name);
            }
        }
        truth
    }

    /// Whether a listed command would be known if it existed.
    pub fn judges(&self, format: &str, (folder, runner, name): &Key) -> bool {
        let key = (format.to_owned(), folder.clone(), runner.clone());
        // Rake lists the files that it makes together with its tasks.
        let file = runner == "rake" && name.contains(['/', '.']);
        self.judged.contains(&key) && !file
    }

    fn add(&mut self, format: &str, folder: &str, runner: &str, name: &str) {
        let key = (folder.to_owned(), runner.to_owned(), name.to_owned());
        self.commands
            .entry(format.to_owned())
            .or_default()
            .insert(key);
    }

    /// All names of a format in a folder.
    fn all(&mut self, format: &str, folder: &str, runner: &str, names: &[String]) {
        self.judged
            .insert((format.to_owned(), folder.to_owned(), runner.to_owned()));
        self.commands.entry(format.to_owned()).or_default();
        for name in names {
            self.add(format, folder, runner, name);
        }
    }

    fn script(&mut self, checkout: &Path, folder: &str, name: &str) {
        let path = checkout.join(folder).join(name);
        let text = std::fs::read(path).unwrap_or_default();
        let stem = name.strip_suffix(".sh");
        let counts = SCRIPTS.contains(&folder)
            && (stem.is_some() || (text.starts_with(b"#!") && !name.contains('.')))
            && !["gradlew", "mvnw"].contains(&name);
        if counts {
            self.add("scripts", folder, "sh", stem.unwrap_or(name));
        }
    }

    fn format(&mut self, checkout: &Path, format: &str, folder: &str, name: &str) {
        let here = checkout.join(folder);
        let json = || -> Option<Json> {
            serde_json::from_str(&std::fs::read_to_string(here.join(name)).ok()?).ok()
        };
        let keys = |value: &Json| -> Vec<String> {
            let object = value.as_object();
            object
                .map(|it| it.keys().cloned().collect())
                .unwrap_or_default()
        };
        let found: Option<Vec<(&str, Vec<String>)>> = match format {
            "make" => make(&here, name).map(|names| vec![("make", names)]),
            "package" => {
                json().map(|it| vec![(manager(checkout, folder, &it), keys(&it["scripts"]))])
            }
            "deno" => json().map(|it| vec![("deno", keys(&it["tasks"]))]),
            "composer" => json().map(|it| vec![("composer", keys(&it["scripts"]))]),
            "turbo" => json().map(|it| vec![("turbo", keys(&it["tasks"]))]),
            "just" => just(&here).map(|names| vec![("just", names)]),
            "task" => task(&here, name).map(|names| vec![("task", names)]),
            "cargo" => cargo(&here).map(|names| vec![("cargo", names)]),
            "rake" => rake(&here).map(|names| vec![("rake", names)]),
            "nox" => nox(&here).map(|names| vec![("nox", names)]),
            // Other tools keep their settings in the file too.
            "tox" if !has_tox(&here.join(name)) => Some(Vec::new()),
            "tox" => lines(&here, "tox", &["list", "--no-desc", "-q"]).map(|it| vec![("tox", it)]),
            "pyproject" | "mise" | "hatch" => python(&here, name),
            _ => None,
        };
        match found {
            Some(groups) => {
                for (runner, names) in groups {
                    let name = if format == "pyproject" {
                        runner
                    } else {
                        format
                    };
                    self.all(name, folder, runner, &names);
                }
            }
            None => self.refused.push(format!("{format} {folder}/{name}")),
        }
    }
}

/// Not in folders that are not looked into.
fn is_looked_at(path: &str) -> bool {
    let skipped = [
        "node_modules",
        "vendor",
        "venv",
        "bower_components",
        "__pycache__",
    ];
    let hidden = [
        ".github",
        ".cargo",
        ".mise",
        ".config",
        ".devcontainer",
        ".vscode",
        ".moon",
    ];
    let mut folders = path.rsplit('/').skip(1);
    folders.all(|it| !skipped.contains(&it) && (!it.starts_with('.') || hidden.contains(&it)))
}

/// What a program prints, if it ends well within a minute.
fn printed(here: &Path, program: &str, words: &[&str]) -> Option<String> {
    let output = Command::new("timeout")
        .args(["60", program])
        .args(words)
        .current_dir(here)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    // Make ends with 1 or 2 where something is not up to date.
    let ended = output.status.success() || program == "make";
    ended.then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn has_tox(path: &Path) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.contains("[tox") || text.contains("[testenv") || path.ends_with("tox.toml")
}

fn lines(here: &Path, program: &str, words: &[&str]) -> Option<Vec<String>> {
    let text = printed(here, program, words)?;
    let names = text
        .lines()
        .map(str::trim)
        .filter(|it| !it.is_empty() && !it.contains(' '));
    Some(names.map(str::to_owned).collect())
}

/// The explicit targets of make's database that are not files.
fn make(here: &Path, name: &str) -> Option<Vec<String>> {
    let text = printed(here, "make", &["-pqrR", "-f", name, ".no-such-target"])?;
    let (_, files) = text.split_once("\n# Files")?;
    let mut names = Vec::new();
    for block in files.split("\n\n") {
        let mut lines = block.lines();
        let first = lines.next().unwrap_or_default();
        let is_rule = !first.starts_with(['#', '\t', ' ']);
        let Some((name, _)) = first.split_once(':').filter(|_| is_rule) else {
            continue;
        };
        let phony = block.contains("Phony target");
        let file = name.contains(['/', '.']) && !phony;
        let odd =
            name.starts_with(['.', '_', '-']) || name.contains(['%', '$', '=', '*', '(', ')']);
        // Named as phony and nowhere else; or a folder.
        let empty = first.trim_end().ends_with(':') && !block.contains("recipe to execute");
        if !name.is_empty() && !file && !odd && !empty && name != "FORCE" && !name.starts_with('/')
        {
            names.push(name.to_owned());
        }
    }
    // A makefile that stops at an error tells nothing.
    (!names.is_empty()).then_some(names)
}

/// The package manager, by the field and the lock files.
fn manager(checkout: &Path, folder: &str, package: &Json) -> &'static str {
    const ALL: &[&str] = &["npm", "pnpm", "yarn", "bun"];
    let of_field = |package: &Json| {
        let name = package["packageManager"]
            .as_str()?
            .split('@')
            .next()?
            .to_owned();
        ALL.iter().copied().find(|it| *it == name)
    };
    if let Some(name) = of_field(package) {
        return name;
    }
    let mut above = Some(Path::new(folder));
    while let Some(folder) = above {
        let here = checkout.join(folder);
        for (lock, name) in [
            ("package-lock.json", "npm"),
            ("npm-shrinkwrap.json", "npm"),
            ("pnpm-lock.yaml", "pnpm"),
            ("yarn.lock", "yarn"),
            ("bun.lock", "bun"),
            ("bun.lockb", "bun"),
        ] {
            if here.join(lock).exists() {
                return name;
            }
        }
        let text = std::fs::read_to_string(here.join("package.json")).unwrap_or_default();
        if let Some(name) = serde_json::from_str(&text).ok().as_ref().and_then(of_field) {
            return name;
        }
        above = folder.parent();
    }
    "npm"
}

fn just(here: &Path) -> Option<Vec<String>> {
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

fn task(here: &Path, name: &str) -> Option<Vec<String>> {
    let text = printed(here, "task", &["--taskfile", name, "--list-all", "--json"])?;
    let list: Json = serde_json::from_str(&text).ok()?;
    let tasks = list["tasks"].as_array()?.iter();
    // Before it shows them, task takes the colon off the names of included ones.
    Some(
        tasks
            .filter_map(|it| Some(it["name"].as_str()?.trim_end_matches(':').to_owned()))
            .collect(),
    )
}

fn cargo(here: &Path) -> Option<Vec<String>> {
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

fn rake(here: &Path) -> Option<Vec<String>> {
    let text = printed(here, "rake", &["-AT"])?;
    let names = text.lines().filter_map(|line| {
        let name = line.strip_prefix("rake ")?.split([' ', '[']).next()?;
        // Files that rake makes are no commands.
        (!name.contains(['/', '.'])).then(|| name.to_owned())
    });
    Some(names.collect())
}

/// The JSON of nox has only the sessions that run by default; its list has all.
fn nox(here: &Path) -> Option<Vec<String>> {
    let text = printed(here, "nox", &["--list"])?;
    let mut names = BTreeSet::new();
    for line in text.lines() {
        let Some(name) = line.strip_prefix("* ").or_else(|| line.strip_prefix("- ")) else {
            continue;
        };
        // Without parameters, and with and without a version.
        let name = name.split([' ', '(']).next()?.to_owned();
        if let Some((base, version)) = name.rsplit_once('-')
            && version.starts_with(|it: char| it.is_ascii_digit() || it == 'p')
        {
            names.insert(base.to_owned());
        }
        names.insert(name);
    }
    Some(names.into_iter().collect())
}

/// Runners whose commands are in files of Python projects.
const RUNNERS: &[&str] = &["uv", "poetry", "pdm", "rye", "poe", "hatch", "pixi", "mise"];

/// Tables of TOML, read by Python.
fn python(here: &Path, name: &str) -> Option<Vec<(&'static str, Vec<String>)>> {
    const PROGRAM: &str = r#"
import json, sys, tomllib
file = tomllib.load(open(sys.argv[1], "rb"))
tool = file.get("tool", {})
name = sys.argv[1].rsplit("/")[-1]
def visible(table): return [k for k in table if not k.startswith("_")]
def hatch(table):
    return [k if e == "default" else e + ":" + k
            for e, env in table.get("envs", {}).items() for k in visible(env.get("scripts", {}))]
if name == "pyproject.toml":
    out = {"poetry": visible(tool.get("poetry", {}).get("scripts", {})), "pdm": visible(tool.get("pdm", {}).get("scripts", {})),
           "rye": visible(tool.get("rye", {}).get("scripts", {})), "poe": visible(tool.get("poe", {}).get("tasks", {})),
           "hatch": hatch(tool.get("hatch", {})), "pixi": visible(tool.get("pixi", {}).get("tasks", {}))}
    entries = list(file.get("project", {}).get("scripts", {}))
    here = lambda name: __import__("os").path.exists(name)
    manager = next((r for f, r in (("uv.lock", "uv"), ("poetry.lock", "poetry"), ("pdm.lock", "pdm")) if here(f)),
                   next((r for r in ("uv", "poetry", "pdm", "hatch") if r in tool), "uv"))
    out[manager] = out.get(manager, []) + entries
elif name == "hatch.toml": out = {"hatch": hatch(file)}
else:
    import os
    files = []
    usual = ["mise-tasks", ".mise-tasks", "mise/tasks", ".mise/tasks"]
    for top in file.get("task_config", {}).get("includes", usual):
        for base, _, names in os.walk(top):
            inner = [p for p in os.path.relpath(base, top).split("/") if p != "."]
            files += [":".join(inner + [n.rsplit(".", 1)[0]]) for n in names if os.access(os.path.join(base, n), os.X_OK)]
    out = {"mise": files + [k for k, v in file.get("tasks", {}).items() if not (isinstance(v, dict) and v.get("hide"))]}
print(json.dumps({k: v for k, v in out.items() if v}))
"#;
    let text = printed(here, "python3", &["-c", PROGRAM, name])?;
    let mut found: BTreeMap<String, Vec<String>> = serde_json::from_str(&text).ok()?;
    // Poe knows what it includes.
    if let Some(tasks) = found.get_mut("poe")
        && let Some(text) = printed(here, "poe", &["_list_tasks"])
    {
        *tasks = text.split_whitespace().map(str::to_owned).collect();
    }
    let known = RUNNERS
        .iter()
        .filter_map(|runner| Some((*runner, found.get(*runner)?.clone())));
    Some(known.collect())
}
