//! Playbooks of a project.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;

use serde_json::json;
use windlass_runs::playbooks::{Changed, Playbook, Playbooks, Source, fingerprint};
use windlass_runs::record::RunStatus;

use crate::{Project, stdout};

const BUILD: &str = r#"
name = "Build"
description = "Builds one target."

[vars]
target = "release"
count = 3
who = { description = "Who is greeted", pattern = "[a-zA-Z ;$()`'\"|&<>]+" }

[spec]
title = "Build ${target}"
runtime = "local"

[[spec.steps]]
name = "${target}"
shell = "bash"
command = "echo \"${who} ${count} $${HOME} ${x:-y}\""
expect = { stdoutRegex = ["^${who}"] }

[spec.envRefs]
MODE = "${target}"
"#;

fn load(project: &Project) -> Playbooks {
    Playbooks::load(&project.root)
}

fn values(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    let pairs = pairs.iter();
    pairs
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn build(project: &Project) -> Playbook {
    project.write(".windlass/playbooks/build.toml", BUILD);
    let loaded = load(project);
    assert_eq!(loaded.problems, []);
    loaded.get("build").unwrap().clone()
}

#[test]
fn files_of_all_formats_are_loaded_with_the_built_in_playbooks() {
    let project = Project::new();
    let yaml = "id: y\nname: Y\nspec:\n  title: t\n  runtime: dummy\n  steps:\n    - {name: a, shell: \
                sh, command: 'true'}\n";
    let json = json!({
        "name": "J",
        "spec": {
            "title": "t",
            "runtime": "dummy",
            "steps": [{"name": "a", "shell": "sh", "command": "true"}],
        },
    });
    project.write(".windlass/playbooks/some.yaml", yaml);
    project.write(".windlass/playbooks/j.json", json.to_string());
    project.write(".windlass/playbooks/README.md", "not a playbook");
    build(&project);
    let loaded = load(&project);
    let ids: Vec<&str> = loaded
        .playbooks
        .iter()
        .map(|playbook| &*playbook.id)
        .collect();
    assert_eq!(
        ids,
        [
            "hello-world",
            "multi-step-build",
            "pwsh-example",
            "build",
            "j",
            "y"
        ]
    );
    let view = serde_json::to_value(loaded.get("j").unwrap().view()).unwrap();
    assert_eq!(view["spec"], json["spec"]);
    assert_eq!(view["file"], ".windlass/playbooks/j.json");
    let view = serde_json::to_value(loaded.get("hello-world").unwrap().view()).unwrap();
    let keys: Vec<&String> = view.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["id", "name", "description", "spec"]);
    let error = loaded.get("helo-world").unwrap_err();
    assert_eq!(error.to_string(), "Playbook helo-world not found");
    assert_eq!(error.nearest.as_deref(), Some("hello-world"));
}

