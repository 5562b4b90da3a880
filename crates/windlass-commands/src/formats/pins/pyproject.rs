//! What the runners of Python projects read: the tables of pyproject.toml that decide, what poe
//! includes, files of variables, and each runner's own settings.

use std::collections::HashSet;
use std::rc::Rc;

use crate::data::{Node, Value, read_toml};
use crate::decides::{Decides, How};
use crate::paths;
use crate::pinner::{Pinner, Seal};
use crate::runner::Runner;
use crate::source::{FileContext, MAX_INCLUDES};

use super::super::poe;

pub const UV: &[Decides] = &[
    Decides::upwards("uv.toml", How::Settings),
    Decides::upwards(".python-version", How::Whole),
    Decides::upwards(".python-versions", How::Whole),
];
pub const POETRY: &[Decides] = &[Decides::here("poetry.toml", How::Settings)];
pub const PDM: &[Decides] = &[
    Decides::here("pdm.toml", How::Settings),
    Decides::here(".pdm.toml", How::Settings),
    Decides::here(".pdm-python", How::Whole),
];
pub const HATCH: &[Decides] = &[Decides::here("hatch.toml", How::Settings)];
pub const RYE: &[Decides] = &[
    Decides::here(".python-version", How::Whole),
    Decides::upwards("uv.toml", How::Settings),
];
/// Poe starts tasks by the tool that it finds.
pub const POE: &[Decides] = &[
    Decides::here("poetry.toml", How::Settings),
    Decides::upwards("uv.toml", How::Settings),
    Decides::here("poe_tasks.toml", How::Whole),
    Decides::here("poe_tasks.yaml", How::Whole),
    Decides::here("poe_tasks.json", How::Whole),
];

pub const fn declared(runner: Runner) -> &'static [Decides] {
    match runner {
        Runner::Poetry => POETRY,
        Runner::Pdm => PDM,
        Runner::Hatch => HATCH,
        Runner::Poe => POE,
        Runner::Rye => RYE,
        _ => UV,
    }
}

/// The keys of `[project]` that decide.
const PROJECT: &[&str] = &[
    "dynamic",
    "entry-points",
    "gui-scripts",
    "name",
    "requires-python",
    "scripts",
];
/// The tables of `[tool]` that decide, and the keys in them that do not.
const TOOLS: &[(&str, &[&str])] = &[
    ("hatch", &["version"]),
    ("pdm", &["dev-dependencies", "overrides", "version"]),
    ("pixi", &["dependencies", "pypi-dependencies"]),
    ("poe", &[]),
    (
        "poetry",
        &[
            "authors",
            "classifiers",
            "dependencies",
            "description",
            "dev-dependencies",
            "documentation",
            "extras",
            "group",
            "homepage",
            "keywords",
            "license",
            "maintainers",
            "readme",
            "repository",
            "urls",
            "version",
        ],
    ),
    ("rye", &["dev-dependencies"]),
    ("taskipy", &[]),
    ("tox", &[]),
    (
        "uv",
        &[
            "constraint-dependencies",
            "dev-dependencies",
            "override-dependencies",
            "sources",
        ],
    ),
];

pub fn pin(context: &FileContext<'_>, runner: Runner) -> Seal {
    let mut pinner = Pinner::new(context);
    let folder = context.folder();
    let own_file = paths::name_of(context.path) != "pyproject.toml";
    if own_file {
        pinner.whole(context.path);
    }
    let project = parts(&mut pinner, &paths::join_display(folder, "pyproject.toml"));
    let mut reader = Reader {
        pinner,
        folder,
        visited: HashSet::new(),
    };
    if own_file && runner == Runner::Poe {
        reader.included(context.path, 0);
    }
    if matches!(runner, Runner::Poe | Runner::Hatch) {
        reader.pinner.local_program(folder, runner.program());
    }
    if let Some(project) = project {
        let table = match runner {
            Runner::Poe => "poe",
            Runner::Pdm => "pdm",
            Runner::Rye => "rye",
            _ => "",
        };
        if let Some(settings) = project.at(&["tool", table]) {
            reader.variables(context.path, settings, 0);
            if runner == Runner::Poe {
                reader.includes(context.path, settings, 0);
            }
        }
    }
    if runner == Runner::Uv {
        // The workspace that the project may belong to.
        for above in paths::ancestors(folder).skip(1) {
            parts(
                &mut reader.pinner,
                &paths::join_display(above, "pyproject.toml"),
            );
        }
    }
    reader.pinner.declared(folder, declared(runner));
    reader.pinner.seal()
}

