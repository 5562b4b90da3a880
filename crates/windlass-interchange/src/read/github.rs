//! Issues of GitHub, as its REST interface or `gh issue list --json` returns them.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde_json::Value as Json;
use windlass_core::{EntityType, TaskStatus};

use super::fields::{Record, field, key, moment, objects};
use super::github_text::{Reference, references};
use super::{bytes_of, json_records, name_of};
use crate::files::LARGEST;
use crate::plan::{Comment, Item, Place, Plan};
use crate::text;

pub fn read(path: &Path, plan: &mut Plan) -> Result<(), String> {
    let name = name_of(path);
    let mut pull_requests = 0;
    // Children by the number of their parent's issue, and what waits for what.
    let mut children: Vec<(u64, u64)> = Vec::new();
    let mut blocks: Vec<(u64, u64)> = Vec::new();
    let mut numbers: HashMap<u64, usize> = HashMap::new();
    let mut milestones = HashSet::new();
    for (line, record) in json_records::records(&bytes_of(path, LARGEST)?) {
        let place = Place::new(&name, Some(line));
        let issue = match record {
            Ok(Json::Object(issue)) => issue,
            Ok(_) => {
                plan.broken(&place, None, "it is not an object");
                continue;
            }
            Err(problem) => {
                plan.broken(&place, None, problem);
                continue;
            }
        };
        if issue.contains_key("pull_request")
            || field(&issue, "url").is_some_and(|it| it.contains("/pull/"))
        {
            pull_requests += 1;
            continue;
        }
        let Some(number) = issue.get("number").and_then(Json::as_u64) else {
            plan.broken(
                &place,
                None,
                "it has no number: export the field \"number\" too",
            );
            continue;
        };
        for (reference, other) in references(field(&issue, "body").unwrap_or_default()) {
            match reference {
                Reference::Child => children.push((number, other)),
                Reference::BlockedBy => blocks.push((other, number)),
                Reference::Blocks => blocks.push((number, other)),
            }
        }
        plan.records += 1;
        let mut item = item(&issue, number, place, plan);
        if let Some(Json::Object(milestone)) = issue.get("milestone") {
            item.parent = add_milestone(milestone, &item, &mut milestones, plan);
        }
        numbers.insert(number, plan.items.len());
        plan.items.push(item);
    }
    for (parent, child) in children {
        if let (Some(parent), Some(child)) = (numbers.get(&parent), numbers.get(&child))
            && parent != child
        {
            plan.items[*child].parent = Some(plan.items[*parent].id.clone());
        }
    }
    for (blocker, blocked) in blocks {
        if let (Some(blocker), Some(blocked)) = (numbers.get(&blocker), numbers.get(&blocked)) {
            let blocker = plan.items[*blocker].id.clone();
            plan.items[*blocked].blocked_by(blocker, None);
        }
    }
    if pull_requests > 0 {
        let message = format!("{pull_requests} pull requests are left out");
        plan.note(&Place::new(&name, None), None, message);
    }
    Ok(())
}

/// The id of an issue: with its repository, if the record names it.
fn id_of(issue: &Record, number: u64) -> String {
    let address = field(issue, "html_url").or_else(|| field(issue, "url"));
    let parts: Vec<&str> = address.unwrap_or_default().split('/').collect();
    match parts.as_slice() {
        ["https:", "", _, owner, repository, "issues", _] => {
            format!("{owner}/{repository}#{number}")
        }
        _ => format!("#{number}"),
    }
}

