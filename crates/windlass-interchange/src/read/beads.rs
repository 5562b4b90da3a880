//! Issues of beads: the JSONL file that it keeps beside its database, or the database itself.

use std::path::Path;

use serde_json::Value as Json;
use windlass_core::{EntityType, RelationType, TaskStatus};

use super::fields::{Record, field, moment, objects};
use super::{beads_database, bytes_of, file_of, json_records, name_of};
use crate::files::LARGEST;
use crate::plan::{Comment, Item, Place, Plan};
use crate::text;

const FILES: &[&str] = &[
    ".beads/issues.jsonl",
    "issues.jsonl",
    ".beads/beads.jsonl",
    "beads.jsonl",
    ".beads/beads.db",
    "beads.db",
];

pub fn read(path: &Path, plan: &mut Plan) -> Result<(), String> {
    let path = file_of(path, FILES)?;
    let name = name_of(&path);
    if path.extension().is_some_and(|it| it == "db") {
        return beads_database::read(&path, &name, plan);
    }
    for (line, record) in json_records::records(&bytes_of(&path, LARGEST)?) {
        let place = Place::new(&name, Some(line));
        match record {
            Ok(Json::Object(issue)) => add(&issue, place, plan),
            Ok(_) => plan.broken(&place, None, "it is not an object"),
            Err(problem) => plan.broken(&place, None, problem),
        }
    }
    Ok(())
}

/// Adds one issue, as the JSONL file has it.
pub fn add(issue: &Record, place: Place, plan: &mut Plan) {
    // Newer files also carry memories and other records.
    if field(issue, "_type").is_some_and(|kind| kind != "issue") {
        plan.note(&place, None, "it is not an issue, and is left out");
        return;
    }
    plan.records += 1;
    let Some(id) = field(issue, "id") else {
        plan.broken(&place, None, "it has no id");
        return;
    };
    let status = field(issue, "status").unwrap_or("open");
    if status == "tombstone" {
        plan.note(&place, Some(id), "it was deleted there, and is left out");
        return;
    }
    let title = field(issue, "title").unwrap_or_default();
    let mut item = Item::new(EntityType::Task, id, title, place);
    item.content = field(issue, "description").map(str::to_owned);
    for (name, heading) in [
        ("design", "Design"),
        ("notes", "Notes"),
        ("close_reason", "Closed because"),
        ("external_ref", "External reference"),
    ] {
        item.add_section(heading, field(issue, name).unwrap_or_default());
    }
    if let Some(criteria) = field(issue, "acceptance_criteria") {
        item.set("acceptance_criteria", text::list_items(criteria));
    }
    if let Some(Json::Array(labels)) = issue.get("labels") {
        let labels = labels.iter().filter_map(Json::as_str);
        item.tags.extend(labels.map(str::to_owned));
    }
    set_status(&mut item, status, plan);
    set_kind(&mut item, field(issue, "issue_type"));
    let priority = match issue.get("priority").and_then(Json::as_i64) {
        Some(0) => "urgent",
        Some(1) => "high",
        Some(3..) => "low",
        _ => "normal",
    };
    item.set("priority", priority);
    let assignee = field(issue, "assignee").or_else(|| field(issue, "owner"));
    item.set("assignee", assignee.unwrap_or_default());
    if let Some(due) = moment(issue, "due_at") {
        item.set("due_date", due.day());
    }
    item.created_at = moment(issue, "created_at");
    item.updated_at = moment(issue, "updated_at").or_else(|| moment(issue, "closed_at"));
    for (name, managed) in [("closed_at", "completed_at"), ("started_at", "started_at")] {
        if let Some(at) = moment(issue, name)
            && (managed != "completed_at" || status == "closed")
        {
            item.managed.insert(managed, at.as_str().to_owned());
        }
    }
    for dependency in objects(issue, "dependencies") {
        add_dependency(&mut item, dependency, plan);
    }
    for comment in objects(issue, "comments") {
        item.comments.push(Comment {
            id: comment.get("id").map(Json::to_string),
            author: field(comment, "author").unwrap_or_default().to_owned(),
            body: field(comment, "text").unwrap_or_default().to_owned(),
            at: moment(comment, "created_at"),
        });
    }
    plan.items.push(item);
}

fn set_status(item: &mut Item, word: &str, plan: &mut Plan) {
    let status = text::status(word).unwrap_or_else(|| {
        let message = format!("its status \"{word}\" is not known: it is pending, with that label");
        plan.note(&item.place, Some(&item.id), message);
        TaskStatus::Pending
    });
    item.set("status", status.name());
    // What Windlass has no status for stays as a label.
    if !["open", "in_progress", "blocked", "closed"].contains(&word) {
        item.tags.push(word.to_owned());
    }
}

fn set_kind(item: &mut Item, kind: Option<&str>) {
    match kind {
        None | Some("task") => {}
        Some("milestone") => item.set("kind", "milestone"),
        Some(other) => item.tags.push(other.to_owned()),
    }
}

/// The record depends on another one, in one of many ways.
fn add_dependency(item: &mut Item, dependency: &Record, plan: &mut Plan) {
    let Some(other) = field(dependency, "depends_on_id") else {
        plan.broken(
            &item.place,
            Some(&item.id),
            "one of its dependencies names no issue",
        );
        return;
    };
    let at = moment(dependency, "created_at");
    match field(dependency, "type").unwrap_or("blocks") {
        "parent-child" if item.parent.is_none() => item.parent = Some(other.to_owned()),
        "blocks" | "conditional-blocks" | "waits-for" => item.blocked_by(other, at),
        _ => item.link(RelationType::References, other, false, at),
    }
}
