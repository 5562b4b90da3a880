//! The `ralph.db` of ralph: features, disciplines and tasks, of its first schema and of its last.
//!
//! The MCP servers of a discipline are programs: they are never imported.

use std::collections::HashMap;
use std::path::Path;

use windlass_core::{EntityType, RelationType, TaskStatus, check_path};

use super::fields::{Record, field, key, moment, texts};
use super::{file_of, name_of, ralph_tables};
use crate::plan::{Comment, Item, Learning, Place, Plan};
use crate::sqlite::Database;
use crate::text;

pub fn read(path: &Path, plan: &mut Plan) -> Result<(), String> {
    let files = [".ralph/db/ralph.db", "db/ralph.db", "ralph.db"];
    let path = file_of(path, &files)?;
    let name = name_of(&path);
    let database = Database::open(&path)?;
    let tables = if database.has("runtime_tasks") {
        ralph_tables::last(&database)?
    } else if database.has("tasks") && database.has("features") {
        ralph_tables::first(&database)?
    } else {
        return Err("it has no tables of ralph".to_owned());
    };
    let place = || Place::new(&name, None);
    for feature in &tables.features {
        plan.records += 1;
        add_feature(feature, place(), plan);
    }
    for discipline in &tables.disciplines {
        plan.records += 1;
        add_discipline(discipline, place(), plan);
    }
    for task in &tables.tasks {
        plan.records += 1;
        add_task(task, place(), plan);
    }
    let at: HashMap<String, usize> = plan
        .items
        .iter()
        .enumerate()
        .map(|(at, item)| (item.id.clone(), at))
        .collect();
    for comment in &tables.comments {
        let Some(id) = key(comment, "task_id").map(|id| format!("task {id}")) else {
            continue;
        };
        let comment = Comment {
            id: key(comment, "id"),
            author: field(comment, "author").unwrap_or_default().to_owned(),
            body: field(comment, "body").unwrap_or_default().to_owned(),
            at: moment(comment, "created"),
        };
        if let Some(item) = at.get(&id).and_then(|at| plan.items.get_mut(*at)) {
            item.comments.push(comment);
        } else {
            let message = "a comment on a task that is not there is left out";
            plan.note(&place(), Some(&id), message);
        }
    }
    for remark in &tables.remarks {
        plan.records += 1;
        add_remark(remark, place(), plan);
    }
    Ok(())
}

/// Sets the fields that have the same names here and there.
fn copy(item: &mut Item, record: &Record, names: &[&str]) {
    for name in names {
        item.set(name, field(record, name).unwrap_or_default());
    }
}

/// Paths that lead out of the project are named and left out.
fn copy_paths(item: &mut Item, record: &Record, names: &[&str], plan: &mut Plan) {
    for name in names {
        let mut kept = Vec::new();
        for path in texts(record, name) {
            match check_path(name, &path) {
                Ok(path) => kept.push(path),
                Err(problem) => {
                    let message = format!("a path is left out: {}", problem.message());
                    plan.note(&item.place, Some(&item.id), message);
                }
            }
        }
        item.set(name, kept);
    }
}

fn add_feature(record: &Record, place: Place, plan: &mut Plan) {
    let name = field(record, "name").unwrap_or_default();
    let title = field(record, "display_name").unwrap_or(name);
    let mut item = Item::new(EntityType::Feature, format!("feature {name}"), title, place);
    item.content = field(record, "description").map(str::to_owned);
    item.set("name", name);
    copy(
        &mut item,
        record,
        &["acronym", "architecture", "boundaries"],
    );
    copy_paths(
        &mut item,
        record,
        &["knowledge_paths", "context_files"],
        plan,
    );
    item.set("dependencies", texts(record, "dependencies"));
    item.created_at = moment(record, "created");
    for text in ralph_tables::learnings(record) {
        item.learnings.push(Learning {
            text,
            at: item.created_at.clone(),
        });
    }
    plan.items.push(item);
}

