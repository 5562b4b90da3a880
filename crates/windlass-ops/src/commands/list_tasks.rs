use crate::prelude::*;
use serde_json::{Map, Value as Json};
use windlass_commands::{Command, Problem, Runner};

pub struct ListTasks;

/// About how many characters the list of a caller with a budget has, unless it asks for a number of
/// commands: 4,000 tokens at three characters each.
const USUAL_CHARS: usize = 12_000;
/// How much of a description such a caller gets.
const USUAL_ABOUT: usize = 120;
/// How many problems such a caller gets.
const USUAL_ERRORS: usize = 10;

/// List the commands of the repository (make targets, package scripts and others), allowed ones
/// first.
#[derive(Debug, Clone, Default, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Only of this name.
    #[serde(default)]
    pub name: Option<String>,
    /// Such as make.
    #[serde(default)]
    #[arg(long)]
    pub runner: Option<String>,
    /// Only with this text.
    #[serde(default)]
    #[arg(long = "search", alias = "query", value_name = "TEXT")]
    pub query: Option<String>,
    /// Only below it; . is the root alone.
    #[serde(default)]
    #[arg(long)]
    pub folder: Option<String>,
    /// Also those of tests and examples.
    #[serde(default)]
    #[arg(long)]
    pub all: bool,
    /// Only allowed ones.
    #[serde(default)]
    #[arg(long)]
    pub allowed: bool,
    /// How many to return; as many as fit by default.
    #[serde(default)]
    #[arg(long)]
    pub limit: Option<u32>,
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
    /// The line of the definition.
    pub line: usize,
    /// The folder that it runs in, relative to the project.
    pub cwd: String,
    /// task, script, program, lifecycle, pattern, workflow, service or preset.
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it belongs to tests, fixtures or examples.
    #[serde(skip)]
    is_aside: bool,
}

impl TaskDto {
    pub fn new(command: &Command, allowed: bool, available: bool) -> Self {
        Self {
            unique_name: command.unique_name.clone(),
            source_name: command.name.clone(),
            runner: command.runner.short_name().to_owned(),
            command: command.display(),
            runner_available: available,
            allowlisted: allowed,
            file_path: command.file.clone(),
            line: command.line,
            cwd: match command.invocation.cwd.as_str() {
                "" => ".".to_owned(),
                folder => folder.to_owned(),
            },
            kind: command.kind.name().to_owned(),
            description: command.description.clone(),
            is_aside: command.is_aside(),
        }
    }

    /// With a description that is short enough to be one of many.
    fn shortened(mut self) -> Self {
        if let Some(text) = &mut self.description
            && text.chars().count() > USUAL_ABOUT
        {
            *text = text.chars().take(USUAL_ABOUT).chain(['…']).collect();
        }
        self
    }
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
    /// Where to continue, if these are not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// What could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub errors: Vec<ProblemDto>,
    /// How many more could not be read.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(default)]
    pub more_errors: usize,
    /// How many were skipped.
    #[serde(skip)]
    offset: usize,
    /// Whether a person asked for particular commands, and so wants to see those of tests too.
    #[serde(skip)]
    is_narrowed: bool,
}

impl Listing {
    /// The commands that a person sees, and how many are left out because they belong to tests and
    /// examples.
    fn shown(&self) -> (Vec<&TaskDto>, usize) {
        let wanted = |task: &&TaskDto| self.is_narrowed || task.allowlisted || !task.is_aside;
        let shown: Vec<&TaskDto> = self.tasks.iter().filter(wanted).collect();
        // Where there is nothing else, they are what there is.
        if shown.is_empty() {
            return (self.tasks.iter().collect(), 0);
        }
        let folded = self.tasks.len() - shown.len();
        (shown, folded)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Render for Listing {
    fn end_after(&self, kept: usize, page: &mut Map<String, Json>) {
        page.insert("next_offset".to_owned(), Json::from(self.offset + kept));
    }

    fn view(&self) -> View {
        let (shown, folded) = self.shown();
        let mut view = if shown.is_empty() {
            View::nothing("No commands were found.")
        } else {
            let columns = vec![
                Column::new("NAME").shortened_in_the_middle(),
                Column::new("RUNNER"),
                Column::new("MAY RUN"),
                Column::new("WHERE").shortened_in_the_middle().spare(),
                Column::new("ABOUT").shrinking().keeping(30),
            ];
            View::default().table(columns, shown.into_iter().map(row).collect())
        };
        if folded > 0 {
            let text = format!(
                "and {folded} more in tests, fixtures and examples: windlass commands --all"
            );
            view = view.line([Span::new(text, Style::Dim)]);
        }
        if let Some(next) = self.next_offset {
            let text = format!("{next} of {}: --offset {next} continues", self.total);
            view = view.line([Span::new(text, Style::Dim)]);
        }
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
                &["commands", "--runner", "make", "--search", "test"],
                r#"{"runner": "make", "query": "test"}"#,
            ),
        ]);

