//! The commands of a checkout as its tools know them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value as Json;

use super::{git, tools};

/// Folder, runner, name.
pub type Key = (String, String, String);

/// What the tools say, by format.
#[derive(Default)]
pub struct Truth {
    pub commands: BTreeMap<String, BTreeSet<Key>>,
    /// Files that a tool refused, or for which it is not installed.
    pub refused: Vec<String>,
    /// Those that exist only because a program was run while the file was read.
    pub computed: BTreeSet<Key>,
    /// Those that the tool accepts without saying that they are defined.
    tolerated: BTreeSet<Key>,
    /// The folders and runners about which a tool has said everything.
    judged: BTreeSet<(String, String, String)>,
}

/// Folders of scripts.
const SCRIPTS: &[&str] = &["", "bin", "ci", "hack", "script", "scripts", "tools"];

/// Files by their name, and the format that each is of.
const FILES: &[(&[&str], &str)] = &[
    (&["GNUmakefile", "makefile", "Makefile"], "make"),
    (&["package.json"], "package"),
    (&["pyproject.toml"], "pyproject"),
    (
        &[
            "Taskfile.yml",
            "taskfile.yml",
            "Taskfile.yaml",
            "taskfile.yaml",
            "Taskfile.dist.yml",
            "Taskfile.dist.yaml",
        ],
        "task",
    ),
    (&["justfile", "Justfile", ".justfile"], "just"),
    (&["Cargo.toml"], "cargo"),
    (&["deno.json", "deno.jsonc"], "deno"),
    (&["composer.json"], "composer"),
    (&["turbo.json", "turbo.jsonc"], "turbo"),
    (&["Rakefile", "rakefile"], "rake"),
    (&["noxfile.py"], "nox"),
    (&["tox.ini", "tox.toml"], "tox"),
    (
        &["poe_tasks.toml", "poe_tasks.yaml", "poe_tasks.json"],
        "poe",
    ),
    (&["hatch.toml"], "hatch"),
    (&["pixi.toml"], "pixi"),
    (&["mise.toml", ".mise.toml"], "mise"),
    (
        &[
            "compose.yaml",
            "compose.yml",
            "docker-compose.yml",
            "docker-compose.yaml",
        ],
        "compose",
    ),
    (&["moon.yml"], "moon"),
    (&["project.json"], "nx"),
    (&["CMakeLists.txt"], "cmake"),
    (&["CMakePresets.json"], "presets"),
    (&["pom.xml"], "maven"),
    (&[".pre-commit-config.yaml"], "pre-commit"),
    (&["lefthook.yml", ".lefthook.yml"], "lefthook"),
];

impl Truth {
    pub fn of(checkout: &Path) -> Self {
        let mut truth = Self::default();
        let tracked = git(checkout, &["ls-files", "-s"]);
        let files: Vec<(bool, &str)> = tracked
            .lines()
            .filter_map(|line| {
                let (facts, path) = line.split_once('\t')?;
                // Links are not followed.
                let is_file = !facts.starts_with("120000");
                is_file.then_some((facts.starts_with("100755"), path))
            })
            .filter(|(_, path)| is_looked_at(path) && checkout.join(path).exists())
            .collect();
        let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
        for (names, format) in FILES {
            for name in *names {
                let here = files.iter().filter_map(|(_, path)| {
                    let (folder, own) = path.rsplit_once('/').unwrap_or(("", path));
                    (own == *name).then_some(folder)
                });
                for folder in here {
                    if seen.insert((folder, format)) && belongs(checkout, format, folder) {
                        truth.format(checkout, format, folder, name);
                    }
                }
            }
        }
        for (executable, path) in &files {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            truth.script(checkout, folder, name, *executable);
            let above = folder.rsplit_once('/').map_or("", |(above, _)| above);
            match (folder.rsplit('/').next(), name) {
                (Some(".vscode"), "tasks.json") => {
                    truth.data(checkout, "vscode", folder, name, above);
                }
                (Some(".moon"), "tasks.yml") => {
                    truth.data(checkout, "moon", folder, name, above);
                }
                _ if folder.ends_with(".moon/tasks") && name.rsplit('.').next() == Some("yml") => {
                    let root = folder.trim_end_matches(".moon/tasks").trim_end_matches('/');
                    truth.data(checkout, "moon", folder, name, root);
                }
                (_, "Procfile" | "Procfile.dev") => {
                    truth.data(checkout, "procfile", folder, name, folder);
                }
                (Some(".cargo"), "config.toml") => {
                    truth.data(checkout, "alias", folder, name, above);
                }
                _ => {}
            }
            if folder == ".github/workflows"
                && let Some((stem, "yml" | "yaml")) = name.rsplit_once('.')
            {
                truth.add("actions", "", "act", stem);
            }
        }
        truth
    }

