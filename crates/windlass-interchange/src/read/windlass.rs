//! Our own export, as JSON or as JSON lines. Its format is documented in docs/contracts/export.md.

use std::path::Path;

use serde_json::Value as Json;
use windlass_core::{EntityId, EntityType, Reach, RelationType, Timestamp};

use super::fields::{Record, field, moment, objects, texts};
use super::{bytes_of, json_records, name_of};
use crate::files::LARGEST;
use crate::plan::{Item, Own, Place, Plan};
use crate::write::{EXPORT_FORMAT, EXPORT_VERSION};

pub fn read(path: &Path, plan: &mut Plan) -> Result<(), String> {
    let name = name_of(path);
    let records = json_records::records(&bytes_of(path, LARGEST)?);
    let mut records = records.into_iter();
    let (_, head) = records.next().ok_or("the file is empty")?;
    let Json::Object(mut head) = head? else {
        return Err("it is not an export of Windlass".to_owned());
    };
    check_head(&head)?;
    // In JSON every entity is on a line of its own, after the head.
    if let Some(Json::Array(entities)) = head.remove("entities") {
        for (at, entity) in entities.into_iter().enumerate() {
            add(entity, Place::new(&name, Some(at + 2)), plan);
        }
    }
    for (line, entity) in records {
        let place = Place::new(&name, Some(line));
        match entity {
            Ok(entity) => add(entity, place, plan),
            Err(problem) => plan.broken(&place, None, problem),
        }
    }
    Ok(())
}

fn check_head(head: &Record) -> Result<(), String> {
    if field(head, "format") != Some(EXPORT_FORMAT) {
        return Err(
            "it is not an export of Windlass: CSV cannot be imported, JSON and JSON lines can"
                .to_owned(),
        );
    }
    match head.get("version").and_then(Json::as_u64) {
        Some(version) if version <= EXPORT_VERSION => Ok(()),
        Some(version) => Err(format!(
            "it has version {version}, but this windlass reads only versions up to {EXPORT_VERSION}: \
             install a newer windlass"
        )),
        None => Err("it has no version".to_owned()),
    }
}

fn add(entity: Json, place: Place, plan: &mut Plan) {
    plan.records += 1;
    let Json::Object(entity) = entity else {
        plan.broken(&place, None, "it is not an object");
        return;
    };
    let id = field(&entity, "id").map(str::to_owned);
    match item(&entity, place.clone()) {
        Ok(item) => plan.items.push(item),
        Err(problem) => plan.broken(&place, id.as_deref(), problem),
    }
}

fn item(entity: &Record, place: Place) -> Result<Item, String> {
    let id = field(entity, "id").ok_or("it has no id")?;
    let plain = id.len() == 36
        && id.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
        });
    if !plain {
        return Err("its id is not a UUID in small letters".to_owned());
    }
    let number = entity.get("number").and_then(Json::as_i64);
    let number = number
        .filter(|number| *number > 0)
        .ok_or("it has no number")?;
    let kind = EntityType::parse(field(entity, "type").ok_or("it has no type")?)
        .map_err(|problem| problem.message().to_owned())?;
    let mut item = Item::new(kind, id, field(entity, "title").unwrap_or_default(), place);
    item.content = field(entity, "content").map(str::to_owned);
    item.tags = texts(entity, "tags");
    item.created_at = moment(entity, "created_at");
    item.updated_at = moment(entity, "updated_at");
    for (name, value) in entity
        .get("properties")
        .and_then(Json::as_object)
        .into_iter()
        .flatten()
    {
        let declared = kind.declaration().field(name);
        match declared.map(|field| (field.reach, value.as_str())) {
            Some((Reach::Managed, Some(text))) => {
                if let Some(field) = declared {
                    item.managed
                        .insert(field.name, text.chars().take(200).collect());
                }
            }
            // What decides what is run is set by people, never by a file.
            Some((Reach::People | Reach::Managed, _)) | None => {}
            Some(_) => {
                item.properties.insert(name.clone(), value.clone());
            }
        }
    }
    for relation in objects(entity, "relations") {
        let target = field(relation, "target").ok_or("a relation has no target")?;
        let kind = RelationType::parse(field(relation, "type").unwrap_or_default())
            .map_err(|problem| problem.message().to_owned())?;
        let at: Option<Timestamp> = moment(relation, "created_at");
        item.link(kind, target, false, at);
    }
    let numbered = |name: &str| -> Vec<(i64, Json)> {
        objects(entity, name)
            .map(|record| {
                let mut record = record.clone();
                let number = record.shift_remove("number").and_then(|it| it.as_i64());
                (number.unwrap_or(1), Json::Object(record))
            })
            .collect()
    };
    let former = entity.get("former_numbers").and_then(Json::as_array);
    item.own = Some(Box::new(Own {
        id: EntityId::from_stored(id),
        number,
        former_numbers: former
            .into_iter()
            .flatten()
            .filter_map(Json::as_i64)
            .collect(),
        comments: numbered("comments"),
        learnings: numbered("learnings"),
        origins: objects(entity, "origins")
            .cloned()
            .map(Json::Object)
            .collect(),
    }));
    Ok(item)
}
