//! Checklists in Markdown: every box is a task, and nested boxes are its subtasks.

use std::path::Path;

use windlass_core::{EntityType, TaskStatus};

use super::name_of;
use crate::files::{self, LARGEST_PAGE};
use crate::plan::{Item, Place, Plan};
use crate::text::{fingerprint, one_line};

pub fn read(path: &Path, plan: &mut Plan) -> Result<(), String> {
    if path.is_dir() {
        let pages =
            files::pages(path).map_err(|problem| format!("it cannot be read: {problem}"))?;
        for page in pages {
            let name = files::shown(&page, path);
            match files::bytes(&page, LARGEST_PAGE) {
                Ok(bytes) => add(&name, &String::from_utf8_lossy(&bytes), plan),
                Err(problem) => plan.broken(&Place::new(&name, None), None, problem.to_string()),
            }
        }
        return Ok(());
    }
    let bytes = super::bytes_of(path, LARGEST_PAGE)?;
    add(&name_of(path), &String::from_utf8_lossy(&bytes), plan);
    Ok(())
}

/// An open box on the way to the current line.
struct Open {
    indent: usize,
    /// The item, by its position.
    item: usize,
    id: String,
}

/// Adds the boxes of one page. The id of a box is made from its text, its heading and the boxes above
/// it, so that it stays the same when lines move.
fn add(file: &str, text: &str, plan: &mut Plan) {
    let mut heading = String::new();
    let mut open: Vec<Open> = Vec::new();
    let mut in_code = false;
    let mut seen: Vec<String> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        let indent = indent_of(line);
        if let Some(title) = trimmed.strip_prefix('#') {
            heading = one_line(title.trim_start_matches('#'));
            open.clear();
            continue;
        }
        let Some((status, title)) = checkbox(trimmed) else {
            // Text that is indented below a box belongs to it.
            while open
                .last()
                .is_some_and(|it| !trimmed.is_empty() && indent <= it.indent)
            {
                open.pop();
            }
            if let Some(last) = open.last().filter(|_| !trimmed.is_empty()) {
                let item = &mut plan.items[last.item];
                let text = item.content.take().unwrap_or_default();
                item.content = Some(format!("{text}{trimmed}\n"));
            }
            continue;
        };
        while open.last().is_some_and(|it| indent <= it.indent) {
            open.pop();
        }
        let above = open.last().map_or("", |it| it.id.as_str());
        let title = one_line(title);
        let mut id = fingerprint(&[file, &heading, above, &title]);
        let same = seen.iter().filter(|it| **it == id).count();
        seen.push(id.clone());
        if same > 0 {
            id = format!("{id}-{}", same + 1);
        }
        let mut item = Item::new(
            EntityType::Task,
            id.clone(),
            &title,
            Place::new(file, Some(at + 1)),
        );
        item.set("status", status.name());
        if !heading.is_empty() {
            item.tags.push(heading.clone());
        }
        item.parent = open.last().map(|it| it.id.clone());
        open.push(Open {
            indent,
            item: plan.items.len(),
            id,
        });
        plan.items.push(item);
    }
}

/// Spaces before a line; a tab counts as four.
fn indent_of(line: &str) -> usize {
    let white = line.chars().take_while(|letter| letter.is_whitespace());
    white.map(|letter| if letter == '\t' { 4 } else { 1 }).sum()
}

/// The status and the text of a line with a box.
fn checkbox(line: &str) -> Option<(TaskStatus, &str)> {
    let rest = line.strip_prefix(['-', '*', '+']).or_else(|| {
        let digits = line.find(|letter: char| !letter.is_ascii_digit())?;
        let (number, rest) = line.split_at(digits);
        (!number.is_empty()).then(|| rest.strip_prefix(['.', ')']))?
    })?;
    let rest = rest.trim_start().strip_prefix('[')?;
    let mut letters = rest.chars();
    let mark = letters.next()?;
    // `[x](address)` is a link.
    let title = letters.as_str().strip_prefix("] ")?.trim();
    let status = match mark {
        ' ' => TaskStatus::Pending,
        'x' | 'X' => TaskStatus::Done,
        '/' | '~' => TaskStatus::InProgress,
        '-' => TaskStatus::Cancelled,
        _ => return None,
    };
    (!title.is_empty()).then_some((status, title))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(text: &str) -> Plan {
        let mut plan = Plan::default();
        add("todo.md", text, &mut plan);
        plan
    }

    #[test]
    fn boxes_are_tasks_and_nesting_is_kept() {
        let plan = plan(
            "# Shop\n\n- [ ] Cart\n  Shows what was chosen.\n  - [x] Add\n  - [ ] Remove\n- [/] Pay\n1. [-] Old\n\n\
             ```\n- [ ] code\n```\n- [ ](link)\n- plain\n",
        );
        let rows: Vec<(&str, &str, Option<usize>)> = plan
            .items
            .iter()
            .map(|item| {
                let status = item.properties["status"].as_str().expect("a status");
                let parent = item.parent.as_ref().map(|parent| {
                    plan.items
                        .iter()
                        .position(|it| it.id == *parent)
                        .expect("a parent")
                });
                (item.title.as_str(), status, parent)
            })
            .collect();
        assert_eq!(
            rows,
            [
                ("Cart", "pending", None),
                ("Add", "done", Some(0)),
                ("Remove", "pending", Some(0)),
                ("Pay", "in_progress", None),
                ("Old", "cancelled", None),
            ]
        );
        assert_eq!(
            plan.items[0].content.as_deref(),
            Some("Shows what was chosen.\n")
        );
        assert_eq!(plan.items[0].tags, ["Shop"]);
        assert_eq!(plan.items[3].place.line, Some(7));
    }

    #[test]
    fn ids_survive_moves_and_twins_differ() {
        let one = plan("- [ ] a\n- [ ] b\n- [ ] a\n");
        let other = plan("text\n\n- [x] b\n- [ ] a\n");
        assert_eq!(one.items[1].id, other.items[0].id);
        assert_eq!(one.items[0].id, other.items[1].id);
        assert_ne!(one.items[0].id, one.items[2].id);
    }
}
