//! What deno reads for its tasks: its settings here and above, and the scripts of package.json,
//! which are tasks too.

use crate::data::read_jsonc;
use crate::decides::{Decides, How};
use crate::paths;
use crate::pinner::{Pinner, Seal};
use crate::source::FileContext;

use super::packages;

pub const DECLARED: &[Decides] = &[Decides::here(".npmrc", How::Settings)];

const NAMES: &[&str] = &["deno.json", "deno.jsonc"];

const HARMLESS: &[&str] = &[
    "$schema",
    "bench",
    "compilerOptions",
    "description",
    "exports",
    "fmt",
    "imports",
    "license",
    "lint",
    "publish",
    "scopes",
    "test",
    "version",
];

pub fn pin(context: &FileContext<'_>) -> Seal {
    let mut pinner = Pinner::new(context);
    settings(&mut pinner, context.path);
    let folder = context.folder();
    packages::package(&mut pinner, folder, 0);
    for above in paths::ancestors(folder) {
        for name in NAMES {
            settings(&mut pinner, &paths::join_display(above, name));
        }
    }
    pinner.declared(folder, DECLARED);
    pinner.seal()
}

fn settings(pinner: &mut Pinner<'_>, path: &str) {
    let memo = pinner.memo.clone();
    match memo.parsed(pinner.source, path, read_jsonc) {
        Ok(node) => pinner.parts(path, "tasks and settings", || {
            node.canonical_without(|key| HARMLESS.contains(&key))
        }),
        Err(problem) => pinner.unparsed(path, &problem),
    }
}
