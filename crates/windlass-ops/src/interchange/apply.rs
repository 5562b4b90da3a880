//! Puts a plan into the state, in one transaction.

use std::collections::HashMap;

use serde_json::{Map, Value as Json, json};
use windlass_core::{
    Entity, EntityType, Error, ErrorKind, EventType, Learning, LearningSource, Patch, RelationType,
    Result, TaskStatus, Timestamp,
};
use windlass_interchange::{Comment, Item, Link, Plan, Problem, Severity, Source, draft};
use windlass_store::{Collection, Imported, Known, RecordEdit, Writer};

use super::changes::{self, Base, Merge};
use super::report::{ImportReport, RecordChange};

pub struct Apply<'a> {
    pub writer: &'a Writer<'a>,
    pub source: Source,
    pub overwrite: bool,
    pub now: Timestamp,
    pub report: &'a mut ImportReport,
    /// What became of each record, by its id in the source.
    entities: HashMap<String, Entity>,
}

/// What is still to do for a record once all of them are there.
struct Later<'p> {
    item: &'p Item,
    /// Fields that refer to other entities.
    fields: Map<String, Json>,
    links: Vec<Link>,
    /// Relations that the source no longer has.
    gone: Vec<String>,
}

impl<'a> Apply<'a> {
    pub fn new(
        writer: &'a Writer<'a>,
        source: Source,
        overwrite: bool,
        report: &'a mut ImportReport,
    ) -> Self {
        Self {
            writer,
            source,
            overwrite,
            now: Timestamp::now(),
            report,
            entities: HashMap::new(),
        }
    }

    pub fn plan(&mut self, plan: &Plan) -> Result<()> {
        // Tasks refer to features and disciplines by name, so those come first.
        let named =
            |item: &&Item| matches!(item.kind, EntityType::Feature | EntityType::Discipline);
        let (first, rest): (Vec<&Item>, Vec<&Item>) = plan.items.iter().partition(named);
        let own = self.source == Source::Windlass;
        let order = first.into_iter().chain(rest);
        let mut later = Vec::with_capacity(plan.items.len());
        for item in order {
            // A record that the rules refuse is reported; the others go on.
            match self.writer.attempt(|_| self.item(item))? {
                Ok(Some(rest)) => later.push(rest),
                Ok(None) => {}
                Err(problem) => self.refused(item, problem)?,
            }
        }
        for rest in later {
            self.finish(&rest)?;
        }
        let counts = json!({"created": self.report.created, "updated": self.report.updated});
        if self.report.created + self.report.updated > 0 && !own {
            self.writer.note_import(self.source.name(), &counts)?;
        }
        Ok(())
    }

    /// A rule of the project refuses the record. Anything else ends the import.
    fn refused(&mut self, item: &Item, problem: Error) -> Result<()> {
        if problem.kind().is_server_fault() {
            return Err(problem);
        }
        self.problem(item, Severity::Broken, problem.message());
        Ok(())
    }

    fn problem(&mut self, item: &Item, severity: Severity, message: &str) {
        self.report.problem(&Problem {
            severity,
            place: item.place.clone(),
            record: Some(item.id.clone()),
            message: message.to_owned(),
        });
    }