pub fn parts(pinner: &mut Pinner<'_>, path: &str) -> Option<Rc<Node>> {
    let memo = pinner.memo.clone();
    match memo.parsed(pinner.source, path, read_toml) {
        Ok(project) => {
            pinner.parts(path, "build system, scripts and tools", || {
                deciding(&project)
            });
            Some(project)
        }
        Err(problem) => {
            pinner.unparsed(path, &problem);
            None
        }
    }
}

fn deciding(project: &Node) -> String {
    let mut out = String::new();
    let mut add = |name: &str, text: String| {
        if text != "{}" {
            out.extend([name, " ", &text, "\n"]);
        }
    };
    if let Some(build) = project.get("build-system") {
        add("build-system", build.canonical());
    }
    if let Some(table) = project.get("project") {
        add(
            "project",
            table.canonical_without(|key| !PROJECT.contains(&key)),
        );
    }
    for (tool, harmless) in TOOLS {
        if let Some(table) = project.at(&["tool", tool]) {
            let text = table.canonical_without(|key| harmless.contains(&key));
            add(&format!("tool.{tool}"), text);
        }
    }
    out
}

struct Reader<'a> {
    pinner: Pinner<'a>,
    /// Of the project.
    folder: &'a str,
    visited: HashSet<String>,
}

impl Reader<'_> {
    /// Files of variables, wherever in the settings they are named.
    fn variables(&mut self, from: &str, node: &Node, depth: usize) {
        if depth > MAX_INCLUDES {
            return;
        }
        for (key, value) in node.entries() {
            if ["envfile", "env_file", "env-file"].contains(&key.as_str()) {
                for written in value.texts() {
                    if let Some(path) = self.named(from, &written) {
                        self.pinner.variables(&path);
                    }
                }
            } else {
                self.variables(from, value, depth + 1);
            }
        }
        for item in node.items() {
            self.variables(from, item, depth + 1);
        }
    }

    fn named(&mut self, from: &str, written: &str) -> Option<String> {
        let Some((folder, written)) = poe::start(self.pinner.source, self.folder, from, written)
        else {
            let reason = format!("{from} reads a file whose name is computed: {written}");
            self.pinner.unreadable(reason);
            return None;
        };
        self.pinner.resolve(from, &folder, written)
    }

    fn includes(&mut self, from: &str, settings: &Node, depth: usize) {
        if settings.get("include_script").is_some() {
            let reason = format!("{from} has tasks that a script of the project makes");
            self.pinner.unreadable(reason);
        }
        let Some(include) = settings.get("include") else {
            return;
        };
        let one = [include.clone()];
        let list = match &include.value {
            Value::List(items) => items.as_slice(),
            _ => one.as_slice(),
        };
        for item in list {
            let Some(written) = item.text().or_else(|| item.text_at("path")) else {
                continue;
            };
            if let Some(path) = self.named(from, written) {
                self.included(&path, depth + 1);
            }
        }
    }

    fn included(&mut self, path: &str, depth: usize) {
        if !self.visited.insert(path.to_owned()) {
            return;
        }
        if depth > MAX_INCLUDES {
            let reason = format!("{path} is included more than {MAX_INCLUDES} levels deep");
            return self.pinner.unreadable(reason);
        }
        let Some(text) = self.pinner.whole(path) else {
            return;
        };
        let Ok(node) = poe::parser(path)(&text) else {
            return;
        };
        let settings = poe::settings_of(&node);
        self.variables(path, settings, 0);
        self.includes(path, settings, depth);
    }
}
