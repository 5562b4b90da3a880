//! A folder of Backlog.md: a page for each task, with its fields at the head.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use windlass_core::{EntityType, TaskStatus, Timestamp};

use super::front_matter::{self, Page, text, texts};
use crate::files::{self, LARGEST_PAGE};
use crate::plan::{Comment, Item, Place, Plan};
use crate::text;

/// The folders of pages, and what their pages are.
const FOLDERS: &[(&str, Kind)] = &[
    ("milestones", Kind::Milestone),
    ("tasks", Kind::Task),
    ("completed", Kind::Task),
    ("drafts", Kind::Task),
    ("archive/tasks", Kind::Archived),
    ("archive/drafts", Kind::Archived),
    ("decisions", Kind::Decision),
    ("docs", Kind::Document),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Task,
    Archived,
    Milestone,
    Decision,
    Document,
}

pub fn read(path: &Path, plan: &mut Plan) -> Result<(), String> {
    let root = root_of(path)?;
    for (folder, kind) in FOLDERS {
        let folder = root.join(folder);
        if !folder.is_dir() {
            continue;
        }
        let pages =
            files::pages(&folder).map_err(|problem| format!("it cannot be read: {problem}"))?;
        for file in pages {
            let name = files::shown(&file, &root);
            // Not a page of the tool itself.
            if name.to_lowercase().ends_with("readme.md") {
                continue;
            }
            let place = Place::new(&name, Some(1));
            match files::bytes(&file, LARGEST_PAGE) {
                Ok(bytes) => add(*kind, &String::from_utf8_lossy(&bytes), place, plan),
                Err(problem) => plan.broken(&place, None, problem.to_string()),
            }
        }
    }
    resolve(plan);
    Ok(())
}

/// The folder itself, or the one that the project keeps it in.
fn root_of(path: &Path) -> Result<PathBuf, String> {
    ["", "backlog", ".backlog"]
        .iter()
        .map(|name| path.join(name))
        .find(|folder| folder.join("tasks").is_dir())
        .ok_or_else(|| "it is not a folder of Backlog.md: it has no tasks/".to_owned())
}

fn add(kind: Kind, text_of_page: &str, place: Place, plan: &mut Plan) {
    plan.records += 1;
    let page = match front_matter::page(text_of_page) {
        Ok(page) => page,
        Err((line, problem)) => {
            plan.broken(&Place::new(&place.file, Some(line)), None, problem);
            return;
        }
    };
    let Some(id) = text(&page.fields, "id") else {
        plan.broken(&place, None, "it has no id");
        return;
    };
    let title = text(&page.fields, "title").unwrap_or_default();
    let mut id = id.to_uppercase();
    // The tool gives the number of an archived task to a new one.
    if kind == Kind::Archived && plan.items.iter().any(|item| item.id == id) {
        id.push_str(" (archived)");
    }
    let item = match kind {
        Kind::Decision => decision(id, &title, &page, place),
        Kind::Document => document(id, &title, &page, place),
        Kind::Task | Kind::Archived | Kind::Milestone => task(kind, id, &title, &page, place, plan),
    };
    plan.items.push(item);
}

