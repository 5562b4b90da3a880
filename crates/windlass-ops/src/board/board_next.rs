use crate::prelude::*;
use windlass_core::{EntityType, TaskStatus};
use windlass_store::{Reader, TaskFilter};

use super::entity_view::BoardEntity;
use crate::workflow::{file_gates, task_named};

pub struct BoardNext;

/// Show all details of the task to work on next: the most urgent one that is not blocked, not claimed
/// by another session, and has no unfinished children.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only tasks of the feature of this name.
    #[serde(default)]
    #[arg(long)]
    pub feature: Option<String>,
    /// Only tasks of the discipline of this name.
    #[serde(default)]
    #[arg(long)]
    pub discipline: Option<String>,
    /// Only tasks below this one: its number, or at least 4 hex digits of its id.
    #[serde(default)]
    #[arg(long)]
    pub milestone: Option<Id>,
}

/// The next task, or why there is none.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NextTask {
    /// null if no task is ready.
    pub task: Option<BoardEntity>,
    /// Why no task is ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How many of the tasks asked for are blocked, by other tasks or by a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked: Option<u64>,
    /// How many of them are in progress.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_progress: Option<u64>,
}

impl Render for NextTask {
    fn view(&self) -> View {
        match (&self.task, &self.why) {
            (Some(task), _) => task.view(),
            (None, why) => View::nothing(why.as_deref().unwrap_or("No task is ready.")),
        }
    }
}

impl ReadOperation for BoardNext {
    type Input = Input;
    type Output = NextTask;

    const DECLARATION: Declaration = Declaration::read("board_next", Toolset::Board)
        .sdk("board.next")
        .cli(&["next"])
        .examples(&[
            Example::new("What to do now", &["next"], "{}"),
            Example::new(
                "What to do for a feature",
                &["next", "--feature", "auth"],
                r#"{"feature": "auth"}"#,
            ),
        ]);

    async fn run(context: ReadContext, input: Input) -> Result<NextTask> {
        let gates = file_gates(&context.workspace);
        context.read(|reader| {
            reader.consistently(|reader| {
                let filter = filter(reader, &input)?;
                let next = reader.next_task(&context.origin.session, filter.clone())?;
                let Some(task) = next else {
                    return none_ready(reader, &filter);
                };
                Ok(NextTask {
                    task: Some(BoardEntity::read(reader, task, gates)?),
                    why: None,
                    blocked: None,
                    in_progress: None,
                })
            })
        })
    }
}

fn filter(reader: &Reader<'_>, input: &Input) -> Result<TaskFilter> {
    for (field, kind, name) in [
        ("feature", EntityType::Feature, &input.feature),
        ("discipline", EntityType::Discipline, &input.discipline),
    ] {
        if let Some(name) = name {
            reader.by_name(field, kind, name)?;
        }
    }
    let under = input.milestone.as_ref();
    let under = under
        .map(|id| task_named(reader, "milestone", id))
        .transpose()?;
    Ok(TaskFilter {
        under: under.map(|task| task.id),
        feature: input.feature.clone(),
        discipline: input.discipline.clone(),
        ..TaskFilter::default()
    })
}

fn none_ready(reader: &Reader<'_>, filter: &TaskFilter) -> Result<NextTask> {
    let count = |statuses: &[TaskStatus], blocked: Option<bool>| {
        reader.count_tasks(&TaskFilter {
            statuses: statuses.to_vec(),
            blocked,
            ..filter.clone()
        })
    };
    let blocked = count(&[], Some(true))?;
    let in_progress = count(&[TaskStatus::InProgress], Some(false))?;
    let drafts = count(&[TaskStatus::Draft], None)?;
    let why = match (blocked, in_progress, drafts) {
        (0, 0, 0) => "There is no open task.".to_owned(),
        _ => format!(
            "No task is ready: {blocked} blocked, {in_progress} in progress elsewhere, {drafts} drafts."
        ),
    };
    Ok(NextTask {
        task: None,
        why: Some(why),
        blocked: Some(blocked),
        in_progress: Some(in_progress),
    })
}
