//! CMake presets: configure, build, test and workflow presets that are not hidden.

use std::collections::{HashMap, HashSet};

use crate::command::{ArgumentStyle, Command, Kind};
use crate::data::{Node, read_jsonc};
use crate::paths;
use crate::pinner::Seal;
use crate::runner::Runner;
use crate::source::{FileContext, Found, MAX_INCLUDES};

use super::pins;

/// A preset that inherits from more than this has no known build folder.
const MAX_INHERITED: usize = 100;

const NO_ARGUMENTS: &str = "cmake would interpret each further argument as an option";

/// The list in the file, what a preset of it is called here, and the words that run it.
const KINDS: &[(&str, &str, &str, &[&str])] = &[
    ("configurePresets", "configure", "cmake", &["--preset"]),
    ("buildPresets", "build", "cmake", &["--build", "--preset"]),
    ("testPresets", "test", "ctest", &["--preset"]),
    (
        "workflowPresets",
        "workflow",
        "cmake",
        &["--workflow", "--preset"],
    ),
];

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let mut reader = Reader {
        context,
        presets: Vec::new(),
        visited: HashSet::from([context.path.to_owned()]),
        found: Found::default(),
    };
    match read_jsonc(text) {
        Ok(file) => reader.file(context.path, &file, 0),
        Err(broken) => return reader.found.broken(context.path, broken),
    }
    reader.finish()
}

struct Preset {
    file: String,
    kind: usize,
    node: Node,
}

struct Reader<'a> {
    context: &'a FileContext<'a>,
    presets: Vec<Preset>,
    visited: HashSet<String>,
    found: Found,
}

impl Reader<'_> {
    fn file(&mut self, path: &str, file: &Node, depth: usize) {
        for written in file.get("include").map(Node::texts).unwrap_or_default() {
            let inner = paths::resolve(paths::folder_of(path), &written).filter(|it| {
                !written.contains('$') && depth < MAX_INCLUDES && self.visited.insert(it.clone())
            });
            let Some(inner) = inner else { continue };
            let (memo, source) = (&self.context.memo, self.context.source);
            match memo.parsed(source, &inner, read_jsonc) {
                Ok(node) => self.file(&inner, &node, depth + 1),
                Err(problem) => {
                    let message = format!("{written} {}", problem.reason());
                    self.found.problem(path, 1, message);
                }
            }
        }
        for (kind, (list, ..)) in KINDS.iter().enumerate() {
            for node in file.get(list).map(Node::items).unwrap_or_default() {
                self.presets.push(Preset {
                    file: path.to_owned(),
                    kind,
                    node: node.clone(),
                });
            }
        }
    }

    fn finish(mut self) -> Found {
        let mut places = HashMap::new();
        for (place, preset) in self.presets.iter().enumerate() {
            if let Some(name) = preset.node.text_at("name") {
                places.entry((preset.kind, name)).or_insert(place);
            }
        }
        // Presets of one build folder share their pins.
        let mut seals: HashMap<Option<String>, Seal> = HashMap::new();
        for preset in &self.presets {
            if preset.node.is_true("hidden") {
                continue;
            }
            let (_, kind, program, words) = KINDS[preset.kind];
            let Some(name) = preset.node.text_at("name") else {
                continue;
            };
            let mut args = words.to_vec();
            args.push(name);
            let about = ["description", "displayName"]
                .iter()
                .find_map(|key| preset.node.text_at(key));
            let line = preset
                .node
                .get("name")
                .map_or(preset.node.line, |it| it.line);
            let command: Command = self
                .context
                .command(
                    Runner::Cmake,
                    &format!("{kind}:{name}"),
                    &preset.node.render(),
                )
                .with_program(program)
                .with_words(&args)
                .defined_in(&preset.file)
                .at(line)
                .described(about)
                .of_kind(Kind::Preset)
                .taking(ArgumentStyle::Refused(NO_ARGUMENTS));
            if !self.found.has(&command.name) && !name.starts_with('-') {
                let inheritance = Inheritance {
                    presets: &self.presets,
                    places: &places,
                };
                let folder = self.context.folder();
                let build = inheritance.build_folder(preset, folder);
                let seal = seals.entry(build).or_insert_with_key(|build| {
                    pins::cmake::pin_built_in(self.context, folder, build.as_deref())
                });
                self.found.push(command, seal);
            }
        }
        self.found
    }
}

/// The presets by kind and name.
struct Inheritance<'a> {
    presets: &'a [Preset],
    places: &'a HashMap<(usize, &'a str), usize>,
}

impl Inheritance<'_> {
    /// The folder that a preset builds in, if it is in the project and written literally.
    fn build_folder(&self, preset: &Preset, folder: &str) -> Option<String> {
        let configure = match preset.kind {
            0 => preset.node.text_at("name")?.to_owned(),
            3 => {
                let steps = preset
                    .node
                    .get("steps")
                    .map(Node::items)
                    .unwrap_or_default();
                let is_configure = |it: &&Node| it.text_at("type") == Some("configure");
                steps.iter().find(is_configure)?.text_at("name")?.to_owned()
            }
            kind => {
                let name = preset.node.text_at("name")?;
                self.inherited(kind, name, "configurePreset", &mut HashSet::new())?
            }
        };
        let written = self.inherited(0, &configure, "binaryDir", &mut HashSet::new())?;
        let written = written
            .replace("${sourceDir}", ".")
            .replace("${presetName}", &configure);
        if written.contains('$') {
            return None;
        }
        paths::resolve(folder, &written)
    }

    /// The value of a key of a preset, or of those that it inherits from. Each is asked once: two
    /// that inherit from the same one twice would be asked four times, and so on.
    fn inherited(
        &self,
        kind: usize,
        name: &str,
        key: &str,
        asked: &mut HashSet<usize>,
    ) -> Option<String> {
        let place = *self.places.get(&(kind, name))?;
        if asked.len() > MAX_INHERITED || !asked.insert(place) {
            return None;
        }
        let preset = &self.presets[place];
        if let Some(value) = preset.node.text_at(key) {
            return Some(value.to_owned());
        }
        let parents = preset
            .node
            .get("inherits")
            .map(Node::texts)
            .unwrap_or_default();
        let mut values = parents
            .iter()
            .map(|it| self.inherited(kind, it, key, asked));
        values.find_map(|value| value)
    }
}
