use crate::prelude::*;

use super::reference::Reference;
use crate::plan::Journal;

pub struct MemoryConfirm;

/// Say that a note or a learning still holds: briefings prefer it, and reviews leave it out for a
/// while.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// A note: #12. Learning 3 of entity 7: #7.3. One of the project: p1a2b3c4d.
    pub id: String,
}

/// What is known about it now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MemoryState {
    pub id: String,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retired_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retired_by: Option<String>,
    /// What holds instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
}

impl MemoryState {
    pub fn new(reference: &Reference, truth: windlass_core::Truth) -> Self {
        let seconds = |at: Option<windlass_core::Timestamp>| at.map(|it| it.to_seconds());
        Self {
            id: reference.name(),
            text: reference.text().to_owned(),
            confirmed_at: seconds(truth.confirmed_at),
            confirmed_by: truth.confirmed_by,
            retired_at: seconds(truth.retired_at),
            retired_by: truth.retired_by,
            replaced_by: truth.replaced_by,
        }
    }
}

impl Render for MemoryState {
    fn view(&self) -> View {
        let said = if self.retired_at.is_some() {
            "No longer true: "
        } else {
            "Confirmed: "
        };
        View::default().line([
            Span::new(format!("{} ", self.id), Style::Id),
            Span::new(said, Style::Good),
            Span::from(self.text.clone()),
        ])
    }
}

/// Lines of the journal are in a file too.
pub fn write_journal(context: &Context, reference: &Reference) -> Result<()> {
    match reference {
        Reference::Project(_) => Journal::Learnings.write_file(
            &context.store,
            &context.origin,
            context.workspace.project(),
        ),
        _ => Ok(()),
    }
}

impl Operation for MemoryConfirm {
    type Input = Input;
    type Output = MemoryState;

    const DECLARATION: Declaration = Declaration::write("memory_confirm", Toolset::Workflow)
        .sdk("memory.confirm")
        .cli(&["memory", "confirm"])
        .idempotent()
        .examples(&[Example::new(
            "Note 4 still holds",
            &["memory", "confirm", "4"],
            r#"{"id": "4"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<MemoryState> {
        let (reference, truth) = context.write(|writer| {
            let reference = Reference::resolve(writer, "id", &input.id)?;
            let truth = reference.confirm(writer, &context.origin.session)?;
            Ok((reference, truth))
        })?;
        write_journal(&context, &reference)?;
        Ok(MemoryState::new(&reference, truth))
    }
}
