use super::comments::{Comment, TaskCommentOutput};
use super::tasks::find;
use crate::prelude::*;

pub struct AddTaskComment;

/// Add a comment to a task.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The number of the task.
    pub task_id: Number,
    /// The author.
    pub author: String,
    /// The text.
    pub body: String,
    /// The name of the discipline that it concerns.
    #[serde(default)]
    #[arg(long)]
    pub discipline: Option<String>,
    /// Its priority: low, medium, high or critical.
    #[serde(default)]
    #[arg(long)]
    pub priority: Option<PriorityWord>,
}

impl Operation for AddTaskComment {
    type Input = Input;
    type Output = TaskCommentOutput;

    const DECLARATION: Declaration = Declaration::write("add_task_comment", Toolset::Plan)
        .sdk("plan.add_task_comment")
        .examples(&[Example::call(
            "A comment on task 6",
            r#"{"task_id": 6, "author": "ann", "body": "The old sessions must end too"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<TaskCommentOutput> {
        let comment = Comment::new(&input.author, &input.body)?
            .with_priority(input.priority.as_ref().map(PriorityWord::as_str))?;
        context.write(|writer| {
            let task = find(writer, "task_id", &input.task_id)?;
            comment
                .in_discipline(writer, input.discipline.as_deref())?
                .add(writer, &task)
        })
    }
}