fn task(
    kind: Kind,
    id: String,
    title: &str,
    page: &Page<'_>,
    place: Place,
    plan: &mut Plan,
) -> Item {
    let fields = &page.fields;
    let mut item = Item::new(EntityType::Task, id, title, place);
    let word = text(fields, "status").unwrap_or_else(|| "To Do".to_owned());
    let status = match text::status(&word) {
        _ if kind == Kind::Archived => TaskStatus::Cancelled,
        Some(status) => status,
        None => {
            let message =
                format!("its status \"{word}\" is not known: it is pending, with that label");
            plan.note(&item.place, Some(&item.id), message);
            item.tags.push(word.clone());
            TaskStatus::Pending
        }
    };
    item.set("status", status.name());
    if let Some(word) = text(fields, "priority") {
        let known = text::priority(&word);
        item.set(
            "priority",
            known.map_or("normal", |priority| priority.name()),
        );
    }
    item.tags.extend(texts(fields, "labels"));
    if let Some(word) = text(fields, "type").filter(|it| it != "task") {
        item.tags.push(word);
    }
    let people: Vec<String> = texts(fields, "assignee");
    let people: Vec<&str> = people
        .iter()
        .map(|name| name.trim_start_matches('@'))
        .collect();
    item.set("assignee", people.join(", "));
    if let Some(due) = text(fields, "due_date").and_then(|it| Timestamp::parse_foreign(&it)) {
        item.set("due_date", due.day());
    }
    set_times(&mut item, page);
    if status == TaskStatus::Done
        && let Some(at) = item.updated_at.clone().or_else(|| item.created_at.clone())
    {
        item.managed.insert("completed_at", at.as_str().to_owned());
    }
    item.parent = text(fields, "parent_task_id")
        .or_else(|| text(fields, "milestone").map(|name| format!("milestone {name}")))
        .map(|parent| parent.to_uppercase());
    for other in texts(fields, "dependencies") {
        item.blocked_by(other.to_uppercase(), None);
    }
    if kind == Kind::Milestone {
        item.set("kind", "milestone");
        item.tags.retain(|tag| tag != "milestone");
    }
    set_sections(&mut item, page);
    for (name, heading) in [
        ("references", "References"),
        ("documentation", "Documentation"),
    ] {
        let lines: Vec<String> = texts(fields, name)
            .iter()
            .map(|it| format!("- {it}"))
            .collect();
        item.add_section(heading, &lines.join("\n"));
    }
    item
}

fn set_times(item: &mut Item, page: &Page<'_>) {
    let time = |names: [&str; 2]| {
        let given = names.iter().find_map(|name| text(&page.fields, name));
        given.and_then(|it| Timestamp::parse_foreign(&it))
    };
    item.created_at = time(["created_date", "date"]);
    item.updated_at = time(["updated_date", "created_date"]);
}

