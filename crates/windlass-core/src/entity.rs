//! An entity, the draft that creates it, and the patch that changes it.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use crate::fields::{FieldKind, Reach};
use crate::tags::check_tag_count;
use crate::{
    Dialect, EntityId, EntityType, Error, Field, Priority, Properties, Result, TaskStatus,
    Timestamp, Value, check_content, check_tags, check_title,
};

/// Any knowledge record: decision, task, note, prompt, component, link, feature, discipline.
#[derive(Debug, Clone, PartialEq)]
pub struct Entity {
    pub id: EntityId,
    pub number: i64,
    pub kind: EntityType,
    pub title: String,
    pub content: Option<String>,
    pub tags: Vec<String>,
    pub properties: Properties,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Numbers that the entity had before they went to an older entity, when two clones were
    /// merged.
    pub former_numbers: Vec<i64>,
}

impl Entity {
    pub fn text(&self, field: &str) -> Option<&str> {
        self.properties.get(field).and_then(Value::as_text)
    }

    /// The texts of a list field; empty for other fields.
    pub fn texts(&self, field: &str) -> &[String] {
        match self.properties.get(field) {
            Some(Value::List(items)) => items,
            _ => &[],
        }
    }

    /// The status as stored; for a task, its [`TaskStatus`] name.
    pub fn status(&self) -> Option<&str> {
        self.text("status")
    }

    pub fn task_status(&self) -> Option<TaskStatus> {
        (self.kind == EntityType::Task).then(|| {
            self.status()
                .and_then(TaskStatus::parse)
                .unwrap_or(TaskStatus::Pending)
        })
    }

    pub fn priority(&self) -> Option<Priority> {
        self.text("priority").and_then(Priority::parse_any)
    }

    /// The properties, with statuses and priorities in the words of a dialect.
    pub fn properties_in(&self, dialect: Dialect) -> Map<String, Json> {
        let mut out = Map::new();
        for field in self.kind.declaration().fields {
            let Some(value) = self.properties.get(field.name) else {
                continue;
            };
            let json = match (field.kind, self.task_status(), self.priority()) {
                (FieldKind::TaskStatus, Some(status), _) => dialect.status(status).into(),
                (FieldKind::Priority, _, Some(priority)) => dialect.priority(priority).into(),
                _ => field.kind.shown(value),
            };
            out.insert(field.name.to_owned(), json);
        }
        out
    }

    /// The text of the searchable properties, for the full-text index.
    pub fn searchable_properties(&self) -> String {
        let mut out = String::new();
        for field in self.kind.declaration().fields {
            if !field.searchable {
                continue;
            }
            match self.properties.get(field.name) {
                Some(Value::Text(text)) => {
                    out.push_str(text);
                    out.push('\n');
                }
                Some(Value::List(items)) => {
                    for item in items {
                        out.push_str(item);
                        out.push('\n');
                    }
                }
                None => {}
            }
        }
        out
    }
}

/// A validated entity that is not stored yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    pub kind: EntityType,
    pub title: String,
    pub content: Option<String>,
    pub tags: Vec<String>,
    pub properties: Properties,
}

impl Draft {
    /// Checks everything that does not need the store. Unknown properties are ignored.
    pub fn new(
        kind: EntityType,
        title: &str,
        content: Option<&str>,
        tags: &[String],
        properties: &Map<String, Json>,
        dialect: Dialect,
    ) -> Result<Self> {
        let draft = Self {
            kind,
            title: check_title(title)?,
            content: content.map(check_content).transpose()?.flatten(),
            tags: check_tags("tags", tags)?,
            properties: new_properties(kind, properties, dialect)?,
        };
        check_combinations(kind, &draft.properties)?;
        Ok(draft)
    }

    /// Sets a field that only operations may set.
    #[must_use]
    pub fn with_managed(mut self, field: &str, value: impl Into<String>) -> Self {
        self.properties
            .insert(field.to_owned(), Value::Text(value.into()));
        self
    }
}

fn new_properties(
    kind: EntityType,
    given: &Map<String, Json>,
    dialect: Dialect,
) -> Result<Properties> {
    let mut properties = Properties::new();
    for field in kind.declaration().fields {
        let value = match given.get(field.name) {
            Some(_) if field.reach == Reach::Managed => return Err(managed_field(field)),
            Some(json) => field.check(json, dialect)?,
            None if field.required => return Err(field.missing()),
            None => None,
        };
        let value = value.or_else(|| field.default.map(|text| Value::Text(text.to_owned())));
        if let Some(value) = value {
            properties.insert(field.name.to_owned(), value);
        }
    }
    Ok(properties)
}

fn managed_field(field: &Field) -> Error {
    Error::validation(field.name, "is set by windlass and cannot be given")
        .with_hint("Omit it: windlass sets it.")
}

