//! Remotes and clones for the tests.

use std::sync::Arc;

use object_store::memory::InMemory;
use object_store::path::Path as Key;
use serde_json::{Map, json};
use windlass_core::{Actor, Dialect, Draft, Entity, EntityType, Origin, Page, Patch};
use windlass_objects::{Location, Patience};
use windlass_store::{EntityFilter, Project, Store};
use windlass_sync::remote::{Pass, PassReport, Remote, RemoteError};

use crate::moto::Moto;

/// A remote, and what has to live as long as it.
pub struct Place {
    pub name: &'static str,
    pub remote: Remote,
    pub folder: Option<tempfile::TempDir>,
    _moto: Option<Moto>,
}

pub fn memory() -> Place {
    let store = Arc::new(InMemory::new());
    Place {
        name: "memory",
        remote: Remote::over("memory".to_owned(), store, Key::from("some/prefix")),
        folder: None,
        _moto: None,
    }
}

pub fn folder() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let location = Location::Folder(folder.path().to_owned());
    Place {
        name: "folder",
        remote: Remote::open(&location, Patience::default()).unwrap(),
        folder: Some(folder),
        _moto: None,
    }
}

fn s3() -> Option<Place> {
    let moto = Moto::start()?;
    let location = Location::parse_url("s3://windlass-test/some/prefix").unwrap();
    let location = location.with_options(moto.variables());
    Some(Place {
        name: "s3",
        remote: Remote::open(&location, Patience::default()).unwrap(),
        folder: None,
        _moto: Some(moto),
    })
}

/// One of each kind.
pub fn everywhere() -> Vec<Place> {
    [Some(memory()), Some(folder()), s3()]
        .into_iter()
        .flatten()
        .collect()
}

/// A state of its own.
pub struct Clone {
    _folder: tempfile::TempDir,
    pub store: Store,
}

pub fn origin() -> Origin {
    Origin {
        actor: Actor::Agent,
        source: "test",
        session: "test".into(),
        correlation_id: None,
    }
}

pub fn clone() -> Clone {
    let folder = tempfile::tempdir().unwrap();
    let (project, _) = Project::init(folder.path()).unwrap();
    let store = Store::open(&project).unwrap();
    Clone {
        _folder: folder,
        store,
    }
}

impl Clone {
    pub fn task(&self, title: &str) -> Entity {
        let kind = EntityType::Task;
        let draft = Draft::new(kind, title, None, &[], &Map::new(), Dialect::Knowledge).unwrap();
        self.store
            .write(&origin(), |writer| writer.create(draft))
            .unwrap()
    }

    pub fn rename(&self, task: &Entity, title: &str) {
        let patch = Patch {
            title: Some(title.to_owned()),
            ..Patch::default()
        };
        self.store
            .write(&origin(), |writer| {
                writer.update(&task.id, &patch, Dialect::Knowledge)
            })
            .unwrap();
    }

    /// Everything, by id.
    pub fn content(&self) -> Vec<(String, i64, String)> {
        let all = Page {
            limit: 1_000,
            offset: 0,
        };
        let found = self
            .store
            .read(None, |reader| {
                reader.entities(&EntityFilter::default(), all)
            })
            .unwrap();
        let mut rows: Vec<_> = found
            .0
            .into_iter()
            .map(|it| (it.id.as_str().to_owned(), it.number, it.title))
            .collect();
        rows.sort();
        rows
    }

    pub async fn pass(&self, remote: &Remote, thorough: bool) -> Result<PassReport, RemoteError> {
        let pass = Pass {
            store: &self.store,
            origin: &origin(),
            remote,
            thorough,
            progress: None,
        };
        pass.run().await
    }

    pub async fn compact(&self, remote: &Remote) -> windlass_sync::remote::Compacted {
        let pass = Pass {
            store: &self.store,
            origin: &origin(),
            remote,
            thorough: false,
            progress: None,
        };
        pass.compact("here").await.unwrap()
    }
}

/// What a report says about an object.
pub fn reasons(report: &PassReport) -> String {
    json!(report.skipped).to_string()
}
