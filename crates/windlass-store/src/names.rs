//! Named entities: features and disciplines, and the tasks that belong to them.

use rusqlite::OptionalExtension as _;
use windlass_core::{
    Actor, Entity, EntityType, Error, ErrorKind, FieldKind, Reach, Result, Value, derive_acronym,
    nearest,
};

use crate::entities::{ENTITY_COLUMNS, entity_from_row};
use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::writer::Writer;

/// How many references an error lists when an entity cannot be deleted.
const MAX_LISTED: usize = 10;

impl Reader<'_> {
    /// The entity with that name that is not deleted; the older one if two clones created one each.
    pub fn find_by_name(&self, kind: EntityType, name: &str) -> Result<Option<Entity>> {
        self.connection()
            .prepare_cached(&format!(
                "SELECT {ENTITY_COLUMNS} FROM entities e
                 WHERE e.type = ?1 AND e.name = ?2 AND e.deleted = 0 AND e.name IS NOT NULL
                 ORDER BY e.created_at, e.id LIMIT 1"
            ))
            .and_then(|mut statement| {
                statement
                    .query_row((kind.name(), name), entity_from_row)
                    .optional()
            })
            .stored()
    }

    /// The same; if there is none, the error suggests the most similar name.
    pub fn by_name(&self, field: &str, kind: EntityType, name: &str) -> Result<Entity> {
        if let Some(entity) = self.find_by_name(kind, name.trim())? {
            return Ok(entity);
        }
        let known = self.names_of(kind)?;
        let hint = match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => format!("Did you mean \"{near}\"?"),
            None if known.is_empty() => {
                format!(
                    "There are no {} yet; create one first.",
                    kind.declaration().plural
                )
            }
            None => format!("Use one of: {}.", known.join(", ")),
        };
        Err(Error::new(
            ErrorKind::NameNotFound,
            format!("{field}: there is no {} \"{name}\"", kind.name()),
        )
        .with("field", field)
        .with("value", name)
        .with("known", known)
        .with_hint(hint))
    }

    /// The names of all entities of a type that are not deleted, in order of creation.
    pub fn names_of(&self, kind: EntityType) -> Result<Vec<String>> {
        self.connection()
            .prepare_cached(
                "SELECT DISTINCT name FROM entities
                 WHERE type = ?1 AND deleted = 0 AND name IS NOT NULL ORDER BY number LIMIT 200",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([kind.name()], |row| row.get(0))?
                    .collect()
            })
            .stored()
    }

    fn acronym_is_taken(&self, entity: &Entity, acronym: &str) -> Result<bool> {
        self.connection()
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM entities
                 WHERE type = ?1 AND deleted = 0 AND name IS NOT NULL AND id <> ?2
                   AND properties ->> '$.acronym' = ?3)",
            )
            .and_then(|mut statement| {
                statement.query_row((entity.kind.name(), entity.id.as_str(), acronym), |row| {
                    row.get(0)
                })
            })
            .stored()
    }

    /// The numbers of tasks, or the names of features, that refer to the entity by its name.
    fn references_to(&self, entity: &Entity) -> Result<(Vec<i64>, Vec<String>)> {
        let Some(name) = entity.text("name") else {
            return Ok(Default::default());
        };
        let column = entity.kind.name();
        let tasks = self
            .connection()
            .prepare_cached(&format!(
                "SELECT number FROM entities WHERE {column} = ?1 AND deleted = 0
                 AND {column} IS NOT NULL ORDER BY number LIMIT {MAX_LISTED}"
            ))
            .and_then(|mut statement| statement.query_map([name], |row| row.get(0))?.collect())
            .stored()?;
        let features = self
            .connection()
            .prepare_cached(&format!(
                "SELECT e.name FROM entities e, json_each(e.properties, '$.dependencies') d
                 WHERE e.type = 'feature' AND ?2 = 'feature' AND e.deleted = 0
                   AND e.name IS NOT NULL AND d.value = ?1 ORDER BY e.number LIMIT {MAX_LISTED}"
            ))
            .and_then(|mut statement| {
                statement
                    .query_map((name, column), |row| row.get(0))?
                    .collect()
            })
            .stored()?;
        Ok((tasks, features))
    }
}

