use super::session::SessionOutput;
use super::{ending, named};
use crate::prelude::*;

pub struct SessionEnd;

/// End a session: the last of done, partial and stuck decides about its task, and the claim is
/// released. Ending it again changes nothing.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The session; the caller's if absent.
    #[serde(default)]
    pub id: Option<String>,
}

impl Operation for SessionEnd {
    type Input = Input;
    type Output = EndedSession;

    const DECLARATION: Declaration = Declaration::write("session_end", Toolset::Sessions)
        .sdk("sessions.end")
        .cli(&["session", "end"])
        .idempotent()
        .examples(&[Example::new(
            "The session of the sample",
            &["session", "end", "focus-2-sample"],
            r#"{"id": "focus-2-sample"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<EndedSession> {
        let record = context.read(|reader| named(reader, &context, input.id.as_deref()))?;
        let ended = ending::end(&context, &record.id, None)?;
        context.read(|reader| {
            let record = reader.session(&record.id)?;
            Ok(EndedSession {
                session: SessionOutput::read(reader, &record)?,
                ended,
                review_id: match &record.task {
                    Some(task) => reader.active_review(task)?.map(|review| review.id),
                    None => None,
                },
            })
        })
    }
}

/// A session that has ended.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EndedSession {
    #[serde(flatten)]
    pub session: SessionOutput,
    /// Whether it was still open.
    pub ended: bool,
    /// The active review of its task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review_id: Option<String>,
}

impl Render for EndedSession {
    fn view(&self) -> View {
        let how = self
            .session
            .closing
            .clone()
            .unwrap_or_else(|| "ended".to_owned());
        let said = if self.ended {
            "Ended "
        } else {
            "Already ended: "
        };
        View::default().line([
            Span::from(said),
            Span::new(self.session.id.clone(), Style::Id),
            Span::from(format!("  {how}")),
        ])
    }
}
