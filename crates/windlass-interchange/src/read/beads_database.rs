//! The SQLite database of beads up to 0.49; later versions keep theirs in Dolt, and beside it the JSONL
//! file that is read instead.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value as Json;

use super::beads;
use super::fields::{Record, field};
use crate::plan::{Place, Plan};
use crate::sqlite::Database;

pub fn read(path: &Path, name: &str, plan: &mut Plan) -> Result<(), String> {
    let database = Database::open(path)?;
    if !database.has("issues") {
        return Err("it has no table \"issues\": it is not a database of beads".to_owned());
    }
    let mut parts: HashMap<String, Record> = HashMap::new();
    for (table, order, one) in [
        ("dependencies", "issue_id, depends_on_id", None),
        ("comments", "issue_id, id", None),
        ("labels", "issue_id, label", Some("label")),
    ] {
        for row in database.rows(table, order)? {
            let Some(id) = field(&row, "issue_id").map(str::to_owned) else {
                continue;
            };
            let value = match one {
                Some(column) => row.get(column).cloned().unwrap_or_default(),
                None => Json::Object(row),
            };
            let list = parts.entry(id).or_default().entry(table);
            if let Json::Array(list) = list.or_insert_with(|| Json::Array(Vec::new())) {
                list.push(value);
            }
        }
    }
    for mut issue in database.rows("issues", "created_at, id")? {
        // A deleted issue stays as a row.
        if field(&issue, "deleted_at").is_some() {
            issue.insert("status".to_owned(), "tombstone".into());
        }
        if let Some(more) = field(&issue, "id").and_then(|id| parts.remove(id)) {
            issue.extend(more);
        }
        beads::add(&issue, Place::new(name, None), plan);
    }
    Ok(())
}
