//! turbo.json: tasks over the packages of a workspace.

use crate::command::ArgumentStyle;
use crate::data::{Node, read_jsonc};
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::{package_json, pins};

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let root = match read_jsonc(text) {
        Ok(root) => root,
        Err(broken) => return Found::default().broken(context.path, broken),
    };
    let mut found = Found::default();
    let seal = pins::turbo::pin(context, package_json::manager_of(context));
    let tasks = root.get("tasks").or_else(|| root.get("pipeline"));
    for (name, task) in tasks.map(Node::entries).unwrap_or_default() {
        // `extends: false` alone removes an inherited task.
        if task.is_false("extends") && task.entries().len() == 1 {
            continue;
        }
        let command = context
            .command(Runner::Turbo, name, &task.render())
            .with_program(context.local_program(Runner::Turbo))
            .with_args(["run", name])
            .at(task.line)
            .described(task.text_at("description"))
            .taking(ArgumentStyle::AfterDashes);
        found.push(command, &seal);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, problems, read_alone, rows};

    #[test]
    fn tasks_with_comments() {
        let found = read_alone(
            "turbo.json",
            "{\n  // the graph\n  \"$schema\": \"https://turbo.build/schema.json\",\n  \"tasks\": {\n    \"build\": {\"dependsOn\": [\"^build\"], \"outputs\": [\"dist/**\"],},\n    \"web#deploy\": {\"cache\": false, \"description\": \"Send it\"},\n    \"//#format\": {},\n  }\n}",
        );
        assert_eq!(
            rows(&found),
            [
                "build | turbo run build | -",
                "web#deploy | turbo run web#deploy | Send it",
                "//#format | turbo run //#format | -",
            ]
        );
        assert_eq!(found.commands[1].line, 6);
    }

    #[test]
    fn the_old_pipeline_and_inherited_tasks() {
        assert_eq!(
            names(&read_alone("turbo.json", r#"{"pipeline": {"lint": {}}}"#)),
            ["lint"]
        );
        let package = r#"{"extends": ["//"], "tasks": {"lint": {"extends": false}, "dev": {"persistent": true}}}"#;
        let found = read_alone("apps/web/turbo.json", package);
        assert_eq!(names(&found), ["dev"]);
        assert_eq!(found.commands[0].full_name(), "apps/web/dev");
    }

    #[test]
    fn broken() {
        let found = read_alone("turbo.json", "{\n\"tasks\": {\n\"a\": {}\n\"b\": {}}}");
        assert!(problems(&found)[0].starts_with("turbo.json:"));
        assert!(read_alone("turbo.json", "[]").commands.is_empty());
    }
}
