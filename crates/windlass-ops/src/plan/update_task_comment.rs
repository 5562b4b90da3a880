use crate::prelude::*;
use serde_json::json;
use windlass_core::{EventType, Timestamp};
use windlass_store::{Collection, RecordEdit};

use super::comments::{self, TaskCommentOutput, check_body};
use super::tasks::find;

pub struct UpdateTaskComment;

/// Edit an existing comment.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The number of the task.
    pub task_id: Number,
    /// The number of the comment within the task.
    pub comment_id: i64,
    /// The new text.
    pub body: String,
}

impl Operation for UpdateTaskComment {
    type Input = Input;
    type Output = TaskCommentOutput;

    const DECLARATION: Declaration = Declaration::write("update_task_comment", Toolset::Plan)
        .sdk("plan.update_task_comment")
        .idempotent()
        .examples(&[Example::call(
            "A new text",
            r#"{"task_id": 6, "comment_id": 1, "body": "Use Argon2"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<TaskCommentOutput> {
        let body = check_body(&input.body)?;
        context.write(|writer| {
            let task = find(writer, "task_id", &input.task_id)?;
            let mut comment = comments::find(writer, &task, input.comment_id)?;
            comment.body = body;
            comment.updated_at = Some(Timestamp::now());
            let edits = [RecordEdit::Replace(input.comment_id, json!(comment))];
            let payload = json!({"number": task.number, "comment": input.comment_id});
            let event = (EventType::CommentUpdated, &payload);
            writer.edit_records(&task, Collection::Comments, &edits, event)?;
            Ok(TaskCommentOutput {
                id: input.comment_id,
                comment: comment.into(),
            })
        })
    }
}
