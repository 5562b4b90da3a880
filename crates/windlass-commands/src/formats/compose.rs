//! Docker compose: the whole project up and down, and one command for each service.

use crate::command::{ArgumentStyle, Command};
use crate::data::{Node, read_yaml};
use crate::paths;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::pins;

const NO_ARGUMENTS: &str = "docker compose would interpret further arguments as options, services, or another program to run in the container";

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let project = match read_yaml(text) {
        Ok(project) => project,
        Err(broken) => return Found::default().broken(context.path, broken),
    };
    let mut found = Found::default();
    let services = project.get("services");
    if services.is_none() && project.get("include").is_none() {
        found.problem(context.path, 1, "the file has no `services`");
        return found;
    }
    let (seal, overriding) = pins::compose::pin(context);
    for (name, description) in [
        ("up", "Create and start the services"),
        ("down", "Stop and remove the services"),
    ] {
        let command = context
            .command(Runner::DockerCompose, name, text)
            .with_args(["compose", name])
            .described(Some(description));
        let command = command.taking(ArgumentStyle::Refused(NO_ARGUMENTS));
        found.push(started(command, context, overriding), &seal);
    }
    for (name, service) in services.map(Node::entries).unwrap_or_default() {
        if found.has(name) {
            continue;
        }
        let image = service.text_at("image").map(|image| format!("Run {image}"));
        let command = context
            .command(Runner::DockerCompose, name, &service.render())
            .with_args(["compose", "run", name])
            .at(service.line)
            .described(image)
            .taking(ArgumentStyle::Refused(NO_ARGUMENTS));
        found.push(started(command, context, overriding), &seal);
    }
    found
}

/// On these files, so that a variable in `.env` cannot name others.
fn started(command: Command, context: &FileContext<'_>, overriding: Option<&str>) -> Command {
    let file = paths::name_of(context.path);
    match overriding {
        Some(other) => command.started_on(1, ["-f", file, "-f", other]),
        None => command.started_on(1, ["-f", file]),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, problems, read_alone, rows};

    #[test]
    fn services_of_a_current_file() {
        let found = read_alone(
            "compose.yaml",
            "name: app\r\nx-base: &base\r\n  restart: always\r\nservices:\r\n  web:\r\n    <<: *base\r\n    build: .\r\n    ports: ['80:80']\r\n  db:\r\n    image: postgres:17\r\n    command: [\"postgres\", \"-c\", \"x=1\"]\r\nvolumes: {data: }\r\n",
        );
        assert_eq!(
            rows(&found),
            [
                "up | docker compose up | Create and start the services",
                "down | docker compose down | Stop and remove the services",
                "web | docker compose run web | -",
                "db | docker compose run db | Run postgres:17",
            ]
        );
        assert_eq!(found.commands[3].line, 9);
        assert!(found.commands[2].definition_text.contains("restart"));
    }

    #[test]
    fn the_old_file_name_and_an_include() {
        let found = read_alone(
            "dev/docker-compose.yml",
            "version: '3.8'\nservices: {up: {image: x}, a: {}}\n",
        );
        assert_eq!(names(&found), ["up", "down", "a"]);
        assert_eq!(found.commands[2].full_name(), "dev/a");
        assert_eq!(
            names(&read_alone("compose.yml", "include: [a.yml]\n")),
            ["up", "down"]
        );
    }

    #[test]
    fn broken() {
        assert!(
            problems(&read_alone("compose.yml", "services:\n - a\n b: c\n"))[0]
                .starts_with("compose.yml:")
        );
        assert_eq!(
            read_alone("compose.yml", "web: {image: x}\n")
                .problems
                .len(),
            1
        );
    }
}
