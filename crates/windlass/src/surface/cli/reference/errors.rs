//! `errors.md`: every kind of error, and every exit code.

use windlass_core::ErrorKind;

use super::super::exit_codes::EXIT_CODES;
use super::markdown::{code, paragraph, table};

pub fn document() -> String {
    let mut out = paragraph("# Errors");
    out += &paragraph(
        "Every error has a kind, a message, and often a hint that says how to fix it. \
         Programs distinguish errors by the kind: it is `error_type` in the data of an MCP error, \
         in an `isError` result, and in what `windlass --json` writes to standard error. \
         In a batch the kind is written in capitals: `ENTITY_NOT_FOUND`.",
    );
    out += &paragraph("## Kinds");
    out += &table(
        &["kind", "JSON-RPC code", "exit code", "meaning"],
        &ErrorKind::ALL
            .iter()
            .map(|kind| {
                vec![
                    code(kind.name()),
                    kind.code().to_string(),
                    kind.exit_code().to_string(),
                    kind.doc().to_owned(),
                ]
            })
            .collect::<Vec<_>>(),
    );
    out += &paragraph("## Exit codes");
    out += &paragraph(
        "The exit codes of `windlass`. A process that a signal ended has 128 plus the \
         number of the signal, as in every shell.",
    );
    out += &table(
        &["exit code", "meaning"],
        &EXIT_CODES
            .iter()
            .map(|(number, meaning)| vec![number.to_string(), (*meaning).to_owned()])
            .collect::<Vec<_>>(),
    );
    out
}
