//! What cargo reads before it builds: its settings and the toolchain here and above, and the parts
//! of the manifests that decide what is built.

use crate::data::{Node, Value, read_toml};
use crate::decides::{Decides, How};
use crate::paths;
use crate::pinner::{Pinner, Seal};
use crate::source::FileContext;

pub const DECLARED: &[Decides] = &[
    Decides::upwards(".cargo/config.toml", How::Settings),
    Decides::upwards(".cargo/config", How::Settings),
    Decides::upwards("rust-toolchain.toml", How::Whole),
    Decides::upwards("rust-toolchain", How::Whole),
];

/// Keys of a manifest that decide nothing, at the top and in `[workspace]`.
const HARMLESS: &[&str] = &[
    "badges",
    "build-dependencies",
    "dependencies",
    "dev-dependencies",
    "lints",
    "target",
];
/// Keys of `[package]` that decide nothing.
const HARMLESS_OF_PACKAGE: &[&str] = &[
    "authors",
    "categories",
    "description",
    "documentation",
    "exclude",
    "homepage",
    "include",
    "keywords",
    "license",
    "license-file",
    "publish",
    "readme",
    "repository",
    "version",
];

/// The pins of a command that cargo starts in that folder.
pub fn pin(context: &FileContext<'_>, folder: &str) -> Seal {
    let mut pinner = Pinner::new(context);
    if paths::name_of(context.path) != "Cargo.toml" {
        pinner.settings(context.path);
    }
    for above in paths::ancestors(folder) {
        let path = paths::join_display(above, "Cargo.toml");
        let memo = pinner.memo.clone();
        match memo.parsed(pinner.source, &path, read_toml) {
            Ok(manifest) => pinner.parts(&path, "all but dependencies", || deciding(&manifest)),
            Err(problem) => pinner.unparsed(&path, &problem),
        }
    }
    pinner.declared(folder, DECLARED);
    for path in pinner.paths() {
        if paths::name_of(paths::folder_of(&path)) == ".cargo" {
            included(&mut pinner, &path, 0);
            named(&mut pinner, &path, folder);
        }
    }
    pinner.seal()
}

fn deciding(manifest: &Node) -> String {
    let mut kept: Vec<(String, Node)> = Vec::new();
    for (key, node) in manifest.entries() {
        let harmless: &[&str] = match key.as_str() {
            "package" => HARMLESS_OF_PACKAGE,
            "workspace" => HARMLESS,
            key if HARMLESS.contains(&key) => continue,
            _ => &[],
        };
        let mut node = node.clone();
        if let Value::Map(entries) = &mut node.value {
            entries.retain(|(key, _)| !harmless.contains(&key.as_str()));
            // `[workspace.package]` is a package too.
            for (_, inner) in entries
                .iter_mut()
                .filter(|(name, _)| key == "workspace" && name == "package")
            {
                if let Value::Map(entries) = &mut inner.value {
                    entries.retain(|(key, _)| !HARMLESS_OF_PACKAGE.contains(&key.as_str()));
                }
            }
        }
        kept.push((key.clone(), node));
    }
    let node = Node {
        line: 1,
        value: Value::Map(kept),
    };
    node.canonical()
}

/// Files of the project that settings name: wrappers and runners, relative to the folder above
/// `.cargo`, and settings and manifests in aliases, relative to where cargo is started.
fn named(pinner: &mut Pinner<'_>, path: &str, folder: &str) {
    let memo = pinner.memo.clone();
    let Ok(settings) = memo.parsed(pinner.source, path, read_toml) else {
        return;
    };
    let above = paths::folder_of(paths::folder_of(path)).to_owned();
    for text in settings.texts() {
        for word in text.split_whitespace().chain([text.as_str()]) {
            for base in [above.as_str(), folder] {
                if let Some(file) = paths::resolve(base, word)
                    && pinner.source.exists(&file)
                {
                    pinner.hashed(&file);
                }
            }
        }
    }
}

/// Settings may include other files.
fn included(pinner: &mut Pinner<'_>, path: &str, depth: usize) {
    let memo = pinner.memo.clone();
    let Ok(settings) = memo.parsed(pinner.source, path, read_toml) else {
        return;
    };
    for written in settings
        .get("include")
        .map(Node::path_texts)
        .unwrap_or_default()
    {
        if let Some(file) = pinner.resolve(path, paths::folder_of(path), &written)
            && !pinner.is_pinned(&file)
        {
            pinner.settings(&file);
            if depth < 8 {
                included(pinner, &file, depth + 1);
            }
        }
    }
}
