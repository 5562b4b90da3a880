//! Tasks of the workspace: tests, a demo, checks of dependencies and licences, generated documents,
//! and packages.

mod cargo;
mod client;
mod conformance;
mod crates;
mod demo;
mod dependencies;
mod dist;
mod docs;
mod evaluation;
mod faults;
mod pages;
mod programs;
mod recording;
mod release_notes;
mod site;
mod soak;
mod stability;
mod test;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// All tasks.
const TASKS: &[&str] = &[
    "test",
    "faults",
    "soak",
    "agents",
    "commands",
    "conformance",
    "demo",
    "check-deps",
    "check-crates",
    "docs",
    "check-docs",
    "site",
    "stability",
    "release-notes",
    "dist",
    "dist-manifests",
];

const USAGE: &str = "\
Usage: cargo xtask <task>

  test [...]    Run all tests, with real MCP clients; arguments go to the test runner
  faults [--minutes N] [--seed S]
                Kill, fill, lock and starve windlass at random moments, and print what was lost
  soak [--minutes N] [--folder DIR] [--binary FILE] [--seed S]
                Let agents, people, syncs and kills work on one project for hours, and plot what it took
  agents        Test windlass setup with the real coding agents from npm (1 GB, installed once)
  commands DIR [--binary FILE] [--misses]
                Compare the commands that windlass lists with what the tools know, on a folder of checkouts
  conformance   Run the official MCP conformance suite over HTTP, with its fixture and as shipped
  demo          Build the binary and demonstrate it in a fresh project
  check-deps    Check that no crate has a forbidden dependency
  check-crates  Check licences and sources of all crates against deny.toml
  docs          Update docs/reference, docs/sdk.d.ts and docs/recording.svg from the code
  docs --check  Fail if they are stale
  check-docs    Fail if a link between pages leads nowhere, or a page names a task that does not exist
  site [--out DIR]
                Make a site of plain files from all pages, in target/site, and check its links
  stability     Add what is new to docs/stability.txt, what programs may rely on, as for a release
  stability --check
                Fail if something there is no longer so; --accept takes it away
  release-notes VERSION
                Print what CHANGELOG.md says about a version, or about `unreleased`
  dist [--target TRIPLE[.GLIBC]] [--binary FILE] [--out DIR] [--only NAMES] [--fast] [--repository URL]
                Build the binary as it is shipped, and pack it: archive, sbom, wheel, npm, deb, mcpb, image
  dist-manifests --out DIR --repository URL
                Write what refers to the packages of all systems, once they are in one folder";

#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a task prints to the person who started it"
)]
fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["test", arguments @ ..] => test::run(&root(), arguments),
        ["faults", arguments @ ..] => faults::run(&root(), arguments),
        ["soak", arguments @ ..] => soak::run(&root(), arguments),
        ["agents"] => test::run_agents(&root()),
        ["commands", arguments @ ..] => evaluation::run(&root(), arguments),
        ["conformance"] => conformance::run(&root()),
        ["demo"] => demo::run(&root()),
        ["check-deps"] => dependencies::check(&root()),
        ["check-crates"] => crates::check(&root()),
        ["docs"] => docs::write(&root()),
        ["docs", "--check"] => docs::check(&root()),
        ["check-docs"] => pages::check(&root()),
        ["site", arguments @ ..] => site::run(&root(), arguments),
        ["stability"] => stability::add(&root()),
        ["stability", "--check"] => stability::check(&root()),
        ["stability", "--accept"] => stability::accept(&root()),
        ["release-notes", version] => release_notes::run(&root(), version),
        ["dist", arguments @ ..] => dist::run(&root(), arguments),
        ["dist-manifests", arguments @ ..] => dist::run_manifests(&root(), arguments),
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

/// Shows progress on standard error; results go to standard output.
#[expect(
    clippy::print_stderr,
    reason = "a task prints to the person who started it"
)]
fn progress(text: &str) {
    eprintln!("{text}");
}

/// The root of the workspace, which is the parent of this crate.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}
