//! Projects of any size, the same in every run.

use serde_json::{Map, Value as Json, json};
use windlass_core::{Actor, Dialect, Draft, Entity, EntityType, Origin, RelationType, Result};
use windlass_store::{Project, Store, Writer};

use crate::words::{Dice, text};

/// How many tasks belong together. Real plans are made of pieces that wait within themselves.
const PIECE: usize = 20;
/// How many of each piece are done.
const DONE: usize = 10;
/// What a whole piece averages.
const EDGES_PER_TASK: usize = 2;

/// Who a generated change came from.
pub fn origin() -> Origin {
    Origin {
        actor: Actor::Agent,
        source: "bench",
        session: "bench".to_owned(),
        correlation_id: None,
    }
}

/// Fills a project with tasks, and with two "blocks" relations for each of them, in one write.
pub fn generate(project: &Project, tasks: usize) -> Result<()> {
    let store = Store::open(project)?;
    store.write(&origin(), |writer| {
        let mut dice = Dice::new(7);
        let mut left = tasks;
        while left > 0 {
            let size = left.min(PIECE);
            generate_piece(writer, &mut dice, size)?;
            left -= size;
        }
        Ok(())
    })
}

fn generate_piece(writer: &Writer<'_>, dice: &mut Dice, size: usize) -> Result<()> {
    let mut piece: Vec<Entity> = Vec::with_capacity(size);
    for at in 0..size {
        piece.push(writer.create(draft(dice, at < DONE)?)?);
    }
    for at in 1..size {
        for before in blockers(at, dice) {
            writer.relate(&piece[before], RelationType::Blocks, &piece[at])?;
        }
    }
    Ok(())
}

/// Which tasks before it a task waits for. The last ones make up for the first, which have fewer.
fn blockers(at: usize, dice: &mut Dice) -> Vec<usize> {
    let wanted = if at >= PIECE - 3 { 3 } else { EDGES_PER_TASK }.min(at);
    let mut found = Vec::with_capacity(wanted);
    while found.len() < wanted {
        let before = dice.below(u32::try_from(at).unwrap_or(1)) as usize;
        if !found.contains(&before) {
            found.push(before);
        }
    }
    found
}

/// A task of about half a kilobyte.
pub fn draft(dice: &mut Dice, done: bool) -> Result<Draft> {
    let priority = ["low", "normal", "normal", "high", "urgent"][dice.below(5) as usize];
    let mut properties = Map::new();
    properties.insert("priority".into(), json!(priority));
    properties.insert("status".into(), json!(if done { "done" } else { "todo" }));
    if dice.below(2) == 0 {
        let day = format!("2027-{:02}-{:02}", 1 + dice.below(12), 1 + dice.below(28));
        properties.insert("due_date".into(), Json::String(day));
    }
    let tags: Vec<String> = (0..dice.below(4))
        .map(|_| format!("area-{}", dice.below(40)))
        .collect();
    let title_words = 4 + dice.below(5);
    let title = text(dice, title_words);
    let content_words = 40 + dice.below(40);
    let content = text(dice, content_words);
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
    fn a_project_has_its_tasks_its_edges_and_work_to_do() {
        let folder = tempfile::tempdir().expect("a folder");
        let (project, _) = Project::init(folder.path()).expect("made");
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
