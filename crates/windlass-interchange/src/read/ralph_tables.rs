//! The tables of ralph. The last schema has a table for each list; its rows are put together here so
//! that they look like those of the first, whose lists are JSON.

use std::collections::HashMap;

use serde_json::Value as Json;

use super::fields::{Record, key, texts};
use crate::sqlite::Database;

pub struct Tables {
    pub features: Vec<Record>,
    pub disciplines: Vec<Record>,
    pub tasks: Vec<Record>,
    pub comments: Vec<Record>,
    /// What was said about a feature; only the last schema has that.
    pub remarks: Vec<Record>,
}

/// The first schema.
pub fn first(database: &Database) -> Result<Tables, String> {
    Ok(Tables {
        features: database.rows("features", "rowid")?,
        disciplines: database.rows("disciplines", "rowid")?,
        tasks: database.rows("tasks", "id")?,
        comments: database.rows("task_comments", "id")?,
        remarks: Vec::new(),
    })
}

/// A list of the last schema: its table, the column of its owner, the column of its values, its name.
type List = (&'static str, &'static str, &'static str, &'static str);

const OF_FEATURE: &[List] = &[
    (
        "subsystem_knowledge_paths",
        "subsystem_id",
        "path",
        "knowledge_paths",
    ),
    (
        "subsystem_context_files",
        "subsystem_id",
        "file_path",
        "context_files",
    ),
    (
        "subsystem_learnings",
        "subsystem_id",
        "learning",
        "learnings",
    ),
];
const OF_DISCIPLINE: &[List] = &[
    ("discipline_skills", "discipline_id", "skill", "skills"),
    (
        "discipline_mcp_servers",
        "discipline_id",
        "name",
        "mcp_servers",
    ),
];
const OF_TASK: &[List] = &[
    ("task_tags", "task_id", "tag", "tags"),
    (
        "task_dependencies",
        "task_id",
        "depends_on_task_id",
        "depends_on",
    ),
    (
        "task_acceptance_criteria",
        "task_id",
        "criterion",
        "acceptance_criteria",
    ),
    (
        "task_context_files",
        "task_id",
        "file_path",
        "context_files",
    ),
    (
        "task_output_artifacts",
        "task_id",
        "artifact_path",
        "output_artifacts",
    ),
];

pub fn last(database: &Database) -> Result<Tables, String> {
    let mut features = database.rows("subsystems", "id")?;
    let mut disciplines = database.rows("disciplines", "id")?;
    let names = |rows: &[Record]| -> HashMap<String, Json> {
        let named = |row: &Record| Some((key(row, "id")?, row.get("name")?.clone()));
        rows.iter().filter_map(named).collect()
    };
    let (feature_names, discipline_names) = (names(&features), names(&disciplines));
    let mut details: HashMap<String, Record> = HashMap::new();
    for row in database.rows("task_details", "id")? {
        details.extend(key(&row, "id").map(|id| (id, row)));
    }
    let mut tasks = Vec::new();
    for row in database.rows("runtime_tasks", "id")? {
        let mut task = key(&row, "details_id")
            .and_then(|id| details.get(&id).cloned())
            .unwrap_or_default();
        for (name, names, column) in [
            ("discipline", &discipline_names, "discipline_id"),
            ("feature", &feature_names, "subsystem_id"),
        ] {
            let id = key(&row, column).or_else(|| key(&task, column));
            if let Some(found) = id.and_then(|id| names.get(&id)) {
                task.insert(name.to_owned(), found.clone());
            }
        }
        // The task's own columns come last: it has an id and times of its own.
        task.extend(row.into_iter().filter(|(_, value)| !value.is_null()));
        tasks.push(task);
    }
    fill(database, &mut features, OF_FEATURE)?;
    fill(database, &mut disciplines, OF_DISCIPLINE)?;
    fill(database, &mut tasks, OF_TASK)?;
    let mut needs: HashMap<String, Vec<Json>> = HashMap::new();
    for row in database.rows("subsystem_dependencies", "id")? {
        let other = key(&row, "depends_on_subsystem_id").and_then(|id| feature_names.get(&id));
        if let (Some(id), Some(name)) = (key(&row, "subsystem_id"), other) {
            needs.entry(id).or_default().push(name.clone());
        }
    }
    for feature in &mut features {
        if let Some(names) = key(feature, "id").and_then(|id| needs.remove(&id)) {
            feature.insert("dependencies".to_owned(), Json::Array(names));
        }
    }
    let mut remarks = database.rows("subsystem_comments", "id")?;
    for remark in &mut remarks {
        let name = key(remark, "subsystem_id").and_then(|id| feature_names.get(&id).cloned());
        remark.insert("feature".to_owned(), name.unwrap_or_default());
    }
    Ok(Tables {
        features,
        disciplines,
        tasks,
        comments: comments_of_signals(database)?,
        remarks,
    })
}