fn item(issue: &Record, number: u64, place: Place, plan: &mut Plan) -> Item {
    let title = field(issue, "title").unwrap_or_default();
    let mut item = Item::new(EntityType::Task, id_of(issue, number), title, place);
    item.content = field(issue, "body").map(|body| body.replace("\r\n", "\n"));
    item.tags = names(issue, "labels", "name");
    item.set("assignee", names(issue, "assignees", "login").join(", "));
    for tag in &item.tags {
        let word = tag.rsplit([':', '/']).next().unwrap_or(tag);
        let named = tag.to_lowercase().starts_with("prio") || tag.len() <= 2;
        let known = text::priority(word)
            .filter(|_| named || ["urgent", "critical"].contains(&tag.as_str()));
        if let Some(priority) = known {
            item.properties
                .insert("priority".to_owned(), priority.name().into());
            break;
        }
    }
    item.set("status", status(issue, &item.tags).name());
    let time = |names: [&str; 2]| names.iter().find_map(|name| moment(issue, name));
    item.created_at = time(["createdAt", "created_at"]);
    item.updated_at = time(["updatedAt", "updated_at"]);
    if let Some(closed) = time(["closedAt", "closed_at"])
        && item.properties.get("status") == Some(&"done".into())
    {
        item.managed
            .insert("completed_at", closed.as_str().to_owned());
    }
    for comment in objects(issue, "comments") {
        item.comments.push(Comment {
            id: key(comment, "id"),
            author: login(comment).unwrap_or_default(),
            body: field(comment, "body")
                .unwrap_or_default()
                .replace("\r\n", "\n"),
            at: moment(comment, "createdAt").or_else(|| moment(comment, "created_at")),
        });
    }
    if issue
        .get("comments")
        .and_then(Json::as_u64)
        .is_some_and(|count| count > 0)
    {
        let message = "its comments are not in this file: gh issue list --json comments has them";
        plan.note(&item.place, Some(&item.id), message);
    }
    item
}

fn status(issue: &Record, labels: &[String]) -> TaskStatus {
    let state = field(issue, "state").unwrap_or("open").to_lowercase();
    let reason = field(issue, "stateReason").or_else(|| field(issue, "state_reason"));
    let reason = reason.and_then(text::status);
    if state == "closed" {
        return match reason {
            Some(TaskStatus::Cancelled) => TaskStatus::Cancelled,
            _ => TaskStatus::Done,
        };
    }
    let in_progress = labels.iter().any(|label| {
        text::status(label.rsplit(':').next().unwrap_or(label)) == Some(TaskStatus::InProgress)
    });
    if in_progress {
        TaskStatus::InProgress
    } else {
        TaskStatus::Pending
    }
}

/// A milestone is a task above its issues.
fn add_milestone(
    milestone: &Record,
    of: &Item,
    known: &mut HashSet<String>,
    plan: &mut Plan,
) -> Option<String> {
    let title = field(milestone, "title")?;
    let repository = of
        .id
        .rsplit_once('#')
        .map_or("", |(repository, _)| repository);
    let id = match milestone.get("number").and_then(Json::as_u64) {
        Some(number) => format!("{repository} milestone {number}"),
        None => format!("{repository} milestone {title}"),
    };
    let id = id.trim_start().to_owned();
    if !known.insert(id.clone()) {
        return Some(id);
    }
    let mut item = Item::new(EntityType::Task, id.clone(), title, of.place.clone());
    item.set("kind", "milestone");
    item.content = field(milestone, "description").map(str::to_owned);
    let due = moment(milestone, "dueOn").or_else(|| moment(milestone, "due_on"));
    if let Some(due) = due {
        item.set("due_date", due.day());
    }
    let closed = field(milestone, "state").is_some_and(|it| it.eq_ignore_ascii_case("closed"));
    item.set("status", if closed { "done" } else { "pending" });
    item.created_at = moment(milestone, "created_at").or_else(|| of.created_at.clone());
    item.updated_at = moment(milestone, "updated_at");
    plan.records += 1;
    plan.items.push(item);
    Some(id)
}

/// The names in a list of objects, or a list of names.
fn names(issue: &Record, list: &str, name: &str) -> Vec<String> {
    let items = issue.get(list).and_then(Json::as_array);
    items
        .into_iter()
        .flatten()
        .filter_map(|item| item.as_str().or_else(|| item.get(name)?.as_str()))
        .map(str::to_owned)
        .collect()
}

fn login(comment: &Record) -> Option<String> {
    let author = comment.get("author").or_else(|| comment.get("user"))?;
    Some(author.get("login")?.as_str()?.to_owned())
}
