//! A project in a temporary folder, and what was acknowledged in it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Map;
use windlass_core::{Actor, Dialect, Draft, EntityType, Origin, Page, Result, SearchQuery};
use windlass_store::{Bindings, Project, SearchFilter, Store};

pub struct Place {
    base: Option<tempfile::TempDir>,
    pub root: PathBuf,
    project: Project,
}

/// Where the processes of all tests note which projects are theirs: never in the real home.
fn state_home() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("state-home")
}

/// The program under test.
pub fn windlass() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_windlass"));
    command.env("XDG_STATE_HOME", state_home());
    command
}

/// The user's `~/.config` for the processes that work on a project: a folder beside it.
pub fn config_of(project: &Path) -> PathBuf {
    let name = project.file_name().unwrap_or_default().to_string_lossy();
    project.with_file_name(format!("{name}-config"))
}

pub fn origin() -> Origin {
    Origin {
        actor: Actor::Human,
        source: "test",
        session: "faults".into(),
        correlation_id: None,
    }
}

impl Place {
    pub fn new() -> Self {
        let base = tempfile::tempdir().expect("a folder");
        let root = base.path().canonicalize().expect("a path").join("project");
        let mut place = Self::at(&root);
        place.base = Some(base);
        place
    }

    /// A project in that folder, which stays.
    pub fn at(root: &Path) -> Self {
        let (project, _) = Project::init(root).expect("a project");
        Self {
            base: None,
            root: root.to_owned(),
            project,
        }
    }

    pub fn state(&self) -> &Path {
        self.project.state()
    }

    pub fn store(&self) -> Store {
        let bindings = Bindings::new(state_home().join("windlass"));
        Store::open_bound(&self.project, &bindings).expect("opened")
    }

    /// What is missing of what was acknowledged, or damaged.
    pub fn losses(&self, titles: &[String], with_check: bool) -> Vec<String> {
        let store = self.store();
        let missing = titles.iter().filter(|title| count(&store, title) != 1);
        let mut losses: Vec<String> = missing.map(|title| format!("{title} is lost")).collect();
        if with_check {
            losses.extend(store.check(&origin()).expect("checked"));
        }
        losses
    }
}

/// How many entities have the title.
pub fn count(store: &Store, title: &str) -> usize {
    let filter = SearchFilter {
        query: SearchQuery {
            text: format!("{title} "),
            ..SearchQuery::default()
        },
        page: Page::default(),
    };
    let found = store.read(None, |reader| reader.search(&filter));
    let (hits, _) = found.expect("searched");
    hits.iter().filter(|hit| hit.entity.title == title).count()
}

/// A note with some text.
pub fn note(title: &str) -> Result<Draft> {
    let tags = ["faults".to_owned()];
    let (text, fields) = ("some text to index", Map::new());
    Draft::new(
        EntityType::Note,
        title,
        Some(text),
        &tags,
        &fields,
        Dialect::Knowledge,
    )
}