    async fn run(context: ReadContext, input: Input) -> Result<Listing> {
        list(&context, &input)
    }
}

/// The commands that match, in the order in which a caller wants them.
pub fn list(context: &ReadContext, input: &Input) -> Result<Listing> {
    let runner = input.runner.as_deref().map(runner).transpose()?;
    let discovery = context.workspace.discovery()?;
    // A process that lists and ends has read nothing before; a server reads once and remembers, and
    // writes nothing.
    let commands = match context.origin.source {
        "cli" => discovery.list(),
        _ => discovery.discover(),
    };
    let decisions = context.workspace.allowlist().decide_all(&commands);
    let query = input.query.as_deref().unwrap_or_default().to_lowercase();
    let folder = input.folder.as_deref().map(Folder::parse);
    let named = |command: &Command| {
        let name = input.name.as_deref();
        name.is_none_or(|name| {
            [&command.name, &command.unique_name].contains(&&name.to_owned())
                || command.full_name() == name
        })
    };
    let found = |command: &Command| {
        let about = command.description.as_deref().unwrap_or_default();
        let mut texts = [command.unique_name.as_str(), about].into_iter();
        query.is_empty() || texts.any(|text| text.to_lowercase().contains(&query))
    };
    let mut matching: Vec<_> = commands
        .commands
        .iter()
        .zip(decisions)
        .filter(|(command, _)| runner.is_none_or(|runner| runner == command.runner))
        .filter(|(command, _)| {
            let folder = folder.as_ref();
            folder.is_none_or(|folder| folder.includes(&command.folder))
        })
        .filter(|(_, decision)| !input.allowed || decision.allowed)
        .filter(|(command, _)| named(command) && found(command))
        .collect();
    // Otherwise in the order of discovery.
    let here = context.folder();
    matching.sort_by_key(|(command, decision)| (!decision.allowed, command.rank(&here)));
    let (total, offset) = (matching.len(), input.offset as usize);
    let is_short = context.output_budget.is_some() && input.limit.is_none() && !input.all;
    let mut tasks = Vec::new();
    let mut room = USUAL_CHARS;
    for (command, decision) in matching.into_iter().skip(offset) {
        let task = TaskDto::new(command, decision.allowed, commands.is_available(command));
        let task = if is_short { task.shortened() } else { task };
        if is_short {
            let size = serde_json::to_string(&task).map_or(0, |text| text.len() + 1);
            match room.checked_sub(size) {
                Some(left) => room = left,
                None if tasks.is_empty() => room = 0,
                None => break,
            }
        }
        if input
            .limit
            .is_some_and(|limit| tasks.len() >= limit as usize)
        {
            break;
        }
        tasks.push(task);
    }
    let next = offset + tasks.len();
    let most = if is_short { USUAL_ERRORS } else { usize::MAX };
    // The first page tells them all.
    let most = if offset > 0 { 0 } else { most };
    let problems = &commands.problems;
    Ok(Listing {
        next_offset: (next < total && !tasks.is_empty()).then_some(next),
        tasks,
        total,
        offset,
        errors: problems.iter().take(most).map(ProblemDto::from).collect(),
        more_errors: match offset {
            0 => problems.len().saturating_sub(most),
            _ => 0,
        },
        is_narrowed: input.all
            || input.name.is_some()
            || input.folder.is_some()
            || input.query.is_some()
            || input.runner.is_some(),
    })
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
