//! The dashboard in a real browser, and the types of its page.
//!
//! `cargo xtask test` gets playwright-core, axe-core and TypeScript; Chromium is that of the system.
//! Without them these tests are skipped.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and says what it measured"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::clients::{clients, skip};

const WEB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../windlass-web");

#[test]
fn stories() {
    run_in_browser("stories");
}

#[test]
fn security() {
    run_in_browser("security");
}

#[test]
fn accessibility() {
    run_in_browser("accessibility");
}

#[test]
fn speed() {
    run_in_browser("speed");
}

/// The page is checked against the declarations of the operations.
#[test]
fn types_of_the_page() {
    let Some(typescript) = package("typescript") else {
        return;
    };
    let mut check = Command::new("node");
    let check = check
        .arg("tools/check.mjs")
        .arg(typescript)
        .current_dir(WEB);
    finish(check);
}

fn run_in_browser(name: &str) {
    let (Some(clients), Some(_)) = (clients(), package("playwright-core")) else {
        return;
    };
    if !Path::new("/usr/bin/chromium").exists() {
        skip::<()>("there is no /usr/bin/chromium");
        return;
    }
    let mut node = Command::new("node");
    node.args(["--test", "--test-reporter=spec", "--test-timeout=240000"])
        .arg(format!("tests/browser/{name}.test.mjs"))
        .env("WINDLASS", env!("CARGO_BIN_EXE_windlass"))
        .env("WINDLASS_CLIENTS", clients)
        .env_remove("WINDLASS_SESSION")
        .current_dir(WEB);
    finish(&mut node);
}

fn finish(command: &mut Command) {
    let ended = command.output().unwrap();
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(
        ended.status.success(),
        "{said}\n{}",
        String::from_utf8_lossy(&ended.stderr)
    );
    println!("{said}");
}

/// A package that came from npm.
fn package(name: &str) -> Option<PathBuf> {
    let folder = clients()?.join("node/node_modules").join(name);
    if folder.exists() {
        return Some(folder);
    }
    skip(&format!("{name} could not be had"))
}
