//! What mise reads: all of its configuration files here and above, the tasks that are files, and
//! what the configuration brings into the environment.

use crate::data::{Node, Value, read_toml};
use crate::decides::{Decides, How};
use crate::paths;
use crate::pinner::{Pinner, Seal};
use crate::source::FileContext;

/// Mise reads all of these, in each folder from the root down.
pub const DECLARED: &[Decides] = &[
    Decides::upwards("mise.toml", How::Settings),
    Decides::upwards(".mise.toml", How::Settings),
    Decides::upwards("mise.local.toml", How::Settings),
    Decides::upwards(".mise.local.toml", How::Settings),
    Decides::upwards("mise/config.toml", How::Settings),
    Decides::upwards("mise/config.local.toml", How::Settings),
    Decides::upwards(".mise/config.toml", How::Settings),
    Decides::upwards(".mise/config.local.toml", How::Settings),
    Decides::upwards(".config/mise.toml", How::Settings),
    Decides::upwards(".config/mise.local.toml", How::Settings),
    Decides::upwards(".config/mise/config.toml", How::Settings),
    Decides::upwards(".config/mise/config.local.toml", How::Settings),
    Decides::upwards(".config/mise/mise.toml", How::Settings),
    Decides::upwards(".config/mise/mise.local.toml", How::Settings),
    Decides::upwards(".config/mise/conf.d", How::Tree(".toml")),
    Decides::upwards(".tool-versions", How::Whole),
    Decides::upwards(".miserc.toml", How::Settings),
    Decides::upwards("mise-tasks", How::Tree("")),
    Decides::upwards(".mise-tasks", How::Tree("")),
    Decides::upwards("mise/tasks", How::Tree("")),
    Decides::upwards(".mise/tasks", How::Tree("")),
    Decides::upwards(".config/mise/tasks", How::Tree("")),
];

pub fn pin(context: &FileContext<'_>, folder: &str) -> Seal {
    let mut pinner = Pinner::new(context);
    // A task that is a file is whole; what it holds is no setting.
    if paths::ending_of(context.path) == "toml" {
        pinner.settings(context.path);
    } else {
        pinner.whole(context.path);
    }
    pinner.declared(folder, DECLARED);
    // Those of environments: `mise.test.toml`.
    for above in paths::ancestors(folder) {
        for inner in ["", "mise", ".mise", ".config", ".config/mise"] {
            let place = match inner {
                "" => above.to_owned(),
                inner => paths::join_display(above, inner),
            };
            for name in pinner.source.list(&place) {
                let known = ["mise.", ".mise.", "config."];
                let starts = known.iter().any(|start| name.starts_with(start));
                if starts && paths::ending_of(&name) == "toml" {
                    pinner.settings(&paths::join_display(&place, &name));
                }
            }
        }
    }
    for path in pinner.paths() {
        if paths::ending_of(&path) == "toml" {
            configuration(&mut pinner, &path);
        }
    }
    pinner.seal()
}

fn configuration(pinner: &mut Pinner<'_>, path: &str) {
    let memo = pinner.memo.clone();
    // A file that does not parse stops mise too.
    let Ok(node) = memo.parsed(pinner.source, path, read_toml) else {
        return;
    };
    let folder = base_of(path);
    let includes = node.at(&["task_config", "includes"]);
    for written in includes.map(Node::path_texts).unwrap_or_default() {
        let Some(target) = named(pinner, path, folder, &written) else {
            continue;
        };
        if paths::ending_of(&written) == "toml" {
            pinner.whole(&target);
        } else {
            pinner.tree(&target, &|_| true, How::Whole);
        }
    }
    environment(pinner, path, folder, node.get("env"));
    for (_, task) in node.get("tasks").map(Node::entries).unwrap_or_default() {
        environment(pinner, path, folder, task.get("env"));
        if let Some(written) = task.text_at("file")
            && let Some(file) = named(pinner, path, folder, written)
        {
            pinner.whole(&file);
        }
    }
}

/// `_.file` and `_.source`, in all of their shapes, and the older `env_file`.
fn environment(pinner: &mut Pinner<'_>, path: &str, folder: &str, env: Option<&Node>) {
    let Some(env) = env else { return };
    let one = [env.clone()];
    let tables = match &env.value {
        Value::List(items) => items.as_slice(),
        _ => one.as_slice(),
    };
    for special in tables.iter().filter_map(|table| table.get("_")) {
        for key in ["file", "source"] {
            for written in special.get(key).map(Node::path_texts).unwrap_or_default() {
                let Some(file) = named(pinner, path, folder, &written) else {
                    continue;
                };
                if key == "file" {
                    pinner.variables(&file);
                } else {
                    pinner.whole(&file);
                }
            }
        }
    }
}

fn named(pinner: &mut Pinner<'_>, path: &str, folder: &str, written: &str) -> Option<String> {
    let written = written
        .strip_prefix("{{config_root}}/")
        .or_else(|| written.strip_prefix("{{ config_root }}/"))
        .unwrap_or(written);
    if written.contains("{{") || written.contains("{%") || written.contains("://") {
        pinner.unreadable(format!(
            "{path} reads a file that only mise can find: {written}"
        ));
        return None;
    }
    pinner.resolve(path, folder, written)
}

/// The folder that a configuration belongs to, and that paths in it are relative to.
pub fn base_of(path: &str) -> &str {
    let (folder, name) = (paths::folder_of(path), paths::name_of(path));
    // `mise.toml` in a folder that happens to be called mise belongs to that folder.
    let inner: &[&str] = if name.starts_with("mise.") || name.starts_with(".mise.") {
        &[".config/mise", ".config"]
    } else {
        &[
            ".config/mise/conf.d",
            ".config/mise",
            ".config",
            ".mise",
            "mise",
        ]
    };
    let outer = inner.iter().find_map(|inner| {
        let outer = folder.strip_suffix(inner)?;
        (outer.is_empty() || outer.ends_with('/')).then(|| outer.trim_end_matches('/'))
    });
    outer.unwrap_or(folder)
}
