use crate::prelude::*;
use serde_json::{Map, Value as Json};
use windlass_commands::{Problem, Runner};

pub struct ListTasks;

/// List the commands of the repository (make targets, package scripts and others), allowed ones
/// first.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only of this runner, for example make.
    #[serde(default)]
    #[arg(long)]
    pub runner: Option<String>,
    /// Only with this text.
    #[serde(default)]
    #[arg(long)]
    pub query: Option<String>,
    /// Only below this folder; . is the root alone.
    #[serde(default)]
    #[arg(long)]
    pub folder: Option<String>,
    /// How many to skip.
    #[serde(default)]
    #[arg(long, default_value_t)]
    pub offset: u32,
}

/// A command of the repository.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TaskDto {
    pub unique_name: String,
    /// The name in the file that defines it.
    pub source_name: String,
    pub runner: String,
    /// What would be executed.
    pub command: String,
    /// Whether the runner can be started on this machine.
    pub runner_available: bool,
    /// Whether a person allowed it.
    pub allowlisted: bool,
    /// The file that defines it, relative to the project.
    pub file_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A place in a file that could not be read.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProblemDto {
    pub file_path: String,
    pub line: usize,
    pub message: String,
}

impl From<&Problem> for ProblemDto {
    fn from(problem: &Problem) -> Self {
        Self {
            file_path: problem.file.clone(),
            line: problem.line,
            message: problem.message.clone(),
        }
    }
}

/// The commands of the repository.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Listing {
    pub tasks: Vec<TaskDto>,
    /// How many match in all.
    pub total: usize,
    /// What could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub errors: Vec<ProblemDto>,
    /// How many were skipped.
    #[serde(skip)]
    offset: usize,
}

impl Render for Listing {
    fn end_after(&self, kept: usize, page: &mut Map<String, Json>) {
        page.insert("next_offset".to_owned(), Json::from(self.offset + kept));
    }

    fn view(&self) -> View {
        let mut view = if self.tasks.is_empty() {
            View::nothing("No commands were found.")
        } else {
            let columns = vec![
                Column::new("NAME"),
                Column::new("RUNNER"),
                Column::new("MAY RUN"),
                Column::new("WHERE"),
                Column::new("ABOUT").shrinking(),
            ];
            View::default().table(columns, self.tasks.iter().map(row).collect())
        };
        for problem in &self.errors {
            let place = format!("{}:{}: ", problem.file_path, problem.line);
            view = view.line([
                Span::new(place, Style::Warning),
                Span::from(problem.message.clone()),
            ]);
        }
        view
    }
}

fn row(task: &TaskDto) -> Vec<Span> {
    let may = match (task.allowlisted, task.runner_available) {
        (true, true) => Span::new("yes", Style::Good),
        (true, false) => Span::new("not installed", Style::Warning),
        (false, _) => Span::new("not allowed", Style::Dim),
    };
    let about = task.description.as_ref().unwrap_or(&task.command);
    vec![
        Span::new(task.unique_name.clone(), Style::Strong),
        Span::from(task.runner.clone()),
        may,
        Span::new(task.file_path.clone(), Style::Dim),
        Span::from(about.clone()),
    ]
}

impl ReadOperation for ListTasks {
    type Input = Input;
    type Output = Listing;

    const DECLARATION: Declaration = Declaration::read("list_tasks", Toolset::Commands)
        .sdk("commands.list")
        .blocking()
        .cli(&["commands"])
        .examples(&[
            Example::new("All commands", &["commands"], "{}"),
            Example::new(
                "Make targets about tests",
                &["commands", "--runner", "make", "--query", "test"],
                r#"{"runner": "make", "query": "test"}"#,
            ),
        ]);

    async fn run(context: ReadContext, input: Input) -> Result<Listing> {
        let runner = input.runner.as_deref().map(runner).transpose()?;
        let commands = context.workspace.discovery()?.discover();
        let decisions = context.workspace.allowlist().decide_all(&commands);
        let query = input.query.as_deref().unwrap_or_default().to_lowercase();
        let folder = input.folder.as_deref().map(Folder::parse);
        let mut matching: Vec<_> = commands
            .commands
            .iter()
            .zip(decisions)
            .filter(|(command, _)| runner.is_none_or(|runner| runner == command.runner))
            .filter(|(command, _)| {
                let folder = folder.as_ref();
                folder.is_none_or(|folder| folder.includes(&command.folder))
            })
            .filter(|(command, _)| {
                let about = command.description.as_deref().unwrap_or_default();
                [command.unique_name.as_str(), about]
                    .iter()
                    .any(|text| text.to_lowercase().contains(&query))
            })
            .collect();
        // Otherwise in the order of discovery.
        matching.sort_by_key(|(command, decision)| (!decision.allowed, !command.folder.is_empty()));
        let (total, offset) = (matching.len(), input.offset as usize);
        let tasks = matching.into_iter().skip(offset);
        let tasks = tasks
            .map(|(command, decision)| TaskDto {
                unique_name: command.unique_name.clone(),
                source_name: command.name.clone(),
                runner: command.runner.short_name().to_owned(),
                command: command.display(),
                runner_available: commands.is_available(command),
                allowlisted: decision.allowed,
                file_path: command.file.clone(),
                description: command.description.clone(),
            })
            .collect();
        Ok(Listing {
            tasks,
            total,
            offset,
            errors: commands.problems.iter().map(ProblemDto::from).collect(),
        })
    }
}

/// Which folder's commands are wanted.
enum Folder {
    Root,
    Below(String),
}

impl Folder {
    fn parse(text: &str) -> Self {
        let text = text.trim().trim_start_matches("./").trim_matches('/');
        match text {
            "" | "." => Self::Root,
            folder => Self::Below(folder.to_owned()),
        }
    }

    fn includes(&self, folder: &str) -> bool {
        match self {
            Self::Root => folder.is_empty(),
            Self::Below(wanted) => {
                let rest = folder.strip_prefix(wanted.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
        }
    }
}

fn runner(name: &str) -> Result<Runner> {
    Runner::from_short_name(name).ok_or_else(|| {
        let known: Vec<&str> = Runner::ALL.iter().map(|it| it.short_name()).collect();
        Error::invalid_enum("runner", name, &known)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders() {
        for (wanted, folder, expected) in [
            (".", "", true),
            ("", "", true),
            (".", "web", false),
            ("web", "web", true),
            ("./web/", "web/admin", true),
            ("web", "website", false),
            ("web", "", false),
        ] {
            let included = Folder::parse(wanted).includes(folder);
            assert_eq!(included, expected, "{wanted:?} {folder:?}");
        }
    }
}
