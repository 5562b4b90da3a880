//! What moon reads: the files of the workspace, and those of all of its projects, because tasks
//! depend on those of others.

use crate::decides::{Decides, How};
use crate::glob::{self, Wanted};
use crate::paths;
use crate::pinner::{Pinner, Seal};
use crate::source::FileContext;

pub const DECLARED: &[Decides] = &[
    Decides::upwards(".moon", How::Tree(".yml")),
    Decides::upwards(".moon", How::Tree(".yaml")),
    Decides::upwards(".moon", How::Tree(".pkl")),
    Decides::upwards(".prototools", How::Settings),
];

pub fn pin(context: &FileContext<'_>, folder: &str) -> Seal {
    let mut pinner = Pinner::new(context);
    pinner.whole(context.path);
    pinner.declared(folder, DECLARED);
    let root = paths::ancestors(folder)
        .find(|above| {
            let path = paths::join_display(above, ".moon");
            context.source.has_folder(&path)
        })
        .unwrap_or(folder);
    for pattern in ["**/moon.yml", "**/moon.yaml", "**/moon.pkl"] {
        match glob::expand(context.source, root, pattern, Wanted::Files) {
            Some(files) => files.iter().for_each(|file| drop(pinner.whole(file))),
            None => pinner.unreadable("the workspace has too many projects to pin"),
        }
    }
    // Scripts of packages can be tasks too.
    super::packages::package(&mut pinner, folder, 0);
    pinner.seal()
}