/// What was said about a feature is a note that refers to it.
fn add_remark(record: &Record, place: Place, plan: &mut Plan) {
    let id = format!("remark {}", key(record, "id").unwrap_or_default());
    let body = field(record, "body").unwrap_or_default();
    let first = body.lines().next().unwrap_or_default();
    let title = text::shortened(field(record, "summary").unwrap_or(first), 200);
    let mut item = Item::new(EntityType::Note, id, &title, place);
    item.add_section("", body);
    item.add_section("Reason", field(record, "reason").unwrap_or_default());
    item.set("note_type", field(record, "category").unwrap_or_default());
    if let Some(name) = field(record, "feature") {
        let feature = format!("feature {name}");
        item.link(RelationType::References, feature, false, None);
    }
    item.created_at = moment(record, "created");
    item.updated_at = moment(record, "updated").or_else(|| item.created_at.clone());
    plan.items.push(item);
}

fn add_discipline(record: &Record, place: Place, plan: &mut Plan) {
    let name = field(record, "name").unwrap_or_default();
    let title = field(record, "display_name").unwrap_or(name);
    let id = format!("discipline {name}");
    let mut item = Item::new(EntityType::Discipline, id, title, place);
    item.content = field(record, "description").map(str::to_owned);
    item.set("name", name);
    let fields = ["acronym", "icon", "color", "system_prompt", "conventions"];
    copy(&mut item, record, &fields);
    item.set("skills", texts(record, "skills"));
    if ralph_tables::has_servers(record) {
        let message = "its MCP servers are left out: a person sets those";
        plan.note(&item.place, Some(&item.id), message);
    }
    plan.items.push(item);
}

fn add_task(record: &Record, place: Place, plan: &mut Plan) {
    let Some(number) = key(record, "id") else {
        plan.broken(&place, None, "a task has no id");
        return;
    };
    let title = field(record, "title").unwrap_or_default();
    let mut item = Item::new(EntityType::Task, format!("task {number}"), title, place);
    item.content = field(record, "description").map(str::to_owned);
    let waits = field(record, "blocked_by").unwrap_or_default();
    item.add_section("Waits for", waits);
    let word = field(record, "status").unwrap_or("pending");
    let status = match word {
        "failed" => TaskStatus::Blocked,
        other => text::status(other).unwrap_or(TaskStatus::Pending),
    };
    item.set("status", status.name());
    if ["failed", "needs_input"].contains(&word) {
        item.tags.push(word.to_owned());
    }
    let priority = field(record, "priority").and_then(text::priority);
    item.set(
        "priority",
        priority.map_or("normal", |priority| priority.name()),
    );
    copy(
        &mut item,
        record,
        &["feature", "discipline", "hints", "pseudocode"],
    );
    item.tags.extend(texts(record, "tags"));
    item.set("acceptance_criteria", texts(record, "acceptance_criteria"));
    copy_paths(
        &mut item,
        record,
        &["context_files", "output_artifacts"],
        plan,
    );
    if let Some(turns) = record
        .get("estimated_turns")
        .filter(|it| it.as_i64() > Some(0))
    {
        item.set("estimated_turns", turns.clone());
    }
    for other in texts(record, "depends_on") {
        item.blocked_by(format!("task {other}"), None);
    }
    item.created_at = moment(record, "created");
    item.updated_at = moment(record, "updated").or_else(|| item.created_at.clone());
    for (column, managed) in [
        ("completed", "completed_at"),
        ("enriched_at", "enriched_at"),
    ] {
        if let Some(at) = moment(record, column)
            && (managed != "completed_at" || status == TaskStatus::Done)
        {
            item.managed.insert(managed, at.as_str().to_owned());
        }
    }
    if let Some(provenance) = field(record, "provenance") {
        item.managed
            .insert("provenance", text::shortened(provenance, 20));
    }
    plan.items.push(item);
}
