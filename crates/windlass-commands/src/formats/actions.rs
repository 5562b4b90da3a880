//! GitHub Actions: one command for each workflow file, run on this machine by act.

use crate::command::ArgumentStyle;
use crate::data::read_yaml;
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
    let command = context
        .command(Runner::Act, paths::stem_of(context.path), text)
        .within("")
        .with_args(["-W", context.path])
        .described(workflow.text_at("name"))
        .taking(ArgumentStyle::Refused(NO_ARGUMENTS));
    found.push(command, &seal);
    found
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
