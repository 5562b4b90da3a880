//! What a record says now, what it said at the last import, and what is here: field by field.
//!
//! A field that changed only at the source is taken over. One that was edited only here stays. Where
//! both changed, the value here stays and the report says so, unless the caller asked to overwrite it.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};
use windlass_core::{Dialect, Draft, Entity, EntityId, FieldKind, Patch, Reach, Timestamp};
use windlass_interchange::{Item, Link, fingerprint};

/// What the last import recorded about an entity: a record of its document.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Base {
    /// The fingerprint of each field as the source had it.
    pub fields: BTreeMap<String, String>,
    /// Relations, as text.
    pub links: Vec<String>,
    /// Comments and learnings, by their ids or texts.
    pub parts: Vec<String>,
}

impl Base {
    pub fn of(body: &Json) -> Self {
        let texts = |name: &str| -> Vec<String> {
            let list = body[name].as_array().into_iter().flatten();
            list.filter_map(Json::as_str).map(str::to_owned).collect()
        };
        let fields = body["fields"].as_object().into_iter().flatten();
        Self {
            fields: fields
                .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
                .collect(),
            links: texts("links"),
            parts: texts("parts"),
        }
    }

    /// What is stored with the entity.
    pub fn body(&self, source: &str, id: &str, at: &Timestamp) -> Json {
        json!({
            "source": source,
            "id": id,
            "imported_at": at.as_str(),
            "fields": self.fields,
            "links": self.links,
            "parts": self.parts,
        })
    }

    /// What a record says now.
    pub fn of_item(item: &Item, draft: &Draft) -> Self {
        let values = values(&entity_of(draft));
        let mut links: Vec<String> = links_of(item).iter().map(link_name).collect();
        links.sort();
        Self {
            fields: values
                .into_iter()
                .map(|(name, value)| (name, fingerprint(&[&value.to_string()])))
                .collect(),
            links,
            parts: parts_of(item),
        }
    }
}

/// The relations of a record, its parent among them.
pub fn links_of(item: &Item) -> Vec<Link> {
    let parent = item.parent.iter().map(|parent| Link {
        kind: windlass_core::RelationType::Parent,
        other: parent.clone(),
        reversed: false,
        at: None,
    });
    parent.chain(item.links.iter().cloned()).collect()
}

pub fn link_name(link: &Link) -> String {
    let arrow = if link.reversed { "<" } else { ">" };
    format!("{}{arrow}{}", link.kind.name(), link.other)
}

/// The names of comments and learnings.
fn parts_of(item: &Item) -> Vec<String> {
    let comments = item.comments.iter().map(|comment| match &comment.id {
        Some(id) => format!("comment {id}"),
        None => format!("comment {}", fingerprint(&[&comment.author, &comment.body])),
    });
    let learnings = item.learnings.iter();
    let learnings = learnings.map(|it| format!("learning {}", fingerprint(&[&it.text])));
    comments.chain(learnings).collect()
}

/// A draft as if it were stored, to be compared with what is.
fn entity_of(draft: &Draft) -> Entity {
    let never = Timestamp::from_millis(0);
    Entity {
        id: EntityId::from_stored(""),
        number: 0,
        kind: draft.kind,
        title: draft.title.clone(),
        content: draft.content.clone(),
        tags: draft.tags.clone(),
        properties: draft.properties.clone(),
        created_at: never.clone(),
        updated_at: never,
        former_numbers: Vec::new(),
    }
}

/// The fields of an entity by name, as far as a source can say them.
fn values(entity: &Entity) -> BTreeMap<String, Json> {
    let mut values = BTreeMap::new();
    values.insert("title".to_owned(), json!(entity.title));
    if let Some(content) = &entity.content {
        values.insert("content".to_owned(), json!(content));
    }
    if !entity.tags.is_empty() {
        values.insert("tags".to_owned(), json!(entity.tags));
    }
    for (name, value) in entity.properties_in(Dialect::Canonical) {
        let field = entity.kind.declaration().field(&name);
        // A reference to another entity has another id here.
        if field.is_some_and(|field| field.kind != FieldKind::Entity) {
            values.insert(name, value);
        }
    }
    values
}

/// What an import changes in an entity, and which fields keep their local values.
#[derive(Debug, Default)]
pub struct Merge {
    pub patch: Patch,
    pub taken: Vec<String>,
    pub kept: Vec<String>,
    /// What is remembered for the next import.
    pub base: Base,
}

pub fn merge(here: &Entity, draft: &Draft, base: &Base, now: &Base, overwrite: bool) -> Merge {
    let ours = values(here);
    let theirs = values(&entity_of(draft));
    let nothing = fingerprint(&[&Json::Null.to_string()]);
    let mut merge = Merge {
        base: now.clone(),
        ..Merge::default()
    };
    let mut names: Vec<&String> = theirs.keys().chain(base.fields.keys()).collect();
    names.sort();
    names.dedup();
    for name in names {
        let our_value = ours.get(name).cloned().unwrap_or_default();
        let their_value = theirs.get(name).cloned().unwrap_or_default();
        if our_value == their_value {
            continue;
        }
        let before = base.fields.get(name).unwrap_or(&nothing);
        let at_source = fingerprint(&[&their_value.to_string()]);
        let known = base.fields.contains_key(name);
        if known && *before == at_source && !overwrite {
            // Only edited here.
            continue;
        }
        let edited_here = fingerprint(&[&our_value.to_string()]) != *before;
        if edited_here && !overwrite {
            merge.kept.push(name.clone());
            match base.fields.get(name) {
                Some(before) => merge.base.fields.insert(name.clone(), before.clone()),
                None => merge.base.fields.remove(name),
            };
            continue;
        }
        take(&mut merge.patch, here, name, their_value);
        merge.taken.push(name.clone());
    }
    merge
}

fn take(patch: &mut Patch, here: &Entity, name: &str, value: Json) {
    match name {
        "title" => patch.title = value.as_str().map(str::to_owned),
        "content" => patch.content = Some(value.as_str().map(str::to_owned)),
        "tags" => {
            let tags = value.as_array().into_iter().flatten();
            patch.tags = Some(tags.filter_map(Json::as_str).map(str::to_owned).collect());
        }
        _ => {
            let Some(field) = here.kind.declaration().field(name) else {
                return;
            };
            if field.reach == Reach::Managed {
                let text = value.as_str().map(str::to_owned);
                patch.managed.insert(field.name, text);
            } else {
                patch.properties.insert(name.to_owned(), value);
            }
        }
    }
}

/// The fields that can be set only when all entities are there: they refer to others.
pub fn without_references(item: &Item) -> (Item, Map<String, Json>) {
    let mut item = item.clone();
    let mut later = Map::new();
    for field in item.kind.declaration().fields {
        let refers = matches!(field.kind, FieldKind::Entity | FieldKind::NamedList(_));
        if refers && let Some(value) = item.properties.remove(field.name) {
            later.insert(field.name.to_owned(), value);
        }
    }
    (item, later)
}