/// Rules that involve several fields of one entity.
fn check_combinations(kind: EntityType, properties: &Properties) -> Result<()> {
    let text = |name: &str| properties.get(name).and_then(Value::as_text);
    if kind == EntityType::Decision
        && text("superseded_by").is_some()
        && text("status") != Some("superseded")
    {
        return Err(Error::validation(
            "superseded_by",
            "a decision with superseded_by must have the status superseded",
        )
        .with_hint(
            "Set status to superseded, or superseded_by to null; [[decision_supersede]] does both.",
        ));
    }
    Ok(())
}

/// Changes to an entity, as the caller gave them. Absent fields do not change.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Patch {
    pub title: Option<String>,
    /// `Some(None)` removes the content.
    pub content: Option<Option<String>>,
    /// Replaces all tags.
    pub tags: Option<Vec<String>>,
    pub add_tags: Vec<String>,
    pub remove_tags: Vec<String>,
    /// `null` clears a field. Unknown fields are ignored.
    pub properties: Map<String, Json>,
    /// Fields that only operations may set; `None` clears one.
    pub managed: BTreeMap<&'static str, Option<String>>,
}

impl Patch {
    /// The entity after the change, validated. The store sets `updated_at`.
    pub fn apply(&self, entity: &Entity, dialect: Dialect) -> Result<Entity> {
        let mut after = entity.clone();
        if let Some(title) = &self.title {
            after.title = check_title(title)?;
        }
        if let Some(content) = &self.content {
            after.content = match content {
                Some(text) => check_content(text)?,
                None => None,
            };
        }
        after.tags = self.tags_after(&entity.tags)?;
        for (field, value) in self.checked_properties(entity, dialect)? {
            match value {
                Some(value) => after.properties.insert(field, value),
                None => after.properties.remove(&field),
            };
        }
        for (field, value) in &self.managed {
            match value {
                Some(text) => after
                    .properties
                    .insert((*field).to_owned(), Value::Text(text.clone())),
                None => after.properties.remove(*field),
            };
        }
        check_combinations(after.kind, &after.properties)?;
        Ok(after)
    }

