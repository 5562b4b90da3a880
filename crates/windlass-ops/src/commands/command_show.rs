use crate::prelude::*;
use windlass_commands::Extent;
use windlass_store::JobFilter;

use super::jobs;
use super::list_tasks::TaskDto;
use super::outputs::{JobOutput, job_table};
use super::runner_version;
use super::start;

pub struct CommandShow;

/// How many of its jobs are shown.
const LAST_JOBS: u32 = 5;
/// How much of a definition is shown.
const MOST_TEXT: usize = 4_000;

/// Show one command: its definition, what it runs and where, whether it is allowed, how it ended
/// before.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// From list_tasks.
    #[arg(value_name = "NAME")]
    pub unique_name: String,
}

/// Everything about a command.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CommandDetails {
    #[serde(flatten)]
    pub task: TaskDto,
    /// All words that are executed.
    pub executed: String,
    /// Its definition in the file.
    pub definition: String,
    /// What it runs first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub prerequisites: Vec<String>,
    /// Whether and where its arguments may be added.
    pub arguments: String,
    /// Variables that its files mention and that a caller may not set freely.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub environment: Vec<String>,
    /// Why it is allowed or not.
    pub reason: String,
    /// Why it cannot be run on this machine, or how to install its runner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<String>,
    /// The files that decide what it runs, which a grant pins.
    pub pinned_files: Vec<DecidingFile>,
    /// Why no grant of a command or a file can cover it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub unpinnable: Vec<String>,
    /// The version of its runner, if it tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runner_version: Option<String>,
    /// Its last jobs, newest first.
    pub last_jobs: Vec<JobOutput>,
}

/// A file that decides what a command runs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DecidingFile {
    pub path: String,
    /// whole, or which parts of it.
    pub extent: String,
}

impl Render for CommandDetails {
    fn view(&self) -> View {
        let task = &self.task;
        let mut fields = vec![
            (
                "command".to_owned(),
                Span::new(&self.executed, Style::Strong),
            ),
            ("in".to_owned(), Span::from(&task.cwd)),
            (
                "defined at".to_owned(),
                Span::from(format!("{}:{}", task.file_path, task.line)),
            ),
            ("kind".to_owned(), Span::from(&task.kind)),
            (
                "runner".to_owned(),
                Span::from(match (&self.runner_version, &self.unavailable) {
                    (_, Some(why)) => format!("{}: {why}", task.runner),
                    (Some(version), None) => format!("{} {version}", task.runner),
                    (None, None) => task.runner.clone(),
                }),
            ),
            ("arguments".to_owned(), Span::from(&self.arguments)),
            (
                "allowed".to_owned(),
                if task.allowlisted {
                    Span::new(format!("yes: {}", self.reason), Style::Good)
                } else {
                    Span::new(format!("no: {}", self.reason), Style::Warning)
                },
            ),
        ];
        if let Some(about) = &task.description {
            fields.insert(0, ("about".to_owned(), Span::from(about)));
        }
        if !self.prerequisites.is_empty() {
            let all = self.prerequisites.join(", ");
            fields.push(("runs first".to_owned(), Span::from(all)));
        }
        if !self.environment.is_empty() {
            let all = self.environment.join(", ");
            fields.push(("variables".to_owned(), Span::from(all)));
        }
        let files: Vec<String> = self
            .pinned_files
            .iter()
            .map(|file| match file.extent.as_str() {
                "whole" => file.path.clone(),
                extent => format!("{} ({extent})", file.path),
            })
            .collect();
        let view = View::default()
            .line([Span::new(&task.unique_name, Style::Strong)])
            .fields(fields)
            .section("Definition", Some(self.definition.trim_end()))
            .list("Files that decide what it runs", &files)
            .list("Why a grant cannot cover it", &self.unpinnable);
        if self.last_jobs.is_empty() {
            return view;
        }
        let title = Span::new("Last jobs", Style::Strong);
        view.blank()
            .line([title])
            .join(job_table(&self.last_jobs, ""))
    }
}

impl ReadOperation for CommandShow {
    type Input = Input;
    type Output = CommandDetails;

    const DECLARATION: Declaration = Declaration::read("command_show", Toolset::Commands)
        .sdk("commands.show")
        .cli(&["commands", "show"])
        .blocking()
        .examples(&[Example::new(
            "A make target",
            &["commands", "show", "build"],
            r#"{"unique_name": "build"}"#,
        )]);

    async fn run(context: ReadContext, input: Input) -> Result<CommandDetails> {
        let candidate = start::look_up(&context, &input.unique_name)?;
        let command = &candidate.command;
        let filter = JobFilter {
            unique_name: Some(command.unique_name.clone()),
            running: false,
            limit: LAST_JOBS,
        };
        let mut last_jobs = jobs::listed(&context, &filter)?;
        last_jobs.truncate(LAST_JOBS as usize);
        let files = command.pins.files.iter();
        let pinned_files = files
            .filter(|file| file.extent != Extent::Absent)
            .map(|file| DecidingFile {
                path: file.path.clone(),
                extent: match file.extent {
                    Extent::Parts(parts) => parts.to_owned(),
                    _ => "whole".to_owned(),
                },
            });
        let unavailable = (!candidate.available).then(|| match &command.unavailable {
            Some(why) => why.to_string(),
            None => command.runner.install_hint(),
        });
        Ok(CommandDetails {
            executed: candidate
                .launched(command.invocation.clone())
                .display_whole(),
            definition: command.definition_text.chars().take(MOST_TEXT).collect(),
            prerequisites: command.prerequisites(),
            arguments: command.arguments.description(),
            environment: command.mentioned_variables(),
            reason: candidate.decision.reason.message(),
            unavailable,
            pinned_files: pinned_files.collect(),
            unpinnable: command.pins.unreadable.clone(),
            runner_version: runner_version::version(
                command,
                candidate.launcher,
                context.workspace.root(),
            ),
            last_jobs,
            task: TaskDto::new(command, candidate.decision.allowed, candidate.available),
        })
    }
}