impl Writer<'_> {
    /// Names and acronyms are unique, and a name cannot change: other records refer to it.
    pub(crate) fn check_names(&self, before: Option<&Entity>, after: &Entity) -> Result<()> {
        let word = after.kind.name();
        let Some(name) = after.text("name") else {
            return Ok(());
        };
        let was = before.and_then(|before| before.text("name"));
        if was.is_some_and(|was| was != name) {
            return Err(
                Error::validation("name", format!("the name of a {word} cannot change"))
                    .with("value", name)
                    .with_hint("Change its title (display_name), or create a new one."),
            );
        }
        if was.is_none() && self.find_by_name(after.kind, name)?.is_some() {
            return Err(
                Error::validation("name", format!("the {word} \"{name}\" already exists"))
                    .with("value", name)
                    .with_hint(format!("Use [[update_{word}]] to change it.")),
            );
        }
        let acronym = after.text("acronym");
        if acronym == before.and_then(|before| before.text("acronym")) {
            return Ok(());
        }
        if let Some(acronym) = acronym
            && self.acronym_is_taken(after, acronym)?
        {
            return Err(
                Error::validation("acronym", format!("\"{acronym}\" is already used"))
                    .with("value", acronym)
                    .with_hint("Choose another, or omit it to have one generated."),
            );
        }
        Ok(())
    }

    /// Fields that control what agents get can only be set by people.
    pub(crate) fn check_people_fields(
        &self,
        before: Option<&Entity>,
        after: &Entity,
    ) -> Result<()> {
        if self.origin.actor == Actor::Human {
            return Ok(());
        }
        for field in after.kind.declaration().fields {
            let was = before.and_then(|before| before.properties.get(field.name));
            if field.reach == Reach::People && was != after.properties.get(field.name) {
                return Err(Error::new(
                    ErrorKind::HumanOnly,
                    format!("{}: only a person at a terminal can set this", field.name),
                )
                .with("field", field.name)
                .with_hint("Ask a person to change it with [[update_discipline]]."));
            }
        }
        Ok(())
    }

    /// An unused acronym for an entity of that type and name.
    pub fn free_acronym(&self, kind: EntityType, name: &str) -> Result<Option<String>> {
        let taken: Vec<String> = self
            .connection()
            .prepare_cached(
                "SELECT properties ->> '$.acronym' FROM entities
                 WHERE type = ?1 AND deleted = 0 AND properties ->> '$.acronym' IS NOT NULL",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([kind.name()], |row| row.get(0))?
                    .collect()
            })
            .stored()?;
        Ok(derive_acronym(name, |one| {
            taken.iter().any(|have| have == one)
        }))
    }

    /// Referenced entities must exist; an entity cannot refer to itself.
    pub(crate) fn check_named_fields(
        &self,
        before: Option<&Entity>,
        entity: &Entity,
    ) -> Result<()> {
        for field in entity.kind.declaration().fields {
            let was = before.and_then(|before| before.properties.get(field.name));
            if was.is_some() && was == entity.properties.get(field.name) {
                continue;
            }
            let (kind, names): (_, &[String]) =
                match (field.kind, entity.properties.get(field.name)) {
                    (FieldKind::Named(kind), Some(Value::Text(name))) => {
                        (kind, std::slice::from_ref(name))
                    }
                    (FieldKind::NamedList(kind), Some(Value::List(names))) => (kind, names),
                    _ => continue,
                };
            for name in names {
                if kind == entity.kind && entity.text("name") == Some(name) {
                    return Err(Error::validation(
                        field.name,
                        format!("\"{name}\" is the entity itself"),
                    )
                    .with("value", name.as_str()));
                }
                self.by_name(field.name, kind, name)?;
            }
        }
        Ok(())
    }

    /// An entity that tasks or features refer to cannot be deleted.
    pub(crate) fn check_name_is_unused(&self, entity: &Entity) -> Result<()> {
        let (tasks, features) = self.references_to(entity)?;
        let who = match (tasks.first(), features.first()) {
            (Some(task), _) => format!("task {task} references it"),
            (None, Some(feature)) => format!("feature \"{feature}\" depends on it"),
            (None, None) => return Ok(()),
        };
        let name = entity.text("name").unwrap_or_default();
        Err(Error::new(
            ErrorKind::ValidationFailed,
            format!("Cannot delete {} \"{name}\": {who}", entity.kind.name()),
        )
        .with("field", "name")
        .with("value", name)
        .with("tasks", tasks)
        .with("features", features)
        .with_hint("Change or delete those first."))
    }
}
