//! What an agent needs to know to work on a task, as data and as Markdown: the task, the feedback of
//! its last review, related decisions, learnings, gates, allowed commands, and what to do next.
//!
//! It is bounded: long texts and lists are cut until the whole fits, and `read_on` says where the rest
//! is.

mod feedback;
mod markdown;
mod relevant;

use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::{Entity, Result};
use windlass_store::{Collection, EffectiveGate, Reader, text_digest};
use windlass_vectors::Vector;

use crate::context::ReadContext;
use crate::memory::ProjectLearning;
use crate::plan::TaskCommentOutput;
use crate::workflow::file_gates;
pub use feedback::{Answered, Feedback};
pub use relevant::RelatedDecision;
pub(crate) use relevant::words;

/// The longest briefing, in characters of JSON: 2,500 tokens, less what a tool adds around it.
const MAX_CHARS: usize = 9_300;

/// How much of everything is shown. Each step is tried until the briefing fits.
const STEPS: [Limits; 5] = [
    Limits::new(3_000, 400, 12),
    Limits::new(2_000, 300, 8),
    Limits::new(1_200, 200, 6),
    Limits::new(700, 150, 4),
    Limits::new(300, 100, 2),
];

/// How much of everything is shown.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// Characters of a long text.
    text: usize,
    /// Characters of an item of a list.
    item: usize,
    /// Items of a list.
    items: usize,
}

impl Limits {
    const fn new(text: usize, item: usize, items: usize) -> Self {
        Self { text, item, items }
    }
}

/// A task and everything that helps with it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TaskBriefing {
    pub task: BriefTask,
    /// What the last review of the work found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feedback: Option<Feedback>,
    /// Questions about the task that a person has answered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub answers: Vec<Answered>,
    /// The latest comments, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub comments: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub decisions: Vec<RelatedDecision>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub learnings: Vec<String>,
    /// What checks the work when it is handed in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub gates: Vec<BriefGate>,
    /// The commands of the repository that may be run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub commands: Vec<String>,
    /// Where to read what is cut here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub read_on: Vec<String>,
    /// What is remembered and was put in, to count that it was used.
    #[serde(skip)]
    pub used: Vec<String>,
}

/// The task itself. Empty fields are absent.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BriefTask {
    /// Its number.
    pub id: i64,
    pub title: String,
    pub status: String,
    pub priority: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub acceptance_criteria: Vec<String>,
    /// Files to read first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub context_files: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub output_artifacts: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hints: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pseudocode: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discipline: Option<String>,
    /// The task that it is part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The commit at which the work began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_commit: Option<String>,
}

/// A gate and what it runs.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BriefGate {
    pub name: String,
    pub command: String,
    /// What a person has to do before it can run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits: Option<String>,
}

impl TaskBriefing {
    /// Reads everything about the task that helps.
    pub fn read(context: &ReadContext, task: &Entity) -> Result<Self> {
        let surroundings = Surroundings::read(context, task)?;
        let facts = context.read(|reader| {
            reader.consistently(|reader| Facts::read(reader, task, &surroundings))
        })?;
        let mut briefing = facts.within(context, task, &surroundings, STEPS[0]);
        for limits in STEPS {
            briefing = facts.within(context, task, &surroundings, limits);
            let length = serde_json::to_string(&briefing).map_or(0, |text| text.len());
            if length <= MAX_CHARS {
                break;
            }
        }
        Ok(briefing)
    }
}

/// What is known without the database.
struct Surroundings {
    file_gates: Vec<EffectiveGate>,
    /// The names of commands that may run.
    commands: Vec<String>,
    learnings: Vec<ProjectLearning>,
    /// Decisions that are about the same, as far as a search can tell.
    decisions: Vec<Entity>,
    /// What the task means, to find what means the same.
    meaning: Option<Vector>,
}

impl Surroundings {
    fn read(context: &ReadContext, task: &Entity) -> Result<Self> {
        let runs_commands = context.naming.can_call("task_start");
        Ok(Self {
            file_gates: file_gates(&context.workspace),
            commands: if runs_commands {
                allowed_commands(context)?
            } else {
                Vec::new()
            },
            learnings: relevant::of_project(context)?,
            decisions: relevant::about_the_same(context, task)?,
            meaning: relevant::meaning(context, task),
        })
    }
}

fn allowed_commands(context: &ReadContext) -> Result<Vec<String>> {
    let found = context.workspace.discovery()?.discover();
    let decisions = context.workspace.allowlist().decide_all(&found);
    let mut allowed: Vec<(bool, String)> = found
        .commands
        .iter()
        .zip(decisions)
        .filter(|(command, decision)| decision.allowed && found.is_available(command))
        .map(|(command, _)| (command.file.contains('/'), command.unique_name.clone()))
        .collect();
    // Those of the root come first.
    allowed.sort();
    Ok(allowed.into_iter().map(|(_, name)| name).collect())
}

/// Everything, in full length.
struct Facts {
    feedback: Option<Feedback>,
    answers: Vec<Answered>,
    comments: Vec<String>,
    decisions: Vec<RelatedDecision>,
    learnings: Vec<String>,
    gates: Vec<BriefGate>,
    parent: Option<String>,
}