/// Adds the lists of each record.
fn fill(database: &Database, records: &mut [Record], lists: &[List]) -> Result<(), String> {
    for (table, owner, column, name) in lists {
        let mut values: HashMap<String, Vec<Json>> = HashMap::new();
        for row in database.rows(table, "id")? {
            if let (Some(id), Some(value)) = (key(&row, owner), row.get(*column)) {
                values.entry(id).or_default().push(value.clone());
            }
        }
        for record in &mut *records {
            if let Some(values) = key(record, "id").and_then(|id| values.remove(&id)) {
                record.insert((*name).to_owned(), Json::Array(values));
            }
        }
    }
    Ok(())
}

/// What agents said about a task becomes comments on it.
fn comments_of_signals(database: &Database) -> Result<Vec<Record>, String> {
    let mut comments = Vec::new();
    let mut tasks: HashMap<String, Json> = HashMap::new();
    for row in database.rows("task_signals", "id")? {
        let texts = [
            "summary",
            "text",
            "question",
            "what",
            "on",
            "reason",
            "remaining",
            "why",
            "rationale",
            "detail",
            "answer",
        ];
        let lines: Vec<String> = texts
            .iter()
            .filter_map(|name| {
                let text = super::fields::field(&row, name)?;
                let plain = ["summary", "text", "question", "what", "on"].contains(name);
                Some(if plain {
                    text.to_owned()
                } else {
                    format!("{name}: {text}")
                })
            })
            .collect();
        let verb = super::fields::field(&row, "verb").unwrap_or("signal");
        let mut comment = Record::new();
        for name in ["task_id", "created"] {
            comment.insert(name.to_owned(), row.get(name).cloned().unwrap_or_default());
        }
        let id = key(&row, "id").unwrap_or_default();
        tasks.insert(id.clone(), row.get("task_id").cloned().unwrap_or_default());
        comment.insert("id".to_owned(), format!("signal {id}").into());
        comment.insert("author".to_owned(), "agent".into());
        comment.insert(
            "body".to_owned(),
            format!("{verb}: {}", lines.join("\n")).into(),
        );
        comments.push(comment);
    }
    for mut answer in database.rows("task_signal_comments", "id")? {
        let task = key(&answer, "signal_id").and_then(|id| tasks.get(&id).cloned());
        let id = key(&answer, "id").unwrap_or_default();
        let author = answer.get("author_type").cloned().unwrap_or_default();
        answer.insert("task_id".to_owned(), task.unwrap_or_default());
        answer.insert("id".to_owned(), format!("answer {id}").into());
        answer.insert("author".to_owned(), author);
        comments.push(answer);
    }
    Ok(comments)
}

/// The texts of a feature's learnings: plain, or with their details.
pub fn learnings(feature: &Record) -> Vec<String> {
    let plain = texts(feature, "learnings");
    if !plain.is_empty() {
        return plain;
    }
    let text = super::fields::field(feature, "learnings").unwrap_or("[]");
    let parsed: Json = serde_json::from_str(text).unwrap_or_default();
    let items = parsed.as_array().into_iter().flatten();
    items
        .filter_map(|item| Some(item.get("text")?.as_str()?.to_owned()))
        .collect()
}

/// Whether a discipline has MCP servers.
pub fn has_servers(discipline: &Record) -> bool {
    let text = match discipline.get("mcp_servers") {
        Some(Json::String(text)) => text.trim().to_owned(),
        Some(list) => list.to_string(),
        None => return false,
    };
    !["", "[]", "null"].contains(&text.as_str())
}
