//! What a sync did, as every surface shows it.

use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::Error;
use windlass_store::{ImportReport, PackName};
use windlass_sync::folder::{Imported, Odd, Synced};

use crate::remote::RemoteSync;
use crate::view::{Render, Span, Style, View};

/// A new pack.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NewPack {
    pub pack: String,
    pub entities: usize,
    pub bytes: usize,
}

/// A file that was skipped.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SkippedFile {
    pub file: String,
    pub reason: String,
}

impl From<Odd> for SkippedFile {
    fn from(odd: Odd) -> Self {
        Self {
            file: odd.file,
            reason: odd.reason,
        }
    }
}

/// An entity that got another number, because an older one has its former number.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Renumbered {
    pub from: i64,
    pub to: i64,
}

/// A feature or discipline that got another name, because an older one has its former name.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RenamedEntity {
    pub number: i64,
    pub from: String,
    pub to: String,
}

/// A review, comment or question that got another number.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RenumberedWork {
    /// review, comment or help request.
    pub what: String,
    pub from: i64,
    pub to: i64,
}

/// What imports changed.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ImportedChanges {
    /// Packs that were imported.
    pub imported: Vec<String>,
    /// Files that were skipped, and why.
    pub skipped: Vec<SkippedFile>,
    /// Entities that are new or have changed.
    pub changed_entities: usize,
    /// New entries of learnings.txt and progress.txt.
    pub journal_entries: usize,
    /// Changes that wait for others that have not arrived yet.
    pub waiting_changes: usize,
    /// Entities that got another number. The old one still finds them.
    pub renumbered: Vec<Renumbered>,
    /// Features and disciplines that got another name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub renamed: Vec<RenamedEntity>,
    /// Reviews, comments and questions that got another number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub renumbered_work: Vec<RenumberedWork>,
    /// Tasks whose status did not agree with their review or question, and was settled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub settled_tasks: Vec<i64>,
}

/// What a sync did.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct SyncOutput {
    /// New packs with the changes of this clone.
    pub written: Vec<NewPack>,
    #[serde(flatten)]
    pub import: ImportedChanges,
    /// Packs that this checkout lacked, as after a change of branch.
    pub restored: Vec<String>,
    /// Files that were removed because another pack contains them.
    pub removed: Vec<String>,
    /// The pack that now contains all others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compacted: Option<String>,
    /// How many packs there are now.
    pub packs: usize,
    /// What was exchanged with object storage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote: Option<RemoteSync>,
    /// Why nothing was exchanged with the object storage of the settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote_error: Option<String>,
}

fn texts(names: &[PackName]) -> Vec<String> {
    names.iter().map(|name| name.as_str().to_owned()).collect()
}

impl From<Imported> for ImportedChanges {
    fn from(imported: Imported) -> Self {
        let ImportReport {
            changed,
            pending,
            renumbered,
            renamed,
            work_renumbered,
            settled,
            journal,
        } = imported.changes;
        Self {
            imported: texts(&imported.packs),
            skipped: imported
                .skipped
                .into_iter()
                .map(SkippedFile::from)
                .collect(),
            changed_entities: changed,
            journal_entries: journal,
            waiting_changes: pending,
            renumbered: renumbered
                .into_iter()
                .map(|(from, to)| Renumbered { from, to })
                .collect(),
            renamed: renamed
                .into_iter()
                .map(|it| RenamedEntity {
                    number: it.number,
                    from: it.former,
                    to: it.name,
                })
                .collect(),
            renumbered_work: work_renumbered
                .into_iter()
                .map(|it| RenumberedWork {
                    what: it.what.to_owned(),
                    from: it.former,
                    to: it.number,
                })
                .collect(),
            settled_tasks: settled,
        }
    }
}

impl SyncOutput {
    pub fn new(synced: Synced, packs: usize) -> Self {
        let written = synced.written.into_iter().map(|pack| NewPack {
            pack: pack.name.as_str().to_owned(),
            entities: pack.entities,
            bytes: pack.bytes,
        });
        Self {
            written: written.collect(),
            import: synced.imported.into(),
            restored: texts(&synced.restored),
            removed: texts(&synced.removed),
            compacted: synced.compacted.map(|name| name.as_str().to_owned()),
            packs,
            remote: None,
            remote_error: None,
        }
    }

    /// Whether files of the folder changed, which git should carry.
    fn changed_files(&self) -> bool {
        !(self.written.is_empty()
            && self.restored.is_empty()
            && self.removed.is_empty()
            && self.compacted.is_none())
    }
}

/// The first items of a list, and how many more there are; none if there are none.
fn listed(items: impl Iterator<Item = String>) -> Option<String> {
    const SHOWN: usize = 12;
    let mut items: Vec<String> = items.collect();
    let rest = items.len().saturating_sub(SHOWN);
    items.truncate(SHOWN);
    if rest > 0 {
        items.push(format!("and {rest} more"));
    }
    (!items.is_empty()).then(|| items.join(", "))
}

/// `1 pack`, `2 packs`.
pub fn count(number: usize, noun: &str) -> String {
    match (number, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{number} {stem}ies"),
        _ => format!("{number} {noun}s"),
    }
}