/// The sections of a page, by their headings of the second level.
fn sections(body: &str) -> Vec<(String, String)> {
    let mut sections = vec![(String::new(), String::new())];
    let mut in_code = false;
    for line in body.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        // The marks by which the tool finds its sections.
        let mark = line.trim();
        let is_mark = mark.starts_with("<!--")
            && (mark.ends_with(":BEGIN -->") || mark.ends_with(":END -->"));
        if is_mark && !in_code {
            continue;
        }
        match line.strip_prefix("## ").filter(|_| !in_code) {
            Some(heading) => sections.push((heading.trim().to_owned(), String::new())),
            None => {
                if let Some((_, text)) = sections.last_mut() {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
    }
    sections
}

fn set_sections(item: &mut Item, page: &Page<'_>) {
    for (heading, text) in sections(page.body) {
        match heading.as_str() {
            "" | "Description" => item.add_section("", &text),
            "Acceptance Criteria" => item.set("acceptance_criteria", criteria(&text)),
            "Implementation Plan" => item.set("pseudocode", text.trim()),
            "Comments" => item.comments = comments(&text),
            _ => item.add_section(&heading, &text),
        }
    }
}

/// Comments: the fields of one, a line of dashes, its text, a line of dashes.
fn comments(text: &str) -> Vec<Comment> {
    let mut comments = Vec::new();
    let mut parts = text.split("\n---");
    while let (Some(head), Some(body)) = (parts.next(), parts.next()) {
        let field = |name: &str| {
            let lines = head.lines().map(str::trim);
            let mut values = lines.filter_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            values
                .next()
                .map(|value| value.trim().trim_matches(['\'', '"']))
        };
        comments.push(Comment {
            id: None,
            author: field("author")
                .unwrap_or_default()
                .trim_start_matches('@')
                .to_owned(),
            body: body.trim().to_owned(),
            at: field("created").and_then(Timestamp::parse_foreign),
        });
    }
    comments
}

/// `- [x] #2 Payment works` without its box and its number. A checked one says so.
fn criteria(text: &str) -> Vec<String> {
    let lines = text
        .lines()
        .filter(|line| line.trim_start().starts_with('-'));
    lines
        .filter_map(|line| {
            let checked = line.contains("[x]") || line.contains("[X]");
            let item = text::list_items(line).into_iter().next()?;
            let rest = item.strip_prefix('#').map_or(item.as_str(), |rest| {
                rest.trim_start_matches(|letter: char| letter.is_ascii_digit())
            });
            let rest = rest.trim();
            let text = if checked {
                format!("{rest} (checked)")
            } else {
                rest.to_owned()
            };
            (!rest.is_empty()).then_some(text)
        })
        .collect()
}

fn decision(id: String, title: &str, page: &Page<'_>, place: Place) -> Item {
    let mut item = Item::new(EntityType::Decision, id, title, place);
    let status = text(&page.fields, "status")
        .unwrap_or_default()
        .to_lowercase();
    let known = ["proposed", "accepted", "deprecated"];
    item.set(
        "status",
        *known
            .iter()
            .find(|it| **it == status)
            .unwrap_or(&"proposed"),
    );
    if !known.contains(&status.as_str()) && !status.is_empty() {
        item.tags.push(status);
    }
    for (heading, text) in sections(page.body) {
        match heading.as_str() {
            "Context" => item.set("context", text.trim()),
            "Consequences" => item.set("consequences", text::list_items(&text)),
            "" | "Decision" => item.add_section("", &text),
            _ => item.add_section(&heading, &text),
        }
    }
    set_times(&mut item, page);
    item
}

fn document(id: String, title: &str, page: &Page<'_>, place: Place) -> Item {
    let mut item = Item::new(EntityType::Note, id, title, place);
    item.set(
        "note_type",
        text(&page.fields, "type").unwrap_or_else(|| "doc".to_owned()),
    );
    item.tags.extend(texts(&page.fields, "tags"));
    item.add_section("", page.body);
    set_times(&mut item, page);
    item
}

/// Dependencies and parents may be written without the prefix, or with the one that ids had before it
/// was changed in the settings; milestones by their titles.
fn resolve(plan: &mut Plan) {
    let known: Vec<(String, String)> = plan
        .items
        .iter()
        .map(|item| (item.id.clone(), item.title.to_uppercase()))
        .collect();
    let mut by_number: HashMap<Vec<u64>, &str> = HashMap::new();
    for item in plan.items.iter().filter(|item| is_task(item)) {
        if let Some(number) = number_of(&item.id) {
            by_number.entry(number).or_insert(&item.id);
        }
    }
    let find = |given: &str| -> Option<String> {
        let name = given.strip_prefix("MILESTONE ").unwrap_or(given);
        let same = known.iter().find(|(id, _)| id == name);
        let titled = || {
            known
                .iter()
                .find(|(_, title)| given != name && title == name)
        };
        let numbered = || by_number.get(&number_of(name).filter(|_| given == name)?);
        same.or_else(titled)
            .map(|(id, _)| id.clone())
            .or_else(|| numbered().map(|id| (*id).to_owned()))
    };
    let links = |item: &Item| -> Vec<Option<String>> {
        item.links.iter().map(|link| find(&link.other)).collect()
    };
    let found: Vec<_> = plan
        .items
        .iter()
        .map(|item| (item.parent.as_deref().and_then(&find), links(item)))
        .collect();
    for (item, (parent, links)) in plan.items.iter_mut().zip(found) {
        for (link, other) in item.links.iter_mut().zip(links) {
            if let Some(id) = other {
                link.other = id;
            }
        }
        if parent.is_some() {
            item.parent = parent;
        } else if let Some(name) = item
            .parent
            .as_deref()
            .and_then(|parent| parent.strip_prefix("MILESTONE "))
        {
            // A milestone without a page is only a name.
            item.tags.push(name.to_lowercase());
            item.parent = None;
        }
    }
}

/// Whether others can depend on it by its number: milestones and drafts have numbers of their own.
fn is_task(item: &Item) -> bool {
    ["tasks/", "completed/", "archive/tasks/"]
        .iter()
        .any(|folder| item.place.file.starts_with(folder))
}

/// The number of an id, by levels: `TASK-7.01`, `BACK-7.1` and `7.1` are the same.
fn number_of(id: &str) -> Option<Vec<u64>> {
    let number = id.rsplit_once('-').map_or(id, |(_, number)| number);
    number.split('.').map(|part| part.parse().ok()).collect()
}
