//! composer.json: scripts that a person starts, and those that composer starts at an event and that
//! can be started by name too.

use crate::command::{ArgumentStyle, Kind};
use crate::data::{Node, Value, read_json};
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::pins;

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let project = match read_json(text) {
        Ok(project) => project,
        Err(broken) => return Found::default().broken(context.path, broken),
    };
    let mut found = Found::default();
    let seal = pins::composer::pin(context);
    for (name, script) in project
        .get("scripts")
        .map(Node::entries)
        .unwrap_or_default()
    {
        let at_event = EVENTS.contains(&name.as_str());
        if is_event(name) && !at_event {
            continue;
        }
        let first = match &script.value {
            Value::List(items) => items.first().and_then(|item| item.text()),
            _ => script.text(),
        };
        let description = project
            .at(&["scripts-descriptions", name])
            .and_then(Node::text);
        let command = context
            .command(Runner::Composer, name, &script.render())
            .with_args(["run-script", name])
            .at(script.line)
            .described(description.or(first))
            .of_kind(if at_event {
                Kind::Lifecycle
            } else {
                Kind::Task
            })
            .taking(ArgumentStyle::AfterDashes);
        found.push(command, &seal);
    }
    found
}

/// The events whose scripts `composer run-script` starts.
const EVENTS: &[&str] = &[
    "post-archive-cmd",
    "post-autoload-dump",
    "post-create-project-cmd",
    "post-install-cmd",
    "post-root-package-install",
    "post-status-cmd",
    "post-update-cmd",
    "pre-archive-cmd",
    "pre-autoload-dump",
    "pre-install-cmd",
    "pre-status-cmd",
    "pre-update-cmd",
];

fn is_event(name: &str) -> bool {
    let hook = name.starts_with("pre-") || name.starts_with("post-");
    let ends = [
        "-cmd",
        "-dump",
        "-install",
        "-update",
        "-uninstall",
        "-exec",
        "-run",
        "-download",
        "-pool-create",
    ];
    (hook && ends.iter().any(|end| name.ends_with(end))) || ["init", "command"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, read_alone, rows};
    use crate::command::Kind;

    #[test]
    fn scripts_and_their_descriptions() {
        let found = read_alone(
            "composer.json",
            r#"{
  "scripts": {
    "test": ["@php vendor/bin/phpunit", "@lint"],
    "lint": "php-cs-fixer fix --dry-run",
    "post-install-cmd": "touch never",
    "pre-autoload-dump": ["x"],
    "pre-package-install": "only composer starts it",
    "init": "so too"
  },
  "scripts-descriptions": {"test": "Run the tests"}
}"#,
        );
        assert_eq!(
            rows(&found),
            [
                "test | composer run-script test | Run the tests",
                "lint | composer run-script lint | php-cs-fixer fix --dry-run",
                "post-install-cmd | composer run-script post-install-cmd | touch never",
                "pre-autoload-dump | composer run-script pre-autoload-dump | x",
            ]
        );
        assert_eq!(found.commands[2].kind, Kind::Lifecycle);
        assert_eq!(found.commands[1].line, 4);
    }

    #[test]
    fn names_that_only_start_like_an_event() {
        let found = read_alone(
            "api/composer.json",
            "{\r\n\"scripts\": {\"pre-commit\": \"x\", \"post-deploy\": \"y\"}}",
        );
        assert_eq!(names(&found), ["pre-commit", "post-deploy"]);
    }

    #[test]
    fn broken() {
        assert_eq!(
            read_alone("composer.json", "{\"scripts\": {")
                .problems
                .len(),
            1
        );
        assert!(read_alone("composer.json", "{}").commands.is_empty());
    }
}
