//! Travis CI: jobs are listed but never available, because nothing can run them on this machine.

use crate::command::ArgumentStyle;
use crate::data::{Node, read_yaml};
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::pins;

const NO_ARGUMENTS: &str = "Travis CI jobs cannot be run on this machine";

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let root = match read_yaml(text) {
        Ok(root) => root,
        Err(broken) => return Found::default().broken(context.path, broken),
    };
    let mut found = Found::default();
    for jobs in ["jobs", "matrix"].iter().filter_map(|key| root.get(key)) {
        let included = jobs.get("include").unwrap_or(jobs);
        let named = included
            .entries()
            .iter()
            .map(|(name, job)| (Some(name.as_str()), job));
        let listed = included.items().iter().map(|job| (None, job));
        for (name, job) in named.chain(listed) {
            let stage = || job.text_at("name").or_else(|| job.text_at("stage"));
            if let Some(name) = name.or_else(stage) {
                add(&mut found, context, name, job);
            }
        }
    }
    if found.commands.is_empty() {
        add(&mut found, context, "travis", &root);
    }
    found
}

fn add(found: &mut Found, context: &FileContext<'_>, name: &str, job: &Node) {
    if found.has(name) {
        return;
    }
    let seal = pins::alone(context);
    let command = context
        .command(Runner::Travis, name, &job.render())
        .with_program("travis")
        .with_args([name])
        .at(job.line)
        .described(Some("Runs on Travis CI only"))
        .taking(ArgumentStyle::Refused(NO_ARGUMENTS));
    found.push(command, &seal);
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, read_alone};

    #[test]
    fn jobs_by_name_and_stage() {
        let found = read_alone(
            ".travis.yml",
            "language: rust\r\njobs:\r\n  include:\r\n    - name: lint\r\n      script: cargo clippy\r\n    - stage: deploy\r\n      script: ./deploy.sh\r\n    - stage: deploy\r\n    - script: x\r\n",
        );
        assert_eq!(names(&found), ["lint", "deploy"]);
    }

    #[test]
    fn the_old_matrix_and_plain_files() {
        assert_eq!(
            names(&read_alone(
                ".travis.yml",
                "matrix:\n  include:\n  - {name: a}\n"
            )),
            ["a"]
        );
        assert_eq!(
            names(&read_alone(".travis.yml", "language: go\nscript: make\n")),
            ["travis"]
        );
        assert_eq!(
            names(&read_alone(".travis.yml", "jobs:\n  unit: {script: x}\n")),
            ["unit"]
        );
    }

    #[test]
    fn broken() {
        assert_eq!(read_alone(".travis.yml", "a: [\n").problems.len(), 1);
    }
}
