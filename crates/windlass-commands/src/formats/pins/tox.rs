//! What tox reads: the file with its environments, and the plugin that a project may have.

use crate::decides::{Decides, How};
use crate::paths;
use crate::pinner::{Pinner, Seal};
use crate::source::FileContext;

pub const DECLARED: &[Decides] = &[
    Decides::here("tox.ini", How::Whole),
    Decides::here("setup.cfg", How::Whole),
    Decides::here("tox.toml", How::Whole),
    // Tox loads it by itself.
    Decides::here("toxfile.py", How::Whole),
];

pub fn pin(context: &FileContext<'_>) -> Seal {
    let mut pinner = Pinner::new(context);
    let folder = context.folder();
    if paths::name_of(context.path) != "pyproject.toml" {
        pinner.whole(context.path);
    }
    super::pyproject::parts(&mut pinner, &paths::join_display(folder, "pyproject.toml"));
    pinner.declared(folder, DECLARED);
    pinner.local_program(folder, "tox");
    pinner.seal()
}
