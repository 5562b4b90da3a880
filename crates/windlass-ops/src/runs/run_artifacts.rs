use crate::prelude::*;
use windlass_runs::record::ArtifactRecord;

use super::byte_page::{BytePage, PageEnd};
use super::stored;

pub struct RunArtifacts;

/// List the stored artifacts of a run, or read one of them, page by page.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The id of the run.
    #[serde(rename = "runId")]
    #[arg(id = "runId", value_name = "RUN_ID")]
    pub run_id: String,
    /// The key of one artifact, to read it.
    #[serde(default)]
    #[arg(long)]
    pub key: Option<String>,
    #[serde(flatten, deserialize_with = "crate::input::part")]
    #[command(flatten)]
    pub page: BytePage,
}

/// An artifact of a step.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StepArtifact {
    /// The step, counted from 0.
    pub step: usize,
    #[serde(flatten)]
    pub artifact: ArtifactRecord,
}

/// A part of an artifact.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Content {
    pub key: String,
    /// As text; bytes that are not valid UTF-8 are replaced.
    pub text: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The byte to continue from, if there is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<u64>,
}

/// The stored artifacts of a run.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Kept {
    pub run_id: String,
    pub artifacts: Vec<StepArtifact>,
    /// With a key: its content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Content>,
}

impl Render for Kept {
    fn view(&self) -> View {
        if let Some(content) = &self.content {
            return View::default().text(content.text.clone());
        }
        if self.artifacts.is_empty() {
            return View::nothing("No artifacts.");
        }
        let columns = vec![
            Column::new("STEP").right(),
            Column::new("NAME"),
            Column::new("BYTES").right(),
            Column::new("KEY").shrinking(),
        ];
        let rows = self.artifacts.iter().map(|it| {
            let artifact = &it.artifact;
            let place = artifact.key.as_ref().or(artifact.skipped.as_ref());
            vec![
                Span::new(it.step.to_string(), Style::Id),
                Span::from(artifact.name.clone()),
                Span::from(artifact.bytes.map(|it| it.to_string()).unwrap_or_default()),
                Span::new(place.cloned().unwrap_or_default(), Style::Dim),
            ]
        });
        View::default().table(columns, rows.collect())
    }
}

impl ReadOperation for RunArtifacts {
    type Input = Input;
    type Output = Kept;

    const DECLARATION: Declaration = Declaration::read("run_artifacts", Toolset::Runs)
        .sdk("runs.artifacts")
        .blocking()
        .cli(&["runs", "artifacts"])
        .errors(ErrorStyle::Result)
        .examples(&[Example::new(
            "The artifacts of a run",
            &["runs", "artifacts", "run-1"],
            r#"{"runId": "run-1"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<Kept> {
        input.page.check()?;
        let run = stored::load(&context, &input.run_id)?;
        let steps = run.record.steps().iter().enumerate();
        let artifacts: Vec<StepArtifact> = steps
            .flat_map(|(step, record)| {
                let kept = record.artifacts.iter().cloned();
                kept.map(move |artifact| StepArtifact { step, artifact })
            })
            .collect();
        let content = match &input.key {
            None => None,
            Some(key) => {
                let known = |it: &&StepArtifact| it.artifact.key.as_ref() == Some(key);
                if !artifacts.iter().any(|it| known(&it)) {
                    return Err(Error::new(
                        ErrorKind::ArtifactNotFound,
                        format!("Run {} has no artifact {key}", input.run_id),
                    )
                    .with_hint("Without a key, [[run_artifacts]] lists all artifacts."));
                }
                Some(read(&context, key, input.page).await?)
            }
        };
        Ok(Kept {
            run_id: input.run_id,
            artifacts,
            content,
        })
    }
}

async fn read(context: &ReadContext, key: &str, page: BytePage) -> Result<Content> {
    let end = page.from.saturating_add(page.bytes_to_read());
    let (part, bytes) = context.jobs.artifact(key, page.from..end).await?;
    let end = if page.from + (part.len() as u64) < bytes {
        PageEnd::Continues
    } else {
        PageEnd::Final
    };
    let (text, length) = page.text(&part, end);
    let next = page.from + length;
    Ok(Content {
        key: key.to_owned(),
        text,
        bytes,
        next: (next < bytes).then_some(next),
    })
}
