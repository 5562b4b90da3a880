//! The built-in playbooks. They use the `dummy` runtime, so that anyone can try them safely; to
//! execute them, copy one into the project and change its runtime.

use std::collections::BTreeMap;

use super::playbook::{Playbook, Source};
use crate::spec::{Expect, RunSpec, RuntimeName, Shell, Step};

/// All built-in playbooks.
pub fn all() -> Vec<Playbook> {
    vec![hello_world(), multi_step_build(), pwsh_example()]
}

fn hello_world() -> Playbook {
    playbook(
        (
            "hello-world",
            "Hello World",
            "Prints a greeting, to check that runs work.",
        ),
        vec![Step {
            expect: Some(Expect {
                exit_code: Some(0),
                stdout_regex: Some(vec!["Hello, World!".to_owned()]),
                ..Expect::default()
            }),
            ..step("Say Hello", Shell::Bash, "echo 'Hello, World!'")
        }],
    )
}

fn multi_step_build() -> Playbook {
    let mut playbook = playbook(
        (
            "multi-step-build",
            "Multi-Step Build",
            "Installs, tests and builds a Node.js project.",
        ),
        vec![
            Step {
                timeout_sec: Some(300.into()),
                ..step("Install Dependencies", Shell::Bash, "npm install")
            },
            Step {
                timeout_sec: Some(600.into()),
                expect: Some(Expect {
                    exit_code: Some(0),
                    ..Expect::default()
                }),
                ..step("Run Tests", Shell::Bash, "npm test")
            },
            Step {
                artifacts: Some(vec!["dist/**/*".to_owned()]),
                ..step("Build", Shell::Bash, "npm run build")
            },
        ],
    );
    let production = ("NODE_ENV".to_owned(), "production".to_owned());
    playbook.spec.env_refs = Some(BTreeMap::from([production]));
    playbook
}

fn pwsh_example() -> Playbook {
    playbook(
        (
            "pwsh-example",
            "PowerShell Example",
            "An example of a PowerShell step.",
        ),
        vec![step(
            "Show Version",
            Shell::Pwsh,
            "Write-Output \"PowerShell $($PSVersionTable.PSVersion)\"",
        )],
    )
}

fn playbook((id, name, description): (&str, &str, &str), steps: Vec<Step>) -> Playbook {
    Playbook {
        id: id.to_owned(),
        name: name.to_owned(),
        description: Some(description.to_owned()),
        vars: BTreeMap::new(),
        spec: RunSpec {
            run_id: None,
            issue_id: None,
            title: name.to_owned(),
            runtime: RuntimeName::Dummy,
            steps,
            env_refs: None,
        },
        source: Source::BuiltIn,
        warnings: Vec::new(),
    }
}

fn step(name: &str, shell: Shell, command: &str) -> Step {
    Step {
        name: name.to_owned(),
        shell,
        command: command.to_owned(),
        cwd: None,
        timeout_sec: None,
        expect: None,
        artifacts: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_valid_and_round_trip() {
        let ids: Vec<String> = all().into_iter().map(|playbook| playbook.id).collect();
        assert_eq!(ids, ["hello-world", "multi-step-build", "pwsh-example"]);
        for playbook in all() {
            assert_eq!(
                playbook.instantiate(&BTreeMap::new()).unwrap(),
                playbook.spec
            );
        }
    }
}
