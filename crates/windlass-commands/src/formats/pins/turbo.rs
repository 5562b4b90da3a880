//! What turbo reads: its own files, and the scripts of all packages, which are what it runs.

use crate::data::read_jsonc;
use crate::decides::{Decides, How};
use crate::paths;
use crate::pinner::{Pinner, Seal};
use crate::runner::Runner;
use crate::source::FileContext;

use super::{packages, workspace};

pub const DECLARED: &[Decides] = &[Decides::here(".turbo/config.json", How::Settings)];

/// `runner` is the package manager, which starts the scripts.
pub fn pin(context: &FileContext<'_>, runner: Runner) -> Seal {
    let mut pinner = Pinner::new(context);
    let memo = pinner.memo.clone();
    match memo.parsed(pinner.source, context.path, read_jsonc) {
        Ok(node) => pinner.parts(context.path, "all keys", || {
            node.canonical_without(|it| it == "$schema")
        }),
        Err(problem) => pinner.unparsed(context.path, &problem),
    }
    let folder = context.folder();
    packages::package(&mut pinner, folder, 0);
    // A package's own turbo.json stands below the workspace.
    for above in paths::ancestors(folder) {
        if above == folder
            || pinner
                .source
                .exists(&paths::join_display(above, "turbo.json"))
        {
            workspace::pin(&mut pinner, above);
        }
        pinner.declared(above, DECLARED);
    }
    packages::manager(&mut pinner, folder, runner);
    pinner.local_program(folder, "turbo");
    pinner.seal()
}
