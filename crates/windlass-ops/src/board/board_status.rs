use crate::prelude::*;
use serde_json::{Map, Value as Json, json};
use windlass_core::{Page, TaskStatus, Timestamp};
use windlass_runs::record::StepStatus;
use windlass_store::{JobFilter, Reader, RunFilter, TaskFilter, TaskOrder};

use super::outputs::{BoardTask, task_table};
use super::waiting::{WaitingForPerson, waiting_for_person};
use crate::commands::listed_jobs;
use crate::outputs::number;
use crate::runs::listed_runs;

/// How many of each are shown, but for ready tasks.
const SHOWN: u32 = 20;
const SHOWN_READY: u32 = 5;

pub struct BoardStatus;

/// Show where the project stands: what waits for a person, who works on what, what is ready, what is
/// running, and how many tasks there are of each status.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {}

/// A task that is being worked on.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TaskInProgress {
    pub number: i64,
    pub title: String,
    /// The session that holds it; absent where none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// When work on it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct RunningJob {
    pub pid: i32,
    pub command: String,
    pub since: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct RunningRun {
    pub id: String,
    pub title: String,
    /// The step that it is at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

/// Where the project stands.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProjectStatus {
    /// The longest waiting first.
    pub waiting_for_person: Vec<WaitingForPerson>,
    /// At most twenty.
    pub in_progress: Vec<TaskInProgress>,
    pub in_progress_total: u64,
    /// The first five in the order of the queue.
    pub ready: Vec<BoardTask>,
    pub ready_total: u64,
    /// How many tasks wait, for others or for a person.
    pub blocked: u64,
    pub running_jobs: Vec<RunningJob>,
    pub running_runs: Vec<RunningRun>,
    /// How many tasks there are of each status.
    pub counts: Map<String, Json>,
}

impl ReadOperation for BoardStatus {
    type Input = Input;
    type Output = ProjectStatus;

    const DECLARATION: Declaration = Declaration::read("board_status", Toolset::Board)
        .sdk("board.status")
        .examples(&[Example::call("The whole project", "{}")]);

    async fn run(context: ReadContext, _: Input) -> Result<ProjectStatus> {
        let session = context.origin.session.clone();
        let mut status = context
            .read(|reader| reader.consistently(|reader| ProjectStatus::read(reader, session)))?;
        status.running_jobs = running_jobs(&context)?;
        status.running_runs = running_runs(&context)?;
        Ok(status)
    }
}

impl ProjectStatus {
    fn read(reader: &Reader<'_>, session: String) -> Result<Self> {
        let ready = TaskFilter {
            ready: Some(true),
            session: Some(session),
            ..TaskFilter::default()
        };
        let in_progress = TaskFilter {
            statuses: vec![TaskStatus::InProgress],
            ..TaskFilter::default()
        };
        let blocked = TaskFilter {
            blocked: Some(true),
            ..TaskFilter::default()
        };
        let first = |limit| Page { limit, offset: 0 };
        let order = TaskOrder::Queue;
        let (ready, ready_total) = reader.listed_tasks_within(&ready, order, first(SHOWN_READY))?;
        let (begun, in_progress_total) =
            reader.listed_tasks_within(&in_progress, order, first(SHOWN))?;
        let begun = begun.into_iter().map(|listed| TaskInProgress {
            number: listed.task.number,
            claimed_by: listed.claim.map(|(owner, _)| owner),
            assignee: listed.task.text("assignee").map(str::to_owned),
            since: listed.task.text("started_at").map(str::to_owned),
            title: listed.task.title,
        });
        Ok(Self {
            waiting_for_person: waiting_for_person(reader)?,
            in_progress: begun.collect(),
            in_progress_total,
            ready: ready.into_iter().map(BoardTask::from).collect(),
            ready_total,
            blocked: reader.count_tasks(&blocked)?,
            running_jobs: Vec::new(),
            running_runs: Vec::new(),
            counts: counts(reader)?,
        })
    }
}

/// Every status, also those that no task has.
fn counts(reader: &Reader<'_>) -> Result<Map<String, Json>> {
    let counted = reader.status_counts()?;
    let count = |status: TaskStatus| {
        let found = counted.iter().find(|(of, _)| *of == status);
        (
            status.name().to_owned(),
            json!(found.map_or(0, |(_, count)| *count)),
        )
    };
    Ok(TaskStatus::ALL.into_iter().map(count).collect())
}

