//! The page of one entity.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::{Value as Json, json};
use windlass_core::{Entity, EntityType, Exported, FieldKind, RelationType, Timestamp};

use super::escape::{inline, quotation, slug, yaml};
use super::export::properties;

/// What other pages say about an entity: its number, its title and its file.
pub struct Reference {
    pub number: i64,
    pub title: String,
    pub path: String,
}

/// Entities by their ids, and the relations that lead to each.
#[derive(Default)]
pub struct References {
    pub entities: HashMap<String, Reference>,
    pub incoming: HashMap<String, Vec<(RelationType, String)>>,
}

impl References {
    /// A link to an entity, from a page in a folder.
    pub fn link(&self, id: &str) -> Option<String> {
        let entity = self.entities.get(id)?;
        let title = inline(&entity.title);
        Some(format!("[#{} {title}](../{})", entity.number, entity.path))
    }
}

/// The file of an entity: a folder for its type, its number and a few words of its title.
pub fn path_of(entity: &Entity) -> String {
    let folder = entity.kind.declaration().plural;
    let slug = slug(&entity.title);
    let dash = if slug.is_empty() { "" } else { "-" };
    format!("{folder}/{:03}{dash}{slug}.md", entity.number)
}

pub fn page(exported: &Exported, references: &References) -> String {
    let entity = &exported.entity;
    let mut out = head(entity);
    let _ = writeln!(out, "\n# #{} {}", entity.number, inline(&entity.title));
    section(&mut out, "", entity.content.as_deref());
    for field in entity.kind.declaration().fields {
        if field.kind.is_short() || field.kind.is_structured() {
            continue;
        }
        let label = field.shown_label();
        match field.kind {
            FieldKind::TextList(_) | FieldKind::Paths(_) => {
                list(&mut out, &capitalised(&label), entity.texts(field.name));
            }
            _ => section(&mut out, &capitalised(&label), entity.text(field.name)),
        }
    }
    relations(&mut out, exported, references);
    records(&mut out, "Learnings", &exported.learnings, "source", "text");
    records(&mut out, "Comments", &exported.comments, "author", "body");
    out
}

/// The front matter: everything that fits on a line, as YAML.
fn head(entity: &Entity) -> String {
    let mut out = String::from("---\n");
    let mut put = |name: &str, value: &Json| {
        let _ = writeln!(out, "{name}: {}", yaml(value));
    };
    put("windlass", &json!(entity.kind.name()));
    put("id", &json!(entity.id.as_str()));
    put("number", &json!(entity.number));
    put("title", &json!(entity.title));
    for (name, value) in properties(entity) {
        let field = entity.kind.declaration().field(&name);
        if field.is_some_and(|field| field.kind.is_short()) {
            put(&name, &value);
        }
    }
    if !entity.tags.is_empty() {
        put("tags", &json!(entity.tags));
    }
    if !entity.former_numbers.is_empty() {
        put("former_numbers", &json!(entity.former_numbers));
    }
    put("created", &json!(entity.created_at.as_str()));
    put("updated", &json!(entity.updated_at.as_str()));
    out.push_str("---\n");
    out
}

fn section(out: &mut String, heading: &str, text: Option<&str>) {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else {
        return;
    };
    if !heading.is_empty() {
        let _ = write!(out, "\n## {heading}\n");
    }
    let _ = write!(out, "\n{}", quotation(text));
}

fn list(out: &mut String, heading: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    let _ = write!(out, "\n## {heading}\n\n");
    for item in items {
        let _ = writeln!(out, "- {}", inline(item));
    }
}

/// Relations in both directions, as a reader would say them.
fn relations(out: &mut String, exported: &Exported, references: &References) {
    let mut lines = Vec::new();
    for relation in &exported.relations {
        if let Some(link) = references.link(relation.target.as_str()) {
            lines.push(format!("- {} {link}", outgoing(relation.kind)));
        }
    }
    let incoming = references.incoming.get(exported.entity.id.as_str());
    for (kind, id) in incoming.into_iter().flatten() {
        if let Some(link) = references.link(id) {
            lines.push(format!("- {} {link}", incoming_words(*kind)));
        }
    }
    let replaced_by = exported.entity.text("superseded_by");
    if let Some(link) = replaced_by.and_then(|id| references.link(id)) {
        lines.push(format!("- superseded by {link}"));
    }
    if !lines.is_empty() {
        let _ = write!(out, "\n## Relations\n\n{}\n", lines.join("\n"));
    }
}

const fn outgoing(kind: RelationType) -> &'static str {
    match kind {
        RelationType::Implements => "implements",
        RelationType::Blocks => "blocks",
        RelationType::Supersedes => "supersedes",
        RelationType::References => "refers to",
        RelationType::BelongsTo => "belongs to",
        RelationType::Documents => "documents",
        RelationType::Parent => "part of",
    }
}

const fn incoming_words(kind: RelationType) -> &'static str {
    match kind {
        RelationType::Implements => "implemented by",
        RelationType::Blocks => "blocked by",
        RelationType::Supersedes => "superseded by",
        RelationType::References => "referred to by",
        RelationType::BelongsTo => "contains",
        RelationType::Documents => "documented by",
        RelationType::Parent => "consists of",
    }
}

fn records(out: &mut String, heading: &str, records: &[(i64, Json)], who: &str, text: &str) {
    if records.is_empty() {
        return;
    }
    let _ = write!(out, "\n## {heading}\n");
    for (number, body) in records {
        let author = inline(body[who].as_str().unwrap_or_default());
        let at = body["created_at"]
            .as_str()
            .and_then(Timestamp::parse_foreign);
        let at = at.map(|at| at.to_seconds()).unwrap_or_default();
        let _ = write!(
            out,
            "\n### {number}, {author}, {at}\n\n{}",
            quotation(body[text].as_str().unwrap_or_default())
        );
    }
}

fn capitalised(label: &str) -> String {
    let mut letters = label.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), letters.as_str())
}

/// The types whose pages have a folder, in the order of the overview.
pub const TYPES: [EntityType; 8] = [
    EntityType::Task,
    EntityType::Decision,
    EntityType::Note,
    EntityType::Feature,
    EntityType::Discipline,
    EntityType::Component,
    EntityType::Link,
    EntityType::Prompt,
];
