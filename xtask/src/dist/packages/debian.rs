//! A Debian package. It has no scripts: installing it only unpacks files.

use super::{File, SUMMARY};
use crate::dist::archive::tar::{self, Folders};
use crate::dist::archive::{Entry, ar, gzip};
use crate::dist::release::Release;

/// Where Debian wants the completion scripts of the shells.
const COMPLETIONS: &[(&str, &str)] = &[
    (
        "windlass.bash",
        "./usr/share/bash-completion/completions/windlass",
    ),
    ("_windlass", "./usr/share/zsh/vendor-completions/_windlass"),
    (
        "windlass.fish",
        "./usr/share/fish/vendor_completions.d/windlass.fish",
    ),
];

pub fn make(release: &Release) -> Result<Option<File>, String> {
    let Some(architecture) = release.platform.linux else {
        return Ok(None);
    };
    let contents = contents(release)?;
    let size: usize = contents.iter().map(|entry| entry.bytes.len()).sum();
    let control = control(release, architecture, size.div_ceil(1024));
    let control = [Entry::text("./control", &control)];
    let packed = |entries: &[Entry]| {
        let tar = tar::archive(entries, release.seconds, Folders::Listed)?;
        gzip::compress(&tar, release.level)
    };
    let (control, data) = (packed(&control)?, packed(&contents)?);
    let members: [(&str, &[u8]); 3] = [
        ("debian-binary", b"2.0\n"),
        ("control.tar.gz", &control),
        ("data.tar.gz", &data),
    ];
    let name = format!("windlass_{}_{architecture}.deb", release.version);
    Ok(Some((name, ar::archive(&members, release.seconds))))
}

fn contents(release: &Release) -> Result<Vec<Entry>, String> {
    let mut entries = vec![release.program("./usr/bin/")];
    for page in &release.manuals {
        let bytes = gzip::compress(&page.bytes, flate2::Compression::best())?;
        let path = format!("./usr/share/man/man1/{}.gz", page.path);
        entries.push(Entry::new(path, bytes));
    }
    for (script, path) in COMPLETIONS {
        let script = release.completions.iter().find(|it| it.path == *script);
        let script = script.ok_or_else(|| format!("there is no script for {path}"))?;
        entries.push(Entry::new(*path, script.bytes.clone()));
    }
    let copyright: Vec<u8> = release
        .licenses
        .iter()
        .flat_map(|license| [&license.bytes[..], b"\n"].concat())
        .collect();
    let documents = "./usr/share/doc/windlass";
    entries.push(Entry::new(format!("{documents}/copyright"), copyright));
    let log = gzip::compress(&release.changelog.bytes, flate2::Compression::best())?;
    entries.push(Entry::new(format!("{documents}/changelog.gz"), log));
    let sbom = format!("{documents}/sbom.cdx.json");
    entries.push(Entry::text(sbom, &release.sbom));
    Ok(entries)
}

fn control(release: &Release, architecture: &str, kilobytes: usize) -> String {
    let depends = release
        .glibc
        .map(|minor| format!("Depends: libc6 (>= 2.{minor})\n"))
        .unwrap_or_default();
    format!(
        "Package: windlass\nVersion: {}\nArchitecture: {architecture}\n\
         Maintainer: Windlass contributors\nInstalled-Size: {kilobytes}\n{depends}\
         Recommends: git\nSection: devel\nPriority: optional\nDescription: {SUMMARY}\n \
         One binary that keeps the plan of a repository, runs only the commands that\n \
         a person allowed, and checks finished work before it counts as done.\n",
        release.version
    )
}
