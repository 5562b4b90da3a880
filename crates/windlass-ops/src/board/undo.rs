use crate::knowledge::EventOutput;
use crate::prelude::*;
use windlass_store::Undo as StoredUndo;

pub struct Undo;

/// Take back your last write, or the write that an event belongs to, by a new write. A write is
/// everything that one call changed. Values that were changed since stay, unless force is given.
/// Claims, reviews, gates, questions, jobs, runs and sessions cannot be taken back.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The number of one of its events.
    #[serde(default)]
    #[arg(long, value_name = "SEQ")]
    pub event: Option<i64>,
    /// Also take back what was changed since.
    #[serde(default)]
    #[arg(long)]
    pub force: bool,
}

/// What was taken back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UndoOutput {
    /// What was done, in words.
    pub changes: Vec<String>,
    /// What was left as it is, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub left: Vec<String>,
    /// The events of the write, newest first.
    pub events: Vec<EventOutput>,
}

impl Render for UndoOutput {
    fn view(&self) -> View {
        let mut view = View::default();
        for change in &self.changes {
            view = view.line([
                Span::new("Taken back: ", Style::Good),
                change.as_str().into(),
            ]);
        }
        for left in &self.left {
            view = view.line([Span::new("Left: ", Style::Warning), left.as_str().into()]);
        }
        if !self.left.is_empty() {
            view = view.line([Span::new(
                "With --force it is taken back all the same.",
                Style::Dim,
            )]);
        }
        view
    }
}

impl Operation for Undo {
    type Input = Input;
    type Output = UndoOutput;

    const DECLARATION: Declaration = Declaration::write("undo", Toolset::Board)
        .sdk("board.undo")
        .cli(&["undo"])
        .examples(&[Example::new(
            "The write of event 99",
            &["undo", "--event", "99"],
            r#"{"event": 99}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<UndoOutput> {
        context.write(|writer| {
            let undone = writer.undo(StoredUndo {
                event: input.event,
                force: input.force,
            })?;
            let events = undone.events.into_iter();
            Ok(UndoOutput {
                changes: undone.changes,
                left: undone.left,
                events: events
                    .map(|event| EventOutput::named(writer, event).brief())
                    .collect(),
            })
        })
    }
}
