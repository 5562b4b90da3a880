//! `TODO` and `FIXME` comments of a tree, by its own ignore rules.

use std::collections::HashMap;
use std::path::Path;

use ignore::WalkBuilder;
use windlass_core::EntityType;

use crate::files::{self, MOST_FILES};
use crate::plan::{Item, Place, Plan};
use crate::text::{fingerprint, one_line, shortened};

/// Larger files are generated.
const LARGEST_FILE: u64 = 1 << 20;
const LONGEST_LINE: usize = 2_000;
const MOST_COMMENTS: usize = 10_000;
const MARKS: &[&str] = &["TODO", "FIXME"];
/// What begins a comment in one language or another.
const COMMENT_SIGNS: &[&str] = &["//", "#", "--", "/*", "*", "<!--", ";", "%", "\"\"\"", "'"];

pub fn read(path: &Path, plan: &mut Plan) -> Result<(), String> {
    if !path.is_dir() {
        return Err("it is not a folder: give the folder whose files are searched".to_owned());
    }
    let walk = WalkBuilder::new(path)
        .follow_links(false)
        .require_git(false)
        .max_filesize(Some(LARGEST_FILE))
        .sort_by_file_path(Path::cmp)
        .build();
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut looked_at = 0;
    for entry in walk {
        let entry = match entry {
            Ok(entry) => entry,
            Err(problem) => {
                plan.note(&Place::default(), None, problem.to_string());
                continue;
            }
        };
        if !entry.file_type().is_some_and(|it| it.is_file()) {
            continue;
        }
        looked_at += 1;
        if looked_at > MOST_FILES || plan.items.len() >= MOST_COMMENTS {
            let message = format!("only {MOST_FILES} files and {MOST_COMMENTS} comments are read");
            plan.note(&Place::default(), None, message);
            break;
        }
        let Ok(bytes) = files::bytes(entry.path(), LARGEST_FILE) else {
            continue;
        };
        if bytes.iter().take(8_000).any(|byte| *byte == 0) {
            continue;
        }
        let name = files::shown(entry.path(), path);
        add(&name, &String::from_utf8_lossy(&bytes), &mut seen, plan);
    }
    Ok(())
}

fn add(file: &str, text: &str, seen: &mut HashMap<String, usize>, plan: &mut Plan) {
    for (at, line) in text.lines().enumerate() {
        if line.len() > LONGEST_LINE {
            continue;
        }
        let Some(comment) = comment_in(line) else {
            continue;
        };
        if plan.items.len() >= MOST_COMMENTS {
            return;
        }
        let title = shortened(&one_line(comment.text), 200);
        let base = fingerprint(&[file, comment.mark, &title]);
        let count = seen.entry(base.clone()).or_default();
        *count += 1;
        let id = if *count == 1 {
            base
        } else {
            format!("{base}-{count}")
        };
        let mut item = Item::new(EntityType::Task, id, &title, Place::new(file, Some(at + 1)));
        item.tags.push(comment.mark.to_lowercase());
        item.set("assignee", comment.name.unwrap_or_default());
        item.content = Some(format!(
            "{} in {file}:\n\n    {}\n",
            comment.mark,
            line.trim()
        ));
        item.set("context_files", vec![file.to_owned()]);
        plan.items.push(item);
    }
}

struct Found<'a> {
    mark: &'static str,
    name: Option<&'a str>,
    text: &'a str,
}

/// The mark of a comment: `TODO: text`, `TODO(name): text`, `FIXME text`.
fn comment_in(line: &str) -> Option<Found<'_>> {
    for mark in MARKS {
        let Some(at) = line.find(mark) else {
            continue;
        };
        let before = &line[..at];
        if !COMMENT_SIGNS.iter().any(|sign| before.contains(sign)) {
            continue;
        }
        let whole = !before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
        let rest = &line[at + mark.len()..];
        let (name, rest) = match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            Some((name, rest)) => (Some(name.trim()).filter(|it| !it.is_empty()), rest),
            None => (None, rest),
        };
        let marked =
            rest.starts_with(':') || name.is_some() || (*mark == "FIXME" && rest.starts_with(' '));
        let text = rest.trim_start_matches(':').trim();
        let text = text.trim_end_matches("*/").trim_end_matches("-->").trim();
        if whole && marked && !text.is_empty() {
            return Some(Found { mark, name, text });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_found_and_the_rest_is_not() {
        for (line, expected) in [
            (
                "// TODO(ann): use the cache",
                Some(("TODO", Some("ann"), "use the cache")),
            ),
            ("# TODO: later", Some(("TODO", None, "later"))),
            ("  /* FIXME leaks */", Some(("FIXME", None, "leaks"))),
            ("<!-- TODO: picture -->", Some(("TODO", None, "picture"))),
            ("let TODO: u32 = 1;", None),
            ("// a TODO list", None),
            ("// MYTODO: x", None),
            ("// TODO:", None),
        ] {
            let found = comment_in(line).map(|it| (it.mark, it.name, it.text));
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn ignored_files_links_and_binaries_are_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("written");
        };
        write(".gitignore", "out.rs\n");
        write("a.rs", "// TODO: one\n// TODO: one\n");
        write("out.rs", "// TODO: ignored\n");
        write("b.bin", "\0// TODO: binary\n");
        std::os::unix::fs::symlink(folder.path().join("a.rs"), folder.path().join("c.rs"))
            .expect("linked");
        let mut plan = Plan::default();
        read(folder.path(), &mut plan).expect("read");
        let titles: Vec<&str> = plan.items.iter().map(|item| item.title.as_str()).collect();
        assert_eq!(titles, ["one", "one"]);
        assert_ne!(plan.items[0].id, plan.items[1].id);
        assert_eq!(plan.items[1].place.line, Some(2));
    }
}
