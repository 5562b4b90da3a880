//! The workflow file that executes scripts.

use std::fmt::Write as _;

/// What the workflow file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workflow {
    /// The labels of the runner.
    pub runs_on: String,
    /// The secrets of the repository that steps may refer to as `env:NAME`.
    pub secrets: Vec<String>,
    /// The longest that a job may take, in minutes.
    pub timeout_minutes: u32,
}

impl Default for Workflow {
    fn default() -> Self {
        Self {
            runs_on: "ubuntu-latest".to_owned(),
            secrets: Vec::new(),
            timeout_minutes: 360,
        }
    }
}

const HEAD: &str = "\
# Executes runs of Windlass. It was written by `windlass runs github install`; a run is found by its
# name, and its inputs reach the shell only through variables.
name: windlass-run
run-name: windlass ${{ inputs.id }}

on:
  workflow_dispatch:
    inputs:
      id:
        description: What the run is found by
        required: true
        type: string
      script:
        description: The steps, compressed
        required: true
        type: string

permissions:
  contents: read
";

const STEP: &str = "
      - name: Run
        shell: bash
        run: |
          printf %s \"$WINDLASS_SCRIPT\" | base64 -d | gzip -d > \"$RUNNER_TEMP/windlass-run.sh\"
          unset WINDLASS_SCRIPT
          sh \"$RUNNER_TEMP/windlass-run.sh\"
        env:
          WINDLASS_SCRIPT: ${{ inputs.script }}
";

impl Workflow {
    /// The file's usual place in a repository.
    pub const FILE: &'static str = ".github/workflows/windlass-run.yml";

    /// The text of the file.
    pub fn text(&self) -> String {
        let mut text = HEAD.to_owned();
        let runs_on = serde_json::Value::from(self.runs_on.as_str());
        let _ = write!(
            text,
            "\njobs:\n  run:\n    runs-on: {runs_on}\n    timeout-minutes: {}\n    steps:\n      \
             - uses: actions/checkout@v4\n",
            self.timeout_minutes
        );
        text.push_str(STEP);
        for name in &self.secrets {
            let _ = writeln!(text, "          {name}: ${{{{ secrets.{name} }}}}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_passes_inputs_and_secrets_through_variables() {
        let workflow = Workflow {
            secrets: vec!["DEPLOY_KEY".to_owned()],
            ..Workflow::default()
        };
        let text = workflow.text();
        assert!(text.ends_with(
            "          WINDLASS_SCRIPT: ${{ inputs.script }}\n          \
             DEPLOY_KEY: ${{ secrets.DEPLOY_KEY }}\n"
        ));
        let shell = text.split("run: |").nth(1).unwrap();
        let shell = shell.split("env:").next().unwrap();
        assert!(!shell.contains("${{"), "nothing is pasted into shell text");
        let parsed: serde_json::Value = serde_saphyr::from_str(&text).unwrap();
        assert_eq!(parsed["run-name"], "windlass ${{ inputs.id }}");
        assert_eq!(parsed["jobs"]["run"]["runs-on"], "ubuntu-latest");
    }
}
