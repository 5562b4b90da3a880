//! The archive for people who unpack it themselves: the binary with its completions, man pages and
//! licences. For Windows it is a zip.

use super::File;
use crate::dist::archive::tar::{self, Folders};
use crate::dist::archive::{Entry, gzip, zip};
use crate::dist::release::{Release, below};

pub fn make(release: &Release) -> Result<Option<File>, String> {
    let name = format!("windlass-{}-{}", release.version, release.platform.target);
    let folder = |below: &str| format!("{name}/{below}");
    let mut entries = vec![release.program(&folder(""))];
    entries.extend(below(&folder("completions/"), &release.completions));
    entries.extend(below(&folder("man/man1/"), &release.manuals));
    entries.extend(below(&folder(""), &release.licenses));
    entries.push(Entry::text(folder("sbom.cdx.json"), &release.sbom));
    let texts = [release.readme.clone(), release.changelog.clone()];
    entries.extend(below(&folder(""), &texts));
    if release.platform.is_windows() {
        let bytes = zip::archive(&entries, release.seconds, release.level)?;
        return Ok(Some((format!("{name}.zip"), bytes)));
    }
    let tar = tar::archive(&entries, release.seconds, Folders::Listed)?;
    let bytes = gzip::compress(&tar, release.level)?;
    Ok(Some((format!("{name}.tar.gz"), bytes)))
}

/// The list of what is in the binary, by itself, for tools that collect such lists.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the table of packages has one kind of function"
)]
pub fn sbom(release: &Release) -> Result<Option<File>, String> {
    let name = format!(
        "windlass-{}-{}.cdx.json",
        release.version, release.platform.target
    );
    Ok(Some((name, release.sbom.clone().into_bytes())))
}
