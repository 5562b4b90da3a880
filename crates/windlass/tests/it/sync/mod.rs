//! Clones of one project, with the real git and the real binary.

mod branches;
mod crash;
mod damage;
mod fresh;
mod hooks;
mod journals;
mod places;
mod schedules;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::rc::Rc;

use serde_json::{Value as Json, json};
use windlass_core::{Dialect, Draft, Entity, EntityType, Page, Patch};
use windlass_store::{EntityFilter, JournalKind, Project, Store};

use crate::sample::{self, bindings, origin};

/// One clone.
pub struct Place {
    base: Rc<tempfile::TempDir>,
    pub root: PathBuf,
}

/// Git as a person has it, without the settings of the machine.
fn git_in(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .args([
            "-c",
            "protocol.file.allow=always",
            "-c",
            "core.excludesFile=",
        ])
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("XDG_STATE_HOME", sample::state_home());
    for role in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{role}_NAME"), "Ann")
            .env(format!("GIT_{role}_EMAIL"), "ann@example.com");
    }
    command
}

fn text(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&both).into_owned()
}

impl Place {
    /// A folder without anything.
    pub fn empty() -> Self {
        let base = Rc::new(tempfile::tempdir().expect("a folder"));
        let root = base.path().canonicalize().expect("a path").join("one");
        std::fs::create_dir(&root).expect("made");
        Self { base, root }
    }

    /// A repository with a project in its first commit.
    pub fn repository() -> Self {
        let place = Self::empty();
        place.git(&["init", "--quiet", "--initial-branch=main"]);
        place.windlass(&["init"]);
        place.commit("a project");
        place
    }

    /// Another folder beside it.
    pub fn beside(&self, name: &str) -> Self {
        Self {
            base: Rc::clone(&self.base),
            root: self.root.with_file_name(name),
        }
    }

    /// A clone of it beside it.
    pub fn cloned(&self, name: &str) -> Self {
        let clone = self.beside(name);
        let words = ["clone", "--quiet", self.path(), clone.path()];
        self.git(&words);
        clone
    }

    pub fn path(&self) -> &str {
        self.root.to_str().expect("UTF-8")
    }

    pub fn try_git(&self, words: &[&str]) -> Output {
        git_in(&self.root).args(words).output().expect("git")
    }

    /// The output of git, which must succeed.
    pub fn git(&self, words: &[&str]) -> String {
        let output = self.try_git(words);
        assert!(output.status.success(), "git {words:?}: {}", text(&output));
        text(&output).trim().to_owned()
    }

    pub fn try_windlass(&self, words: &[&str]) -> Output {
        let mut command = sample::windlass();
        command.current_dir(&self.root).args(words);
        command.output().expect("run")
    }

    /// The output of windlass, which must succeed.
    pub fn windlass(&self, words: &[&str]) -> String {
        let output = self.try_windlass(words);
        assert!(output.status.success(), "{words:?}: {}", text(&output));
        text(&output)
    }

    pub fn json(&self, words: &[&str]) -> Json {
        let output = self.try_windlass(&[words, &["--json"]].concat());
        serde_json::from_slice(&output.stdout).expect("JSON")
    }

    /// Commits everything there is.
    pub fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
    }

    pub fn sync_and_commit(&self, message: &str) {
        self.windlass(&["sync"]);
        self.commit(message);
    }

    pub fn store(&self) -> Store {
        let project = Project::find(&self.root).expect("a project");
        Store::open_bound(&project, &bindings()).expect("a store")
    }

    pub fn packs(&self) -> Vec<String> {
        let files = std::fs::read_dir(self.root.join(".windlass/packs"));
        let names = files.into_iter().flatten().flatten();
        let mut names: Vec<String> = names
            .map(|file| file.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    pub fn write(&self, file: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.root.join(file), bytes).expect("written");
    }

    pub fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.root.join(file)).expect(file)
    }

    /// Everything that clones have in common: entities with all fields, relations, journals.
    pub fn state(&self) -> Vec<String> {
        let store = self.store();
        let page = Page {
            limit: 100_000,
            offset: 0,
        };
        let lines = store.read(None, |reader| {
            let (entities, _) = reader.entities(&EntityFilter::default(), page)?;
            let ids: Vec<_> = entities.iter().map(|entity| entity.id.clone()).collect();
            let mut lines: Vec<String> = entities.iter().map(|it| format!("{it:?}")).collect();
            let relations = reader.relations_from(&ids)?;
            lines.extend(relations.iter().map(|relation| format!("{relation:?}")));
            for kind in JournalKind::ALL {
                let entries = reader.journal(kind)?;
                lines.extend(entries.iter().map(|entry| format!("{entry:?}")));
            }
            lines.sort();
            Ok(lines)
        });
        lines.expect("read")
    }

    pub fn titles(&self) -> Vec<String> {
        let store = self.store();
        let page = Page {
            limit: 100_000,
            offset: 0,
        };
        let entities = store.read(None, |reader| {
            reader.entities(&EntityFilter::default(), page)
        });
        let titles = entities.expect("read").0.into_iter().map(|it| it.title);
        let mut titles: Vec<String> = titles.collect();
        titles.sort();
        titles
    }
}

pub fn add(store: &Store, title: &str) -> Entity {
    let draft = Draft::new(
        EntityType::Task,
        title,
        None,
        &[],
        &serde_json::Map::new(),
        Dialect::Knowledge,
    );
    store
        .write(&origin(), |writer| writer.create(draft?))
        .expect("created")
}

/// Adds a tag to an entity.
pub fn tag(store: &Store, entity: &Entity, tag: &str) {
    let patch = Patch {
        add_tags: vec![tag.to_owned()],
        ..Patch::default()
    };
    store
        .write(&origin(), |writer| {
            writer.update(&entity.id, &patch, Dialect::Knowledge)
        })
        .expect("changed");
}

/// The numbers of all entities, each with its title: none may be given twice.
pub fn numbers(place: &Place) -> BTreeMap<i64, String> {
    let store = place.store();
    let page = Page {
        limit: 100_000,
        offset: 0,
    };
    let entities = store.read(None, |reader| {
        reader.entities(&EntityFilter::default(), page)
    });
    let mut numbers = BTreeMap::new();
    for entity in entities.expect("read").0 {
        let before = numbers.insert(entity.number, entity.title);
        assert_eq!(before, None, "#{} is there twice", entity.number);
    }
    numbers
}

pub fn is_in_sync(place: &Place) {
    let output = place.try_windlass(&["sync", "--check"]);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(place.json(&["sync", "--status"])["in_sync"], json!(true));
}

/// Shows only what differs.
pub fn are_equal(one: &Place, other: &Place) {
    let (one, other) = (one.state(), other.state());
    let only = |these: &[String], those: &[String]| -> Vec<String> {
        let only = these.iter().filter(|line| !those.contains(line));
        only.cloned().collect()
    };
    assert_eq!(only(&one, &other), only(&other, &one));
}
