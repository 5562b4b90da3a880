//! composer.json: scripts that a person starts. Scripts that composer itself starts at an event are
//! not commands.

use crate::command::ArgumentStyle;
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
        if is_event(name) {
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
            .taking(ArgumentStyle::AfterDashes);
        found.push(command, &seal);
    }
    found
}

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

    #[test]
    fn scripts_and_their_descriptions() {
        let found = read_alone(
            "composer.json",
            r#"{
  "scripts": {
    "test": ["@php vendor/bin/phpunit", "@lint"],
    "lint": "php-cs-fixer fix --dry-run",
    "post-install-cmd": "touch never",
    "pre-autoload-dump": ["x"]
  },
  "scripts-descriptions": {"test": "Run the tests"}
}"#,
        );
        assert_eq!(
            rows(&found),
            [
                "test | composer run-script test | Run the tests",
                "lint | composer run-script lint | php-cs-fixer fix --dry-run",
            ]
        );
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
