//! Specs and playbooks that are almost right.

#[path = "../../../windlass-core/tests/shared/mutate.rs"]
mod mutate;

use std::fs;

use windlass_runs::playbooks::Playbooks;
use windlass_runs::spec::RunSpec;

const SPECS: &[&str] = &[
    r#"{"title": "Build", "runtime": "local", "steps": [{"name": "a", "shell": "bash", "command": "make", "timeoutSeconds": 5}]}"#,
    r#"{"title": "T", "runtime": "docker", "image": "x:1", "envRefs": {"A": "b"}, "secrets": ["TOKEN"], "steps": []}"#,
    r#"{"title": "T", "runtime": "dummy", "steps": [{"name": "a", "shell": "sh", "command": "b", "expect": {"exitCode": 1, "stdoutRegex": ["^a+$"]}, "artifacts": ["**/*.txt", "!x"], "workingDirectory": "../.."}]}"#,
];

const PLAYBOOKS: &[&str] = &[
    "name = \"Build\"\n[vars]\ntarget = \"release\"\nwho = { pattern = \"[a-z]+\" }\n[spec]\ntitle = \"Build ${target}\"\nruntime = \"local\"\n[[spec.steps]]\nname = \"a\"\nshell = \"bash\"\ncommand = \"echo \\\"${who}\\\"\"\n",
    "name: Build\nvars:\n  a: {description: x, default: '1'}\nspec:\n  title: T ${a}\n  runtime: local\n  steps:\n    - {name: s, shell: sh, command: 'echo ${a} $${b} ${c:-d}'}\n",
    r#"{"name": "B", "spec": {"title": "T", "runtime": "dummy", "steps": [{"name": "a", "shell": "bash", "command": "x"}]}}"#,
];

#[test]
fn fuzz_run_specs() {
    mutate::fuzz("run specs", 5_000, |mutator| {
        if let Ok(json) = serde_json::from_str(&mutator.text(SPECS)) {
            let _ = RunSpec::parse(json);
        }
    });
}

#[test]
fn fuzz_playbooks() {
    let folder = tempfile::tempdir().unwrap();
    let playbooks = folder.path().join(".windlass/playbooks");
    fs::create_dir_all(&playbooks).unwrap();
    mutate::fuzz("playbooks", 700, |mutator| {
        for ending in ["toml", "yaml", "json"] {
            let text = mutator.text(PLAYBOOKS);
            fs::write(playbooks.join(format!("a.{ending}")), text).unwrap();
        }
        let loaded = Playbooks::load(folder.path());
        if let Ok(playbook) = loaded.get("a") {
            let _ = playbook.instantiate(&[("who".to_owned(), "x".to_owned())].into());
        }
    });
}
