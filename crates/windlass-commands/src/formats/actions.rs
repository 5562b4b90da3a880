//! GitHub Actions: one command for each workflow file, run on this machine by act.

use crate::command::{ArgumentStyle, Kind};
use crate::data::{Node, Value, read_yaml};
use crate::paths;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::pins;

const NO_ARGUMENTS: &str = "act would interpret each further argument as an event or an option";

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let workflow = match read_yaml(text) {
        Ok(workflow) => workflow,
        Err(broken) => return Found::default().broken(context.path, broken),
    };
    let mut found = Found::default();
    if !workflow.get("jobs").is_some_and(|jobs| jobs.is_map()) {
        found.problem(context.path, 1, "the workflow has no `jobs`");
        return found;
    }
    let seal = pins::actions::pin(context);
    let events = events(&workflow);
    let mut words = Vec::new();
    if let Some(event) = chosen(&events) {
        words.push(event);
    }
    words.extend(["-W", context.path]);
    let command = context
        .command(Runner::Act, paths::stem_of(context.path), text)
        .within("")
        .with_words(&words)
        .of_kind(Kind::Workflow)
        .not_here(not_here(&workflow, &events))
        .described(workflow.text_at("name"))
        .taking(ArgumentStyle::Refused(NO_ARGUMENTS));
    found.push(command, &seal);
    found
}

/// The events that start the workflow. YAML of old takes the key `on` for a truth value.
fn events(workflow: &Node) -> Vec<String> {
    let Some(on) = workflow.get("on").or_else(|| workflow.get("true")) else {
        return Vec::new();
    };
    match &on.value {
        Value::Map(entries) => entries.iter().map(|(name, _)| name.clone()).collect(),
        _ => on.texts(),
    }
}

/// The event to name to act, which takes the only one by itself, and `push` of several.
fn chosen(events: &[String]) -> Option<&str> {
    if events.len() < 2 || events.iter().any(|it| it == "push") {
        return None;
    }
    let known = ["pull_request", "workflow_dispatch", "schedule"];
    let found = known
        .into_iter()
        .find(|known| events.iter().any(|it| it == known));
    let plain = |it: &&String| {
        it.as_str() != "workflow_call" && it.chars().all(|it| it.is_ascii_lowercase() || it == '_')
    };
    found.or_else(|| events.iter().find(plain).map(String::as_str))
}

/// Why act cannot run the workflow.
fn not_here(workflow: &Node, events: &[String]) -> Option<&'static str> {
    if !events.is_empty() && events.iter().all(|it| it == "workflow_call") {
        return Some("only other workflows can call it");
    }
    let jobs = workflow.get("jobs").map(Node::entries).unwrap_or_default();
    let elsewhere = |(_, job): &(String, Node)| {
        let machines = job.get("runs-on").map(Node::texts).unwrap_or_default();
        let known = |it: &String| {
            let it = it.to_ascii_lowercase();
            it.starts_with("macos") || it.starts_with("windows") || it == "self-hosted"
        };
        machines.iter().any(known)
    };
    (!jobs.is_empty() && jobs.iter().all(elsewhere))
        .then_some("its jobs need macOS, Windows or a machine of their own")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{problems, read_alone, rows};

    #[test]
    fn each_file_is_one_command() {
        let found = read_alone(
            ".github/workflows/ci.yml",
            "name: CI (main)\r\non:\r\n  push: {branches: [main]}\r\nenv:\r\n  A: ${{ secrets.A }}\r\njobs:\r\n  test:\r\n    runs-on: ubuntu-latest\r\n    steps:\r\n      - run: |\r\n          make test\r\n",
        );
        assert_eq!(
            rows(&found),
            ["ci | act -W .github/workflows/ci.yml | CI (main)"]
        );
        assert_eq!(found.commands[0].full_name(), "ci");
    }

    #[test]
    fn shared_blocks_and_dots_in_the_name() {
        let found = read_alone(
            ".github/workflows/release.nightly.yaml",
            "on: workflow_dispatch\nx-common: &common {runs-on: macos-14}\njobs:\n  a:\n    <<: *common\n    steps: []\n",
        );
        assert_eq!(
            rows(&found),
            ["release.nightly | act -W .github/workflows/release.nightly.yaml | -"]
        );
    }

    #[test]
    fn broken() {
        let found = read_alone(".github/workflows/x.yml", "on: push\njobs:\n\tbad: 1\n");
        assert!(problems(&found)[0].starts_with(".github/workflows/x.yml:"));
        assert_eq!(
            read_alone(".github/workflows/x.yml", "on: push\n")
                .problems
                .len(),
            1
        );
    }
}