#[test]
fn problems_name_file_and_line_and_hide_no_other_playbook() {
    let project = Project::new();
    let steps = "steps: [{name: a, shell: sh, command: x}]";
    let spec = format!("spec: {{title: t, runtime: local, {steps}}}");
    for (name, text) in [
        ("a-syntax.toml", "name = \"a\"\nspec = = 1\n".to_owned()),
        ("b-fields.yaml", format!("nme: b\n{spec}\n")),
        (
            "c-spec.yaml",
            "name: c\nspec:\n  title: t\n  runtime: loc\n  steps:\n    - name: a\n      \
                         shell: sh\n      command: x\n      timeoutSec: '5'\n"
                .to_owned(),
        ),
        ("d-unknown.toml", BUILD.replace("$${HOME}", "${HOME}")),
        ("e-secret.toml", BUILD.replace("MODE = \"", "MODE = \"env:")),
        (
            "f-default.yaml",
            "name: f\nvars:\n  dir: ../x\nspec:\n  title: t\n  runtime: \
                                    local\n  steps:\n  - name: a\n    shell: sh\n    command: x\n    \
                                    cwd: \"${dir}\"\n"
                .to_owned(),
        ),
        (
            "g-run.yaml",
            format!(
                "name: g\n{}\n",
                spec.replace("title: t", "title: t, runId: r")
            ),
        ),
        (
            "h-taken.yaml",
            format!("name: h\nid: hello-world\n{spec}\n"),
        ),
        ("i-twice.yaml", format!("name: i\nid: z-fine\n{spec}\n")),
        ("z-fine.yaml", format!("name: z\n{spec}\n")),
        ("zz-binary.json", "\u{0}".to_owned()),
    ] {
        project.write(&format!(".windlass/playbooks/{name}"), text);
    }
    symlink(
        "/etc/hosts",
        project.root.join(".windlass/playbooks/zzz-out.toml"),
    )
    .unwrap();
    let loaded = load(&project);
    let problems: Vec<String> = loaded
        .problems
        .iter()
        .map(|problem| problem.to_string().replace(".windlass/playbooks/", ""))
        .collect();
    let runtimes = "'dummy' | 'local' | 'docker' | 'github-runner' | 'ecs-task' | 'ssm'";
    let unknown =
        "Unknown variable HOME: declare it under vars, or write $${HOME} for the shell's own";
    let expected = [
        "a-syntax.toml:2: extra `=`, expected nothing".to_owned(),
        "b-fields.yaml:1: name: Required".to_owned(),
        "b-fields.yaml:1: Unrecognized key(s) in object: 'nme'".to_owned(),
        format!(
            "c-spec.yaml:4: spec.runtime: Invalid enum value. Expected {runtimes}, received 'loc'"
        ),
        "c-spec.yaml:9: spec.steps.0.timeoutSec: Expected number, received string".to_owned(),
        format!("d-unknown.toml:17: spec.steps.0.command: {unknown}"),
        "e-secret.toml:21: spec.envRefs.MODE: A variable must not choose a secret".to_owned(),
        "f-default.yaml:11: spec.steps.0.cwd: Path must not contain '..'".to_owned(),
        "g-run.yaml:2: spec.runId: A playbook may run more than once, so it must not set runId"
            .to_owned(),
        "h-taken.yaml:1: the id hello-world belongs to a built-in playbook".to_owned(),
        "z-fine.yaml:1: the id z-fine belongs to i-twice.yaml".to_owned(),
        "zz-binary.json:1: expected value at line 1 column 1".to_owned(),
        "zzz-out.toml:1: the file is outside the project".to_owned(),
    ];
    assert_eq!(problems, expected);
    assert!(loaded.get("z-fine").is_ok());
}

#[tokio::test]
async fn a_value_cannot_inject_anything() {
    let project = Project::new();
    let playbook = build(&project);
    for value in [
        "; touch x",
        "$(touch x)",
        "`touch x`",
        "\"; touch x; echo \"",
        "' && touch x",
        "| touch x",
    ] {
        let spec = playbook.instantiate(&values(&[("who", value)])).unwrap();
        assert!(
            !spec.steps[0].command.contains("touch"),
            "{}",
            spec.steps[0].command
        );
        let record = project.run(serde_json::to_value(&spec).unwrap()).await;
        assert_eq!(
            record.status(),
            RunStatus::Success,
            "{:?}",
            record.failure()
        );
        assert!(
            stdout(&record).starts_with(&format!("{value} 3 /")),
            "{}",
            stdout(&record)
        );
        assert!(stdout(&record).ends_with(" y\n"));
        assert!(!project.root.join("x").exists(), "{value}");
    }
}

#[test]
fn values_are_substituted_by_context() {
    let project = Project::new();
    let playbook = build(&project);
    let spec = playbook
        .instantiate(&values(&[("who", "a|b"), ("target", "env:PATH")]))
        .unwrap();
    assert_eq!(spec.title, "Build env:PATH");
    assert_eq!(spec.steps[0].name, "env:PATH");
    let command = "echo \"${WINDLASS_VAR_who} ${WINDLASS_VAR_count} ${HOME} ${x:-y}\"";
    assert_eq!(spec.steps[0].command, command);
    let expect = spec.steps[0].expect.as_ref().unwrap();
    assert_eq!(expect.stdout_regex.as_ref().unwrap(), &[r"^a\|b"]);
    let env = spec.env_refs.unwrap();
    // A value that looks like a reference is not one.
    assert_eq!(env["MODE"], "value:env:PATH");
    assert_eq!(env["WINDLASS_VAR_target"], "value:env:PATH");
    assert_eq!(env["WINDLASS_VAR_count"], "3");
}

