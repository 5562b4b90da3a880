//! Gradle: tasks that the build files declare, in Groovy and Kotlin, and those that every build has.

use std::collections::HashSet;

use crate::command::ArgumentStyle;
use crate::data::Lines;
use crate::paths;
use crate::pinner::Seal;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::gradle_plugins::{applied, tasks_of};
use super::gradle_tasks::declared;
use super::pins;

const NO_ARGUMENTS: &str = "gradle would interpret each further argument as a task or an option";

const BASE: &[(&str, &str)] = &[
    ("tasks", "List the tasks of the project"),
    ("dependencies", "Show the dependencies of the project"),
];

/// Where the code of a build may be, relative to the folder of that build.
const SOURCES: &[&str] = &["src/main/kotlin", "src/main/groovy", "src/main/java"];
/// Convention plugins apply others; longer chains are not followed.
const MAX_DEPTH: usize = 8;

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let plain = without_comments(text);
    let above = paths::ancestors(context.folder()).skip(1);
    let inner = above
        .into_iter()
        .any(|folder| has_settings(context, folder));
    let mut reader = Reader {
        context,
        program: context
            .nearest("gradlew")
            .map(|folder| paths::from_below(context.folder(), folder, "gradlew")),
        seal: pins::gradle::pin(context),
        visited: HashSet::new(),
        found: Found::default(),
    };
    reader.script(context.path, text, &plain);
    if inner {
        // Tasks of plugins are many, and run from the top; what the project's own add is few.
        reader.plugins(&plain, false, 0);
    } else {
        for (name, description) in BASE {
            reader.add(name, context.path, 1, Some((*description).to_owned()), "");
        }
        reader.plugins(&plain, true, 0);
    }
    reader.found
}

fn has_settings(context: &FileContext<'_>, folder: &str) -> bool {
    ["settings.gradle", "settings.gradle.kts"]
        .iter()
        .any(|name| context.source.exists(&paths::join_display(folder, name)))
}

struct Reader<'a> {
    context: &'a FileContext<'a>,
    /// The wrapper, if the build has one.
    program: Option<String>,
    seal: Seal,
    visited: HashSet<String>,
    found: Found,
}

impl Reader<'_> {
    fn add(&mut self, name: &str, path: &str, line: usize, about: Option<String>, text: &str) {
        if self.found.has(name) {
            return;
        }
        let mut command = self
            .context
            .command(Runner::Gradle, name, text)
            .with_args([name])
            .defined_in(path)
            .at(line)
            .described(about)
            .taking(ArgumentStyle::Refused(NO_ARGUMENTS));
        if let Some(program) = &self.program {
            command = command.with_program(program.clone());
        }
        self.found.push(command, &self.seal);
    }

    /// The tasks that a script declares.
    fn script(&mut self, path: &str, text: &str, plain: &str) {
        let lines = Lines::new(text);
        for task in declared(plain) {
            let line = lines.of(task.position);
            let shown = shown(plain, task.position);
            self.add(&task.name, path, line, task.description, shown);
        }
    }

    /// The tasks of plugins: of known ones, and of those that the build defines itself.
    fn plugins(&mut self, plain: &str, with_known: bool, depth: usize) {
        for id in applied(plain, self.context) {
            if with_known {
                for (name, description) in tasks_of(&id) {
                    let path = self.context.path;
                    self.add(name, path, 1, Some((*description).to_owned()), "");
                }
            }
            if depth < MAX_DEPTH && id.contains(['.', '-']) && self.visited.insert(id.clone()) {
                self.convention(&id, with_known, depth);
            }
        }
    }

    /// A plugin that is a script of the build: `buildSrc/src/main/kotlin/ID.gradle.kts`.
    fn convention(&mut self, id: &str, with_known: bool, depth: usize) {
        let names = [format!("{id}.gradle.kts"), format!("{id}.gradle")];
        let Some(path) = self.build_sources().into_iter().find_map(|folder| {
            let files = names.iter().map(|name| paths::join_display(&folder, name));
            let mut files = files.filter(|path| self.context.source.exists(path));
            files.next()
        }) else {
            return;
        };
        if let Ok(text) = self.context.source.read(&path) {
            let plain = without_comments(&text);
            self.script(&path, &text, &plain);
            self.plugins(&plain, with_known, depth + 1);
        }
    }

    /// The source folders of `buildSrc` and of the builds that the settings include.
    fn build_sources(&self) -> Vec<String> {
        let mut folders = Vec::new();
        let mut is_inside = true;
        let own = paths::ancestors(self.context.folder()).take_while(|above| {
            std::mem::replace(&mut is_inside, !has_settings(self.context, above))
        });
        for above in own {
            let mut builds = vec![paths::join_display(above, "buildSrc")];
            for name in ["settings.gradle", "settings.gradle.kts"] {
                if let Ok(text) = self.context.source.read(&paths::join_display(above, name)) {
                    let included = pins::gradle::included_builds(&text);
                    builds.extend(included.iter().filter_map(|it| paths::resolve(above, it)));
                }
            }
            for build in builds {
                if !self.context.source.has_folder(&build) {
                    continue;
                }
                let inner = self.context.source.list_folders(&build);
                let projects = inner.iter().map(|name| paths::join_display(&build, name));
                for project in std::iter::once(build.clone()).chain(projects) {
                    folders.extend(SOURCES.iter().map(|it| paths::join_display(&project, it)));
                }
            }
        }
        folders
    }
}

