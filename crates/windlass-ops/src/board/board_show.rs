use super::entity_view::BoardEntity;
use crate::prelude::*;

pub struct BoardShow;

/// Show everything about one entity of any type. For a task: its fields, claim, blockers, tasks that
/// it blocks, parent and children, gates with their last results, review, question, comments and
/// learnings.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number, or at least 4 hex digits of its id.
    pub id: Id,
    /// Only this field of it, for example description, or an item of a list: consequences.3.
    #[serde(default)]
    #[arg(long)]
    pub field: Option<String>,
    /// Skip this many characters or items of it.
    #[serde(default)]
    #[arg(long, default_value_t = 0)]
    pub from: u32,
}

impl ReadOperation for BoardShow {
    type Input = Input;
    type Output = BoardEntity;

    const DECLARATION: Declaration = Declaration::read("board_show", Toolset::Board)
        .sdk("board.show")
        .cli(&["show"])
        .examples(&[
            Example::new("Task 2", &["show", "2"], r#"{"id": "2"}"#),
            Example::new("A decision", &["show", "1"], r#"{"id": "1"}"#),
        ]);

    async fn run(context: ReadContext, input: Input) -> Result<BoardEntity> {
        let from = input.from as usize;
        match &input.field {
            None if from == 0 => {
                BoardEntity::load(&context, |reader| reader.named("id", &input.id.0))
            }
            field => {
                let entity = context.read(|reader| reader.named("id", &input.id.0))?;
                BoardEntity::piece(entity, field.as_deref().unwrap_or("description"), from)
            }
        }
    }
}
