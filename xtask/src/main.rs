//! Chores of the workspace: tests, a demo, who may depend on whom, which crates may be linked, and
//! documents made from the code.
//!
//! `cargo xtask test | conformance | demo | check-deps | check-crates | docs [--check]`

mod cargo;
mod conformance;
mod crates;
mod demo;
mod dependencies;
mod docs;
mod programs;
mod test;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
Usage: cargo xtask <chore>

  test [...]    Run all tests, with real MCP clients; arguments go to the test runner
  conformance   Run the official suite of MCP over HTTP, with its fixture and as shipped
  demo          Build the binary and show it at work in a fresh project
  check-deps    Check that no crate depends on one that it must not know
  check-crates  Check licences and sources of all crates against deny.toml
  docs          Update docs/reference and docs/sdk.d.ts from the code
  docs --check  Fail where they are stale";

#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a chore talks to the person who started it"
)]
fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["test", arguments @ ..] => test::run(&root(), arguments),
        ["conformance"] => conformance::run(&root()),
        ["demo"] => demo::run(&root()),
        ["check-deps"] => dependencies::check(&root()),
        ["check-crates"] => crates::check(&root()),
        ["docs"] => docs::write(&root()),
        ["docs", "--check"] => docs::check(&root()),
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(done) => {
            println!("{done}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

/// Says what is going on. Results go to standard output, this does not.
#[expect(
    clippy::print_stderr,
    reason = "a chore talks to the person who started it"
)]
fn progress(text: &str) {
    eprintln!("{text}");
}

/// The root of the workspace. This crate lies right below it.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}
