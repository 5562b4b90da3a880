use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;

use super::session::SessionView;
use super::{ending, named};
use crate::view::{Render, Span, Style, View};
use crate::workflow::look_after_gates;

use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

pub struct SessionEnd;

/// End a session: its last closing word decides about its task, and the claim is given back. Ending
/// it again changes nothing.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The session; the caller's own if absent.
    #[serde(default)]
    pub id: Option<String>,
}

impl Operation for SessionEnd {
    type Input = Input;
    type Output = EndedSession;

    const DECLARATION: Declaration = Declaration {
        name: "session_end",
        toolset: Toolset::Sessions,
        cli: &["session", "end"],
        sdk: "sessions.end",
        effect: Effect::Write,
        idempotent: true,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "The session of the sample",
            cli: &["session", "end", "focus-2-sample"],
            input: r#"{"id": "focus-2-sample"}"#,
        }],
    };

    async fn run(context: Context, input: Input) -> Result<EndedSession> {
        let record = context.read(|reader| named(reader, &context, input.id.as_deref()))?;
        let ended = ending::end(&context, &record.id, None)?;
        if let Some(review) = &ended.review {
            look_after_gates(&context, review, false).await?;
        }
        context.read(|reader| {
            let record = reader.session(&record.id)?;
            Ok(EndedSession {
                session: SessionView::read(reader, &record)?,
                ended: ended.ended,
                review_id: ended.review.map(|review| review.id),
            })
        })
    }
}

/// A session that has ended.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EndedSession {
    #[serde(flatten)]
    pub session: SessionView,
    /// Whether it was still open.
    pub ended: bool,
    /// The review of its work, where gates check it.
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
            "It had ended: "
        };
        View::default().line([
            Span::from(said),
            Span::new(self.session.id.clone(), Style::Id),
            Span::from(format!("  {how}")),
        ])
    }
}
