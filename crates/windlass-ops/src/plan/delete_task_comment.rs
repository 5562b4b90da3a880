use crate::prelude::*;
use serde_json::json;
use windlass_core::EventType;
use windlass_store::{Collection, RecordEdit};

use super::comments;
use super::outputs::Deleted;
use super::tasks::find;

pub struct DeleteTaskComment;

/// Delete a comment of a task.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The number of the task.
    pub task_id: Number,
    /// The number of the comment within the task.
    pub comment_id: i64,
}

impl Operation for DeleteTaskComment {
    type Input = Input;
    type Output = Deleted;

    const DECLARATION: Declaration = Declaration::destructive("delete_task_comment", Toolset::Plan)
        .sdk("plan.delete_task_comment")
        .examples(&[Example::call(
            "The first comment of task 6",
            r#"{"task_id": 6, "comment_id": 1}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<Deleted> {
        context.write(|writer| {
            let task = find(writer, "task_id", &input.task_id)?;
            let comment = comments::find(writer, &task, input.comment_id)?;
            let edits = [RecordEdit::Remove(input.comment_id)];
            let payload = json!({"number": task.number, "comment": input.comment_id});
            let event = (EventType::CommentDeleted, &payload);
            writer.edit_records(&task, Collection::Comments, &edits, event)?;
            let title = format!("comment by {} on task {}", comment.author, task.number);
            Ok(Deleted::numbered(input.comment_id, title))
        })
    }
}
