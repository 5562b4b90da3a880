//! What holds for the items of every source: ids are unique, texts fit, hierarchies are no deeper than
//! three levels, and references lead to records.

use std::collections::{HashMap, HashSet};

use serde_json::Value as Json;
use windlass_core::{
    Dialect, Draft, EntityType, MAX_CONTENT_BYTES, MAX_TAG_CHARS, MAX_TAGS, MAX_TITLE_CHARS,
    RelationType,
};

use crate::files::MOST_ITEMS;
use crate::plan::{Item, Plan, Problem};
use crate::text::{one_line, prefix, shortened};

const MAX_COMMENT_CHARS: usize = 10_000;
const MAX_NAME_CHARS: usize = 100;
/// A milestone, its tasks, their subtasks.
const MAX_LEVELS: usize = 3;

/// Makes a plan valid. What had to change is noted; what cannot be imported is taken out and named.
pub fn finish(mut plan: Plan) -> Plan {
    plan.records = plan.records.max(plan.items.len());
    let items = std::mem::take(&mut plan.items);
    let mut ids = HashSet::new();
    let mut kept = Vec::with_capacity(items.len());
    for mut item in items {
        if !ids.insert(item.id.clone()) {
            plan.broken(&item.place, Some(&item.id), "this id is there twice");
            continue;
        }
        if kept.len() == MOST_ITEMS {
            let message = format!("more than {MOST_ITEMS} records; import them in parts");
            plan.broken(&item.place, Some(&item.id), message);
            break;
        }
        if item.own.is_none() {
            fit(&mut item, &mut plan);
        }
        match draft(&item) {
            Ok(_) => kept.push(item),
            Err(problem) => plan.broken(&item.place, Some(&item.id), problem.message().to_owned()),
        }
    }
    plan.items = kept;
    drop_dangling(&mut plan);
    limit_levels(&mut plan);
    // In the order of the source, whatever found them.
    let key = |problem: &Problem| (problem.place.file.clone(), problem.place.line);
    plan.problems.sort_by_key(key);
    plan
}

/// The checked fields of an item.
pub fn draft(item: &Item) -> windlass_core::Result<Draft> {
    let mut draft = Draft::new(
        item.kind,
        &item.title,
        item.content.as_deref(),
        &item.tags,
        &item.properties,
        Dialect::Canonical,
    )?;
    for (field, value) in &item.managed {
        draft = draft.with_managed(field, value.clone());
    }
    Ok(draft)
}

/// Cuts what is too long for its field. The whole title goes to the content.
fn fit(item: &mut Item, plan: &mut Plan) {
    let (place, id) = (item.place.clone(), item.id.clone());
    let mut note = |message: String| plan.note(&place, Some(&id), message);
    item.title = one_line(&item.title);
    if item.title.chars().count() > MAX_TITLE_CHARS {
        note("its title is shortened; the whole one is in the text".to_owned());
        let whole = std::mem::take(&mut item.title);
        item.title = shortened(&whole, MAX_TITLE_CHARS);
        let rest = item.content.take().unwrap_or_default();
        item.content = Some(format!("{whole}\n\n{rest}"));
    }
    if let Some(content) = &mut item.content {
        if content.contains('\0') {
            *content = content.replace('\0', "");
        }
        if content.len() > MAX_CONTENT_BYTES {
            note(format!("its text is cut after {MAX_CONTENT_BYTES} bytes"));
            *content = format!("{}\n…", prefix(content, MAX_CONTENT_BYTES - 8));
        }
    }
    let count = item.tags.len();
    let mut tags: Vec<String> = Vec::new();
    for tag in &item.tags {
        let tag = shortened(&one_line(tag), MAX_TAG_CHARS);
        if !tag.is_empty() && !tags.contains(&tag) && tags.len() < MAX_TAGS {
            tags.push(tag);
        }
    }
    if count > MAX_TAGS {
        note(format!("only {MAX_TAGS} of its {count} labels are kept"));
    }
    item.tags = tags;
    for field in ["assignee", "owner"] {
        if let Some(Json::String(name)) = item.properties.get_mut(field) {
            *name = shortened(&one_line(name), MAX_NAME_CHARS);
        }
    }
    if let Some(Json::Array(criteria)) = item.properties.get("acceptance_criteria")
        && (criteria.len() > 200
            || criteria
                .iter()
                .any(|it| it.as_str().unwrap_or("").len() > 1024))
    {
        let lines: Vec<String> = criteria
            .iter()
            .filter_map(Json::as_str)
            .map(|line| format!("- {line}"))
            .collect();
        item.properties.remove("acceptance_criteria");
        item.add_section("Acceptance criteria", &lines.join("\n"));
    }
    let before = item.comments.len();
    item.comments
        .retain(|comment| !comment.body.trim().is_empty());
    if item.comments.len() < before {
        note("an empty comment is left out".to_owned());
    }
    for comment in &mut item.comments {
        comment.author = shortened(&one_line(&comment.author), MAX_NAME_CHARS);
        if comment.author.is_empty() {
            "unknown".clone_into(&mut comment.author);
        }
        let body = comment.body.replace('\0', "");
        body.trim().clone_into(&mut comment.body);
        if comment.body.chars().count() > MAX_COMMENT_CHARS {
            note("a comment is shortened".to_owned());
            comment.body = shortened(&comment.body, MAX_COMMENT_CHARS);
        }
    }
}