/// `512 bytes`, `3.4 kB`, `1.2 MB`.
pub fn size(bytes: usize) -> String {
    match bytes {
        0..1000 => format!("{bytes} bytes"),
        1000..1_000_000 => format!("{}.{} kB", bytes / 1000, bytes % 1000 / 100),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

impl ImportedChanges {
    /// Files of journals that could not be written. Their entries are in the state all the same.
    pub fn add_problems(&mut self, problems: Vec<Error>) {
        let skipped = problems.into_iter().map(|problem| SkippedFile {
            file: "journal".to_owned(),
            reason: problem.message().trim_end_matches('.').to_owned(),
        });
        self.skipped.extend(skipped);
    }

    /// What was imported, in one line; none if nothing was.
    pub fn summary(&self) -> Option<String> {
        if self.imported.is_empty() {
            return None;
        }
        let mut parts = vec![format!(
            "{} changed",
            count(self.changed_entities, "entity")
        )];
        if self.journal_entries > 0 {
            parts.push(count(self.journal_entries, "journal entry"));
        }
        let packs = count(self.imported.len(), "pack");
        Some(format!("Imported {packs}: {}.", parts.join(", ")))
    }

    /// What was settled between clones, a line each.
    fn settlements(&self) -> Vec<String> {
        let renumbered = self.renumbered.iter();
        let renumbered = renumbered.map(|it| format!("#{} → #{}", it.from, it.to));
        let work = self.renumbered_work.iter();
        let work = work.map(|it| format!("{} {} → {}", it.what, it.from, it.to));
        let renamed = self.renamed.iter();
        let renamed = renamed.map(|it| format!("#{} {} → {}", it.number, it.from, it.to));
        let settled = self.settled_tasks.iter().map(|it| format!("#{it}"));
        let lists = [
            ("Renumbered", listed(renumbered.chain(work))),
            ("Renamed", listed(renamed)),
            ("Settled the status of", listed(settled)),
        ];
        let lines = lists.into_iter();
        lines
            .filter_map(|(what, list)| Some(format!("{what}: {}.", list?)))
            .collect()
    }

    /// What a person should know, a line each.
    pub fn lines(&self) -> Vec<(Style, String)> {
        let mut lines: Vec<(Style, String)> = Vec::new();
        lines.extend(self.summary().map(|line| (Style::Good, line)));
        let settlements = self.settlements().into_iter();
        lines.extend(settlements.map(|line| (Style::Plain, line)));
        if self.waiting_changes > 0 {
            let changes = count(self.waiting_changes, "change");
            lines.push((
                Style::Plain,
                format!("{changes} wait for others that have not arrived yet."),
            ));
        }
        for skipped in &self.skipped {
            let line = format!("Skipped {}: {}.", skipped.file, skipped.reason);
            lines.push((Style::Warning, line));
        }
        lines
    }
}

impl Render for SyncOutput {
    fn view(&self) -> View {
        let mut lines: Vec<(Style, String)> = Vec::new();
        if !self.written.is_empty() {
            let entities: usize = self.written.iter().map(|it| it.entities).sum();
            let bytes: usize = self.written.iter().map(|it| it.bytes).sum();
            let packs = count(self.written.len(), "pack");
            let line = format!(
                "Wrote {packs}: {}, {}.",
                count(entities, "entity"),
                size(bytes)
            );
            lines.push((Style::Good, line));
        }
        lines.extend(self.import.lines());
        if self.compacted.is_some() {
            lines.push((Style::Good, "Joined all packs into one.".to_owned()));
        }
        if !self.restored.is_empty() {
            let packs = count(self.restored.len(), "pack");
            let line = format!("Restored {packs} that this checkout lacked.");
            lines.push((Style::Plain, line));
        }
        if !self.removed.is_empty() {
            let files = count(self.removed.len(), "file");
            let line = format!("Removed {files} whose content is in other packs.");
            lines.push((Style::Plain, line));
        }
        if lines.is_empty() && self.remote.is_none() && self.remote_error.is_none() {
            let packs = count(self.packs, "pack");
            return View::nothing(&format!("Nothing to do: {packs}, all imported."));
        }
        if self.changed_files() {
            let line = "Commit .windlass/packs to share it.";
            lines.push((Style::Dim, line.to_owned()));
        }
        lines.extend(self.remote.iter().flat_map(RemoteSync::lines));
        if let Some(problem) = &self.remote_error {
            let problem = problem.trim_end_matches('.');
            lines.push((Style::Warning, format!("Not exchanged: {problem}.")));
        }
        let spans = lines
            .into_iter()
            .map(|(style, line)| [Span::new(line, style)]);
        spans.fold(View::default(), View::line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_sizes() {
        assert_eq!(count(1, "entity"), "1 entity");
        assert_eq!(count(2, "entity"), "2 entities");
        assert_eq!(count(0, "pack"), "0 packs");
        assert_eq!(size(999), "999 bytes");
        assert_eq!(size(3_460), "3.4 kB");
        assert_eq!(size(1_250_000), "1.2 MB");
    }
}
