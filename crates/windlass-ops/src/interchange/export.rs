use crate::prelude::*;
use std::io::{BufWriter, Write};
use std::path::Path;

use clap::ValueEnum;
use windlass_core::Actor;
use windlass_interchange::{ExportFormat, ExportWriter};

use super::place;

pub struct Export;

/// Export every entity with its relations, comments and learnings, in a stable format: JSON and JSON
/// lines can be imported again, CSV is for spreadsheets.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// json, jsonl or csv.
    #[serde(default)]
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// The file to write, relative to the project's root; without it the text is returned.
    #[serde(default)]
    #[arg(long, value_name = "FILE")]
    pub out: Option<String>,
}

/// The format of an export.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// One document, an entity on each line.
    #[default]
    Json,
    /// An object on each line.
    Jsonl,
    /// A table for spreadsheets, which cannot be imported.
    Csv,
}

impl From<Format> for ExportFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Json => Self::Json,
            Format::Jsonl => Self::JsonLines,
            Format::Csv => Self::Csv,
        }
    }
}

/// What was exported.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Exported {
    pub entities: u64,
    /// The file that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The export itself, if no file was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Render for Exported {
    fn view(&self) -> View {
        match (&self.file, &self.text) {
            (Some(file), _) => View::default().line([
                Span::new("Exported ", Style::Good),
                Span::from(format!("{} entities to {file}", self.entities)),
            ]),
            (None, Some(text)) => View::default().text(text.clone()),
            (None, None) => View::default(),
        }
    }

    fn rest_of(&self, _field: &str, _shown: usize) -> Option<String> {
        Some("Name a file with \"out\": it gets the whole export.".to_owned())
    }
}

impl Operation for Export {
    type Input = Input;
    type Output = Exported;

    const DECLARATION: Declaration = Declaration::write("export", Toolset::Board)
        .sdk("board.export")
        .cli(&["export"])
        .idempotent()
        .long_running()
        .examples(&[Example::new(
            "A table of everything",
            &["export", "--format", "csv", "--out", "plan.csv"],
            r#"{"format": "csv", "out": "plan.csv"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<Exported> {
        context
            .offload(move |context| {
                if let Some(out) = &input.out {
                    return to_file(context, input.format, out);
                }
                let mut bytes = Vec::new();
                let entities = export_to(context, input.format.into(), &mut bytes)?;
                Ok(Exported {
                    entities,
                    file: None,
                    bytes: None,
                    text: Some(String::from_utf8_lossy(&bytes).into_owned()),
                })
            })
            .await
    }
}

/// Writes the whole export, one entity at a time and from one state. Returns how many there are.
pub fn export_to(context: &ReadContext, format: ExportFormat, out: &mut dyn Write) -> Result<u64> {
    let failed = |problem: std::io::Error| {
        Error::storage(format!("The export could not be written: {problem}"))
    };
    let mut writer = ExportWriter::begin(format, BufWriter::new(out)).map_err(failed)?;
    context
        .read(|reader| reader.each_entity(|exported| writer.entity(&exported).map_err(failed)))?;
    let (entities, _) = writer.finish().map_err(failed)?;
    Ok(entities)
}

fn to_file(context: &Context, format: Format, out: &str) -> Result<Exported> {
    let path = Path::new(out);
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| Error::validation("out", format!("\"{out}\" is not a file")))?;
    let parent = path
        .parent()
        .map_or("", |parent| parent.to_str().unwrap_or(""));
    let target = place::to_write(context, parent, true)?;
    let failed = |problem: std::io::Error| Error::storage(format!("{out}: {problem}"));
    let Some(folder) = target.folder else {
        return Err(Error::storage(format!("{out} cannot be created")));
    };
    if context.origin.actor != Actor::Human {
        let there = folder.read(name).map_err(failed)?;
        if there.is_some_and(|text| !is_export(&text)) {
            return Err(Error::new(
                ErrorKind::PathRefused,
                format!("{out} exists, and is not an export"),
            )
            .with("path", out)
            .with_hint("Choose a name that is free; a person can replace any file."));
        }
    }
    let mut file = folder.begin(name).map_err(failed)?;
    let entities = export_to(context, format.into(), &mut file.file)?;
    let bytes = file.file.metadata().map_err(failed)?.len();
    file.take_name_durably().map_err(failed)?;
    Ok(Exported {
        entities,
        file: Some(match target.shown.as_str() {
            "." => name.to_owned(),
            folder => format!("{folder}/{name}"),
        }),
        bytes: Some(bytes),
        text: None,
    })
}

/// Whether a file was written by an export.
fn is_export(text: &str) -> bool {
    text.starts_with("{\"format\":\"windlass-export\"") || text.starts_with("number,id,type,title,")
}
