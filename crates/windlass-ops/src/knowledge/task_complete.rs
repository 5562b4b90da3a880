use crate::prelude::*;
use serde_json::json;
use windlass_core::{Dialect, EntityType, Patch};

use super::lookup::expect;
use crate::outputs::{EntityOutput, EntitySummary, number};

pub struct TaskComplete;

/// Mark a task as done. Returns the tasks that became ready.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Its number or id.
    pub id: Id,
}

/// The completed task, and the tasks that it unblocked.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Completed {
    #[serde(flatten)]
    pub task: EntityOutput,
    /// Tasks that waited for this one and are ready now.
    pub unblocked: Vec<EntitySummary>,
}

impl Render for Completed {
    fn rest_of(&self, field: &str, shown: usize) -> Option<String> {
        self.task.rest_of(field, shown)
    }

    fn view(&self) -> View {
        let mut view = View::default().line([
            Span::new("Done ", Style::Good),
            number(self.task.sequence_number),
            Span::from(format!(" {}", self.task.title)),
        ]);
        for task in &self.unblocked {
            let mut line = vec![Span::from("  now ready: ")];
            line.extend(task.spans());
            view = view.line(line);
        }
        view
    }
}

impl Operation for TaskComplete {
    type Input = Input;
    type Output = Completed;

    const DECLARATION: Declaration = Declaration::write("task_complete", Toolset::Knowledge)
        .sdk("tasks.complete")
        .idempotent()
        .examples(&[Example::call("Task 2 is done", r#"{"id": "2"}"#)]);

    async fn run(context: Context, input: Input) -> Result<Completed> {
        context.write(|writer| {
            let id = expect(writer, "id", &input.id, EntityType::Task)?.id;
            let waiting = writer.blocked_by(&id)?;
            let patch = Patch {
                properties: json!({"status": "done"})
                    .as_object()
                    .cloned()
                    .unwrap_or_default(),
                ..Patch::default()
            };
            let task = writer.update(&id, &patch, Dialect::Knowledge)?;
            let unblocked = writer.ready_among(&waiting)?;
            Ok(Completed {
                task: EntityOutput::from(task),
                unblocked: unblocked.iter().map(EntitySummary::from).collect(),
            })
        })
    }
}
