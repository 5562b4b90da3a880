//! The sample project that the examples of all operations work on.

use serde_json::json;
use windlass_core::{Actor, Dialect, Draft, Entity, EntityType, Origin, RelationType, Result};
use windlass_store::{Project, Store, Writer};

pub struct Sample {
    pub folder: tempfile::TempDir,
    pub project: Project,
}

pub fn origin() -> Origin {
    Origin {
        actor: Actor::Human,
        source: "test",
        session: "sample".into(),
        correlation_id: None,
    }
}

/// A project with nothing in it.
pub fn empty() -> Sample {
    let folder = tempfile::tempdir().expect("a folder");
    let (project, _) = Project::init(folder.path()).expect("a project");
    Sample { folder, project }
}

/// #1 and #5 are decisions, #2 and #3 tasks, #4 a note; 2 blocks 3 and implements 1.
pub fn filled() -> Sample {
    let sample = empty();
    let store = sample.store();
    store
        .write(&origin(), |writer| {
            let rows = [
                (
                    EntityType::Decision,
                    "Use PostgreSQL",
                    "We need a database.",
                    "database",
                    "accepted",
                ),
                (
                    EntityType::Task,
                    "Set up auth",
                    "Log in and out.",
                    "auth",
                    "todo",
                ),
                (EntityType::Task, "Deploy", "To production.", "ops", "todo"),
                (
                    EntityType::Note,
                    "Meeting notes",
                    "Nobody came.",
                    "meeting",
                    "",
                ),
                (
                    EntityType::Decision,
                    "Use SQLite",
                    "One file.",
                    "storage",
                    "proposed",
                ),
            ];
            let made = rows
                .into_iter()
                .map(|row| create(writer, row))
                .collect::<Result<Vec<Entity>>>()?;
            writer.relate(&made[1], RelationType::Blocks, &made[2])?;
            writer.relate(&made[1], RelationType::Implements, &made[0])
        })
        .expect("written");
    sample
}

fn create(writer: &Writer<'_>, row: (EntityType, &str, &str, &str, &str)) -> Result<Entity> {
    let (kind, title, content, tag, status) = row;
    let properties = if status.is_empty() {
        json!({})
    } else {
        json!({"status": status})
    };
    let properties = properties.as_object().cloned().unwrap_or_default();
    let tags = [tag.to_owned()];
    let draft = Draft::new(
        kind,
        title,
        Some(content),
        &tags,
        &properties,
        Dialect::Knowledge,
    )?;
    writer.create(draft)
}

impl Sample {
    pub fn store(&self) -> Store {
        Store::open(&self.project).expect("a store")
    }
}
