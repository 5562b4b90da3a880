//! The documents that are made from the code.

use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value as Json};

#[test]
fn what_is_checked_in_is_what_the_binary_prints() {
    let printed = Command::new(env!("CARGO_BIN_EXE_windlass"))
        .arg("__docs")
        .output()
        .unwrap();
    assert!(printed.status.success());
    let documents: Map<String, Json> = serde_json::from_slice(&printed.stdout).unwrap();
    let paths: Vec<&String> = documents.keys().collect();
    assert_eq!(
        paths,
        [
            "docs/reference/cli.md",
            "docs/reference/tools.md",
            "docs/reference/errors.md",
            "docs/sdk.d.ts",
        ]
    );
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (path, text) in &documents {
        let stored = std::fs::read_to_string(root.join(path)).unwrap_or_default();
        assert!(
            text.as_str() == Some(&stored),
            "{path} is stale; to update it: cargo xtask docs"
        );
    }
}

#[test]
fn people_are_not_shown_the_word_for_it() {
    let help = Command::new(env!("CARGO_BIN_EXE_windlass"))
        .arg("help")
        .output()
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(help.contains("every day"), "{help}");
    assert!(!help.contains("__docs"), "{help}");
}
