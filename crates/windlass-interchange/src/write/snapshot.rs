//! The project as Markdown: a page for each entity and a few that lead to them. The same state gives
//! the same bytes on every machine.

use windlass_core::Exported;

use super::index_pages;
use super::page::{Reference, References, TYPES, page, path_of};

/// The first line of a page that lists others.
pub const MARK: &str = "<!-- Written by windlass snapshot. Changes here are overwritten. -->";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotFile {
    /// Below the folder of the snapshot: a folder and a name, or a name.
    pub path: String,
    pub text: String,
}

/// All pages, by their paths.
#[derive(Debug, Clone, Default)]
pub struct SnapshotPages {
    pub files: Vec<SnapshotFile>,
}

impl SnapshotPages {
    pub fn of(project: &str, entities: &[Exported]) -> Self {
        let mut references = References::default();
        for it in entities {
            let reference = Reference {
                number: it.entity.number,
                title: it.entity.title.clone(),
                path: path_of(&it.entity),
            };
            references
                .entities
                .insert(it.entity.id.as_str().to_owned(), reference);
            for relation in &it.relations {
                references
                    .incoming
                    .entry(relation.target.as_str().to_owned())
                    .or_default()
                    .push((relation.kind, it.entity.id.as_str().to_owned()));
            }
        }
        let mut files = index_pages::pages(project, entities, &references);
        files.extend(entities.iter().map(|it| SnapshotFile {
            path: path_of(&it.entity),
            text: page(it, &references),
        }));
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Self { files }
    }

    /// The folders in which pages are.
    pub fn folders() -> impl Iterator<Item = &'static str> {
        TYPES.into_iter().map(|kind| kind.declaration().plural)
    }
}

/// Whether a file is one that a snapshot wrote: by its name and by its first lines. Anything else is
/// never changed or removed.
pub fn is_snapshot_file(path: &str, text: &str) -> bool {
    let (folder, name) = path.split_once('/').unwrap_or(("", path));
    let known = folder.is_empty() || SnapshotPages::folders().any(|it| it == folder);
    if !known {
        return false;
    }
    if ["README.md", "index.md", "active.md", "completed.md"].contains(&name) {
        return text.starts_with(MARK);
    }
    let number: String = name.chars().take_while(char::is_ascii_digit).collect();
    let mut lines = text.lines();
    let marked = lines.next() == Some("---")
        && lines
            .next()
            .is_some_and(|line| line.starts_with("windlass: \""))
        && lines.next().is_some_and(|line| line.starts_with("id: \""))
        && lines
            .next()
            .and_then(|line| line.strip_prefix("number: "))
            .is_some_and(|stated| number.parse::<i64>().ok() == stated.parse().ok());
    !folder.is_empty() && number.len() >= 3 && marked
}