/// The first lines of a declaration, for a person.
fn shown(text: &str, position: usize) -> &str {
    let rest = &text[position..];
    let end = rest
        .match_indices('\n')
        .nth(8)
        .map_or(rest.len(), |(at, _)| at);
    &rest[..end]
}

/// Replaces comments by blanks, so that positions stay.
pub fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut quote: Option<char> = None;
    while let Some(letter) = rest.chars().next() {
        let skipped = match quote {
            None if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            None if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ => 0,
        };
        if skipped > 0 {
            let blank = |byte: u8| if byte == b'\n' { '\n' } else { ' ' };
            out.extend(rest[..skipped].bytes().map(blank));
            rest = &rest[skipped..];
            continue;
        }
        quote = match quote {
            Some(open) if open == letter || letter == '\n' => None,
            None if letter == '"' || letter == '\'' => Some(letter),
            other => other,
        };
        out.push(letter);
        rest = &rest[letter.len_utf8()..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, read, read_alone};
    use crate::source::MemorySource;

    #[test]
    fn groovy() {
        let found = read_alone(
            "build.gradle",
            "plugins {\r\n    id 'java'\r\n    id 'application'\r\n}\r\n// task commented {\r\n/* task blocked\r\n */\r\ntask hello {\r\n    description = 'Greets'\r\n    doLast { println \"// not a comment\" }\r\n}\r\ntask copyDocs(type: Copy) { }\r\ntasks.register('fmt') {\r\n}\r\n",
        );
        assert_eq!(
            names(&found),
            [
                "hello",
                "copyDocs",
                "fmt",
                "tasks",
                "dependencies",
                "assemble",
                "build",
                "check",
                "clean",
                "test",
                "run"
            ]
        );
        assert_eq!(found.commands[0].description.as_deref(), Some("Greets"));
        assert_eq!(found.commands[0].line, 8);
    }

    #[test]
    fn kotlin_with_the_wrapper_of_the_root() {
        let source = MemorySource::default()
            .with("settings.gradle.kts", "")
            .with_executable("gradlew", "")
            .with("app/build.gradle.kts", "plugins { kotlin(\"jvm\") }\ntasks.register<Exec>(\"lintAll\") {\n  group = \"check\"\n  description = \"Lints\"\n}\nval gen by tasks.registering { }\ntasks.register(name) {}\n");
        let found = read(&source, "app/build.gradle.kts");
        assert_eq!(names(&found), ["lintAll", "gen"]);
        assert_eq!(found.commands[0].display(), "../gradlew lintAll");
        assert_eq!(found.commands[0].description.as_deref(), Some("Lints"));
    }

    #[test]
    fn a_name_is_listed_once_and_broken_text_is_safe() {
        let found = read_alone(
            "build.gradle",
            "apply plugin: 'java'\ntask test {\n}\ntask test {\n",
        );
        assert_eq!(
            names(&found).iter().filter(|name| **name == "test").count(),
            1
        );
        assert_eq!(
            names(&read_alone("build.gradle", "/* open\ntask x {")),
            ["tasks", "dependencies"]
        );
        assert_eq!(names(&read_alone("build.gradle", "task \n'é")).len(), 2);
    }
}
