//! What the package managers of JavaScript read: the scripts and settings of package.json here and
//! above, of the packages that scripts lead to, and the managers' own settings.

use std::rc::Rc;

use crate::data::{Node, read_json, read_yaml};
use crate::decides::{Decides, How, Place};
use crate::paths;
use crate::pinner::{Pinner, Seal};
use crate::runner::Runner;
use crate::source::FileContext;

use super::workspace;

pub const NPM: &[Decides] = &[Decides::here(".npmrc", How::Settings)];
pub const PNPM: &[Decides] = &[
    Decides::here(".npmrc", How::Settings),
    Decides::here(".pnpmfile.cjs", How::Whole),
    Decides::here(".pnpmfile.mjs", How::Whole),
    Decides::here(".corepack.env", How::Variables),
];
pub const YARN: &[Decides] = &[
    Decides::upwards(".yarnrc.yml", How::Settings),
    Decides::upwards(".yarnrc", How::Settings),
    Decides::here(".npmrc", How::Settings),
    Decides::here(".env.yarn", How::Variables),
    Decides::here(".corepack.env", How::Variables),
];
pub const BUN: &[Decides] = &[
    Decides::here("bunfig.toml", How::Settings),
    Decides::here(".npmrc", How::Settings),
    Decides::here(".env", How::Variables),
    Decides::here(".env.local", How::Variables),
    Decides::here(".env.development", How::Variables),
    Decides::here(".env.development.local", How::Variables),
    Decides::here(".env.production", How::Variables),
    Decides::here(".env.production.local", How::Variables),
    Decides::here(".env.test", How::Variables),
    Decides::here(".env.test.local", How::Variables),
];

/// Keys of package.json that decide nothing about what a script runs. All others are pinned, also
/// those that nobody here knows.
const HARMLESS: &[&str] = &[
    "$schema",
    "author",
    "browser",
    "browserslist",
    "bugs",
    "bundleDependencies",
    "bundledDependencies",
    "contributors",
    "cpu",
    "dependencies",
    "dependenciesMeta",
    "description",
    "devDependencies",
    "eslintConfig",
    "eslintIgnore",
    "exports",
    "files",
    "funding",
    "homepage",
    "imports",
    "keywords",
    "libc",
    "license",
    "licenses",
    "main",
    "maintainers",
    "man",
    "module",
    "optionalDependencies",
    "os",
    "overrides",
    "peerDependencies",
    "peerDependenciesMeta",
    "prettier",
    "private",
    "publishConfig",
    "repository",
    "resolutions",
    "sideEffects",
    "types",
    "typesVersions",
    "typings",
    "version",
];

/// Words in scripts that start the scripts of other packages of the workspace.
const OVER_PACKAGES: &[&str] = &[
    "-F",
    "-r",
    "-w",
    "-ws",
    "--all",
    "--filter",
    "--recursive",
    "--workspace",
    "--workspaces",
    "foreach",
    "lerna",
    "multi",
    "nx",
    "rush",
    "turbo",
    "ultra",
    "workspace",
    "workspaces",
    "wsrun",
];

/// Options and commands before the folder of another package.
const FOLDERS: &[&str] = &["--prefix", "--cwd", "--dir", "-C", "cd", "pushd"];

/// The list of a package manager.
pub const fn declared(runner: Runner) -> &'static [Decides] {
    match runner {
        Runner::Pnpm => PNPM,
        Runner::Yarn => YARN,
        Runner::Bun => BUN,
        _ => NPM,
    }
}

pub fn pin(context: &FileContext<'_>, runner: Runner) -> Seal {
    let mut pinner = Pinner::new(context);
    let folder = context.folder();
    package(&mut pinner, folder, 0);
    manager(&mut pinner, folder, runner);
    pinner.seal()
}

/// The pins of a program that a package installs: its file, and what node reads of the package. What
/// it imports is the project's code.
pub fn pin_program(context: &FileContext<'_>, path: &str) -> Seal {
    let mut pinner = Pinner::new(context);
    pinner.whole(path);
    parts(&mut pinner, context.path);
    pinner.seal()
}

