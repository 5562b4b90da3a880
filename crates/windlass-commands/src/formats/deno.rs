//! deno.json: tasks.

use crate::data::{Node, read_jsonc};
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::pins;

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let config = match read_jsonc(text) {
        Ok(config) => config,
        Err(broken) => return Found::default().broken(context.path, broken),
    };
    let mut found = Found::default();
    let seal = pins::deno::pin(context);
    for (name, task) in config.get("tasks").map(Node::entries).unwrap_or_default() {
        let text = task.text_at("description");
        let description = text
            .or_else(|| task.text_at("command"))
            .or_else(|| task.text());
        let command = context
            .command(Runner::Deno, name, &task.render())
            .with_args(["task", name])
            .at(task.line)
            .described(description);
        found.push(command, &seal);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::testing::{problems, read_alone, rows};

    #[test]
    fn tasks_as_strings_and_objects() {
        let found = read_alone(
            "deno.jsonc",
            "{\r\n  // tasks\r\n  \"tasks\": {\r\n    \"dev\": \"deno run -A --watch main.ts\",\r\n    \"build\": {\"command\": \"deno run b.ts\", \"description\": \"Build\", \"dependencies\": [\"gen\"]},\r\n    \"gen\": {\"command\": \"x\"},\r\n  },\r\n}",
        );
        assert_eq!(
            rows(&found),
            [
                "dev | deno task dev | deno run -A --watch main.ts",
                "build | deno task build | Build",
                "gen | deno task gen | x",
            ]
        );
    }

    #[test]
    fn nested() {
        let found = read_alone("apps/api/deno.json", r#"{"tasks": {"start": "x"}}"#);
        assert_eq!(found.commands[0].full_name(), "apps/api/start");
        assert!(
            read_alone("deno.json", r#"{"imports": {}}"#)
                .commands
                .is_empty()
        );
    }

    #[test]
    fn broken() {
        assert_eq!(
            problems(&read_alone("deno.json", "{\n\"tasks\": }")).len(),
            1
        );
    }
}
