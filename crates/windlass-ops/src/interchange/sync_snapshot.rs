use crate::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

use windlass_core::Exported;
use windlass_interchange::{SnapshotPages, is_snapshot_file};

use super::folder::Folder;
use super::place::{self, SNAPSHOT_FOLDER};

/// How many files an output names.
const MOST_NAMED: usize = 50;

pub struct SyncSnapshot;

/// Write the project as Markdown.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Default .windlass/snapshot.
    #[serde(default)]
    #[arg(value_name = "DIR")]
    pub dir: Option<String>,
    /// Only compare.
    #[serde(default)]
    #[arg(long)]
    pub check: bool,
}

/// What was written, or would be.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Snapshot {
    pub dir: String,
    /// How many files the snapshot has.
    pub files: usize,
    /// How many of them were written, and which (the first 50).
    pub written: usize,
    pub written_files: Vec<String>,
    /// How many pages of what is gone were removed, and which (the first 50).
    pub removed: usize,
    pub removed_files: Vec<String>,
    /// Whether the folder has the current state now.
    pub up_to_date: bool,
}

impl Render for Snapshot {
    fn view(&self) -> View {
        let Self { files, dir, .. } = self;
        if self.written == 0 && self.removed == 0 {
            return View::default().line([
                Span::new("Up to date: ", Style::Good),
                Span::from(format!("{files} files in {dir}")),
            ]);
        }
        let (label, style) = if self.up_to_date {
            ("Wrote ", Style::Good)
        } else {
            ("Stale: ", Style::Warning)
        };
        let verb = if self.up_to_date { "" } else { " to write" };
        let mut view = View::default().line([
            Span::new(label, style),
            Span::from(format!(
                "{} of {files} files{verb} in {dir}, {} removed",
                self.written, self.removed
            )),
        ]);
        if !self.up_to_date {
            view = view.list("To write", &self.written_files);
            view = view.list("To remove", &self.removed_files);
        }
        view
    }

    fn unsuccessful(&self) -> bool {
        !self.up_to_date
    }
}

impl Operation for SyncSnapshot {
    type Input = Input;
    type Output = Snapshot;

    const DECLARATION: Declaration = Declaration::write("sync_snapshot", Toolset::Knowledge)
        .sdk("board.snapshot")
        .cli(&["snapshot"])
        .idempotent()
        .long_running()
        .examples(&[Example::new("In its usual folder", &["snapshot"], "{}")]);

    async fn run(context: Context, input: Input) -> Result<Snapshot> {
        context.offload(move |context| write(context, &input)).await
    }
}

/// The pages of the current state.
fn pages(context: &ReadContext) -> Result<SnapshotPages> {
    // The name of the folder differs between clones, the settings do not.
    let title = context.workspace.config()?.project.title.clone();
    let title = title.unwrap_or_else(|| "Project".to_owned());
    let mut entities: Vec<Exported> = Vec::new();
    context.read(|reader| {
        reader.each_entity(|exported| {
            entities.push(exported);
            Ok(())
        })
    })?;
    Ok(SnapshotPages::of(&title, &entities))
}

/// One page of the snapshot, for readers of resources; the overview if none is named.
pub fn snapshot_page(context: &ReadContext, path: Option<&str>) -> Result<Option<String>> {
    let path = path.unwrap_or("README.md");
    let pages = pages(context)?.files;
    Ok(pages
        .into_iter()
        .find(|it| it.path == path)
        .map(|it| it.text))
}

fn write(context: &Context, input: &Input) -> Result<Snapshot> {
    let pages = pages(context)?;
    let given = input.dir.as_deref().unwrap_or(SNAPSHOT_FOLDER);
    let target = place::to_write(context, given, !input.check)?;
    let failed = |problem: std::io::Error| Error::storage(format!("{}: {problem}", target.shown));
    let there = match &target.folder {
        Some(folder) => own_files(folder).map_err(failed)?,
        None => BTreeMap::new(),
    };
    let mut written = Vec::new();
    let mut wanted = BTreeMap::new();
    for page in &pages.files {
        wanted.insert(page.path.as_str(), &page.text);
        match there.get(&page.path) {
            Some(Found::Own(text)) if *text == page.text => {}
            Some(Found::Foreign) => return Err(not_ours(&target.shown, &page.path)),
            _ => written.push(page.path.clone()),
        }
    }
    let removed: Vec<String> = there
        .iter()
        .filter(|(path, found)| {
            matches!(found, Found::Own(_)) && !wanted.contains_key(path.as_str())
        })
        .map(|(path, _)| path.clone())
        .collect();
    if let (Some(folder), false) = (&target.folder, input.check) {
        for path in &written {
            let text = wanted.get(path.as_str()).map_or("", |text| text.as_str());
            change(folder, path, Some(text)).map_err(failed)?;
        }
        for path in &removed {
            change(folder, path, None).map_err(failed)?;
        }
        for name in SnapshotPages::folders() {
            folder.remove_empty(name);
        }
    }
    let named = |paths: &[String]| paths.iter().take(MOST_NAMED).cloned().collect();
    Ok(Snapshot {
        files: pages.files.len(),
        up_to_date: !input.check || (written.is_empty() && removed.is_empty()),
        written: written.len(),
        written_files: named(&written),
        removed: removed.len(),
        removed_files: named(&removed),
        dir: target.shown,
    })
}

/// A file of the folder that has, or could have, the name of a page.
enum Found {
    Own(String),
    /// Not written by a snapshot.
    Foreign,
}

/// What is in the folder and in those of the types. Files that a killed process left are removed.
fn own_files(root: &Folder) -> std::io::Result<BTreeMap<String, Found>> {
    let mut found = BTreeMap::new();
    let mut look = |folder: &Folder, prefix: &str| -> std::io::Result<()> {
        for name in folder.names()? {
            if Folder::is_unfinished(&name) {
                folder.remove(&name)?;
            }
            let path = format!("{prefix}{name}");
            let is_page = Path::new(&name).extension().is_some_and(|it| it == "md");
            if !is_page || (prefix.is_empty() && name != "README.md") {
                continue;
            }
            // A link or a folder in the place of a page is not ours.
            let text = folder.read(&name).unwrap_or_default();
            let own = text.filter(|text| is_snapshot_file(&path, text));
            found.insert(path, own.map_or(Found::Foreign, Found::Own));
        }
        Ok(())
    };
    look(root, "")?;
    for name in SnapshotPages::folders() {
        if let Some(folder) = root.below(name, false)? {
            look(&folder, &format!("{name}/"))?;
        }
    }
    Ok(found)
}

/// Writes or removes one page.
fn change(root: &Folder, path: &str, text: Option<&str>) -> std::io::Result<()> {
    let below;
    let (folder, name) = match path.split_once('/') {
        Some((folder, name)) => match root.below(folder, true)? {
            Some(opened) => {
                below = opened;
                (&below, name)
            }
            None => return Err(std::io::Error::other(format!("{folder} is gone"))),
        },
        None => (root, path),
    };
    match text {
        Some(text) => folder.replace(name, text),
        None => folder.remove(name),
    }
}

fn not_ours(dir: &str, path: &str) -> Error {
    Error::new(
        ErrorKind::PathRefused,
        format!("{dir}/{path} was not written by a snapshot, and is not overwritten"),
    )
    .with("path", path)
    .with_hint("Move the file away, or choose another folder.")
}