impl Facts {
    fn read(reader: &Reader<'_>, task: &Entity, surroundings: &Surroundings) -> Result<Self> {
        let mut gates = surroundings.file_gates.clone();
        gates.extend(reader.effective_gates(&task.id)?);
        let comments = reader.records(&task.id, Collection::Comments)?;
        let parent = reader.ancestors(&task.id)?.pop();
        Ok(Self {
            feedback: Feedback::of(reader, task)?,
            answers: feedback::answers(reader, task)?,
            comments: comments
                .iter()
                .filter_map(TaskCommentOutput::of)
                .map(|it| format!("{}: {}", it.comment.author, it.comment.body))
                .collect(),
            decisions: relevant::decisions(reader, task, &surroundings.decisions)?,
            learnings: relevant::learnings(reader, task, surroundings)?,
            gates: gates.into_iter().map(BriefGate::from).collect(),
            parent: parent.map(|parent| format!("#{} {}", parent.number, parent.title)),
        })
    }

    /// As much of it as the limits let through.
    fn within(
        &self,
        context: &ReadContext,
        task: &Entity,
        surroundings: &Surroundings,
        limits: Limits,
    ) -> TaskBriefing {
        let mut cut = Cut {
            limits,
            happened: false,
        };
        let brief = self.task(task, &mut cut);
        let feedback = self.feedback.clone().map(|it| it.within(&mut cut));
        let answers = self.answers.iter().rev().take(limits.items.min(3));
        let mut answers: Vec<Answered> = answers.map(|it| it.within(&mut cut)).collect();
        answers.reverse();
        // The latest comments matter most.
        let latest = self.comments.len().saturating_sub(limits.items / 2);
        let comments = cut.items(&self.comments[latest..]);
        let decisions = self.decisions.iter().take(limits.items.min(5));
        let decisions = decisions.map(|it| it.within(&mut cut)).collect();
        let learnings = cut.items(&self.learnings[..self.learnings.len().min(8)]);
        let commands = cut.items(&surroundings.commands);
        let left_out = surroundings.commands.len() - commands.len();
        let mut read_on = Vec::new();
        if cut.happened || latest > 0 {
            read_on.push(format!("[[entity_get]] {} has the whole task", task.number));
        }
        if left_out > 0 {
            read_on.push(format!(
                "[[commands.list_tasks]] has {left_out} more commands"
            ));
        }
        let used = self.learnings.iter().take(learnings.len());
        let used = used.map(|text| text_digest(text)).collect();
        TaskBriefing {
            used,
            task: brief,
            feedback,
            answers,
            comments,
            decisions,
            learnings,
            gates: self.gates.clone(),
            commands,
            read_on: read_on
                .iter()
                .map(|text| context.naming.render(text))
                .collect(),
        }
    }

    fn task(&self, task: &Entity, cut: &mut Cut) -> BriefTask {
        let owned = |field: &str| task.text(field).map(str::to_owned);
        let status = task.task_status().map_or("pending", |status| status.name());
        BriefTask {
            id: task.number,
            title: task.title.clone(),
            status: status.to_owned(),
            priority: task.priority().map_or("normal", |it| it.name()).to_owned(),
            description: cut.text(task.content.as_deref()),
            acceptance_criteria: cut.items(task.texts("acceptance_criteria")),
            context_files: cut.items(task.texts("context_files")),
            output_artifacts: cut.items(task.texts("output_artifacts")),
            hints: cut.text(task.text("hints")),
            pseudocode: cut.text(task.text("pseudocode")),
            due_date: owned("due_date"),
            feature: owned("feature"),
            discipline: owned("discipline"),
            parent: self.parent.clone(),
            start_commit: owned("start_commit").map(|commit| commit.chars().take(12).collect()),
        }
    }
}

impl From<EffectiveGate> for BriefGate {
    fn from(gate: EffectiveGate) -> Self {
        Self {
            name: gate.definition.name,
            command: gate.definition.command,
            waits: gate.waiting,
        }
    }
}

/// Cuts texts and lists, and remembers that it did.
struct Cut {
    limits: Limits,
    happened: bool,
}

impl Cut {
    fn shorten(&mut self, text: &str, limit: usize) -> String {
        let text = text.trim();
        match text.char_indices().nth(limit) {
            Some((end, _)) => {
                self.happened = true;
                format!("{}…", &text[..end])
            }
            None => text.to_owned(),
        }
    }

    fn text(&mut self, text: Option<&str>) -> Option<String> {
        let text = text.map(str::trim).filter(|text| !text.is_empty())?;
        Some(self.shorten(text, self.limits.text))
    }

    fn item(&mut self, text: &str) -> String {
        self.shorten(text, self.limits.item)
    }

    fn items(&mut self, texts: &[String]) -> Vec<String> {
        self.happened |= texts.len() > self.limits.items;
        let kept = texts.iter().take(self.limits.items);
        kept.map(|text| self.shorten(text, self.limits.item))
            .collect()
    }
}
