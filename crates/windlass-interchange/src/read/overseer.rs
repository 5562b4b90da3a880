//! The `tasks.db` of overseer, of its first two generations.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value as Json;
use windlass_core::{EntityType, TaskStatus};

use super::fields::{Record, field, is_set, moment};
use super::{file_of, name_of};
use crate::plan::{Comment, Item, Learning, Place, Plan};
use crate::sqlite::Database;
use crate::text;

const LONGEST_LEARNING: usize = 500;

pub fn read(path: &Path, plan: &mut Plan) -> Result<(), String> {
    let path = file_of(path, &[".overseer/tasks.db", "tasks.db"])?;
    let name = name_of(&path);
    let database = Database::open(&path)?;
    let columns = database.columns("tasks");
    if !columns.iter().any(|it| it == "description") {
        return Err("it has no table of tasks: it is not a database of overseer".to_owned());
    }
    let tasks = database.rows("tasks", "created_at, id")?;
    // The first versions counted priorities from 1 to 5, later ones from 0 to 2.
    let highest = tasks
        .iter()
        .filter_map(|it| it.get("priority")?.as_i64())
        .max();
    let from_zero = highest.is_some_and(|highest| highest <= 2);
    let mut at = HashMap::new();
    for task in &tasks {
        plan.records += 1;
        let place = Place::new(&name, None);
        let Some(id) = field(task, "id") else {
            plan.broken(&place, None, "a task has no id");
            continue;
        };
        at.insert(id.to_owned(), plan.items.len());
        plan.items.push(item(id, task, from_zero, place));
    }
    for row in database.rows("task_blockers", "task_id, blocker_id")? {
        let (Some(task), Some(blocker)) = (field(&row, "task_id"), field(&row, "blocker_id"))
        else {
            continue;
        };
        if let Some(at) = at.get(task) {
            plan.items[*at].blocked_by(blocker, None);
        } else {
            let message = "a blocker of a task that is not there is left out";
            plan.note(&Place::new(&name, None), Some(task), message);
        }
    }
    for row in database.rows("learnings", "created_at, id")? {
        let (Some(task), Some(content)) = (field(&row, "task_id"), field(&row, "content")) else {
            continue;
        };
        let Some(item) = at.get(task).and_then(|at| plan.items.get_mut(*at)) else {
            let message = "a learning of a task that is not there is left out";
            plan.note(&Place::new(&name, None), Some(task), message);
            continue;
        };
        let time = moment(&row, "created_at");
        if content.chars().count() <= LONGEST_LEARNING {
            item.learnings.push(Learning {
                text: content.trim().to_owned(),
                at: time,
            });
        } else {
            // Too long for a learning; as a comment it is kept whole.
            item.comments.push(Comment {
                id: field(&row, "id").map(str::to_owned),
                author: "learning".to_owned(),
                body: content.to_owned(),
                at: time,
            });
        }
    }
    Ok(())
}

fn item(id: &str, task: &Record, from_zero: bool, place: Place) -> Item {
    let description = field(task, "description").unwrap_or_default();
    let (title, rest) = description.split_once('\n').unwrap_or((description, ""));
    let mut item = Item::new(EntityType::Task, id, title, place);
    item.add_section("", rest);
    item.add_section("", field(task, "context").unwrap_or_default());
    item.add_section("Result", field(task, "result").unwrap_or_default());
    let status = match field(task, "status").and_then(text::status) {
        Some(status) => status,
        None if is_set(task, "completed") => TaskStatus::Done,
        None if is_set(task, "cancelled") || is_set(task, "archived") => TaskStatus::Cancelled,
        None if field(task, "started_at").is_some() => TaskStatus::InProgress,
        None => TaskStatus::Pending,
    };
    item.set("status", status.name());
    if is_set(task, "archived") {
        item.tags.push("archived".to_owned());
    }
    let priority = match task.get("priority") {
        Some(Json::String(word)) => text::priority(word).map_or("normal", |it| it.name()),
        Some(number) => match (from_zero, number.as_i64()) {
            (true, Some(0)) | (false, Some(1)) => "urgent",
            (false, Some(2)) => "high",
            (true, Some(2)) | (false, Some(4..)) => "low",
            _ => "normal",
        },
        None => "normal",
    };
    item.set("priority", priority);
    if let Some(kind) = field(task, "kind") {
        item.set("kind", kind.to_lowercase());
    }
    item.parent = field(task, "parent_id").map(str::to_owned);
    item.created_at = moment(task, "created_at");
    item.updated_at = moment(task, "updated_at");
    for (column, managed) in [
        ("started_at", "started_at"),
        ("completed_at", "completed_at"),
        ("start_commit", "start_commit"),
        ("commit_sha", "submit_commit"),
    ] {
        let value = match moment(task, column) {
            Some(at) => Some(at.as_str().to_owned()),
            None => field(task, column).map(str::to_owned),
        };
        if let Some(value) = value.filter(|it| it.len() <= 200)
            && (managed != "completed_at" || status == TaskStatus::Done)
        {
            item.managed.insert(managed, value);
        }
    }
    item
}
