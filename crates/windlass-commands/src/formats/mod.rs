//! One module for each format; each is a pure function from the text of a file to its commands.

mod actions;
mod bazel;
mod cargo;
mod cmake;
mod cmake_calls;
mod cmake_conditions;
mod cmake_presets;
mod cmake_values;
mod compose;
mod composer;
mod deno;
mod gradle;
mod gradle_plugins;
mod gradle_tasks;
mod hatch;
mod hooks;
mod ini;
mod just;
mod just_lines;
mod make;
mod make_branches;
mod make_evaluated;
mod make_functions;
mod make_lines;
mod make_shell;
mod make_variables;
mod maven;
mod mise;
mod mise_files;
mod moon;
mod nox;
mod nx;
mod package_json;
mod pins;
mod pixi;
mod poe;
mod procfile;
mod pyproject;
mod rake;
mod rake_lines;
mod ruby;
mod script;
mod script_folder;
mod taskfile;
mod templates;
mod tox;
mod travis;
mod turbo;
mod vscode;

#[cfg(test)]
mod testing;

pub use pins::declared;
pub use pins::make::Sketch;
pub(crate) use pins::make::starts_make;
pub(crate) use pins::mise::pin as pin_mise;
pub(crate) use pins::script::depends_on_folder;

use crate::paths;
use crate::source::{FileContext, Found};

type Read = fn(&str, &FileContext<'_>) -> Found;

/// A kind of file that defines commands, in the order of discovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    Make,
    PackageJson,
    Pyproject,
    Taskfile,
    Turbo,
    Maven,
    Gradle,
    Actions,
    Compose,
    Travis,
    Cmake,
    Just,
    CargoConfig,
    CargoManifest,
    Mise,
    Deno,
    Composer,
    Rake,
    Script,
    MiseTask,
    CmakePresets,
    Hatch,
    Poe,
    Tox,
    Nox,
    Pixi,
    Moon,
    MoonTasks,
    Nx,
    Bazel,
    Lefthook,
    PreCommit,
    VsCode,
    Procfile,
}

/// File names, in the order in which the tool looks for them; it reads only the first that exists.
const NAMES: &[(Format, &[&str])] = &[
    (Format::Make, pins::make::NAMES),
    (Format::PackageJson, &["package.json"]),
    (Format::Pyproject, &["pyproject.toml"]),
    (Format::Taskfile, taskfile::NAMES),
    (Format::Turbo, &["turbo.json", "turbo.jsonc"]),
    (Format::Maven, &["pom.xml"]),
    (Format::Gradle, &["build.gradle", "build.gradle.kts"]),
    (
        Format::Compose,
        &[
            "compose.yaml",
            "compose.yml",
            "docker-compose.yml",
            "docker-compose.yaml",
        ],
    ),
    (Format::Travis, &[".travis.yml"]),
    (Format::Cmake, &["CMakeLists.txt"]),
    (Format::Just, just::NAMES),
    (Format::CargoManifest, &["Cargo.toml"]),
    (Format::Deno, &["deno.json", "deno.jsonc"]),
    (Format::Composer, &["composer.json"]),
    (Format::Rake, pins::rake::NAMES),
    (Format::CmakePresets, &["CMakePresets.json"]),
    (Format::Hatch, &["hatch.toml"]),
    (
        Format::Poe,
        &["poe_tasks.toml", "poe_tasks.yaml", "poe_tasks.json"],
    ),
    (Format::Tox, tox::NAMES),
    (Format::Nox, &["noxfile.py"]),
    (Format::Pixi, &["pixi.toml"]),
    (Format::Moon, &["moon.yml", "moon.yaml"]),
    (Format::Nx, &["project.json"]),
    (Format::Lefthook, hooks::LEFTHOOK),
    (
        Format::PreCommit,
        &[".pre-commit-config.yaml", ".pre-commit-config.yml"],
    ),
];

/// Folders whose scripts are commands. Scripts elsewhere are rarely started by hand, and there may
/// be thousands.
const SCRIPT_FOLDERS: &[&str] = &["", "bin", "ci", "hack", "script", "scripts", "tools"];