    fn item<'p>(&mut self, item: &'p Item) -> Result<Option<Later<'p>>> {
        match self.known(item)? {
            None => self.create(item).map(Some),
            Some(Known::Living(id, base)) => {
                let here = self.writer.entity(&id)?;
                self.update(item, here, &Base::of(&base)).map(Some)
            }
            Some(Known::Deleted) => {
                self.report.deleted_here += 1;
                self.change("deleted_here", item, None, Vec::new());
                Ok(None)
            }
        }
    }

    /// The entity that a record already has here.
    fn known(&self, item: &Item) -> Result<Option<Known>> {
        if let Some(own) = &item.own {
            return Ok(match self.writer.id_is_deleted(&own.id)? {
                Some(true) => Some(Known::Deleted),
                Some(false) => Some(Known::Living(own.id.clone(), Json::Null)),
                None => None,
            });
        }
        if let Some(known) = self.writer.imported(self.source.name(), &item.id)? {
            return Ok(Some(known));
        }
        // Names are unique: a feature that is here already is that feature.
        let name = item.properties.get("name").and_then(Json::as_str);
        if let (EntityType::Feature | EntityType::Discipline, Some(name)) = (item.kind, name) {
            let found = self.writer.find_by_name(item.kind, name)?;
            return Ok(found.map(|it| Known::Living(it.id, Json::Null)));
        }
        Ok(None)
    }

    /// Where a record comes from, for people.
    fn named_source(&self, item: &Item) -> String {
        match &item.own {
            Some(_) => "an export of windlass".to_owned(),
            None => format!("{} {}", self.source.name(), item.id),
        }
    }

    fn create<'p>(&mut self, item: &'p Item) -> Result<Later<'p>> {
        let base = Base::of_item(item, &draft(item)?);
        let (mut now, later) = changes::without_references(item);
        self.waits_no_more(&mut now);
        let created_at = item.created_at.clone().unwrap_or_else(|| self.now.clone());
        let updated_at = item
            .updated_at
            .clone()
            .unwrap_or_else(|| created_at.clone());
        let from = self.named_source(item);
        let own = item.own.as_deref();
        let entity = self.writer.create_imported(
            draft(&now)?,
            &Imported {
                from: &from,
                id: own.map(|own| own.id.clone()),
                number: own.map(|own| own.number),
                former_numbers: own.map_or(&[], |own| &own.former_numbers),
                created_at,
                updated_at,
                records: self.records(item, &base),
            },
        )?;
        if own.is_none() {
            let source = self.source.name();
            self.writer.remember_import(source, &item.id, &entity.id)?;
        }
        self.report.created += 1;
        self.report.comments += item.comments.len() + own.map_or(0, |own| own.comments.len());
        self.change("create", item, Some(entity.number), Vec::new());
        self.entities.insert(item.id.clone(), entity);
        Ok(Later {
            item,
            fields: later,
            links: changes::links_of(item),
            gone: Vec::new(),
        })
    }

    /// A task that waits for a review or an answer has neither here: no file carries them. It is in
    /// progress again, to be submitted or to ask once more.
    fn waits_no_more(&mut self, item: &mut Item) {
        let status = item.properties.get("status").and_then(Json::as_str);
        let missing = match status.and_then(TaskStatus::parse) {
            Some(TaskStatus::InReview) => "its review",
            Some(TaskStatus::AwaitingHuman) => "its question",
            _ => return,
        };
        item.properties
            .insert("status".to_owned(), json!(TaskStatus::InProgress.name()));
        self.problem(
            item,
            Severity::Note,
            &format!("{missing} is not in the file: the task is in progress again"),
        );
    }

    /// The comments, learnings and the origin of a new entity.
    fn records(&self, item: &Item, base: &Base) -> Vec<(Collection, i64, Json)> {
        let mut records = Vec::new();
        if let Some(own) = &item.own {
            for (collection, list) in [
                (Collection::Comments, &own.comments),
                (Collection::Learnings, &own.learnings),
            ] {
                let list = list.iter();
                records.extend(list.map(|(number, body)| (collection, *number, body.clone())));
            }
            let origins = (1..).zip(&own.origins);
            records.extend(origins.map(|(at, body)| (Collection::Origin, at, body.clone())));
            return records;
        }
        let comments = (1..).zip(&item.comments);
        records.extend(comments.map(|(at, it)| (Collection::Comments, at, self.comment(it))));
        let learnings = (1..).zip(&item.learnings);
        records.extend(
            learnings.filter_map(|(at, it)| Some((Collection::Learnings, at, self.learning(it)?))),
        );
        let origin = base.body(self.source.name(), &item.id, &self.now);
        records.push((Collection::Origin, 1, origin));
        records
    }

    /// A comment as it is stored.
    fn comment(&self, comment: &Comment) -> Json {
        let at = comment.at.as_ref().unwrap_or(&self.now);
        json!({"author": comment.author, "body": comment.body, "created_at": at})
    }

    fn learning(&self, given: &windlass_interchange::Learning) -> Option<Json> {
        let mut learning = Learning::new(&given.text, LearningSource::Agent).ok()?;
        learning.created_at = given.at.clone().unwrap_or_else(|| self.now.clone());
        serde_json::to_value(learning).ok()
    }

    fn update<'p>(&mut self, item: &'p Item, here: Entity, base: &Base) -> Result<Later<'p>> {
        let (now, later) = changes::without_references(item);
        let draft = draft(&now)?;
        let current = Base::of_item(item, &draft);
        let mut merge = changes::merge(&here, &draft, base, &current, self.overwrite);
        let mut entity = here;
        if !merge.taken.is_empty() {
            let at = item.updated_at.as_ref().unwrap_or(&self.now);
            let from = self.named_source(item);
            let result = self
                .writer
                .attempt(|writer| writer.update_imported(&entity.id, &merge.patch, at, &from))?;
            match result {
                Ok(after) => entity = after,
                Err(problem) if problem.kind().is_server_fault() => return Err(problem),
                // Work in review, for example: what is here stays.
                Err(problem) => {
                    self.problem(item, Severity::Note, problem.message());
                    merge.kept.append(&mut merge.taken);
                    merge.base.fields.clone_from(&base.fields);
                }
            }
        }
        let comments = self.add_parts(item, &entity, base)?;
        let links: Vec<Link> = changes::links_of(item)
            .into_iter()
            .filter(|link| !base.links.contains(&changes::link_name(link)))
            .collect();
        let gone: Vec<String> = base
            .links
            .iter()
            .filter(|name| !current.links.contains(name))
            .cloned()
            .collect();
        self.remember(item, &entity, base, &merge)?;
        let changed = !merge.taken.is_empty() || comments > 0 || !gone.is_empty();
        let number = Some(entity.number);
        if !merge.kept.is_empty() {
            self.report.kept += 1;
            self.change("keep", item, number, merge.kept.clone());
        }
        if changed {
            self.report.updated += 1;
            self.change("update", item, number, merge.taken.clone());
        } else if merge.kept.is_empty() {
            self.report.unchanged += 1;
        }
        // What refers to others here stays, unless the source is to win.
        let mut fields = later;
        fields.retain(|name, _| self.overwrite || !entity.properties.contains_key(name));
        self.entities.insert(item.id.clone(), entity);
        Ok(Later {
            item,
            fields,
            links,
            gone,
        })
    }

    /// Adds the comments and learnings that the last import did not have.
    fn add_parts(&mut self, item: &Item, entity: &Entity, base: &Base) -> Result<usize> {
        let mut added = 0;
        let mut comments = Vec::new();
        let mut learnings = Vec::new();
        if let Some(own) = &item.own {
            let known = self.writer.records(&entity.id, Collection::Comments)?;
            let new = own.comments.iter().map(|(_, body)| body);
            let new = new.filter(|body| !known.iter().any(|it| it.body == **body));
            comments.extend(new.cloned().map(RecordEdit::Add));
        } else {
            let names = Base::of_item(item, &draft(item)?).parts;
            let all = item
                .comments
                .iter()
                .map(Ok)
                .chain(item.learnings.iter().map(Err));
            for (part, name) in all.zip(&names) {
                if base.parts.contains(name) {
                    continue;
                }
                match part {
                    Ok(comment) => comments.push(RecordEdit::Add(self.comment(comment))),
                    Err(learning) => {
                        learnings.extend(self.learning(learning).map(RecordEdit::Add));
                    }
                }
            }
        }
        let payload = json!({"number": entity.number, "imported_from": self.named_source(item)});
        for (collection, edits, event) in [
            (Collection::Comments, comments, EventType::CommentAdded),
            (Collection::Learnings, learnings, EventType::LearningAdded),
        ] {
            if !edits.is_empty() {
                added += edits.len();
                self.writer
                    .edit_records(entity, collection, &edits, (event, &payload))?;
            }
        }
        self.report.comments += added;
        Ok(added)
    }

    /// Stores what the source says now, for the next import.
    fn remember(&self, item: &Item, entity: &Entity, before: &Base, merge: &Merge) -> Result<()> {
        if item.own.is_some() || *before == merge.base {
            return Ok(());
        }
        let source = self.source.name();
        let body = merge.base.body(source, &item.id, &self.now);
        let records = self.writer.records(&entity.id, Collection::Origin)?;
        let own = records
            .iter()
            .find(|it| it.body["source"] == source && it.body["id"] == item.id.as_str());
        let edit = match own {
            Some(record) => RecordEdit::Replace(record.number, body),
            None => RecordEdit::Add(body),
        };
        let payload = json!({"number": entity.number, "imported_from": self.named_source(item)});
        let event = (EventType::Imported, &payload);
        self.writer
            .edit_records(entity, Collection::Origin, &[edit], event)?;
        self.writer.remember_import(source, &item.id, &entity.id)
    }

    fn change(&mut self, change: &str, item: &Item, number: Option<i64>, fields: Vec<String>) {
        self.report.change(RecordChange {
            change: change.to_owned(),
            record: item.id.clone(),
            number,
            title: item.title.clone(),
            fields,
        });
    }

    /// What needs the other records: references and relations.
    fn finish(&mut self, rest: &Later<'_>) -> Result<()> {
        let item = rest.item;
        let Some(entity) = self.entities.get(&item.id).cloned() else {
            return Ok(());
        };
        if !rest.fields.is_empty() {
            let patch = Patch {
                properties: rest.fields.clone(),
                ..Patch::default()
            };
            let from = self.named_source(item);
            let result = self.writer.attempt(|writer| {
                writer.update_imported(&entity.id, &patch, &entity.updated_at, &from)
            })?;
            if let Err(problem) = result {
                self.refused(item, problem)?;
            }
        }
        for name in &rest.gone {
            self.unrelate(item, &entity, name)?;
        }
        for link in &rest.links {
            let Some(other) = self.entities.get(&link.other).cloned() else {
                continue;
            };
            let (from, to) = if link.reversed {
                (&other, &entity)
            } else {
                (&entity, &other)
            };
            let result = self
                .writer
                .attempt(|writer| writer.relate_imported(from, link.kind, to, link.at.as_ref()))?;
            match result {
                Ok((_, new)) => self.report.relations += usize::from(new),
                Err(problem) if problem.kind().is_server_fault() => return Err(problem),
                // Moved to another parent here, or both tools know different orders.
                Err(problem) => {
                    let message = format!(
                        "its relation \"{}\" with {} is left out: {}",
                        link.kind.name(),
                        link.other,
                        problem.message()
                    );
                    let severity = match problem.kind() {
                        ErrorKind::RelationCycle => Severity::Broken,
                        _ => Severity::Note,
                    };
                    self.problem(item, severity, &message);
                }
            }
        }
        Ok(())
    }

    /// Removes a relation that the source no longer has, if it is still here.
    fn unrelate(&mut self, item: &Item, entity: &Entity, name: &str) -> Result<()> {
        let Some(at) = name.find(['<', '>']) else {
            return Ok(());
        };
        let (kind, other) = (&name[..at], &name[at + 1..]);
        let Ok(kind) = RelationType::parse(kind) else {
            return Ok(());
        };
        let other = match self.entities.get(other) {
            Some(other) => Some(other.clone()),
            None => match self.writer.imported(self.source.name(), other)? {
                Some(Known::Living(id, _)) => self.writer.find_entity(&id)?,
                _ => None,
            },
        };
        let Some(other) = other else {
            return Ok(());
        };
        let (from, to) = match name.as_bytes()[at] {
            b'<' => (&other, entity),
            _ => (entity, &other),
        };
        let result = self
            .writer
            .attempt(|writer| writer.unrelate(from, kind, to))?;
        match result {
            Err(problem) if problem.kind().is_server_fault() => Err(problem),
            Err(problem) if problem.kind() != ErrorKind::RelationNotFound => {
                let message = format!("{name} stays: {}", problem.message());
                self.problem(item, Severity::Note, &message);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
