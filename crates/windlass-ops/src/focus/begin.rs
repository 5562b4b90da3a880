use crate::prelude::*;
use windlass_core::{Entity, ErrorKind, TaskStatus};
use windlass_store::{TaskFilter, WorkPlace, Writer};

use super::current::Current;
use crate::briefing::TaskBriefing;
use crate::git;
use crate::remote::Claimed;
use crate::workflow::task_named;

pub struct Begin;

/// Begin here: take the next ready task, or this one, with all that helps: criteria, files, feedback,
/// decisions, learnings, gates, allowed commands. Called again, it shows the task that you hold.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The number of the task.
    #[serde(default)]
    pub id: Option<Id>,
    /// Only look: claim and change nothing.
    #[serde(default)]
    #[arg(long)]
    pub peek: bool,
}

/// The task that was begun.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Begun {
    /// Absent if no task is ready.
    #[serde(flatten)]
    pub briefing: Option<TaskBriefing>,
    /// What to do now.
    pub next: String,
}

impl Render for Begun {
    fn view(&self) -> View {
        let mut view = View::default();
        if let Some(briefing) = &self.briefing {
            view = view.text(briefing.to_markdown().trim().to_owned()).blank();
        }
        view.line([Span::from(self.next.clone())])
    }
}

impl Operation for Begin {
    type Input = Input;
    type Output = Begun;

    const DECLARATION: Declaration = Declaration::write("begin", Toolset::Focus)
        .sdk("focus.begin")
        .blocking()
        .idempotent()
        .examples(&[
            Example::call("The next ready task", "{}"),
            Example::call("A look at task 2", r#"{"id": "2", "peek": true}"#),
        ]);

    async fn run(context: Context, input: Input) -> Result<Begun> {
        let mut note = None;
        let task = if input.peek {
            look(&context, input.id.as_ref())?
        } else {
            let taken = take(&context, input.id.as_ref())?;
            note = taken.note;
            taken.value
        };
        let Some(task) = task else {
            let next = nothing_ready(&context)?;
            return Ok(Begun {
                briefing: None,
                next: context.naming.render(&next),
            });
        };
        let briefing = TaskBriefing::read(&context, &task)?;
        if !input.peek && !briefing.used.is_empty() {
            context.write(|writer| writer.count_uses(&briefing.used))?;
        }
        let next = next_step(&briefing, input.peek);
        let next = match note {
            Some(note) => format!("{note} {next}"),
            None => next,
        };
        Ok(Begun {
            next: context.naming.render(&next),
            briefing: Some(briefing),
        })
    }
}

/// The task that would be taken.
fn look(context: &ReadContext, id: Option<&Id>) -> Result<Option<Entity>> {
    context.read(|reader| match id {
        Some(id) => task_named(reader, "id", id).map(Some),
        None => match open_task(Current::find(reader, &context.origin.session)?) {
            Some(task) => Ok(Some(task)),
            None => reader.next_task(&context.origin.session, TaskFilter::default()),
        },
    })
}

/// The briefing of the caller's task, or of the one that it would get.
pub fn own_briefing(context: &ReadContext) -> Result<String> {
    Ok(match look(context, None)? {
        Some(task) => TaskBriefing::read(context, &task)?
            .to_markdown()
            .trim_start()
            .to_owned(),
        None => context.naming.render(&nothing_ready(context)?) + "\n",
    })
}

fn open_task(current: Option<Current>) -> Option<Entity> {
    current
        .filter(|current| !current.has_ended())
        .map(|current| current.task)
}

fn take(context: &Context, id: Option<&Id>) -> Result<Claimed<Option<Entity>>> {
    if context.workspace.workflow()?.git.branch
        && let Some(task) = look(context, id)?
    {
        git::switch_to_branch(context.workspace.root(), &task)?;
    }
    let place = git::place(context.workspace.root());
    context.write_claiming(|writer| {
        let current = Current::find(writer, &context.origin.session)?;
        let named = id.map(|id| task_named(writer, "id", id)).transpose()?;
        if let Some(current) = &current
            && current.record.as_ref().is_some_and(|it| it.task.is_some())
            && let Some(named) = &named
            && named.id != current.task.id
        {
            return Err(other_task(current, named));
        }
        let task = match named.or_else(|| open_task(current)) {
            Some(task) => Some(task),
            None => writer.next_task(&context.origin.session, TaskFilter::default())?,
        };
        task.map(|task| hold(writer, context, task, &place))
            .transpose()
    })
}

/// Makes the task the caller's: starts it, or goes on with it.
fn hold(writer: &Writer<'_>, context: &Context, task: Entity, place: &WorkPlace) -> Result<Entity> {
    let session = &context.origin.session;
    let holder = writer.claim_of(&task.id)?;
    let is_held = holder.is_some_and(|(owner, _)| owner == *session);
    let under_way = matches!(
        task.task_status(),
        Some(TaskStatus::InProgress | TaskStatus::InReview)
    );
    if is_held && under_way {
        return writer
            .claim(&task.id, session, None)
            .map(|claim| claim.task);
    }
    writer.start_task(&task.id, place)
}

fn other_task(current: &Current, named: &Entity) -> Error {
    Error::new(
        ErrorKind::NoTask,
        format!(
            "This session works on task {}, not on task {}",
            current.task.number, named.number
        ),
    )
    .with("task_id", current.task.number)
    .with_hint("Call it without an id.")
}

fn next_step(briefing: &TaskBriefing, peek: bool) -> String {
    let number = briefing.task.id;
    if peek {
        return format!("Nothing was claimed. [[focus.begin]] with id {number} takes the task.");
    }
    let feedback = match &briefing.feedback {
        Some(_) => " Act on the feedback first.",
        None => "",
    };
    let check = if briefing.commands.is_empty() {
        ""
    } else {
        " and check it with [[task_start]]"
    };
    let ends = if briefing.gates.is_empty() {
        ""
    } else {
        ": it runs the gates and says what failed"
    };
    format!(
        "Task {number} is yours.{feedback} Do the work in this folder{check}. Then call [[focus.done]] with a summary{ends}. If you cannot finish, [[focus.partial]] or [[focus.stuck]] gives the task back; [[focus.ask]] asks a person."
    )
}

fn nothing_ready(context: &ReadContext) -> Result<String> {
    let statistics = context.read(|reader| reader.task_counts())?;
    let count = |status: TaskStatus| -> u64 {
        let found = statistics.iter().filter(|it| it.status == status);
        found.map(|it| it.count).sum()
    };
    let parts: Vec<String> = [
        (TaskStatus::InProgress, "in progress"),
        (TaskStatus::InReview, "in review"),
        (TaskStatus::AwaitingHuman, "waiting for a person"),
        (TaskStatus::Blocked, "blocked"),
        (
            TaskStatus::Pending,
            "waiting for other tasks or held by others",
        ),
        (TaskStatus::Draft, "drafts"),
    ]
    .into_iter()
    .filter(|(status, _)| count(*status) > 0)
    .map(|(status, words)| format!("{} {words}", count(status)))
    .collect();
    Ok(if parts.is_empty() {
        "No task is ready: the plan has no open task. Create one, or stop here.".to_owned()
    } else {
        format!(
            "No task is ready: {}. Stop here, or see [[task_blocked]].",
            parts.join(", ")
        )
    })
}
