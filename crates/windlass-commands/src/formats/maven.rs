//! Maven: the phases of the life cycle, and the profiles of the file.

use roxmltree::{Document, Node};

use crate::command::{ArgumentStyle, Command};
use crate::data::Lines;
use crate::paths;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::pins;

const PHASES: &[(&str, &str)] = &[
    ("clean", "Remove the results of earlier builds"),
    ("validate", "Check that the project is complete"),
    ("compile", "Compile the sources"),
    ("test", "Run the unit tests"),
    ("package", "Create the archive"),
    ("verify", "Run the integration checks"),
    ("install", "Copy the archive to the local repository"),
    ("deploy", "Upload the archive to the remote repository"),
    ("site", "Generate the site"),
];

const NO_ARGUMENTS: &str =
    "mvn would interpret each further argument as a phase, a goal or an option";

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let mut found = Found::default();
    // Modules are built from the top-level project; listing nine phases for each would hide the
    // rest. A large project has thousands of them, so none is parsed.
    let mut above = paths::ancestors(context.folder()).skip(1);
    if above.any(|folder| {
        let path = paths::join_display(folder, "pom.xml");
        context.source.exists(&path)
    }) {
        return found;
    }
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(problem) => {
            let line = usize::try_from(problem.pos().row).unwrap_or(1);
            found.problem(context.path, line, problem.to_string());
            return found;
        }
    };
    let project = document.root_element();
    let lines = Lines::new(text);
    let seal = pins::maven::pin(context);
    for (phase, description) in PHASES {
        let command = context
            .command(Runner::Maven, phase, text)
            .with_args([phase])
            .described(Some(*description));
        found.push(started(command, context), &seal);
    }
    for (goal, line) in goals(project, &lines) {
        if found.has(&goal) {
            continue;
        }
        let command = context
            .command(Runner::Maven, &goal, &goal)
            .with_args([&goal])
            .at(line)
            .described(Some(format!("Run the goal {goal} of a plugin")));
        found.push(started(command, context), &seal);
    }
    let profiles = children(project, "profiles").flat_map(|node| children(node, "profile"));
    for profile in profiles {
        let Some(id) = children(profile, "id").next().and_then(|id| id.text()) else {
            continue;
        };
        let flag = format!("-P{}", id.trim());
        let definition = text.get(profile.range()).unwrap_or_default();
        let command = context
            .command(Runner::Maven, &format!("profile:{}", id.trim()), definition)
            .with_args([&flag, "verify"])
            .at(lines.of(profile.range().start))
            .described(Some(format!("Verify with the profile {}", id.trim())));
        found.push(started(command, context), &seal);
    }
    found
}

fn started(command: Command, context: &FileContext<'_>) -> Command {
    let command = command
        .taking(ArgumentStyle::Refused(NO_ARGUMENTS))
        .started_on(0, ["-f", paths::name_of(context.path)]);
    match context.nearest("mvnw") {
        Some(folder) => command.with_program(paths::from_below(context.folder(), folder, "mvnw")),
        None => command,
    }
}

/// Plugins whose goals people run by name, and those goals.
const GOALS: &[(&str, &[&str])] = &[
    ("spring-boot-maven-plugin", &["run", "build-image"]),
    ("quarkus-maven-plugin", &["dev", "build"]),
    ("jetty-maven-plugin", &["run"]),
    ("exec-maven-plugin", &["java", "exec"]),
    ("javafx-maven-plugin", &["run"]),
    ("spotless-maven-plugin", &["apply", "check"]),
    ("fmt-maven-plugin", &["format", "check"]),
    ("formatter-maven-plugin", &["format", "validate"]),
    ("maven-checkstyle-plugin", &["check"]),
    ("maven-pmd-plugin", &["check"]),
    ("spotbugs-maven-plugin", &["check"]),
    ("flyway-maven-plugin", &["migrate", "info"]),
    ("liquibase-maven-plugin", &["update", "status"]),
    ("jib-maven-plugin", &["build", "dockerBuild"]),
    ("versions-maven-plugin", &["display-dependency-updates"]),
    ("jacoco-maven-plugin", &["report"]),
];

/// The goals of the plugins of the build: those that it executes, and those that people run.
fn goals(project: Node<'_, '_>, lines: &Lines) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let plugins = children(project, "build")
        .flat_map(|build| children(build, "plugins"))
        .flat_map(|plugins| children(plugins, "plugin"));
    for plugin in plugins {
        let name = children(plugin, "artifactId")
            .next()
            .and_then(|it| it.text());
        let Some(name) = name.map(str::trim) else {
            continue;
        };
        let prefix = match name
            .strip_prefix("maven-")
            .and_then(|it| it.strip_suffix("-plugin"))
        {
            Some(prefix) => prefix,
            None => match name.strip_suffix("-maven-plugin") {
                Some(prefix) => prefix,
                None => continue,
            },
        };
        let line = lines.of(plugin.range().start);
        let executed = children(plugin, "executions")
            .flat_map(|it| children(it, "execution"))
            .flat_map(|it| children(it, "goals"))
            .flat_map(|it| children(it, "goal"))
            .filter_map(|it| it.text())
            .map(|goal| goal.trim().to_owned());
        let known = GOALS.iter().find(|(known, _)| *known == name);
        let known = known.map(|(_, goals)| *goals).unwrap_or_default();
        let all = executed.chain(known.iter().map(|it| (*it).to_owned()));
        let plain = |goal: &String| !goal.is_empty() && !goal.contains(['$', ' ', ':']);
        found.extend(
            all.filter(plain)
                .map(|goal| (format!("{prefix}:{goal}"), line)),
        );
    }
    found
}

fn children<'a>(node: Node<'a, 'a>, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children()
        .filter(move |child| child.is_element() && child.tag_name().name() == name)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, problems, read, read_alone, rows};
    use crate::source::MemorySource;

    const POM: &str = "<?xml version=\"1.0\"?>\r\n<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\r\n  <!-- <profile><id>no</id></profile> -->\r\n  <profiles>\r\n    <profile>\r\n      <id> release </id>\r\n    </profile>\r\n    <profile/>\r\n  </profiles>\r\n</project>";

    #[test]
    fn phases_and_profiles() {
        let found = read_alone("pom.xml", POM);
        assert_eq!(found.commands.len(), 10);
        assert_eq!(rows(&found)[3], "test | mvn test | Run the unit tests");
        assert_eq!(
            rows(&found)[9],
            "profile:release | mvn -Prelease verify | Verify with the profile release"
        );
        assert_eq!(found.commands[9].line, 5);
    }

    #[test]
    fn modules_are_built_from_the_top_level_with_the_wrapper() {
        let source = MemorySource::default()
            .with("java/pom.xml", "<project/>")
            .with("java/core/pom.xml", "<project/>")
            .with_executable("mvnw", "");
        assert!(names(&read(&source, "java/core/pom.xml")).is_empty());
        let found = read(&source, "java/pom.xml");
        assert_eq!(found.commands[0].display(), "../mvnw clean");
        assert_eq!(found.commands[0].full_name(), "java/clean");
    }

    #[test]
    fn broken() {
        let found = read_alone("pom.xml", "<project>\n<profiles>\n</project>");
        assert!(problems(&found)[0].starts_with("pom.xml:3 "));
        let bomb =
            "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><project>&b;</project>";
        assert_eq!(read_alone("pom.xml", bomb).commands.len(), 0);
    }
}
