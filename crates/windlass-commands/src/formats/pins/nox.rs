//! What nox reads: the noxfile, which is a program, and the modules beside it that it imports.

use std::collections::HashSet;

use crate::decides::Decides;
use crate::paths;
use crate::pinner::{Pinner, Seal};
use crate::source::FileContext;

pub const DECLARED: &[Decides] = &[];

pub fn pin(context: &FileContext<'_>) -> Seal {
    let mut pinner = Pinner::new(context);
    let mut visited = HashSet::new();
    module(&mut pinner, context.path, &mut visited);
    super::pyproject::parts(
        &mut pinner,
        &paths::join_display(context.folder(), "pyproject.toml"),
    );
    pinner.local_program(context.folder(), "nox");
    pinner.seal()
}

fn module(pinner: &mut Pinner<'_>, path: &str, visited: &mut HashSet<String>) {
    if visited.len() > 200 || !visited.insert(path.to_owned()) {
        return;
    }
    let Some(text) = pinner.whole(path) else {
        return;
    };
    let folder = paths::folder_of(path).to_owned();
    for line in text.lines() {
        let words: Vec<&str> = line.split([' ', ',']).filter(|it| !it.is_empty()).collect();
        let names = match words.as_slice() {
            ["from", name, ..] => &[*name][..],
            ["import", names @ ..] => names,
            _ => continue,
        };
        for name in names {
            let inner = name.trim_start_matches('.').replace('.', "/");
            for file in [format!("{inner}.py"), format!("{inner}/__init__.py")] {
                let file = paths::join_display(&folder, &file);
                if pinner.source.exists(&file) {
                    module(pinner, &file, visited);
                }
            }
        }
    }
}