#[test]
fn invalid_values_are_rejected() {
    let project = Project::new();
    let playbook = build(&project);
    for (given, expected) in [
        (&[][..], "variable who: a value is required"),
        (
            &[("who", "1")],
            "variable who: the value does not match `[a-zA-Z ;$()`'\"|&<>]+`",
        ),
        (
            &[("who", "a"), ("no", "x")],
            "variable no: the playbook has no such variable; it has count, target, who",
        ),
        (
            &[("who", "a"), ("target", "\0")],
            "variable target: a value may have at most 32768 bytes and no NUL",
        ),
    ] {
        let error = playbook.instantiate(&values(given)).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

const WORDS: &str = r#"
name = "Words"

[vars]
loose = "a b"
strict = "x"
mode = { default = "--fast", pattern = "-?-?[a-z]+" }
inner = "x"

[spec]
title = "Words"
runtime = "local"

[[spec.steps]]
name = "show"
shell = "sh"
command = """
printf '<%s>' ${loose} "${strict}" ${mode} --inner="${inner}"
"""
"#;

#[tokio::test]
async fn a_value_stays_one_word_and_never_becomes_an_option() {
    let project = Project::new();
    project.write(".windlass/playbooks/words.toml", WORDS);
    let loaded = load(&project);
    assert_eq!(loaded.problems, []);
    let playbook = loaded.get("words").unwrap();
    // The author's defaults may be several words.
    for (given, expected) in [
        (&[][..], "<a><b><x><--fast><--inner=x>"),
        (
            &[
                ("loose", "c"),
                ("strict", "d * e"),
                ("mode", "--slow"),
                ("inner", "-f"),
            ],
            "<c><d * e><--slow><--inner=-f>",
        ),
        (&[("loose", ""), ("strict", "")], "<><--fast><--inner=x>"),
    ] {
        let spec = playbook.instantiate(&values(given)).unwrap();
        let record = project.run(serde_json::to_value(&spec).unwrap()).await;
        assert_eq!(stdout(&record), expected);
    }
    let unquoted = "the step \"show\" uses it without quotes";
    let option = "could take a value that begins with - for an option";
    for (name, value, expected) in [
        ("loose", "x --config evil.toml", unquoted),
        ("loose", "a\tb", unquoted),
        ("loose", "a\nb", unquoted),
        ("loose", "*", unquoted),
        ("loose", "a[bc]", unquoted),
        ("loose", "--config=evil", option),
        ("strict", "-x", option),
        ("strict", "--config=evil", option),
        ("mode", "--a=b", "does not match"),
    ] {
        let error = playbook.instantiate(&values(&[(name, value)])).unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains(name) && message.contains(expected),
            "{message}"
        );
    }
}

#[test]
fn variables_without_quotes_are_warned_of() {
    let project = Project::new();
    project.write(".windlass/playbooks/words.toml", WORDS);
    build(&project);
    let loaded = load(&project);
    assert_eq!(loaded.get("build").unwrap().warnings, []);
    let warnings = &loaded.get("words").unwrap().warnings;
    let shown: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            ".windlass/playbooks/words.toml:17: spec.steps.0.command: ${loose} has no double quotes, so a \
             value with spaces is refused: write \"${loose}\"",
            ".windlass/playbooks/words.toml:17: spec.steps.0.command: ${mode} has no double quotes, so a \
             value with spaces is refused: write \"${mode}\"",
        ]
    );
}

#[test]
fn a_changed_file_is_not_started() {
    let project = Project::new();
    let playbook = build(&project);
    let Source::File {
        path,
        fingerprint: allowed,
    } = &playbook.source
    else {
        panic!("{:?}", playbook.source);
    };
    assert_eq!(*allowed, fingerprint(BUILD.as_bytes()));
    assert_eq!(playbook.confirm(&project.root, allowed).unwrap(), playbook);
    project.write(path, BUILD.replace("release", "debug"));
    let changed = playbook.confirm(&project.root, allowed).unwrap_err();
    assert_eq!(changed, Changed::Content { path: path.clone() });
    let now = fingerprint(BUILD.replace("release", "debug").as_bytes());
    let confirmed = playbook.confirm(&project.root, &now).unwrap();
    assert_eq!(confirmed.vars["target"].default.as_deref(), Some("debug"));
    std::fs::remove_file(project.root.join(path)).unwrap();
    let changed = playbook.confirm(&project.root, &now).unwrap_err();
    assert!(matches!(changed, Changed::Broken { .. }), "{changed}");
}
