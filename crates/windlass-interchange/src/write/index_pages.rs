//! The pages that lead to the others: the overview, and a list for each type.

use std::fmt::Write as _;

use windlass_core::{EntityType, Exported};

use super::escape::inline;
use super::graph::mermaid;
use super::page::{References, TYPES, path_of};
use super::snapshot::{MARK, SnapshotFile};

/// The overview and the lists.
pub fn pages(project: &str, entities: &[Exported], references: &References) -> Vec<SnapshotFile> {
    let mut pages = vec![overview(project, entities)];
    for kind in TYPES {
        let of_type: Vec<&Exported> = entities
            .iter()
            .filter(|it| it.entity.kind == kind)
            .collect();
        if of_type.is_empty() {
            continue;
        }
        let folder = kind.declaration().plural;
        if kind == EntityType::Task {
            let (ended, open): (Vec<&Exported>, Vec<&Exported>) = of_type
                .into_iter()
                .partition(|it| it.entity.task_status().is_some_and(|it| it.is_ended()));
            pages.push(tasks("tasks/active.md", "Active tasks", &open, references));
            pages.push(tasks(
                "tasks/completed.md",
                "Completed tasks",
                &ended,
                references,
            ));
        } else {
            let path = format!("{folder}/index.md");
            pages.push(list(path, kind, &of_type));
        }
    }
    pages
}

fn begin(title: &str) -> String {
    format!("{MARK}\n\n# {title}\n")
}

fn overview(project: &str, entities: &[Exported]) -> SnapshotFile {
    let mut text = begin(&inline(project));
    let count = |kind: EntityType, ended: Option<bool>| {
        let of_type = entities.iter().filter(|it| it.entity.kind == kind);
        of_type
            .filter(|it| {
                let is_ended = it.entity.task_status().is_some_and(|it| it.is_ended());
                ended.is_none_or(|ended| ended == is_ended)
            })
            .count()
    };
    let mut lines = Vec::new();
    for kind in TYPES {
        let plural = kind.declaration().plural;
        if count(kind, None) == 0 {
            continue;
        }
        if kind == EntityType::Task {
            let (open, ended) = (count(kind, Some(false)), count(kind, Some(true)));
            lines.push(format!("| [active tasks](tasks/active.md) | {open} |"));
            lines.push(format!(
                "| [completed tasks](tasks/completed.md) | {ended} |"
            ));
        } else {
            let count = count(kind, None);
            lines.push(format!("| [{plural}]({plural}/index.md) | {count} |"));
        }
    }
    if lines.is_empty() {
        text.push_str("\nThere is nothing in this project yet.\n");
    } else {
        let _ = write!(
            text,
            "\n| what | count |\n|---|---|\n{}\n",
            lines.join("\n")
        );
    }
    SnapshotFile {
        path: "README.md".to_owned(),
        text,
    }
}

fn tasks(path: &str, title: &str, tasks: &[&Exported], references: &References) -> SnapshotFile {
    let mut text = begin(title);
    if tasks.is_empty() {
        text.push_str("\nNone.\n");
    } else {
        text.push_str(
            "\n| task | status | priority | due | who | waits for |\n|---|---|---|---|---|---|\n",
        );
    }
    for task in tasks {
        let entity = &task.entity;
        let cell = |name: &str| inline(entity.text(name).unwrap_or_default());
        let waits: Vec<String> = references
            .incoming
            .get(entity.id.as_str())
            .into_iter()
            .flatten()
            .filter(|(kind, _)| *kind == windlass_core::RelationType::Blocks)
            .filter_map(|(_, id)| references.entities.get(id))
            .map(|it| format!("[#{}](../{})", it.number, it.path))
            .collect();
        let _ = writeln!(
            text,
            "| [#{} {}](../{}) | {} | {} | {} | {} | {} |",
            entity.number,
            inline(&entity.title),
            path_of(entity),
            cell("status"),
            cell("priority"),
            cell("due_date"),
            cell("assignee"),
            waits.join(" "),
        );
    }
    if let Some(graph) = mermaid(tasks).filter(|_| path.ends_with("active.md")) {
        let _ = write!(text, "\n## What waits for what\n\n{graph}");
    }
    SnapshotFile {
        path: path.to_owned(),
        text,
    }
}

fn list(path: String, kind: EntityType, entities: &[&Exported]) -> SnapshotFile {
    let plural = kind.declaration().plural;
    let title = format!("{}{}", plural[..1].to_uppercase(), &plural[1..]);
    let mut text = begin(&title);
    text.push_str("\n| | status | tags |\n|---|---|---|\n");
    for it in entities {
        let entity = &it.entity;
        let tags: Vec<String> = entity.tags.iter().map(|tag| inline(tag)).collect();
        let _ = writeln!(
            text,
            "| [#{} {}](../{}) | {} | {} |",
            entity.number,
            inline(&entity.title),
            path_of(entity),
            inline(entity.status().unwrap_or_default()),
            tags.join(", "),
        );
    }
    SnapshotFile { path, text }
}
