//! The reference: documents that are generated from the code and checked in, so that they can be
//! read with the code and a change to them is visible in review.
//!
//! The text depends on the code alone, never on a terminal, a clock or the environment. It is
//! printed after a hidden first argument, so that `cargo xtask docs` can ask the binary for it
//! instead of compiling the product a second time.

mod commands;
mod errors;
mod markdown;
mod tools;

use std::process::ExitCode;

use serde_json::{Map, Value as Json};

use super::output;

/// The command that writes the documents to where they are checked in.
const UPDATE: &str = "cargo run -p xtask -- docs";

/// Prints all documents: one JSON object of their texts by their path in the repository.
pub fn main() -> ExitCode {
    let documents = Json::Object(documents());
    match output::raw(documents.to_string().as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn documents() -> Map<String, Json> {
    let mark = format!("Made by `{UPDATE}`. Do not edit.");
    let page = |text: String| format!("<!-- {mark} -->\n\n{}\n", text.trim_end());
    [
        ("docs/reference/cli.md", page(commands::document())),
        ("docs/reference/tools.md", page(tools::document())),
        ("docs/reference/errors.md", page(errors::document())),
        (
            "docs/sdk.d.ts",
            format!("// {mark}\n\n{}", windlass_ops::sdk_declarations()),
        ),
    ]
    .into_iter()
    .map(|(path, text)| (path.to_owned(), text.into()))
    .collect()
}
