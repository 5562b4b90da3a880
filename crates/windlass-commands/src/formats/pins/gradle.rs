//! What gradle reads: the settings and build files of all projects of the build, what they apply,
//! the code of the build itself, and the wrapper.

use std::collections::HashSet;

use crate::data::{Node, read_toml};
use crate::decides::{Decides, How};
use crate::paths;
use crate::pinner::{Pinner, Seal};
use crate::source::{FileContext, MAX_INCLUDES};

/// Beside the settings of the build.
pub const DECLARED: &[Decides] = &[
    Decides::here("gradlew", How::Whole),
    Decides::here("gradle/wrapper/gradle-wrapper.properties", How::Whole),
    Decides::here("gradle/wrapper/gradle-wrapper.jar", How::Hash),
    Decides::here("gradle/gradle-daemon-jvm.properties", How::Whole),
    Decides::here("gradle.properties", How::Settings),
    Decides::here("settings.gradle", How::Whole),
    Decides::here("settings.gradle.kts", How::Whole),
    Decides::here("buildSrc", How::Tree(".gradle")),
];

const SETTINGS: &[&str] = &["settings.gradle", "settings.gradle.kts"];
const BUILDS: &[&str] = &["build.gradle", "build.gradle.kts"];

/// Calls in settings that decide by code which folders belong to the build.
const COMPUTED: &[&str] = &[
    "projectDir",
    "buildFileName",
    "eachDir",
    "eachFile",
    "fileTree",
    "listFiles",
    "walk",
    "includeFlat",
];

pub fn pin(context: &FileContext<'_>) -> Seal {
    let mut reader = Reader {
        pinner: Pinner::new(context),
        visited: HashSet::new(),
    };
    let folder = context.folder();
    reader.script(context.path, folder, 0);
    let has_settings = |folder: &&str| {
        let mut paths = SETTINGS
            .iter()
            .map(|name| paths::join_display(folder, name));
        paths.any(|path| context.source.exists(&path))
    };
    let top = paths::ancestors(folder)
        .find(has_settings)
        .unwrap_or(folder);
    reader.build(top, 0);
    if let Some(wrapper) = context.nearest("gradlew") {
        reader.pinner.declared(wrapper, &DECLARED[..4]);
    }
    // A settings file that appears above the folder makes another build of it.
    for above in paths::ancestors(folder).take_while(|above| *above != top) {
        for name in SETTINGS {
            reader.pinner.whole(&paths::join_display(above, name));
        }
    }
    reader.project(folder, top, 0);
    reader.pinner.seal()
}

struct Reader<'a> {
    pinner: Pinner<'a>,
    visited: HashSet<String>,
}

