use super::session::SessionOutput;
use crate::outputs::more_line;
use crate::prelude::*;

pub struct SessionList;

/// List sessions, the latest first: who works on what, with which recipe, and how it ended.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only those that have not ended.
    #[serde(default)]
    #[arg(long)]
    pub open: bool,
    #[serde(flatten, deserialize_with = "crate::input::part")]
    #[command(flatten)]
    pub paging: Paging<50>,
}

impl ReadOperation for SessionList {
    type Input = Input;
    type Output = SessionPage;

    const DECLARATION: Declaration = Declaration::read("session_list", Toolset::Sessions)
        .sdk("sessions.list")
        .cli(&["session", "list"])
        .examples(&[Example::new(
            "Open sessions",
            &["session", "list", "--open"],
            r#"{"open": true}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<SessionPage> {
        let page = input.paging.page()?;
        context.read(|reader| {
            let (records, total) = reader.sessions(input.open, page)?;
            let sessions = records
                .iter()
                .map(|record| SessionOutput::read(reader, record))
                .collect::<Result<Vec<_>>>()?;
            let reached = page.offset + u32::try_from(sessions.len()).unwrap_or(u32::MAX);
            Ok(SessionPage {
                sessions,
                total,
                offset: page.offset,
                next_offset: (u64::from(reached) < total).then_some(reached),
            })
        })
    }
}

/// Sessions on record.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SessionPage {
    pub sessions: Vec<SessionOutput>,
    pub total: u64,
    pub offset: u32,
    /// Where the next page begins, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u32>,
}

impl Render for SessionPage {
    fn view(&self) -> View {
        if self.sessions.is_empty() {
            return View::nothing(
                "No sessions. `windlass session start --recipe NAME` starts one.",
            );
        }
        let columns = vec![
            Column::new("SESSION"),
            Column::new("STATUS"),
            Column::new("TASK").right(),
            Column::new("DISCIPLINE"),
            Column::new("ENDED"),
            Column::new("STARTED"),
        ];
        let rows = self.sessions.iter().map(|session| {
            let task = session.task_id.map_or(String::new(), |id| format!("#{id}"));
            vec![
                Span::new(session.id.clone(), Style::Id),
                Span::from(session.status.clone()),
                Span::from(task),
                Span::from(session.discipline.clone().unwrap_or_default()),
                Span::from(session.closing.clone().unwrap_or_default()),
                Span::new(session.started_at.clone(), Style::Time),
            ]
        });
        let view = View::default().table(columns, rows.collect());
        more_line(view, self.sessions.len(), self.offset, Some(self.total))
    }
}
