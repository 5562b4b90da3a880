//! Generates projects of any size, the same in every run.

use serde_json::{Map, Value as Json, json};
use windlass_core::{Actor, Dialect, Draft, Entity, EntityType, Origin, RelationType, Result};
use windlass_store::{Project, Store, Writer};

use crate::words::{Random, text};

/// Tasks in a group. In real plans, tasks depend on each other in small groups.
const GROUP: usize = 20;
/// How many tasks of each group are done.
const DONE: usize = 10;
/// The average over a complete group.
const EDGES_PER_TASK: usize = 2;

/// The origin of generated changes.
pub fn origin() -> Origin {
    Origin {
        actor: Actor::Agent,
        source: "bench",
        session: "bench".to_owned(),
        correlation_id: None,
    }
}

/// Fills a project with tasks and two "blocks" relations for each of them, in one transaction.
pub fn generate(project: &Project, tasks: usize) -> Result<()> {
    let store = Store::open(project)?;
    store.write(&origin(), |writer| {
        let mut random = Random::new(7);
        let mut left = tasks;
        while left > 0 {
            let size = left.min(GROUP);
            generate_group(writer, &mut random, size)?;
            left -= size;
        }
        Ok(())
    })
}

fn generate_group(writer: &Writer<'_>, random: &mut Random, size: usize) -> Result<()> {
    let mut piece: Vec<Entity> = Vec::with_capacity(size);
    for at in 0..size {
        piece.push(writer.create(draft(random, at < DONE)?)?);
    }
    for at in 1..size {
        for before in blockers(at, random) {
            writer.relate(&piece[before], RelationType::Blocks, &piece[at])?;
        }
    }
    Ok(())
}

/// The earlier tasks that a task waits for. The last tasks have more, because the first have fewer.
fn blockers(at: usize, random: &mut Random) -> Vec<usize> {
    let wanted = if at >= GROUP - 3 { 3 } else { EDGES_PER_TASK }.min(at);
    let mut found = Vec::with_capacity(wanted);
    while found.len() < wanted {
        let before = random.below(u32::try_from(at).unwrap_or(1)) as usize;
        if !found.contains(&before) {
            found.push(before);
        }
    }
    found
}

/// A task of about half a kilobyte.
pub fn draft(random: &mut Random, done: bool) -> Result<Draft> {
    let priority = ["low", "normal", "normal", "high", "urgent"][random.below(5) as usize];
    let mut properties = Map::new();
    properties.insert("priority".into(), json!(priority));
    properties.insert("status".into(), json!(if done { "done" } else { "todo" }));
    if random.below(2) == 0 {
        let day = format!(
            "2027-{:02}-{:02}",
            1 + random.below(12),
            1 + random.below(28)
        );
        properties.insert("due_date".into(), Json::String(day));
    }
    let tags: Vec<String> = (0..random.below(4))
        .map(|_| format!("area-{}", random.below(40)))
        .collect();
    let title_words = 4 + random.below(5);
    let title = text(random, title_words);
    let content_words = 40 + random.below(40);
    let content = text(random, content_words);
    Draft::new(
        EntityType::Task,
        &title,
        Some(&content),
        &tags,
        &properties,
        Dialect::Knowledge,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use windlass_core::Page;

    #[test]
    fn a_project_has_tasks_relations_and_ready_work() {
        let folder = tempfile::tempdir().expect("a folder");
        let (project, _) = Project::init(folder.path()).expect("created");
        generate(&project, 1_000).expect("generated");
        let database = rusqlite::Connection::open(project.database()).expect("opened");
        let count = |table: &str| -> i64 {
            database
                .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
                    row.get(0)
                })
                .expect("counted")
        };
        assert_eq!(count("entities"), 1_000);
        assert_eq!(count("relations"), 2_000);
        let store = Store::open(&project).expect("opened");
        let page = Page::new(51, 0).expect("a page");
        let ready = store
            .read(None, |reader| reader.ready_tasks(None, "test", page))
            .expect("read");
        assert_eq!(ready.len(), 51);
    }
}
