//! The `loro.db` of medulla: one Loro document, with a map for each type of entity.

use std::collections::HashMap;
use std::path::Path;

use loro::LoroDoc;
use serde_json::Value as Json;
use windlass_core::{EntityType, RelationType};

use super::fields::{Record, field, moment, texts};
use super::{bytes_of, file_of, name_of};
use crate::plan::{Item, Place, Plan};
use crate::text;

const LARGEST: u64 = 64 << 20;

/// The maps of the document and the fields that entities of each have beyond the common ones.
const MAPS: &[(&str, EntityType, &[&str])] = &[
    (
        "decisions",
        EntityType::Decision,
        &["status", "context", "superseded_by"],
    ),
    ("tasks", EntityType::Task, &["due_date", "assignee"]),
    ("notes", EntityType::Note, &["note_type"]),
    (
        "prompts",
        EntityType::Prompt,
        &["template", "output_schema"],
    ),
    (
        "components",
        EntityType::Component,
        &["component_type", "status", "owner"],
    ),
    ("links", EntityType::Link, &["url", "link_type"]),
];

pub fn read(path: &Path, plan: &mut Plan) -> Result<(), String> {
    let path = file_of(path, &[".medulla/loro.db", "loro.db"])?;
    let name = name_of(&path);
    let document = LoroDoc::new();
    let status = document
        .import(&bytes_of(&path, LARGEST)?)
        .map_err(|problem| format!("it is not a Loro document: {problem}"))?;
    if status.pending.is_some() {
        return Err("it is incomplete: changes that it builds on are missing".to_owned());
    }
    let value = serde_json::to_value(document.get_deep_value())
        .map_err(|problem| format!("it cannot be read: {problem}"))?;
    for (map, kind, fields) in MAPS {
        let entities = value.get(*map).and_then(Json::as_object);
        let mut entities: Vec<(&String, &Json)> = entities.into_iter().flatten().collect();
        entities.sort_by_key(|(id, entity)| (entity["sequence_number"].as_i64(), (*id).clone()));
        for (id, entity) in entities {
            plan.records += 1;
            let place = Place::new(&format!("{name} {map}"), None);
            match entity.as_object() {
                Some(entity) => add(*kind, id, entity, fields, place, plan),
                None => plan.broken(&place, Some(id), "it is not a map"),
            }
        }
    }
    let relations = value.get("relations").and_then(Json::as_object);
    let at: HashMap<String, usize> = plan
        .items
        .iter()
        .enumerate()
        .map(|(at, item)| (item.id.clone(), at))
        .collect();
    for (key, relation) in relations.into_iter().flatten() {
        let place = Place::new(&format!("{name} relations"), None);
        match relation.as_object() {
            Some(relation) => relate(key, relation, &place, &at, plan),
            None => plan.broken(&place, Some(key), "it is not a map"),
        }
    }
    Ok(())
}

fn add(
    kind: EntityType,
    id: &str,
    entity: &Record,
    fields: &[&str],
    place: Place,
    plan: &mut Plan,
) {
    let mut item = Item::new(kind, id, field(entity, "title").unwrap_or_default(), place);
    item.content = field(entity, "content").map(str::to_owned);
    item.tags = texts(entity, "tags");
    item.created_at = moment(entity, "created_at");
    item.updated_at = moment(entity, "updated_at");
    for name in fields {
        item.set(name, field(entity, name).unwrap_or_default());
    }
    for name in ["consequences", "variables"] {
        item.set(name, texts(entity, name));
    }
    if kind == EntityType::Task {
        let status = field(entity, "status").and_then(text::status);
        item.set("status", status.map_or("pending", |status| status.name()));
        let priority = field(entity, "priority").and_then(text::priority);
        item.set(
            "priority",
            priority.map_or("normal", |priority| priority.name()),
        );
        if item.properties.get("status") == Some(&"done".into())
            && let Some(at) = &item.updated_at
        {
            item.managed.insert("completed_at", at.as_str().to_owned());
        }
    }
    // Whatever replaced the decision is found as a relation; the field itself needs the new id.
    if let Some(Json::String(other)) = item.properties.remove("superseded_by") {
        item.link(RelationType::Supersedes, other, true, None);
    }
    plan.items.push(item);
}

fn relate(
    key: &str,
    relation: &Record,
    place: &Place,
    at: &HashMap<String, usize>,
    plan: &mut Plan,
) {
    let (Some(source), Some(target), Some(kind)) = (
        field(relation, "source_id"),
        field(relation, "target_id"),
        field(relation, "relation_type"),
    ) else {
        plan.broken(place, Some(key), "it does not say what it relates");
        return;
    };
    let known = RelationType::parse(kind).unwrap_or(RelationType::References);
    let Some(item) = at.get(source).and_then(|at| plan.items.get_mut(*at)) else {
        // Medulla keeps the relations of entities that were deleted.
        plan.note(
            place,
            Some(key),
            "its source was deleted, and it is left out",
        );
        return;
    };
    item.link(known, target, false, moment(relation, "created_at"));
}
