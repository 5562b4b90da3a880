//! What pixi reads: its manifest, its settings, and the scripts that activate an environment.

use crate::data::{Node, read_toml};
use crate::decides::{Decides, How};
use crate::paths;
use crate::pinner::{Pinner, Seal};
use crate::source::FileContext;

pub const DECLARED: &[Decides] = &[
    Decides::upwards("pixi.toml", How::Whole),
    Decides::here(".pixi/config.toml", How::Settings),
];

pub fn pin(context: &FileContext<'_>) -> Seal {
    let mut pinner = Pinner::new(context);
    let folder = context.folder();
    pinner.declared(folder, DECLARED);
    super::pyproject::parts(&mut pinner, &paths::join_display(folder, "pyproject.toml"));
    let memo = pinner.memo.clone();
    if let Ok(manifest) = memo.parsed(pinner.source, context.path, read_toml) {
        let settings = manifest.at(&["tool", "pixi"]).unwrap_or(&manifest);
        activation(&mut pinner, context.path, settings, 0);
    }
    pinner.seal()
}

/// `activation.scripts`, in the manifest, in features and in targets.
fn activation(pinner: &mut Pinner<'_>, path: &str, settings: &Node, depth: usize) {
    let scripts = settings.at(&["activation", "scripts"]);
    for written in scripts.map(Node::texts).unwrap_or_default() {
        if let Some(file) = pinner.resolve(path, paths::folder_of(path), &written) {
            pinner.whole(&file);
        }
    }
    for key in ["feature", "target"] {
        for (_, inner) in settings.get(key).map(Node::entries).unwrap_or_default() {
            if depth < 3 {
                activation(pinner, path, inner, depth + 1);
            }
        }
    }
}