fn running_jobs(context: &ReadContext) -> Result<Vec<RunningJob>> {
    let filter = JobFilter {
        running: true,
        limit: SHOWN,
        unique_name: None,
    };
    let jobs = listed_jobs(context, &filter)?.into_iter();
    Ok(jobs
        .map(|job| RunningJob {
            pid: job.pid,
            since: Timestamp::from_millis(job.started_at * 1000)
                .as_str()
                .to_owned(),
            command: job.command,
        })
        .collect())
}

fn running_runs(context: &ReadContext) -> Result<Vec<RunningRun>> {
    let filter = RunFilter {
        status: Some("running".to_owned()),
        limit: SHOWN,
        ..RunFilter::default()
    };
    let runs = listed_runs(context, &filter)?;
    let running = runs.iter().map(|run| {
        let steps = run.record.steps().iter();
        let mut at = steps.filter(|step| step.status == StepStatus::Running);
        RunningRun {
            id: run.record.run_id().to_owned(),
            title: run.record.title().to_owned(),
            step: at.next().map(|step| step.name.clone()),
            since: run.record.started_at().map(|it| it.as_str().to_owned()),
        }
    });
    Ok(running.collect())
}

/// A heading, with a blank line before it unless it is the first.
fn heading(view: View, text: String) -> View {
    let view = if view.blocks.is_empty() {
        view
    } else {
        view.blank()
    };
    view.line([Span::new(text, Style::Strong)])
}

impl Render for ProjectStatus {
    fn view(&self) -> View {
        let mut view = View::default();
        if !self.waiting_for_person.is_empty() {
            view = heading(view, "Waiting for you".to_owned());
            for item in &self.waiting_for_person {
                view = view
                    .line([
                        Span::from("  "),
                        number(item.number),
                        Span::from(format!(" {}", item.title)),
                    ])
                    .line([Span::new(format!("      {}", item.reason), Style::Warning)]);
                for command in &item.commands {
                    view = view.line([Span::new(format!("      {command}"), Style::Dim)]);
                }
            }
        }
        if !self.in_progress.is_empty() {
            view = heading(view, format!("In progress ({})", self.in_progress_total));
            for task in &self.in_progress {
                let who = task.claimed_by.as_ref().or(task.assignee.as_ref());
                let who = who.map_or("nobody holds it".to_owned(), |who| format!("by {who}"));
                let mut line = vec![
                    Span::from("  "),
                    number(task.number),
                    Span::from(format!(" {}", task.title)),
                    Span::new(format!("  {who}"), Style::Dim),
                ];
                if let Some(since) = &task.since {
                    line.push(Span::new(", started ", Style::Dim));
                    line.push(Span::new(since.clone(), Style::Time));
                }
                view = view.line(line);
            }
        }
        if !self.ready.is_empty() {
            view = heading(view, format!("Ready ({})", self.ready_total));
            view = task_table(view, &self.ready);
        }
        view = self.add_running(view);
        self.add_counts(view)
    }
}

impl ProjectStatus {
    fn add_running(&self, mut view: View) -> View {
        if !self.running_jobs.is_empty() || !self.running_runs.is_empty() {
            view = heading(view, "Running".to_owned());
        }
        for job in &self.running_jobs {
            view = view.line([
                Span::new(format!("  {}", job.pid), Style::Id),
                Span::from(format!(" {}", job.command)),
                Span::new("  started ", Style::Dim),
                Span::new(job.since.clone(), Style::Time),
            ]);
        }
        for run in &self.running_runs {
            let step = run.step.as_ref();
            let step = step.map_or(String::new(), |step| format!("  at {step}"));
            view = view.line([
                Span::new(format!("  {}", run.id), Style::Id),
                Span::from(format!(" {}{step}", run.title)),
                Span::new("  started ", Style::Dim),
                Span::new(run.since.clone().unwrap_or_default(), Style::Time),
            ]);
        }
        view
    }

    fn add_counts(&self, view: View) -> View {
        let named = self.counts.iter();
        let named = named.filter(|(_, count)| count.as_u64() != Some(0));
        let counts: Vec<String> = named
            .map(|(word, count)| format!("{count} {word}"))
            .collect();
        if counts.is_empty() {
            return View::nothing("No tasks yet. `windlass tasks create TITLE` makes one.");
        }
        let mut line = format!("Tasks: {}", counts.join(", "));
        if self.blocked > 0 {
            line = format!("{line}; {} blocked", self.blocked);
        }
        let view = if view.blocks.is_empty() {
            view
        } else {
            view.blank()
        };
        view.line([Span::new(line, Style::Dim)])
    }
}
