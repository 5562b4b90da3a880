//! The allowlist of dela. Nothing in it is taken over: it becomes the list of commands by which a person
//! would allow the same here.

use std::path::Path;

use serde::Deserialize;

use super::{bytes_of, file_of};
use crate::plan::{Place, Plan};

const LARGEST: u64 = 1 << 20;

#[derive(Deserialize)]
struct Allowlist {
    #[serde(default)]
    entries: Vec<toml::Value>,
}

#[derive(Deserialize)]
struct Entry {
    path: String,
    scope: String,
    tasks: Option<Vec<String>>,
}

pub fn read(path: &Path, plan: &mut Plan) -> Result<(), String> {
    let names = [
        ".config/dela/allowlist.toml",
        ".dela/allowlist.toml",
        "allowlist.toml",
    ];
    let path = file_of(path, &names)?;
    let bytes = bytes_of(&path, LARGEST)?;
    let text = String::from_utf8_lossy(&bytes);
    let place = Place::new(&super::name_of(&path), None);
    let list: Allowlist = toml::from_str(&text).map_err(|problem| {
        let line = problem.span().map_or(1, |span| {
            text[..span.start.min(text.len())].lines().count().max(1)
        });
        format!("line {line} is not valid: {}", problem.message())
    })?;
    for (at, entry) in list.entries.into_iter().enumerate() {
        plan.records += 1;
        let record = format!("entry {}", at + 1);
        match entry.try_into::<Entry>() {
            Ok(entry) => add(&entry, &record, &place, plan),
            Err(problem) => plan.broken(&place, Some(&record), problem.message().to_owned()),
        }
    }
    Ok(())
}

fn add(entry: &Entry, record: &str, place: &Place, plan: &mut Plan) {
    let path = quoted(&entry.path);
    let tasks = entry.tasks.as_deref().unwrap_or_default();
    let verb = if entry.scope == "Deny" {
        "deny"
    } else {
        "allow"
    };
    match entry.scope.as_str() {
        "File" => plan
            .allow_commands
            .push(format!("windlass allow {path} --scope file")),
        "Directory" => {
            // Dela stores the file when it is told to allow its folder.
            let folder = Path::new(&entry.path);
            let folder = match folder.extension() {
                None if !folder.ends_with("Makefile") && !folder.ends_with("justfile") => folder,
                _ => folder.parent().unwrap_or(folder),
            };
            let folder = quoted(&folder.to_string_lossy());
            plan.allow_commands
                .push(format!("windlass allow {folder} --scope directory"));
        }
        "Task" | "Deny" if !tasks.is_empty() => {
            for task in tasks {
                let task = quoted(task);
                plan.allow_commands
                    .push(format!("windlass {verb} {task} --scope task"));
            }
        }
        "Deny" => plan.allow_commands.push(format!("windlass deny {path}")),
        "Once" => plan.note(place, Some(record), "it held only once, and is left out"),
        other => {
            let message = format!("its scope \"{other}\" is not known, or it names no task");
            plan.broken(place, Some(record), message);
        }
    }
}

/// One word of a shell, whatever it holds: control characters are dropped, so that nothing can hide on
/// a terminal.
fn quoted(text: &str) -> String {
    let text: String = text.chars().filter(|letter| !letter.is_control()).collect();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+:@,=".contains(letter);
    if !text.is_empty() && text.chars().all(plain) && !text.starts_with('-') {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_become_commands_for_a_person() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("allowlist.toml");
        std::fs::write(
            &file,
            "[[entries]]\npath = \"/p/Makefile\"\nscope = \"File\"\n\
             [[entries]]\npath = \"/p/Makefile\"\nscope = \"Directory\"\n\
             [[entries]]\npath = \"/p/package.json\"\nscope = \"Task\"\ntasks = [\"test\", \"x; rm -rf ~\"]\n\
             [[entries]]\npath = \"/p/it's\"\nscope = \"Deny\"\n\
             [[entries]]\npath = \"/p\"\nscope = \"Once\"\n\
             [[entries]]\nscope = \"File\"\n",
        )
        .expect("written");
        let mut plan = Plan::default();
        read(&file, &mut plan).expect("read");
        assert_eq!(
            plan.allow_commands,
            [
                "windlass allow /p/Makefile --scope file",
                "windlass allow /p --scope directory",
                "windlass allow test --scope task",
                "windlass allow 'x; rm -rf ~' --scope task",
                "windlass deny '/p/it'\\''s'",
            ]
        );
        assert!(plan.items.is_empty());
        assert_eq!(plan.problems.len(), 2);
    }
}
