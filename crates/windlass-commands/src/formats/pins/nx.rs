//! What nx reads: its settings, and the files of all projects, because targets depend on those of
//! others.

use crate::decides::{Decides, How};
use crate::glob::{self, Wanted};
use crate::paths;
use crate::pinner::{Pinner, Seal};
use crate::source::FileContext;

pub const DECLARED: &[Decides] = &[
    Decides::upwards("nx.json", How::Whole),
    Decides::upwards(".env", How::Variables),
    Decides::upwards(".env.local", How::Variables),
    Decides::upwards(".local.env", How::Variables),
];

pub fn pin(context: &FileContext<'_>, root: &str) -> Seal {
    let mut pinner = Pinner::new(context);
    let folder = context.folder();
    pinner.whole(context.path);
    pinner.declared(folder, DECLARED);
    match glob::expand(context.source, root, "**/project.json", Wanted::Files) {
        Some(files) => files.iter().for_each(|file| drop(pinner.whole(file))),
        None => pinner.unreadable("the workspace has too many projects to pin"),
    }
    for above in paths::ancestors(folder) {
        super::packages::package(&mut pinner, above, 0);
    }
    super::workspace::pin(&mut pinner, root);
    pinner.local_program(folder, "nx");
    pinner.seal()
}