    fn tags_after(&self, current: &[String]) -> Result<Vec<String>> {
        let mut tags = match &self.tags {
            Some(tags) => check_tags("tags", tags)?,
            None => current.to_vec(),
        };
        for tag in check_tags("add_tags", &self.add_tags)? {
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        tags.retain(|tag| !self.remove_tags.iter().any(|removed| removed.trim() == tag));
        check_tag_count("tags", tags.len())?;
        Ok(tags)
    }

    fn checked_properties(
        &self,
        entity: &Entity,
        dialect: Dialect,
    ) -> Result<BTreeMap<String, Option<Value>>> {
        let mut out = BTreeMap::new();
        for field in entity.kind.declaration().fields {
            let Some(given) = self.properties.get(field.name) else {
                continue;
            };
            if field.reach == Reach::Managed {
                return Err(managed_field(field));
            }
            let mut value = field.check(given, dialect)?;
            if value.is_none() {
                // Clearing a field that has a default restores the default.
                value = field.default.map(|text| Value::Text(text.to_owned()));
            }
            if let (FieldKind::TaskStatus, Some(current)) = (field.kind, entity.task_status())
                && let Some(wanted) = value.as_ref().and_then(Value::as_text)
                && let Some(wanted) = TaskStatus::parse(wanted)
            {
                // A word of another dialect names exactly one status.
                let own_word = given
                    .as_str()
                    .is_none_or(|word| dialect.statuses().contains(&word));
                let status = if own_word {
                    dialect.written_over(current, wanted)
                } else {
                    wanted
                };
                value = Some(Value::Text(status.name().to_owned()));
            }
            out.insert(field.name.to_owned(), value);
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use serde_json::json;

    fn draft(kind: EntityType, properties: Json) -> Result<Draft> {
        let properties = properties.as_object().expect("an object").clone();
        Draft::new(kind, "Title", None, &[], &properties, Dialect::Knowledge)
    }

    fn entity(kind: EntityType, properties: Json) -> Entity {
        let draft = draft(kind, properties).expect("valid");
        Entity {
            id: EntityId::random(),
            number: 1,
            kind,
            title: draft.title,
            content: draft.content,
            tags: vec!["one".into()],
            properties: draft.properties,
            created_at: Timestamp::now(),
            updated_at: Timestamp::now(),
            former_numbers: vec![],
        }
    }

    fn patch(properties: Json) -> Patch {
        Patch {
            properties: properties.as_object().expect("an object").clone(),
            ..Patch::default()
        }
    }

    #[test]
    fn new_entities_get_the_defaults_of_their_type() {
        for (kind, expected) in [
            (EntityType::Decision, json!({"status": "proposed"})),
            (
                EntityType::Task,
                json!({"status": "todo", "priority": "normal"}),
            ),
            (EntityType::Note, json!({})),
            (EntityType::Prompt, json!({})),
            (EntityType::Component, json!({"status": "active"})),
        ] {
            let properties = entity(kind, json!({})).properties_in(Dialect::Knowledge);
            assert_eq!(Json::Object(properties), expected);
        }
        let error = draft(EntityType::Link, json!({})).unwrap_err();
        assert_eq!(error.data()["field"], "url");
    }

    #[test]
    fn unknown_properties_are_ignored() {
        let draft = draft(EntityType::Note, json!({"colour": "red", "url": 7})).expect("valid");
        assert!(draft.properties.is_empty());
    }

    /// Each row of the knowledge contract's validation tables, at the limit and one past it.
    #[test]
    fn every_field_enforces_its_limit() {
        use EntityType as T;
        let rows: &[(T, &str, Json, Json)] = &[
            (
                T::Decision,
                "context",
                json!("a".repeat(51_200)),
                json!("a".repeat(51_201)),
            ),
            (
                T::Decision,
                "consequences",
                json!(["a".repeat(1024)]),
                json!(["a".repeat(1025)]),
            ),
            (
                T::Decision,
                "status",
                json!("deprecated"),
                json!("rejected"),
            ),
            (T::Task, "status", json!("pending"), json!("open")),
            (T::Task, "priority", json!("urgent"), json!("asap")),
            (
                T::Task,
                "due_date",
                json!("2024-02-29"),
                json!("2025-02-29"),
            ),
            (
                T::Task,
                "assignee",
                json!("é".repeat(100)),
                json!("é".repeat(101)),
            ),
            (
                T::Note,
                "note_type",
                json!("é".repeat(50)),
                json!("é".repeat(51)),
            ),
            (
                T::Prompt,
                "template",
                json!("a".repeat(51_200)),
                json!("a".repeat(51_201)),
            ),
            (
                T::Prompt,
                "variables",
                json!(["é".repeat(100)]),
                json!(["é".repeat(101)]),
            ),
            (T::Prompt, "variables", json!(["a"]), json!([""])),
            (T::Prompt, "output_schema", json!("{}"), json!("{")),
            (
                T::Prompt,
                "output_schema",
                json!(format!("\"{}\"", "a".repeat(10_238))),
                json!(format!("\"{}\"", "a".repeat(10_239))),
            ),
            (
                T::Component,
                "component_type",
                json!("é".repeat(50)),
                json!("é".repeat(51)),
            ),
            (T::Component, "status", json!("planned"), json!("retired")),
            (
                T::Component,
                "owner",
                json!("é".repeat(100)),
                json!("é".repeat(101)),
            ),
            (T::Component, "owner", json!("a"), json!("")),
            (T::Link, "url", json!("https://a.b"), json!("a.b")),
        ];
        for (kind, field, good, bad) in rows {
            let with = |value: &Json| draft(*kind, json!({ *field: value }));
            assert!(with(good).is_ok(), "{field} at its limit");
            let error = with(bad).unwrap_err();
            let reported = error.data()["field"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            assert!(
                reported.starts_with(field),
                "{field} past its limit reports {reported}"
            );
        }
        let long = json!({"url": "https://a.b", "link_type": "é".repeat(51)});
        assert!(draft(T::Link, long).is_err());
    }

    #[test]
    fn superseded_by_requires_the_status_superseded() {
        let error = draft(EntityType::Decision, json!({"superseded_by": "1"})).unwrap_err();
        assert_eq!(error.data()["field"], "superseded_by");
        let both = json!({"superseded_by": "1", "status": "superseded"});
        assert!(draft(EntityType::Decision, both).is_ok());
    }

    #[test]
    fn patches_change_clear_and_validate_fields() {
        let task = entity(EntityType::Task, json!({"due_date": "2025-01-01"}));
        let after = patch(json!({"due_date": null, "priority": "high", "status": null}))
            .apply(&task, Dialect::Knowledge)
            .expect("valid");
        assert_eq!(after.text("due_date"), None);
        assert_eq!(after.text("priority"), Some("high"));
        assert_eq!(after.status(), Some("pending"));
        let tags = Patch {
            add_tags: vec!["two".into(), "one".into()],
            remove_tags: vec![" one ".into()],
            ..Patch::default()
        };
        assert_eq!(
            tags.apply(&task, Dialect::Knowledge).expect("valid").tags,
            ["two"]
        );
        let empty = Patch {
            title: Some("  ".into()),
            ..Patch::default()
        };
        let error = empty.apply(&task, Dialect::Knowledge).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TitleRequired);
    }

    #[test]
    fn a_dialect_with_fewer_statuses_keeps_the_stored_one() {
        let mut task = entity(EntityType::Task, json!({}));
        task.properties
            .insert("status".into(), Value::Text("draft".into()));
        let after = patch(json!({"status": "todo"}))
            .apply(&task, Dialect::Knowledge)
            .expect("valid");
        assert_eq!(after.status(), Some("draft"));
    }
}
