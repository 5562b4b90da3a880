//! The plugins that a Gradle script applies, and the tasks that they add.

use crate::data::{Node, read_toml};
use crate::paths;
use crate::source::FileContext;

type Tasks = &'static [(&'static str, &'static str)];

const BASE: Tasks = &[
    ("assemble", "Create the outputs of the project"),
    ("build", "Assemble and test the project"),
    ("check", "Run all checks"),
    ("clean", "Delete the build folder"),
];
const JAVA: Tasks = &[
    ("assemble", "Create the outputs of the project"),
    ("build", "Assemble and test the project"),
    ("check", "Run all checks"),
    ("clean", "Delete the build folder"),
    ("test", "Run the tests"),
];
const APPLICATION: Tasks = &[
    ("assemble", "Create the outputs of the project"),
    ("build", "Assemble and test the project"),
    ("check", "Run all checks"),
    ("clean", "Delete the build folder"),
    ("test", "Run the tests"),
    ("run", "Run the application"),
];

/// Plugins by their ids, and the tasks that people run of each.
const PLUGINS: &[(&str, Tasks)] = &[
    ("base", BASE),
    ("java-base", BASE),
    ("lifecycle-base", BASE),
    ("java", JAVA),
    ("java-library", JAVA),
    ("java-platform", BASE),
    ("groovy", JAVA),
    ("scala", JAVA),
    ("war", JAVA),
    ("java-gradle-plugin", JAVA),
    ("kotlin", JAVA),
    ("kotlin-dsl", JAVA),
    ("org.jetbrains.kotlin.jvm", JAVA),
    ("org.jetbrains.kotlin.multiplatform", BASE),
    ("kotlin-multiplatform", BASE),
    ("com.android.application", JAVA),
    ("com.android.library", JAVA),
    ("application", APPLICATION),
    (
        "org.springframework.boot",
        &[
            ("bootJar", "Create an executable archive"),
            ("bootRun", "Run the Spring Boot application"),
        ],
    ),
    (
        "maven-publish",
        &[
            ("publish", "Publish to all repositories"),
            ("publishToMavenLocal", "Publish to the local repository"),
        ],
    ),
    (
        "com.diffplug.spotless",
        &[
            ("spotlessApply", "Format the sources"),
            ("spotlessCheck", "Check the format of the sources"),
        ],
    ),
    (
        "io.gitlab.arturbosch.detekt",
        &[("detekt", "Analyse the Kotlin sources")],
    ),
    (
        "org.jlleitschuh.gradle.ktlint",
        &[
            ("ktlintCheck", "Check the format of the Kotlin sources"),
            ("ktlintFormat", "Format the Kotlin sources"),
        ],
    ),
    (
        "com.gradleup.shadow",
        &[("shadowJar", "Create an archive with all dependencies")],
    ),
    (
        "com.github.johnrengelman.shadow",
        &[("shadowJar", "Create an archive with all dependencies")],
    ),
    (
        "org.jetbrains.dokka",
        &[("dokkaGenerate", "Generate the documentation")],
    ),
    (
        "org.jetbrains.kotlinx.binary-compatibility-validator",
        &[
            ("apiCheck", "Check the public interface"),
            ("apiDump", "Write down the public interface"),
        ],
    ),
];

/// The tasks that a plugin adds.
pub fn tasks_of(plugin: &str) -> Tasks {
    let known = PLUGINS.iter().find(|(id, _)| *id == plugin);
    known.map_or(&[], |(_, tasks)| tasks)
}

/// The ids of the plugins that a script applies; without those that it only names for others
/// (`apply false`). The text has no comments.
pub fn applied(text: &str, context: &FileContext<'_>) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    let mut in_plugins = false;
    for line in text.lines() {
        let mut body = line.trim();
        if let Some(rest) = body.strip_prefix("plugins")
            && let Some(inner) = rest.trim_start().strip_prefix('{')
        {
            in_plugins = true;
            body = inner.trim();
        }
        if in_plugins {
            for statement in body.trim_end_matches('}').split(';') {
                let statement = statement.trim();
                let kept =
                    !statement.contains("apply false") && !statement.contains("apply(false)");
                ids.extend(declared(statement, context).filter(|_| kept));
            }
            in_plugins = !body.ends_with('}') && body != "}";
        } else if let Some((_, rest)) = body.split_once("apply") {
            let rest = rest.trim_start_matches(['(', ' ']);
            let value = rest
                .strip_prefix("plugin")
                .map(|it| it.trim_start_matches([' ', ':', '=']));
            ids.extend(value.and_then(quoted));
        }
    }
    ids
}

/// The id in one line of `plugins { … }`.
fn declared(statement: &str, context: &FileContext<'_>) -> Option<String> {
    let after = |word: &str| {
        let rest = statement.strip_prefix(word)?;
        rest.starts_with([' ', '('])
            .then(|| rest.trim_start_matches([' ', '(']))
    };
    if let Some(rest) = after("id") {
        return quoted(rest);
    }
    if let Some(rest) = after("kotlin") {
        return quoted(rest).map(|name| format!("org.jetbrains.kotlin.{name}"));
    }
    if let Some(rest) = after("alias") {
        let name = rest.split([')', ' ']).next()?;
        return of_catalog(name.strip_prefix("libs.plugins.")?, context);
    }
    let word = statement.trim_matches('`');
    let plain = |it: char| it.is_alphanumeric() || "-._`".contains(it);
    (!word.is_empty() && statement.chars().all(plain)).then(|| word.to_owned())
}

/// The id that a version catalog gives a name: `kotlin.jvm` is `kotlin-jvm` there.
fn of_catalog(name: &str, context: &FileContext<'_>) -> Option<String> {
    let path = paths::ancestors(context.folder())
        .map(|folder| paths::join_display(folder, "gradle/libs.versions.toml"))
        .find(|path| context.source.exists(path))?;
    let catalog = context.memo.parsed(context.source, &path, read_toml).ok()?;
    let plain = |name: &str| name.replace(['-', '_', '.'], "").to_ascii_lowercase();
    let plugins = catalog.get("plugins").map(Node::entries)?;
    let (_, plugin) = plugins
        .iter()
        .find(|(known, _)| plain(known) == plain(name))?;
    let id = plugin
        .text_at("id")
        .or_else(|| plugin.text()?.split(':').next());
    id.map(str::to_owned)
}

fn quoted(text: &str) -> Option<String> {
    let quote = text.chars().next().filter(|it| ['"', '\''].contains(it))?;
    let inner = &text[1..];
    Some(inner[..inner.find(quote)?].to_owned())
}