/// References to records that the source does not have are named and left out.
fn drop_dangling(plan: &mut Plan) {
    let known: HashMap<String, EntityType> = plan
        .items
        .iter()
        .map(|item| (item.id.clone(), item.kind))
        .collect();
    let mut items = std::mem::take(&mut plan.items);
    for item in &mut items {
        let (place, id, kind) = (item.place.clone(), item.id.clone(), item.kind);
        if let Some(parent) = item.parent.take() {
            if known.get(&parent) == Some(&EntityType::Task) && kind == EntityType::Task {
                item.parent = Some(parent);
            } else {
                let message = format!("its parent {parent} is not there; it has none now");
                plan.note(&place, Some(&id), message);
            }
        }
        item.links.retain_mut(|link| {
            let Some(other) = known.get(&link.other) else {
                let message = format!(
                    "its relation \"{}\" with {} is left out: there is no such record",
                    link.kind.name(),
                    link.other
                );
                plan.note(&place, Some(&id), message);
                return false;
            };
            let (from, to) = if link.reversed {
                (*other, kind)
            } else {
                (kind, *other)
            };
            if link.kind.check_types(from, to).is_err() {
                link.kind = RelationType::References;
            }
            true
        });
    }
    plan.items = items;
}

/// Deeper hierarchies are flattened: the record hangs below the last level that may have children, and
/// refers to its own parent.
fn limit_levels(plan: &mut Plan) {
    let parents: HashMap<String, String> = plan
        .items
        .iter()
        .filter_map(|item| Some((item.id.clone(), item.parent.clone()?)))
        .collect();
    let mut items = std::mem::take(&mut plan.items);
    for item in &mut items {
        let mut above: Vec<&String> = Vec::new();
        let mut at = &item.id;
        while let Some(parent) = parents.get(at) {
            if above.contains(&parent) || *parent == item.id {
                let message = "its parents form a cycle";
                plan.broken(&item.place, Some(&item.id), message);
                above.clear();
                item.parent = None;
                break;
            }
            above.push(parent);
            at = parent;
            if above.len() > 1_000 {
                break;
            }
        }
        if above.len() < MAX_LEVELS {
            continue;
        }
        let new = above[above.len() + 1 - MAX_LEVELS].clone();
        let Some(old) = item.parent.replace(new.clone()) else {
            continue;
        };
        let message = format!(
            "it is below {new} instead of {old}: tasks are at most {MAX_LEVELS} levels deep"
        );
        plan.note(&item.place, Some(&item.id), message);
        item.link(RelationType::References, old, false, None);
    }
    plan.items = items;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Place, Severity};

    fn plan(items: Vec<Item>) -> Plan {
        finish(Plan {
            items,
            ..Plan::default()
        })
    }

    fn task(id: &str) -> Item {
        Item::new(EntityType::Task, id, id, Place::default())
    }

    #[test]
    fn long_texts_are_cut_and_said() {
        let mut item = task("a");
        item.title = "x".repeat(600);
        item.content = Some("ä".repeat(MAX_CONTENT_BYTES));
        item.tags = (0..60).map(|at| format!("t{at}")).collect();
        let plan = plan(vec![item]);
        assert_eq!(plan.items.len(), 1);
        assert_eq!(plan.problems.len(), 3);
        assert!(plan.problems.iter().all(|it| it.severity == Severity::Note));
        assert_eq!(plan.items[0].title.chars().count(), 500);
        assert_eq!(plan.items[0].tags.len(), 50);
    }

    #[test]
    fn ids_are_unique_and_titles_are_there() {
        let mut empty = task("b");
        empty.title = " ".into();
        let plan = plan(vec![task("a"), task("a"), empty]);
        assert_eq!(plan.items.len(), 1);
        let broken: Vec<&str> = plan.problems.iter().map(|it| it.message.as_str()).collect();
        assert_eq!(broken, ["this id is there twice", "title: is required"]);
    }

    #[test]
    fn deep_hierarchies_are_flattened_and_cycles_broken() {
        let chain = |id: &str, parent: Option<&str>| {
            let mut item = task(id);
            item.parent = parent.map(str::to_owned);
            item
        };
        let plan = plan(vec![
            chain("1", None),
            chain("2", Some("1")),
            chain("3", Some("2")),
            chain("4", Some("3")),
            chain("5", Some("4")),
            chain("x", Some("y")),
            chain("y", Some("x")),
        ]);
        let parents: Vec<Option<&str>> = plan
            .items
            .iter()
            .map(|item| item.parent.as_deref())
            .collect();
        assert_eq!(
            parents,
            [None, Some("1"), Some("2"), Some("2"), Some("2"), None, None]
        );
        let broken = plan.problems.iter();
        let broken = broken.filter(|it| it.severity == Severity::Broken);
        assert_eq!(broken.count(), 2);
    }

    #[test]
    fn relations_to_nothing_are_named() {
        let mut item = task("a");
        item.blocked_by("gone", None);
        item.parent = Some("gone".into());
        let plan = plan(vec![item]);
        assert_eq!(plan.items[0].links, []);
        assert_eq!(plan.items[0].parent, None);
        assert_eq!(plan.problems.len(), 2);
    }
}