impl Reader<'_> {
    /// A whole build, whose settings are in that folder.
    fn build(&mut self, top: &str, depth: usize) {
        if depth > MAX_INCLUDES || !self.visited.insert(format!("{top}/")) {
            return;
        }
        self.project(top, top, depth);
        for name in SETTINGS {
            let path = paths::join_display(top, name);
            self.script(&path, top, depth);
            if let Ok(text) = self.pinner.source.read(&path) {
                self.projects(&path, &plain(&text), top, depth);
            }
        }
        self.pinner.declared(top, DECLARED);
        self.catalog(top);
        // The code of the build is compiled and run before anything else.
        let code = |path: &str| {
            let inner = path
                .split('/')
                .any(|part| [".gradle", "build"].contains(&part));
            !inner
        };
        let folder = paths::join_display(top, "buildSrc");
        self.pinner.tree(&folder, &code, How::Hash);
    }

    /// The plugins of a version catalog, by which scripts name them. Versions decide nothing here, as
    /// elsewhere.
    fn catalog(&mut self, top: &str) {
        let path = paths::join_display(top, "gradle/libs.versions.toml");
        let memo = self.pinner.memo.clone();
        let Ok(catalog) = memo.parsed(self.pinner.source, &path, read_toml) else {
            return;
        };
        let plugins = catalog
            .get("plugins")
            .map(Node::entries)
            .unwrap_or_default();
        if plugins.is_empty() {
            return;
        }
        self.pinner.parts(&path, "plugins", || {
            let ids = plugins.iter().map(|(name, plugin)| {
                let id = plugin
                    .text_at("id")
                    .or_else(|| plugin.text()?.split(':').next());
                format!("{name} {}\n", id.unwrap_or_default())
            });
            ids.collect()
        });
    }

    fn project(&mut self, folder: &str, top: &str, depth: usize) {
        for name in BUILDS {
            let path = paths::join_display(folder, name);
            self.script(&path, top, depth);
        }
        self.pinner
            .settings(&paths::join_display(folder, "gradle.properties"));
    }

    /// The projects and builds that settings include.
    fn projects(&mut self, path: &str, text: &str, top: &str, depth: usize) {
        if let Some(word) = COMPUTED.iter().find(|word| text.contains(*word)) {
            let reason = format!("{path} computes which folders belong to the build ({word})");
            self.pinner.unreadable(reason);
        }
        for (call, rest) in calls(text, &["includeBuild", "include"]) {
            let end = rest.find([';', '}', '{']).unwrap_or(rest.len());
            let (names, is_computed) = arguments(&rest[..end]);
            if is_computed {
                let line = rest[..end].lines().next().unwrap_or_default().trim();
                let reason = format!("{path} includes projects whose names are computed: {line}");
                self.pinner.unreadable(reason);
            }
            for name in names {
                if call == "includeBuild" {
                    if let Some(other) = self.pinner.resolve(path, top, &name) {
                        self.build(&other, depth + 1);
                        let code = |path: &str| {
                            !path
                                .split('/')
                                .any(|part| [".gradle", "build"].contains(&part))
                        };
                        self.pinner.tree(&other, &code, How::Hash);
                    }
                    continue;
                }
                let written = name.trim_start_matches(':').replace(':', "/");
                if let Some(folder) = self.pinner.resolve(path, top, &written) {
                    self.project(&folder, top, depth);
                }
            }
        }
    }

    /// A script, with those that it applies.
    fn script(&mut self, path: &str, top: &str, depth: usize) {
        if !self.visited.insert(path.to_owned()) {
            return;
        }
        if depth > MAX_INCLUDES {
            let reason = format!("{path} is applied more than {MAX_INCLUDES} levels deep");
            return self.pinner.unreadable(reason);
        }
        let Some(text) = self.pinner.whole(path) else {
            return;
        };
        let text = plain(&text);
        for (at, _) in text.match_indices("from") {
            let after = text[at + 4..].trim_start();
            let Some(value) = after.strip_prefix([':', '=']) else {
                continue;
            };
            let before = text[..at].trim_end();
            if !["apply", "apply(", "apply {", "apply{"]
                .iter()
                .any(|it| before.ends_with(it))
            {
                continue;
            }
            let line = value.lines().next().unwrap_or_default().trim();
            self.applied(path, line, top, depth);
        }
    }

    fn applied(&mut self, from: &str, line: &str, top: &str, depth: usize) {
        let own = paths::folder_of(from);
        let (written, folder) = match quoted(line) {
            Some((before, text)) => {
                let at_root = before.contains("rootProject.file(") || before.contains("rootDir");
                let stripped = |names: &[&str]| names.iter().find_map(|it| text.strip_prefix(it));
                let root = [
                    "$rootDir/",
                    "${rootDir}/",
                    "$rootProject.projectDir/",
                    "${rootProject.projectDir}/",
                ];
                let project = ["$projectDir/", "${projectDir}/"];
                match (stripped(&root), stripped(&project)) {
                    (Some(rest), _) => (rest, top),
                    (_, Some(rest)) => (rest, own),
                    _ if at_root => (text, top),
                    _ => (text, own),
                }
            }
            None => (line, own),
        };
        if quoted(line).is_none() || written.contains('$') || written.contains("://") {
            let reason = format!("{from} applies a script that only gradle can find: {line}");
            return self.pinner.unreadable(reason);
        }
        if let Some(path) = self.pinner.resolve(from, folder, written) {
            self.script(&path, top, depth + 1);
        }
    }
}

/// The text before the first quoted text, and that text.
fn quoted(line: &str) -> Option<(&str, &str)> {
    let start = line.find(['"', '\''])?;
    let quote = line[start..].chars().next()?;
    let inner = &line[start + 1..];
    Some((&line[..start], &inner[..inner.find(quote)?]))
}

/// The calls of functions with these names, and the text after each name.
fn calls<'a>(text: &'a str, names: &[&'static str]) -> Vec<(&'static str, &'a str)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("include") {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|it| it.is_alphanumeric() || "_.$\"'".contains(it)) {
            continue;
        }
        let rest = &text[at..];
        let name = names.iter().find(|name| {
            let after = rest.strip_prefix(**name);
            after.is_some_and(|after| after.starts_with([' ', '(', '\t', '\n']))
        });
        if let Some(name) = name {
            found.push((*name, &rest[name.len()..]));
        }
    }
    found
}

/// The quoted arguments of a call that may go on after a comma, and whether others are computed.
fn arguments(text: &str) -> (Vec<String>, bool) {
    let mut names = Vec::new();
    let mut rest = text.trim_start_matches([' ', '\t', '(', '[']);
    let brackets = text.trim_start().starts_with(['(', '[']);
    loop {
        rest = rest.trim_start_matches(|it: char| it == ',' || it == '[' || it.is_whitespace());
        let Some(quote) = rest.chars().next().filter(|it| ['"', '\''].contains(it)) else {
            let ended = rest.is_empty() || rest.starts_with([')', ']']);
            return (names, !ended);
        };
        let Some(end) = rest[1..].find(quote) else {
            return (names, true);
        };
        let name = &rest[1..=end];
        if name.contains('$') {
            return (names, true);
        }
        names.push(name.to_owned());
        let after = &rest[end + 2..];
        let next = after.trim_start_matches([' ', '\t']);
        let goes_on = next.starts_with(',') || (brackets && next.trim_start().starts_with(','));
        if !goes_on {
            return (names, false);
        }
        rest = next.trim_start();
    }
}

/// The folders of the builds that settings include, as far as they are literal.
pub fn included_builds(settings: &str) -> Vec<String> {
    let text = plain(settings);
    let calls = calls(&text, &["includeBuild"]);
    let names = calls.iter().map(|(_, rest)| {
        let end = rest.find([';', '}', '{']).unwrap_or(rest.len());
        arguments(&rest[..end]).0
    });
    names.flatten().collect()
}

fn plain(text: &str) -> String {
    super::super::gradle::without_comments(text)
}
