use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::{EntityId, Result};
use windlass_store::{Reader, TaskLearning};

use crate::view::{Render, Span, Style, View};

/// A learning of a task.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TaskLearningOutput {
    /// Its number within its task.
    pub number: i64,
    pub task_id: String,
    pub content: String,
    /// The task that it comes from.
    pub source_task_id: String,
    /// Who learned it: auto, agent or human.
    pub source: String,
    pub created_at: String,
}

impl From<TaskLearning> for TaskLearningOutput {
    fn from(it: TaskLearning) -> Self {
        Self {
            number: it.number,
            task_id: it.task.as_str().to_owned(),
            content: it.learning.text,
            source_task_id: it.source_task.as_str().to_owned(),
            source: it.learning.source.name().to_owned(),
            created_at: it.learning.created_at.as_str().to_owned(),
        }
    }
}

impl Render for TaskLearningOutput {
    fn view(&self) -> View {
        View::default().line([Span::from(format!("- {}", self.content))])
    }
}

/// The learnings of a task.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Learnings {
    pub learnings: Vec<TaskLearningOutput>,
    pub total: usize,
}

impl Render for Learnings {
    fn view(&self) -> View {
        if self.learnings.is_empty() {
            return View::nothing("No learnings yet.");
        }
        let lines = self.learnings.iter().map(Render::view);
        lines.fold(View::default(), View::join)
    }
}

/// The learnings of a task, its parent and its milestone.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Inherited {
    pub own: Vec<TaskLearningOutput>,
    pub parent: Vec<TaskLearningOutput>,
    pub milestone: Vec<TaskLearningOutput>,
}

impl Inherited {
    pub fn read(reader: &Reader<'_>, task: &EntityId) -> Result<Self> {
        let above = reader.ancestors(task)?;
        let of = |id: Option<&EntityId>| -> Result<Vec<TaskLearningOutput>> {
            let Some(id) = id else { return Ok(Vec::new()) };
            let learnings = reader.task_learnings(id)?;
            Ok(learnings
                .into_iter()
                .map(TaskLearningOutput::from)
                .collect())
        };
        let milestone = (above.len() > 1).then(|| above.first()).flatten();
        Ok(Self {
            own: of(Some(task))?,
            parent: of(above.last().map(|it| &it.id))?,
            milestone: of(milestone.map(|it| &it.id))?,
        })
    }

    /// Empty if there are no learnings.
    pub fn view_if_any(&self) -> View {
        let parts = [
            ("Learnings of the task", &self.own),
            ("Learnings of the parent", &self.parent),
            ("Learnings of the milestone", &self.milestone),
        ];
        let mut view = View::default();
        for (title, learnings) in parts {
            if learnings.is_empty() {
                continue;
            }
            view = view.blank().line([Span::new(title, Style::Strong)]);
            view = learnings.iter().map(Render::view).fold(view, View::join);
        }
        view
    }
}

impl Render for Inherited {
    fn view(&self) -> View {
        let view = self.view_if_any();
        if view.blocks.is_empty() {
            return View::nothing("No learnings yet.");
        }
        view
    }
}
