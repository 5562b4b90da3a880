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

/// How many tasks are written in one transaction: a whole number of groups. One transaction for all of
/// a large project would make a log as large as the project.
const BATCH: usize = 500 * GROUP;

/// The origin of generated changes.
pub fn origin() -> Origin {
    Origin {
        actor: Actor::Agent,
        source: "bench",
        session: "bench".to_owned(),
        correlation_id: None,
    }
}

/// Fills a project with tasks and two "blocks" relations for each of them.
pub fn generate(project: &Project, tasks: usize) -> Result<()> {
    let store = Store::open(project)?;
    let mut random = Random::new(7);
    in_batches(&store, tasks, |writer, batch| {
        let mut left = batch;
        while left > 0 {
            let size = left.min(GROUP);
            generate_group(writer, &mut random, size)?;
            left -= size;
        }
        Ok(())
    })
}

/// Fills a project with tasks of which each waits for the one before it.
pub fn generate_chain(project: &Project, tasks: usize) -> Result<()> {
    let store = Store::open(project)?;
    let mut random = Random::new(7);
    let mut last: Option<Entity> = None;
    in_batches(&store, tasks, |writer, batch| {
        for _ in 0..batch {
            let next = writer.create(draft(&mut random, false)?)?;
            if let Some(last) = last.replace(next.clone()) {
                writer.relate(&last, RelationType::Blocks, &next)?;
            }
        }
        Ok(())
    })
}

/// Fills a project with one task, the first, and tasks that wait for it.
pub fn generate_dependants(project: &Project, dependants: usize) -> Result<()> {
    let store = Store::open(project)?;
    let mut random = Random::new(7);
    let first = store.write(&origin(), |writer| {
        writer.create(draft(&mut random, false)?)
    })?;
    in_batches(&store, dependants, |writer, batch| {
        let tasks = (0..batch).map(|_| writer.create(draft(&mut random, false)?));
        let tasks = tasks.collect::<Result<Vec<_>>>()?;
        writer.relate_all(&first, RelationType::Blocks, &tasks)?;
        Ok(())
    })
}

/// Writes so many tasks, several in one transaction.
fn in_batches(
    store: &Store,
    tasks: usize,
    mut write: impl FnMut(&Writer<'_>, usize) -> Result<()>,
) -> Result<()> {
    let mut left = tasks;
    while left > 0 {
        let batch = left.min(BATCH);
        store.write(&origin(), |writer| write(writer, batch))?;
        left -= batch;
    }
    Ok(())
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
