use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use windlass_core::{EventType, Result};
use windlass_store::{Collection, RecordEdit};

use super::answers::Deleted;
use super::comments;
use super::tasks::find;
use crate::arguments::Number;

use crate::context::Context;
use crate::operation::{Audience, Declaration, Effect, ErrorStyle, Example, Operation, Toolset};

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

    const DECLARATION: Declaration = Declaration {
        name: "delete_task_comment",
        toolset: Toolset::Plan,
        cli: &["tasks", "delete-comment"],
        sdk: "plan.delete_task_comment",
        effect: Effect::Destructive,
        idempotent: false,
        long_running: false,
        audience: Audience::Anyone,
        errors: ErrorStyle::Result,
        examples: &[Example {
            about: "The first comment of task 6",
            cli: &["tasks", "delete-comment", "6", "1"],
            input: r#"{"task_id": 6, "comment_id": 1}"#,
        }],
    };

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
