use crate::prelude::*;
use serde_json::{Map, Value as Json};

use super::named;
use super::session::SessionOutput;

pub struct SessionGet;

/// Show one session: its task, tools and signals, and how it ended.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The session; the caller's if absent.
    #[serde(default)]
    pub id: Option<String>,
}

impl ReadOperation for SessionGet {
    type Input = Input;
    type Output = SessionDetail;

    const DECLARATION: Declaration = Declaration::read("session_get", Toolset::Sessions)
        .sdk("sessions.get")
        .cli(&["session", "show"])
        .examples(&[Example::new(
            "The session of the sample",
            &["session", "show", "focus-2-sample"],
            r#"{"id": "focus-2-sample"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<SessionDetail> {
        context.read(|reader| {
            reader.consistently(|reader| {
                let record = named(reader, &context, input.id.as_deref())?;
                let signals = reader.signals(&record.id)?;
                Ok(SessionDetail {
                    session: SessionOutput::read(reader, &record)?,
                    signals: signals
                        .into_iter()
                        .map(|signal| Said {
                            at: signal.at.as_str().to_owned(),
                            verb: signal.verb,
                            body: signal.body.as_object().cloned().unwrap_or_default(),
                        })
                        .collect(),
                })
            })
        })
    }
}

/// A signal of a session.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Said {
    pub at: String,
    pub verb: String,
    pub body: Map<String, Json>,
}

/// A session with its signals.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SessionDetail {
    #[serde(flatten)]
    pub session: SessionOutput,
    pub signals: Vec<Said>,
}

impl Render for SessionDetail {
    fn view(&self) -> View {
        let session = &self.session;
        let mut fields = vec![
            ("recipe".to_owned(), Span::from(session.recipe.clone())),
            ("status".to_owned(), Span::from(session.status.clone())),
        ];
        let task = session.task_id.map(|id| format!("#{id}"));
        for (name, value) in [
            ("task", &task),
            ("feature", &session.feature),
            ("discipline", &session.discipline),
            ("closing", &session.closing),
            ("ended", &session.ended_at),
        ] {
            if let Some(value) = value {
                fields.push((name.to_owned(), Span::from(value.clone())));
            }
        }
        fields.push(("tools".to_owned(), Span::from(session.tools.join(", "))));
        let mut view = View::default()
            .line([Span::new(session.id.clone(), Style::Id)])
            .fields(fields);
        for said in &self.signals {
            view = view.line([
                Span::new(said.at.clone(), Style::Dim),
                Span::new(format!(" {} ", said.verb), Style::Strong),
                Span::from(Json::Object(said.body.clone()).to_string()),
            ]);
        }
        view
    }
}
