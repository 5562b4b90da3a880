//! `windlass debug bundle`: secrets that are planted in every place are not in it, and no text of the plan.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value as Json;

use crate::setup::Bench;

/// A secret for each place, so that a leak says where it came from.
fn secret(place: &str) -> String {
    format!("planted-{place}-0123456789")
}

/// A project with a secret wherever one could be, and a plan that is nobody's business.
fn planted() -> Bench {
    let bench = Bench::new();
    let config = format!(
        "[project]\ntitle = \"Shop\"\n\n[mcp]\ntoolsets = [\"knowledge\"]\n# token = \"{}\"\n# url: https://ann:{}@example.com/x\n",
        secret("config"),
        secret("url")
    );
    bench.write("project/.windlass/config.toml", &config);
    let add = bench.run(&[
        "add",
        "note",
        "Buy the rival",
        "--content",
        "The private plan",
    ]);
    assert!(add.status.success(), "{add:?}");
    let line = |text: &str| format!("2026-01-30T12:00:00.000Z WARN windlass::mcp {text}\n");
    let log = [
        line(
            "request{id=1} completed error_type=\"TaskNotFound\" error=\"Task 'The private plan' not found\"",
        ),
        line(&format!("Authorization: Bearer {}", secret("header"))),
        line(&format!("it was {}", secret("variable"))),
        line("request{id=2} started"),
    ];
    bench.write(
        "home/.local/state/windlass/logs/20260130T120000Z-mcp-7-0.log",
        &log.concat(),
    );
    let mcp = format!(
        "{{\"mcpServers\": {{\"other\": {{\"command\": \"x\", \"env\": {{\"API_KEY\": \"{}\"}}}}}}}}",
        secret("client")
    );
    bench.write("project/.mcp.json", &mcp);
    bench.write(
        "project/.env",
        &format!("DB_PASSWORD={}\n", secret("dotenv")),
    );
    bench
}

fn bundle(bench: &Bench, words: &[&str]) -> Output {
    let mut command = bench.command(&[&["debug", "bundle", "../out.tar.gz"], words].concat());
    command
        .env("WINDLASS_HTTP_TOKEN", secret("token"))
        .env("SHOP_SECRET", secret("variable"))
        .env("WINDLASS_SESSION", secret("variable"));
    command.output().unwrap()
}

/// The files of the bundle.
fn unpacked(file: &Path) -> BTreeMap<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let done = Command::new("tar")
        .arg("-xzf")
        .arg(file)
        .current_dir(folder.path())
        .status();
    assert!(done.unwrap().success());
    let mut texts = BTreeMap::new();
    let mut folders = vec![folder.path().to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path
                    .strip_prefix(folder.path())
                    .unwrap()
                    .display()
                    .to_string();
                texts.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    texts
}

#[test]
fn no_secret_and_no_text_of_the_plan_is_in_it() {
    let bench = planted();
    let output = bundle(&bench, &["--json"]);
    assert!(output.status.success(), "{output:?}");
    let answer: Json = serde_json::from_slice(&output.stdout).unwrap();
    let file = bench.path("out.tar.gz");
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let texts = unpacked(&file);
    let listed: Vec<&str> = answer["contents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| part["name"].as_str().unwrap())
        .collect();
    assert_eq!(listed.len(), texts.len(), "{listed:?}");
    for name in [
        "versions.json",
        "doctor.json",
        "environment.txt",
        "config.toml",
        "state.json",
    ] {
        assert!(texts.contains_key(name), "{name}: {listed:?}");
    }
    for (name, text) in &texts {
        assert!(!text.contains("planted-"), "{name}: {text}");
        assert!(
            !text.contains("rival") && !text.contains("private plan"),
            "{name}: {text}"
        );
        assert!(
            !text.contains(&bench.path("home").display().to_string()),
            "{name}: {text}"
        );
    }
    let state: Json = serde_json::from_str(&texts["state.json"]).unwrap();
    assert_eq!(state["rows"]["entities"], 1, "{state}");
    assert_eq!(state["version"]["found"], state["version"]["known"]);
    let doctor: Json = serde_json::from_str(&texts["doctor.json"]).unwrap();
    assert!(doctor["checks"].as_array().unwrap().len() > 10, "{doctor}");
    let log = &texts["logs/20260130T120000Z-mcp-7-0.log"];
    assert!(log.contains("request{id=2} started\n"), "{log}");
    assert!(
        log.contains("error_type=\"TaskNotFound\" error=(left out)\n"),
        "{log}"
    );
    assert!(texts["config.toml"].contains("title = \"Shop\""));
}

#[test]
fn the_plan_is_in_it_when_it_was_asked_for() {
    let bench = planted();
    let output = bundle(&bench, &["--with-plan"]);
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("plan.jsonl"), "{printed}");
    let texts = unpacked(&bench.path("out.tar.gz"));
    assert!(texts["plan.jsonl"].contains("Buy the rival"));
    assert!(texts.values().all(|text| !text.contains("planted-")));
}

#[test]
fn a_file_that_exists_is_kept_and_a_person_is_asked() {
    let bench = planted();
    let declined = bench.typed("debug bundle ../out.tar.gz", "n\n");
    assert_eq!(declined.status.code(), Some(9), "{declined:?}");
    assert!(!bench.path("out.tar.gz").exists());
    fs::write(bench.path("out.tar.gz"), "mine").unwrap();
    let output = bundle(&bench, &[]);
    assert!(!output.status.success(), "{output:?}");
    assert_eq!(
        fs::read_to_string(bench.path("out.tar.gz")).unwrap(),
        "mine"
    );
}
