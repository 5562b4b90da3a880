//! Gradle: tasks that the build files declare, in Groovy and Kotlin, and those that every build has.

use crate::command::ArgumentStyle;
use crate::data::Lines;
use crate::paths;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::pins;

const NO_ARGUMENTS: &str = "gradle would interpret each further argument as a task or an option";

const BASE: &[(&str, &str)] = &[
    ("tasks", "List the tasks of the project"),
    ("dependencies", "Show the dependencies of the project"),
];
const JAVA: &[(&str, &str)] = &[
    ("assemble", "Create the outputs of the project"),
    ("build", "Assemble and test the project"),
    ("check", "Run all checks"),
    ("clean", "Delete the build folder"),
    ("test", "Run the tests"),
];
const APPLICATION: &[(&str, &str)] = &[("run", "Run the application")];
const SPRING: &[(&str, &str)] = &[
    ("bootJar", "Create an executable archive"),
    ("bootRun", "Run the Spring Boot application"),
];

/// Parts of plugin names, and the tasks that the plugin adds.
const PLUGINS: &[(&str, &[(&str, &str)])] = &[
    ("java", JAVA),
    ("groovy", JAVA),
    ("scala", JAVA),
    ("kotlin", JAVA),
    ("com.android", JAVA),
    ("application", APPLICATION),
    ("org.springframework.boot", SPRING),
];

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let mut found = Found::default();
    let plain = without_comments(text);
    let lines = Lines::new(text);
    let above = paths::ancestors(context.folder()).skip(1);
    let inner = above.into_iter().any(|folder| {
        ["settings.gradle", "settings.gradle.kts"]
            .iter()
            .any(|name| context.source.exists(&paths::join_display(folder, name)))
    });
    let seal = pins::gradle::pin(context);
    let mut add = |name: &str, line: usize, description: Option<String>| {
        if found.has(name) {
            return;
        }
        let mut command = context
            .command(Runner::Gradle, name, text)
            .with_args([name])
            .at(line)
            .described(description)
            .taking(ArgumentStyle::Refused(NO_ARGUMENTS));
        if let Some(folder) = context.nearest("gradlew") {
            command = command.with_program(paths::from_below(context.folder(), folder, "gradlew"));
        }
        found.push(command, &seal);
    };
    for (position, name) in declared(&plain) {
        add(
            &name,
            lines.of(position),
            description_after(&plain[position..]),
        );
    }
    if !inner {
        for (name, description) in BASE {
            add(name, 1, Some((*description).to_owned()));
        }
        for (_, tasks) in PLUGINS
            .iter()
            .filter(|(plugin, _)| has_plugin(&plain, plugin))
        {
            for (name, description) in *tasks {
                add(name, 1, Some((*description).to_owned()));
            }
        }
    }
    found
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

/// Names in `task x`, `task("x")`, `tasks.register<T>("x")`, `tasks.create(…)`, `val x by tasks.registering`.
fn declared(text: &str) -> Vec<(usize, String)> {
    let mut names = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let body = line.trim_start();
        let position = start + line.len() - body.len();
        start += line.len();
        let name = if let Some(rest) = body.strip_prefix("task ") {
            leading_name(rest)
        } else if let Some(rest) = body.strip_prefix("task(") {
            leading_name(rest)
        } else if let Some((before, _)) = body.split_once(" by tasks.registering") {
            before.trim_end().strip_prefix("val ").map(str::to_owned)
        } else {
            ["tasks.register", "tasks.create"]
                .iter()
                .find_map(|call| body.split_once(call))
                .and_then(|(_, rest)| registered(rest))
        };
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            names.push((position, name));
        }
    }
    names
}

fn registered(rest: &str) -> Option<String> {
    let rest = match rest.strip_prefix('<') {
        Some(generic) => generic.split_once(">(")?.1,
        None => rest.strip_prefix('(').or_else(|| rest.strip_prefix(' '))?,
    };
    let quoted = rest.trim_start().starts_with(['"', '\'']);
    quoted.then(|| leading_name(rest)).flatten()
}

fn leading_name(text: &str) -> Option<String> {
    let text = text.trim_start().trim_start_matches(['"', '\'', '(']);
    let end = text
        .find(|letter: char| !letter.is_alphanumeric() && !"_-.:".contains(letter))
        .unwrap_or(text.len());
    (end > 0).then(|| text[..end].to_owned())
}

/// The description in the next lines, before another task begins.
fn description_after(text: &str) -> Option<String> {
    let mut body = text.lines().take(12).skip(1);
    let line = body
        .by_ref()
        .map(str::trim)
        .take_while(|line| !line.starts_with("task ") && !line.starts_with("tasks."))
        .find(|line| line.starts_with("description"))?;
    let start = line.find(['"', '\''])?;
    let inner = &line[start + 1..];
    Some(inner[..inner.find(['"', '\''])?].to_owned())
}

fn has_plugin(text: &str, plugin: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start();
        let names = ["id", "apply plugin", "alias", "kotlin(", "`", plugin];
        names.iter().any(|start| line.starts_with(start)) && line.contains(plugin)
    })
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
