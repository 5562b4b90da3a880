//! What bazel reads: its settings, and every build file and extension of the repository. A target of
//! the root depends on what they say.

use crate::decides::{Decides, How};
use crate::glob::{self, Wanted};
use crate::pinner::{Pinner, Seal};
use crate::source::FileContext;

pub const DECLARED: &[Decides] = &[
    Decides::at_root("MODULE.bazel", How::Whole),
    Decides::at_root("WORKSPACE", How::Whole),
    Decides::at_root("WORKSPACE.bazel", How::Whole),
    Decides::at_root("WORKSPACE.bzlmod", How::Whole),
    Decides::at_root(".bazelrc", How::Settings),
    Decides::at_root("user.bazelrc", How::Settings),
    Decides::at_root(".bazelversion", How::Whole),
    Decides::at_root(".bazeliskrc", How::Settings),
    // Bazel starts it in its own place.
    Decides::at_root("tools/bazel", How::Whole),
    Decides::at_root("BUILD", How::Whole),
    Decides::at_root("BUILD.bazel", How::Whole),
];

pub fn pin(context: &FileContext<'_>) -> Seal {
    let mut pinner = Pinner::new(context);
    pinner.whole(context.path);
    pinner.declared("", DECLARED);
    for pattern in [
        "**/BUILD",
        "**/BUILD.bazel",
        "**/*.bzl",
        "**/*.bazelrc",
        "**/*.MODULE.bazel",
    ] {
        match glob::expand(context.source, "", pattern, Wanted::Files) {
            Some(files) => files.iter().for_each(|file| drop(pinner.whole(file))),
            None => pinner.unreadable("the repository has too many packages to pin"),
        }
    }
    pinner.seal()
}