    /// Whether a listed command would be known if it existed.
    pub fn judges(&self, format: &str, (folder, runner, name): &Key) -> bool {
        let key = (format.to_owned(), folder.clone(), runner.clone());
        // Rake lists the files that it makes together with its tasks; which goals of Maven people
        // use is not in the file.
        let other = match runner.as_str() {
            "rake" => name.contains(['/', '.']),
            "mvn" => name.contains(':') && !name.starts_with("profile:"),
            // It accepts a session of one version under both names, and lists one.
            "nox" => name.rsplit_once('-').is_some_and(|(base, _)| {
                let all = self.commands.get("nox").into_iter().flatten();
                all.into_iter().any(|it| it.0 == *folder && it.2 == base)
            }),
            "cmake" => format == "presets" && !name.contains(':'),
            _ => false,
        };
        let key_of_another = |(known, all): (&String, &BTreeSet<Key>)| {
            known != format
                && all
                    .iter()
                    .any(|(f, r, n)| (f, r, n) == (folder, runner, name))
        };
        let known_otherwise = self.commands.iter().any(key_of_another)
            || (self.tolerated).contains(&(folder.clone(), runner.clone(), name.clone()));
        self.judged.contains(&key) && !other && !known_otherwise
    }

    fn add(&mut self, format: &str, folder: &str, runner: &str, name: &str) {
        // A name that begins with a dash would be an option of its runner.
        if name.is_empty() || name.starts_with('-') {
            return;
        }
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

    fn script(&mut self, checkout: &Path, folder: &str, name: &str, executable: bool) {
        let stem = name.strip_suffix(".sh");
        let named = stem.is_some() || (executable && !name.contains('.'));
        // A justfile may say by what it is run.
        let known = ["gradlew", "mvnw", "justfile", "Justfile", "Rakefile"];
        if !SCRIPTS.contains(&folder) || !named || known.contains(&name) {
            return;
        }
        let text = std::fs::read(checkout.join(folder).join(name)).unwrap_or_default();
        if text.starts_with(b"#!") || (executable && stem.is_some()) {
            self.add("scripts", folder, "sh", stem.unwrap_or(name));
        }
    }

    /// A file of plain data, whose commands belong to `folder`.
    fn data(&mut self, checkout: &Path, format: &str, place: &str, name: &str, folder: &str) {
        let here = checkout.join(place);
        let Some(mut found) = tools::data(&here, format, name) else {
            self.refused.push(format!("{format} {place}/{name}"));
            return;
        };
        // Poe knows what it includes, which may be all that it has.
        let text = std::fs::read_to_string(here.join(name)).unwrap_or_default();
        if format == "pyproject"
            && text.contains("tool.poe")
            && let Some(names) = tools::poe(&here)
        {
            found.insert("poe".to_owned(), names);
        }
        for (runner, names) in found {
            let (format, runner) = match (format, runner.as_str()) {
                ("package", _) => ("package", manager(checkout, folder)),
                ("pyproject", runner) => (runner, runner),
                (format, runner) => (format, runner),
            };
            self.all(format, folder, runner, &names);
        }
    }

    fn format(&mut self, checkout: &Path, format: &str, folder: &str, name: &str) {
        let here = checkout.join(folder);
        let found = match format {
            "make" => tools::make(&here, name).map(|targets| {
                let key = |name: &String| (folder.to_owned(), "make".to_owned(), name.clone());
                let by_shell = |name: &&String| !targets.without_shell.contains(*name);
                self.computed
                    .extend(targets.all.iter().filter(by_shell).map(key));
                self.tolerated.extend(targets.empty.iter().map(key));
                targets.all
            }),
            "just" => tools::just(&here),
            "task" => tools::task(&here, name),
            "cargo" => tools::cargo(&here),
            "rake" => tools::rake(&here),
            "poe" => tools::poe(&here),
            "nox" => tools::nox(&here),
            "mise" => tools::mise(&here),
            "tox" => tools::lines(&here, "tox", &["list", "--no-desc", "-q"]),
            "cmake" => return self.cmake(checkout, folder),
            _ => return self.data(checkout, format, folder, name, folder),
        };
        match found {
            Some(names) => self.all(format, folder, format, &names),
            None => self.refused.push(format!("{format} {folder}/{name}")),
        }
    }

    /// A target that only some option adds is not known by a project with its default options, so
    /// no target is judged to be one too many.
    fn cmake(&mut self, checkout: &Path, folder: &str) {
        let Some(found) = tools::cmake(&checkout.join(folder)) else {
            return self.refused.push(format!("cmake {folder}"));
        };
        for (inner, names) in found {
            let place = match (folder, inner.as_str()) {
                ("", inner) => inner.to_owned(),
                (folder, "") => folder.to_owned(),
                (folder, inner) => format!("{folder}/{inner}"),
            };
            // What it downloads is not a part of the checkout.
            for name in names.iter().filter(|_| !inner.starts_with(['/', '.'])) {
                self.add("cmake", &place, "cmake", name);
            }
        }
    }
}

/// Whether a file of that format counts in this folder.
fn belongs(checkout: &Path, format: &str, folder: &str) -> bool {
    let above = |name: &str| {
        let folders = Path::new(folder).ancestors().skip(1);
        folders
            .filter(|it| checkout.join(it).join(name).exists())
            .count()
            > 0
    };
    match format {
        // Built from the top.
        "maven" => !above("pom.xml"),
        "cmake" => !above("CMakeLists.txt"),
        "nx" => checkout.join(folder).join("nx.json").exists() || above("nx.json"),
        // Other tools keep their settings in the file too.
        "tox" => {
            let here = checkout.join(folder);
            let text = std::fs::read_to_string(here.join("tox.ini")).unwrap_or_default();
            here.join("tox.toml").exists() || text.contains("[tox") || text.contains("[testenv")
        }
        _ => true,
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

/// The package manager, by the field and the lock files.
fn manager(checkout: &Path, folder: &str) -> &'static str {
    const ALL: &[&str] = &["npm", "pnpm", "yarn", "bun"];
    const LOCKS: &[(&str, &str)] = &[
        ("package-lock.json", "npm"),
        ("npm-shrinkwrap.json", "npm"),
        ("pnpm-lock.yaml", "pnpm"),
        ("yarn.lock", "yarn"),
        ("bun.lock", "bun"),
        ("bun.lockb", "bun"),
    ];
    let of_field = |here: &Path| {
        let text = std::fs::read_to_string(here.join("package.json")).ok()?;
        let package: Json = serde_json::from_str(&text).ok()?;
        let name = package["packageManager"].as_str()?.split('@').next()?;
        ALL.iter().copied().find(|it| *it == name)
    };
    if let Some(name) = of_field(&checkout.join(folder)) {
        return name;
    }
    for folder in Path::new(folder).ancestors() {
        let here = checkout.join(folder);
        let locked = LOCKS.iter().find(|(lock, _)| here.join(lock).exists());
        if let Some((_, name)) = locked {
            return name;
        }
        if let Some(name) = of_field(&here) {
            return name;
        }
    }
    "npm"
}
