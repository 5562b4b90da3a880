//! What composer reads: everything of composer.json but what it installs.

use crate::data::read_json;
use crate::decides::{Decides, How};
use crate::pinner::{Pinner, Seal};
use crate::source::FileContext;

pub const DECLARED: &[Decides] = &[Decides::here("auth.json", How::Variables)];

const HARMLESS: &[&str] = &[
    "$schema",
    "abandoned",
    "archive",
    "authors",
    "autoload",
    "autoload-dev",
    "conflict",
    "description",
    "funding",
    "homepage",
    "keywords",
    "license",
    "minimum-stability",
    "name",
    "prefer-stable",
    "provide",
    "readme",
    "replace",
    "require",
    "require-dev",
    "scripts-descriptions",
    "suggest",
    "support",
    "time",
    "type",
    "version",
];

pub fn pin(context: &FileContext<'_>) -> Seal {
    let mut pinner = Pinner::new(context);
    let memo = pinner.memo.clone();
    match memo.parsed(pinner.source, context.path, read_json) {
        Ok(project) => pinner.parts(context.path, "scripts and settings", || {
            project.canonical_without(|key| HARMLESS.contains(&key))
        }),
        Err(problem) => pinner.unparsed(context.path, &problem),
    }
    pinner.declared(context.folder(), DECLARED);
    pinner.seal()
}
