//! One module for each format; each is a pure function from the text of a file to its commands.

mod actions;
mod cargo;
mod cmake;
mod compose;
mod composer;
mod deno;
mod gradle;
mod just;
mod just_lines;
mod make;
mod make_lines;
mod maven;
mod mise;
mod package_json;
mod pins;
mod pyproject;
mod rake;
mod script;
mod taskfile;
mod travis;
mod turbo;

#[cfg(test)]
mod testing;

pub use pins::declared;

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
    (Format::Mise, &["mise.toml", ".mise.toml"]),
    (Format::Deno, &["deno.json", "deno.jsonc"]),
    (Format::Composer, &["composer.json"]),
    (Format::Rake, pins::rake::NAMES),
];

/// Folders whose scripts are commands. Scripts elsewhere are rarely started by hand, and there may
/// be thousands.
const SCRIPT_FOLDERS: &[&str] = &["", "bin", "ci", "hack", "script", "scripts", "tools"];

impl Format {
    /// The format of a file, and its rank among the names that the tool looks for. In one folder,
    /// only the file of a format with the lowest rank is read.
    pub fn of(path: &str) -> Option<(Self, usize)> {
        let (folder, name) = (paths::folder_of(path), paths::name_of(path));
        for (format, names) in NAMES {
            if let Some(place) = names.iter().position(|known| *known == name) {
                return Some((*format, place));
            }
        }
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        match (folder, name, ending) {
            (".github/workflows", _, Some("yml" | "yaml")) => Some((Self::Actions, 0)),
            (_, "config.toml", _) if paths::name_of(folder) == ".cargo" => {
                Some((Self::CargoConfig, 0))
            }
            (_, "config.toml", _) if [".mise", "mise"].contains(&paths::name_of(folder)) => {
                Some((Self::Mise, 2))
            }
            (folder, _, Some("sh")) if SCRIPT_FOLDERS.contains(&folder) => Some((Self::Script, 0)),
            _ => None,
        }
    }

    /// The names that the tool looks for in a folder, in this order.
    pub(crate) fn names(self) -> &'static [&'static str] {
        let known = NAMES.iter().find(|(format, _)| *format == self);
        known.map_or(&[], |(_, names)| names)
    }

    /// Whether every file of the format in a folder counts, not only the first.
    pub const fn is_many(self) -> bool {
        matches!(self, Self::Actions | Self::Script)
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
        };
        read(text, context)
    }
}
