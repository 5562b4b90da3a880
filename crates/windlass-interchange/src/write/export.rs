//! The export: every entity with everything that belongs to it, in one of three formats. The formats
//! are documented in docs/contracts/export.md.

use std::io::{self, Write};

use serde_json::{Map, Value as Json, json};
use windlass_core::{Dialect, Entity, EntityType, Exported, Reach, RelationType};

pub const EXPORT_FORMAT: &str = "windlass-export";
pub const EXPORT_VERSION: u64 = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    Json,
    JsonLines,
    Csv,
}

const COLUMNS: &[&str] = &[
    "number",
    "id",
    "type",
    "title",
    "status",
    "priority",
    "due_date",
    "assignee",
    "feature",
    "discipline",
    "parent",
    "blocks",
    "tags",
    "created_at",
    "updated_at",
    "content",
];

/// Writes entities one at a time, so that a project of any size can be written.
pub struct ExportWriter<W: Write> {
    format: ExportFormat,
    out: W,
    written: u64,
}

impl<W: Write> ExportWriter<W> {
    pub fn begin(format: ExportFormat, mut out: W) -> io::Result<Self> {
        let head = json!({"format": EXPORT_FORMAT, "version": EXPORT_VERSION}).to_string();
        match format {
            ExportFormat::JsonLines => writeln!(out, "{head}")?,
            ExportFormat::Json => {
                // The head stays open for the list of entities.
                write!(out, "{},\"entities\":[", head.trim_end_matches('}'))?;
            }
            ExportFormat::Csv => writeln!(out, "{}", COLUMNS.join(","))?,
        }
        Ok(Self {
            format,
            out,
            written: 0,
        })
    }

    pub fn entity(&mut self, exported: &Exported) -> io::Result<()> {
        match self.format {
            ExportFormat::JsonLines => writeln!(self.out, "{}", as_json(exported))?,
            ExportFormat::Json => {
                let separator = if self.written == 0 { "" } else { "," };
                write!(self.out, "{separator}\n{}", as_json(exported))?;
            }
            ExportFormat::Csv => {
                let cells: Vec<String> = row(exported).iter().map(|cell| quoted(cell)).collect();
                writeln!(self.out, "{}", cells.join(","))?;
            }
        }
        self.written += 1;
        Ok(())
    }

    /// Ends the export. Returns how many entities it has, and where it was written to.
    pub fn finish(mut self) -> io::Result<(u64, W)> {
        if self.format == ExportFormat::Json {
            writeln!(self.out, "\n]}}")?;
        }
        self.out.flush()?;
        Ok((self.written, self.out))
    }
}

/// An entity as an export has it. Fields that decide what is run are not in it: those are set by a
/// person on each machine.
fn as_json(exported: &Exported) -> Json {
    let entity = &exported.entity;
    let mut out = Map::new();
    out.insert("id".to_owned(), entity.id.as_str().into());
    out.insert("number".to_owned(), entity.number.into());
    out.insert("type".to_owned(), entity.kind.name().into());
    out.insert("title".to_owned(), entity.title.as_str().into());
    if let Some(content) = &entity.content {
        out.insert("content".to_owned(), content.as_str().into());
    }
    out.insert("tags".to_owned(), json!(entity.tags));
    out.insert("properties".to_owned(), Json::Object(properties(entity)));
    out.insert("created_at".to_owned(), entity.created_at.as_str().into());
    out.insert("updated_at".to_owned(), entity.updated_at.as_str().into());
    if !entity.former_numbers.is_empty() {
        out.insert("former_numbers".to_owned(), json!(entity.former_numbers));
    }
    let relations = exported.relations.iter().map(|relation| {
        json!({
            "type": relation.kind.name(),
            "target": relation.target.as_str(),
            "created_at": relation.created_at.as_str(),
        })
    });
    let lists = [
        ("relations", relations.collect::<Vec<Json>>()),
        ("comments", numbered(&exported.comments)),
        ("learnings", numbered(&exported.learnings)),
        ("origins", exported.origins.clone()),
    ];
    for (name, list) in lists {
        if !list.is_empty() {
            out.insert(name.to_owned(), Json::Array(list));
        }
    }
    Json::Object(out)
}

/// The fields of an entity that may leave the machine, in the order of their declaration.
pub(super) fn properties(entity: &Entity) -> Map<String, Json> {
    let fields = entity.kind.declaration();
    let mut properties = entity.properties_in(Dialect::Canonical);
    properties.retain(|name, _| {
        fields
            .field(name)
            .is_some_and(|field| field.reach != Reach::People)
    });
    properties
}

fn numbered(records: &[(i64, Json)]) -> Vec<Json> {
    records
        .iter()
        .map(|(number, body)| {
            let mut record = Map::new();
            record.insert("number".to_owned(), (*number).into());
            if let Json::Object(body) = body {
                record.extend(body.clone());
            }
            Json::Object(record)
        })
        .collect()
}

fn row(exported: &Exported) -> Vec<String> {
    let entity = &exported.entity;
    let related = |kind: RelationType| -> String {
        let numbers = exported.relations.iter().filter(|it| it.kind == kind);
        let numbers: Vec<String> = numbers.map(|it| it.target_number.to_string()).collect();
        numbers.join(" ")
    };
    let text = |name: &str| entity.text(name).unwrap_or_default().to_owned();
    let is_task = entity.kind == EntityType::Task;
    vec![
        entity.number.to_string(),
        entity.id.as_str().to_owned(),
        entity.kind.name().to_owned(),
        entity.title.clone(),
        text("status"),
        text("priority"),
        text("due_date"),
        if is_task {
            text("assignee")
        } else {
            text("owner")
        },
        text("feature"),
        text("discipline"),
        related(RelationType::Parent),
        related(RelationType::Blocks),
        entity.tags.join(" | "),
        entity.created_at.as_str().to_owned(),
        entity.updated_at.as_str().to_owned(),
        entity.content.clone().unwrap_or_default(),
    ]
}

/// A cell of CSV. One that a spreadsheet would take for a formula gets an apostrophe in front.
fn quoted(cell: &str) -> String {
    let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let cell = if formula {
        format!("'{cell}")
    } else {
        cell.to_owned()
    };
    if cell.contains([',', '"', '\n', '\r', '\'']) {
        return format!("\"{}\"", cell.replace('"', "\"\""));
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_formulas_disarmed() {
        for (cell, expected) in [
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
            ("say \"x\"\nnow", "\"say \"\"x\"\"\nnow\""),
            ("=1+1", "\"'=1+1\""),
            ("-1", "\"'-1\""),
        ] {
            assert_eq!(quoted(cell), expected);
        }
    }
}
