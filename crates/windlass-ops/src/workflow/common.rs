//! What several operations of the lifecycle share.

use windlass_core::{Dialect, Entity, EntityType, Error, ErrorKind, EventType, Result, TaskStatus};
use windlass_store::{Reader, Review};

use super::gates;
use super::outputs::Submitted;
use crate::arguments::Id;
use crate::commands::inside;
use crate::context::{Context, ReadContext};
use crate::git;

/// The task that an argument names.
pub fn task(reader: &Reader<'_>, field: &str, id: &Id) -> Result<Entity> {
    let entity = reader.named(field, &id.0)?;
    if entity.kind == EntityType::Task {
        return Ok(entity);
    }
    Err(Error::validation(
        field,
        format!(
            "entity {} is a {}, not a task",
            entity.number,
            entity.kind.name()
        ),
    ))
}

/// What a task says, from the words of a caller. In the SDK a description is one line and a context
/// is the text below it; elsewhere that line is the title and the text is the description. A caller
/// that gives both a title and a description means the latter.
pub struct TaskText<'a> {
    pub title: Option<&'a str>,
    pub content: Option<String>,
}

pub fn task_text<'a>(
    title: Option<&'a str>,
    description: Option<&'a str>,
    context: Option<&str>,
) -> TaskText<'a> {
    let (title, text) = match (title, description) {
        (Some(title), text) => (Some(title), text),
        (None, title) => (title, None),
    };
    let content = match (text, context) {
        (Some(text), Some(context)) => Some(format!("{text}\n\n{context}")),
        (text, context) => text.or(context).map(str::to_owned),
    };
    TaskText { title, content }
}

/// Refuses to add work under a completed or cancelled task.
pub fn check_open(parent: &Entity, dialect: Dialect) -> Result<()> {
    let status = parent.task_status().unwrap_or(TaskStatus::Pending);
    if !status.is_ended() {
        return Ok(());
    }
    let state = dialect.status(status);
    Err(Error::new(
        ErrorKind::InvalidTransition,
        format!("Cannot add to task {}: it is {state}", parent.number),
    )
    .with("state", state)
    .with_hint("Choose a parent that is open, or none."))
}

/// A status by its name in any dialect. The error lists the names of the SDK.
pub fn status(word: &str) -> Result<TaskStatus> {
    TaskStatus::parse_any(word)
        .ok_or_else(|| Error::invalid_enum("status", word, Dialect::Sdk.statuses()))
}

pub fn file_gate_names(context: &ReadContext) -> Vec<String> {
    let gates = gates::file_gates(&context.workspace);
    gates.into_iter().map(|gate| gate.definition.name).collect()
}

/// Runs the gates of a review and returns immediately, or when they have finished.
pub async fn answer_with_gates(context: &Context, review: Review, wait: bool) -> Result<Submitted> {
    gates::look_after(context, &review, wait).await?;
    context
        .offload(move |context| {
            context.state.read(None, |reader| {
                Submitted::read(reader, reader.review(&review.id)?, context.output_budget)
            })
        })
        .await
}

/// Whether files have changed since the work of a review was submitted, where git can tell.
pub fn changed_since_submission(context: &ReadContext, review: &Review) -> Option<bool> {
    if !review.status.is_active() {
        return None;
    }
    let then = review.submit_tree.as_ref()?;
    let repo = context.read(|reader| reader.repo(&review.repo)).ok()?;
    let now = git::tree(repo.path.as_ref())?;
    Some(*then != now)
}

/// A folder of the project in canonical form: absolute, with links resolved.
pub fn folder(context: &ReadContext, path: Option<&str>) -> Result<String> {
    let root = context.workspace.root();
    let Some(path) = path.filter(|path| !path.is_empty() && *path != ".") else {
        return Ok(root.display().to_string());
    };
    // A linked worktree of the project may lie anywhere.
    let given = root.join(path);
    if let Ok(project) = windlass_store::Project::find(&given)
        && project.state() == context.workspace.project().state()
    {
        return Ok(project.root().display().to_string());
    }
    inside(root, path.as_ref()).map(|folder| folder.display().to_string())
}

/// The filter for events.
#[derive(Debug, Clone)]
pub struct Wanted {
    pub types: Vec<String>,
    pub entity: Option<String>,
}

impl Wanted {
    /// Refuses an unknown event type, so that no caller waits for an event that never comes.
    pub fn of(context: &ReadContext, types: &[String], entity: Option<&Id>) -> Result<Self> {
        for given in types {
            let begins = |kind: &&EventType| kind.name().starts_with(given.as_str());
            if given.is_empty() || EventType::ALL.iter().find(begins).is_none() {
                let known: Vec<&str> = EventType::ALL.iter().map(|kind| kind.name()).collect();
                return Err(Error::invalid_enum("types", given, &known));
            }
        }
        let entity = entity.map(|id| context.read(|reader| reader.resolve("entity", &id.0)));
        Ok(Self {
            types: types.to_vec(),
            entity: entity.transpose()?.map(|id| id.as_str().to_owned()),
        })
    }

    pub fn fits(&self, kind: &str) -> bool {
        self.types.is_empty()
            || self
                .types
                .iter()
                .any(|given| kind.starts_with(given.as_str()))
    }
}