/// Pins what decides in the package.json of a folder, and of those that its scripts lead to.
pub fn package(pinner: &mut Pinner<'_>, folder: &str, depth: usize) {
    let path = paths::join_display(folder, "package.json");
    if pinner.is_pinned(&path) {
        return;
    }
    let Some(package) = parts(pinner, &path) else {
        return;
    };
    let scripts = package
        .get("scripts")
        .map(Node::entries)
        .unwrap_or_default();
    let texts: Vec<&str> = scripts.iter().filter_map(|(_, it)| it.text()).collect();
    let words = || texts.iter().flat_map(|text| words(text));
    if words().any(|word| OVER_PACKAGES.contains(&word.split('=').next().unwrap_or(word))) {
        workspace::pin(pinner, folder);
    }
    if depth > 8 {
        return;
    }
    for text in &texts {
        let all: Vec<&str> = self::words(text).collect();
        for pair in all.windows(2) {
            let written = match pair[0].split_once('=') {
                Some((option, value)) if FOLDERS.contains(&option) => value,
                _ if FOLDERS.contains(&pair[0]) => pair[1],
                _ => continue,
            };
            let written = written.trim_matches(['"', '\'']);
            if let Some(other) = paths::resolve(folder, written)
                && !written.contains(['$', '`'])
                && pinner
                    .source
                    .exists(&paths::join_display(&other, "package.json"))
            {
                self::package(pinner, &other, depth + 1);
            }
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let sign = |it: char| it.is_whitespace() || ";&|()".contains(it);
    text.split(sign).filter(|word| !word.is_empty())
}

/// Pins what decides in a package.json.
pub fn parts(pinner: &mut Pinner<'_>, path: &str) -> Option<Rc<Node>> {
    let memo = pinner.memo.clone();
    match memo.parsed(pinner.source, path, read_json) {
        Ok(package) => {
            // Managers hand the fields to scripts as variables.
            let scripts = package
                .get("scripts")
                .map(Node::entries)
                .unwrap_or_default();
            let used = |it: &str| it.contains("npm_package_");
            let all = scripts.iter().filter_map(|(_, it)| it.text()).any(used);
            pinner.parts(path, "scripts and settings", || {
                package.canonical_without(|key| !all && HARMLESS.contains(&key))
            });
            Some(package)
        }
        Err(problem) => {
            pinner.unparsed(path, &problem);
            None
        }
    }
}

/// Pins the settings of a package manager for a package in that folder.
pub fn manager(pinner: &mut Pinner<'_>, folder: &str, runner: Runner) {
    let list = declared(runner);
    for above in paths::ancestors(folder) {
        let path = paths::join_display(above, "package.json");
        if !pinner.is_pinned(&path) {
            parts(pinner, &path);
        }
        let spaces = paths::join_display(above, "pnpm-workspace.yaml");
        if runner == Runner::Pnpm {
            pnpm_workspace(pinner, &spaces);
        }
        // The folder of a package or of a workspace; elsewhere no manager looks.
        let counts = above == folder
            || pinner.source.exists(&path)
            || (runner == Runner::Pnpm && pinner.source.exists(&spaces));
        for decides in list {
            if counts || decides.place == Place::Upwards {
                let here = Decides {
                    place: Place::Folder,
                    ..*decides
                };
                pinner.declared(above, &[here]);
            }
        }
        if runner == Runner::Yarn {
            yarn_files(pinner, above);
        }
        for name in [".npmrc", ".yarnrc", "pnpm-workspace.yaml", "bunfig.toml"] {
            programs(pinner, above, name);
        }
    }
}

/// Files of the project that settings name, such as the shell of scripts.
fn programs(pinner: &mut Pinner<'_>, folder: &str, name: &str) {
    let path = paths::join_display(folder, name);
    if !pinner.is_present(&path) {
        return;
    }
    let Ok(text) = pinner.source.read(&path) else {
        return;
    };
    for word in text.split([' ', '=', '\n', '\r', '"', '\'', ',', '[', ']']) {
        if word.contains('/')
            && let Some(file) = paths::resolve(folder, word)
            && pinner.source.exists(&file)
        {
            pinner.hashed(&file);
        }
    }
}

/// Pins the workspace of pnpm, which also has settings.
pub fn pnpm_workspace(pinner: &mut Pinner<'_>, path: &str) -> Option<Rc<Node>> {
    let memo = pinner.memo.clone();
    match memo.parsed(pinner.source, path, read_yaml) {
        Ok(node) => {
            pinner.parts(path, "all but catalogs", || {
                node.canonical_without(|key| ["catalog", "catalogs"].contains(&key))
            });
            Some(node)
        }
        Err(problem) => {
            pinner.unparsed(path, &problem);
            None
        }
    }
}

/// The programs and files of variables that yarn's settings name.
fn yarn_files(pinner: &mut Pinner<'_>, folder: &str) {
    let path = paths::join_display(folder, ".yarnrc.yml");
    let memo = pinner.memo.clone();
    if let Ok(settings) = memo.parsed(pinner.source, &path, read_yaml) {
        let plugins = settings.get("plugins").map(Node::items).unwrap_or_default();
        let plugin = |it: &Node| it.text().or_else(|| it.text_at("path")).map(str::to_owned);
        let programs = settings.text_at("yarnPath").map(str::to_owned);
        for written in programs
            .into_iter()
            .chain(plugins.iter().filter_map(plugin))
        {
            if let Some(file) = pinner.resolve(&path, folder, &written) {
                pinner.hashed(&file);
            }
        }
        let files = settings.get("injectEnvironmentFiles");
        for written in files.map(Node::items).unwrap_or_default() {
            let written = written.text().unwrap_or_default().trim_end_matches('?');
            if let Some(file) = pinner.resolve(&path, folder, written) {
                pinner.variables(&file);
            }
        }
    }
    let path = paths::join_display(folder, ".yarnrc");
    if let Ok(text) = pinner.source.read(&path) {
        for line in text.lines() {
            let rest = line
                .trim()
                .trim_start_matches('"')
                .strip_prefix("yarn-path");
            if let Some(rest) = rest {
                let written = rest.trim_matches(['"', '\'', ' ', ':']);
                if let Some(file) = pinner.resolve(&path, folder, written) {
                    pinner.hashed(&file);
                }
            }
        }
    }
}
