//! A project in a temporary folder, and short functions for what tests do with it.

use serde_json::{Map, Value as Json, json};
use windlass_core::{
    Actor, Dialect, Draft, Entity, EntityId, EntityType, Error, Origin, Page, Patch, RelationType,
    Result,
};
use windlass_store::{Project, Store};

pub struct Sandbox {
    // Held so that the folder lives as long as the store.
    folder: tempfile::TempDir,
    pub project: Project,
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

pub fn sandbox() -> Sandbox {
    let folder = tempfile::tempdir().expect("a folder");
    let (project, _) = Project::init(folder.path()).expect("a project");
    let store = Store::open(&project).expect("a store");
    Sandbox {
        folder,
        project,
        store,
    }
}

pub fn object(json: Json) -> Map<String, Json> {
    json.as_object().expect("an object").clone()
}

pub fn draft(
    kind: EntityType,
    title: &str,
    content: Option<&str>,
    tags: &[&str],
    properties: Json,
) -> Draft {
    let tags: Vec<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
    Draft::new(
        kind,
        title,
        content,
        &tags,
        &object(properties),
        Dialect::Knowledge,
    )
    .expect("valid")
}

impl Sandbox {
    /// Closes the store and keeps the folder.
    pub fn close(self) -> tempfile::TempDir {
        drop(self.store);
        self.folder
    }

    pub fn add(&self, draft: Draft) -> Entity {
        self.store
            .write(&origin(), |writer| writer.create(draft))
            .expect("created")
    }

    pub fn task(&self, title: &str) -> Entity {
        self.add(draft(EntityType::Task, title, None, &[], json!({})))
    }

    pub fn set(&self, id: &EntityId, properties: Json) -> Result<Entity> {
        let patch = Patch {
            properties: object(properties),
            ..Patch::default()
        };
        self.change(id, &patch)
    }

    pub fn change(&self, id: &EntityId, patch: &Patch) -> Result<Entity> {
        self.store.write(&origin(), |writer| {
            writer.update(id, patch, Dialect::Knowledge)
        })
    }

    pub fn relate(&self, source: &Entity, kind: RelationType, target: &Entity) -> Result<bool> {
        self.store
            .write(&origin(), |writer| writer.relate(source, kind, target))
            .map(|(_, new)| new)
    }

    pub fn unrelate(&self, source: &Entity, kind: RelationType, target: &Entity) -> Result<()> {
        self.store
            .write(&origin(), |writer| writer.unrelate(source, kind, target))
    }

    pub fn delete(&self, id: &EntityId) -> Result<Entity> {
        self.store.write(&origin(), |writer| writer.delete(id))
    }

    pub fn get(&self, text: &str) -> Result<Entity, Error> {
        self.store.read(None, |reader| {
            let id = reader.resolve("id", text)?;
            reader.entity(&id)
        })
    }

    /// Titles of the ready tasks, in the order of the queue.
    pub fn ready(&self) -> Vec<String> {
        self.ready_for("test")
    }

    pub fn ready_for(&self, session: &str) -> Vec<String> {
        self.store
            .read(None, |reader| {
                reader.ready_tasks(None, session, Page::default())
            })
            .expect("read")
            .into_iter()
            .map(|queued| queued.task.title)
            .collect()
    }
}
