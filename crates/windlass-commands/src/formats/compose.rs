//! Docker compose: the whole project up and down, and one command for each service.

use std::collections::HashSet;

use crate::command::{ArgumentStyle, Command, Kind};
use crate::data::{Node, read_yaml};
use crate::paths;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::pins;

const NO_ARGUMENTS: &str = "docker compose would interpret further arguments as options, services, or another program to run in the container";

/// More included files than this are not read.
const MAX_FILES: usize = 100;

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
    let mut all: Vec<Service> = Vec::new();
    let mut visited = HashSet::from([context.path.to_owned()]);
    collect(&project, context.path, context, &mut visited, &mut all);
    let mut profiles: Vec<(String, String, usize)> = Vec::new();
    let mut known = HashSet::new();
    for service in all {
        for profile in service
            .node
            .get("profiles")
            .map(Node::texts)
            .unwrap_or_default()
        {
            if known.insert(profile.clone()) {
                profiles.push((profile, service.file.clone(), service.node.line));
            }
        }
        let name = &service.name;
        if found.has(name) {
            continue;
        }
        let image = service
            .node
            .text_at("image")
            .map(|image| format!("Run {image}"));
        let command = context
            .command(Runner::DockerCompose, name, &service.node.render())
            .with_args(["compose", "run", name])
            .defined_in(&service.file)
            .at(service.node.line)
            .described(image)
            .of_kind(Kind::Service)
            .taking(ArgumentStyle::Refused(NO_ARGUMENTS));
        found.push(started(command, context, overriding), &seal);
    }
    for (profile, file, line) in profiles {
        let name = format!("up:{profile}");
        if found.has(&name) || profile.starts_with('-') {
            continue;
        }
        let command = context
            .command(Runner::DockerCompose, &name, &format!("profile {profile}"))
            .with_args(["compose", "--profile", &profile, "up"])
            .defined_in(&file)
            .at(line)
            .described(Some(format!(
                "Start the services with those of the profile {profile}"
            )))
            .taking(ArgumentStyle::Refused(NO_ARGUMENTS));
        found.push(started(command, context, overriding), &seal);
    }
    found
}

struct Service {
    name: String,
    file: String,
    node: Node,
}

/// The services of a file, and of those that it includes.
fn collect(
    project: &Node,
    path: &str,
    context: &FileContext<'_>,
    visited: &mut HashSet<String>,
    all: &mut Vec<Service>,
) {
    let services = project.get("services").map(Node::entries);
    for (name, node) in services.unwrap_or_default() {
        all.push(Service {
            name: name.clone(),
            file: path.to_owned(),
            node: node.clone(),
        });
    }
    for include in project.get("include").map(Node::items).unwrap_or_default() {
        for written in include.path_texts() {
            let inner = paths::resolve(paths::folder_of(path), &written);
            // The pins report what cannot be read.
            let Some(inner) =
                inner.filter(|it| !written.contains('$') && visited.insert(it.clone()))
            else {
                continue;
            };
            if visited.len() < MAX_FILES
                && let Ok(file) = context.memo.parsed(context.source, &inner, read_yaml)
            {
                collect(&file, &inner, context, visited, all);
            }
        }
    }
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
