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
        BoardEntity::load(&context, |reader| reader.named("id", &input.id.0))
    }
}
