//! `cargo xtask site`: the pages of this repository as a site of plain files, with navigation. It
//! needs no server and loads nothing from elsewhere. Pages keep their places, so that their links do
//! too; only `.md` becomes `.html`, and a README the index of its folder.

mod check;
mod navigation;
mod render;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::pages;
use render::Page;
pub use render::escaped;

/// Pages that are not under `docs/`.
const BESIDE_DOCS: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "benches/README.md",
    "crates/windlass-web/README.md",
];

const STYLE: &str = include_str!("style.css");

/// Writes the site to `target/site` or another folder, and checks every link in it.
pub fn run(root: &Path, arguments: &[&str]) -> Result<String, String> {
    let folder = match arguments {
        [] => root.join("target").join("site"),
        ["--out", folder] => PathBuf::from(folder),
        _ => return Err("Usage: cargo xtask site [--out DIR]".to_owned()),
    };
    build(root, &folder)?;
    let checked = check::links(&folder)?;
    Ok(format!("{}: {checked}", folder.display()))
}

/// Builds the site in a folder, which is replaced.
fn build(root: &Path, folder: &Path) -> Result<(), String> {
    let sources = sources(root)?;
    let pages = sources.iter().map(|source| Page::read(root, source));
    let pages = pages.collect::<Result<Vec<Page>, String>>()?;
    if folder.exists() {
        let is_site = folder.join("style.css").exists();
        if !is_site {
            return Err(format!("{} exists and is not a site", folder.display()));
        }
        fs::remove_dir_all(folder).map_err(|problem| format!("{}: {problem}", folder.display()))?;
    }
    let mut files = BTreeSet::new();
    for page in &pages {
        let html = page.html(&navigation::of(&pages, page));
        write(&folder.join(&page.place), html.as_bytes())?;
        files.extend(page.files.iter().cloned());
    }
    for file in files {
        let bytes = fs::read(root.join(&file));
        let bytes = bytes.map_err(|problem| format!("{}: {problem}", file.display()))?;
        write(&folder.join(&file), &bytes)?;
    }
    write(&folder.join("style.css"), STYLE.as_bytes())
}

fn sources(root: &Path) -> Result<Vec<PathBuf>, String> {
    let beside = BESIDE_DOCS.iter().map(PathBuf::from);
    let docs = pages::tracked(root, "docs/*.md")?;
    Ok(beside.chain(docs).collect())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, bytes))
        .map_err(|problem| format!("{}: {problem}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every page is there, is reached from the first one, and has no dead link.
    #[test]
    fn the_pages_of_this_repository_become_a_site() {
        let root = crate::root();
        let folder = std::env::temp_dir().join(format!("windlass-site-{}", std::process::id()));
        build(&root, &folder).unwrap();
        let checked = check::links(&folder);
        let reached = check::reached(&folder, Path::new("index.html")).unwrap();
        for source in sources(&root).unwrap() {
            let place = render::place(&source);
            assert!(
                reached.contains(&place),
                "{} is not reached",
                place.display()
            );
        }
        assert!(build(&root, &folder).is_ok(), "a site is replaced");
        fs::remove_dir_all(&folder).unwrap();
        checked.unwrap();
    }

    #[test]
    fn a_folder_that_is_no_site_is_left_alone() {
        let root = crate::root();
        let problem = build(&root, &root.join("docs")).unwrap_err();
        assert!(problem.ends_with("exists and is not a site"), "{problem}");
        assert!(root.join("docs/guide").exists());
    }
}