impl Format {
    /// The format of a file, and its rank among the names that the tool looks for. In one folder,
    /// only the file of a format with the lowest rank is read.
    pub fn of(path: &str) -> Option<(Self, usize)> {
        let (folder, name) = (paths::folder_of(path), paths::name_of(path));
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        // A workflow may have any name, also that of another tool's file.
        if folder == ".github/workflows" {
            return matches!(ending, Some("yml" | "yaml")).then_some((Self::Actions, 0));
        }
        for (format, names) in NAMES {
            if let Some(place) = names.iter().position(|known| *known == name) {
                return Some((*format, place));
            }
        }
        match (folder, name, ending) {
            (_, "config.toml", _) if paths::name_of(folder) == ".cargo" => {
                Some((Self::CargoConfig, 0))
            }
            _ if mise::is_configuration(path) => Some((Self::Mise, 0)),
            _ if mise_files::task_of(path).is_some() => Some((Self::MiseTask, 0)),
            (_, "tasks.json", _) if paths::name_of(folder) == ".vscode" => Some((Self::VsCode, 0)),
            (_, _, Some("yml" | "yaml")) if moon::is_shared(path) => Some((Self::MoonTasks, 0)),
            (_, "Procfile" | "Procfile.dev", _) => Some((Self::Procfile, 0)),
            ("", "BUILD.bazel", _) => Some((Self::Bazel, 0)),
            ("", "BUILD", _) => Some((Self::Bazel, 1)),
            (folder, _, Some("sh")) if SCRIPT_FOLDERS.contains(&folder) => Some((Self::Script, 0)),
            (folder, name, None)
                if SCRIPT_FOLDERS.contains(&folder) && !script::WRAPPERS.contains(&name) =>
            {
                Some((Self::Script, 0))
            }
            _ => None,
        }
    }

    /// The folder that the commands of a file belong to.
    pub fn folder(self, path: &str) -> &str {
        let folder = paths::folder_of(path);
        match self {
            Self::Actions => "",
            Self::CargoConfig | Self::VsCode => paths::folder_of(folder),
            Self::Mise => pins::mise::base_of(path),
            Self::MiseTask => mise_files::task_of(path).map_or(folder, |(base, _)| base),
            Self::MoonTasks => moon::root_of(path),
            _ => folder,
        }
    }

    /// Whether a file is a definition only if it can be executed and has a `#!` line.
    pub(crate) fn needs_shebang(self, path: &str) -> bool {
        self == Self::Script && paths::ending_of(path) != "sh"
    }

    /// The names that the tool looks for in a folder, in this order.
    pub(crate) fn names(self) -> &'static [&'static str] {
        let known = NAMES.iter().find(|(format, _)| *format == self);
        known.map_or(&[], |(_, names)| names)
    }

    /// Whether every file of the format in a folder counts, not only the first.
    pub const fn is_many(self) -> bool {
        matches!(
            self,
            Self::Actions
                | Self::Script
                | Self::Mise
                | Self::MiseTask
                | Self::MoonTasks
                | Self::Procfile
        )
    }

    /// The commands of a file that is no text.
    pub(crate) fn read_bytes(self, context: &FileContext<'_>) -> Option<Found> {
        (self == Self::Script).then(|| script::read_archive(context))
    }

    /// The commands of a file.
    pub fn read(self, text: &str, context: &FileContext<'_>) -> Found {
        let read: Read = match self {
            Self::Make => make::read,
            Self::PackageJson => package_json::read,
            Self::Pyproject => pyproject::read,
            Self::Taskfile => taskfile::read,
            Self::Turbo => turbo::read,
            Self::Maven => maven::read,
            Self::Gradle => gradle::read,
            Self::Actions => actions::read,
            Self::Compose => compose::read,
            Self::Travis => travis::read,
            Self::Cmake => cmake::read,
            Self::Just => just::read,
            Self::CargoConfig => cargo::read_config,
            Self::CargoManifest => cargo::read_manifest,
            Self::Mise => mise::read,
            Self::Deno => deno::read,
            Self::Composer => composer::read,
            Self::Rake => rake::read,
            Self::Script => script::read,
            Self::MiseTask => mise_files::read,
            Self::CmakePresets => cmake_presets::read,
            Self::Hatch => hatch::read,
            Self::Poe => poe::read,
            Self::Tox => tox::read,
            Self::Nox => nox::read,
            Self::Pixi => pixi::read,
            Self::Moon => moon::read,
            Self::MoonTasks => moon::read_shared,
            Self::Nx => nx::read,
            Self::Bazel => bazel::read,
            Self::Lefthook => hooks::read_lefthook,
            Self::PreCommit => hooks::read_pre_commit,
            Self::VsCode => vscode::read,
            Self::Procfile => procfile::read,
        };
        read(text, context)
    }
}
