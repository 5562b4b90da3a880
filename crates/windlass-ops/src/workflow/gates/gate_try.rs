use crate::prelude::*;
use std::fmt::Write as _;
use std::time::Instant;

use windlass_core::workflow::{GateDefinition, GateExit, GateStatus};
use windlass_store::EffectiveGate;

use super::execute::{Errand, Execution, GateRun, Work, waits_for};
use super::gates_file;
use crate::pipeline::spawn_apart;
use crate::workflow::common;
use crate::workflow::outputs::{streams, tail};

pub struct GateTry;

/// How much of each stream the output contains at most.
const TAIL_CHARS: usize = 4_000;

/// Run a gate now, on the work as it is, without submitting it: nothing is recorded and no attempt is
/// used up. It runs in this worktree as it would for a review, and only if it may.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The name of the gate.
    pub name: String,
    /// A gate of this task or of one above it: its number, or at least 4 hex digits of its id.
    #[serde(default)]
    #[arg(long = "task", value_name = "TASK")]
    pub task_id: Option<Id>,
}

/// How a gate ended that was tried.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GateTried {
    pub name: String,
    /// passed, failed, timeout, or pending if it exited with 75: not ready yet.
    pub status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Why it could not run or was ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The last 4,000 characters.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(default)]
    pub stdout: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(default)]
    pub stderr: String,
    pub duration_ms: u64,
}

impl Operation for GateTry {
    type Input = Input;
    type Output = GateTried;

    const DECLARATION: Declaration = Declaration::execute("gate_try", Toolset::Workflow)
        .sdk("gates.try")
        .cli(&["gates", "try"])
        .long_running()
        .examples(&[Example::new(
            "Would task 15 pass its gate",
            &["gates", "try", "fine", "--task", "15"],
            r#"{"name": "fine", "task_id": "15"}"#,
        )]);

    async fn run(context: Context, input: Input) -> Result<GateTried> {
        let (gate, task, repo) = context
            .offload(move |context| found(context, &input))
            .await?;
        let definition = gate.definition;
        let folder = context.workspace.root().display().to_string();
        let work = Work {
            task: &task,
            repo: &repo,
            folder: &folder,
            review: "",
            attempt: 1,
        };
        let environment = work.environment(&definition.name);
        let executor = context.host.gates();
        let abandon = executor.closing.child_token();
        // A caller that goes away ends the processes of the gate.
        let _abandoned = abandon.clone().drop_guard();
        let began = Instant::now();
        let apart = (context.clone(), definition.clone());
        let execution = spawn_apart(&executor.tasks, async move {
            let (context, definition) = apart;
            let executor = context.host.gates();
            let Ok(_place) = executor.places.acquire().await else {
                return Ok(Execution::Abandoned);
            };
            let errand = Errand {
                context: &context,
                executor,
                definition: &definition,
                folder: &folder,
                environment,
                abandon: &abandon,
                result: None,
            };
            errand.run().await
        })
        .await
        .map_err(|_| Error::internal("the gate panicked"))??;
        match execution {
            Execution::GateRun(run) => Ok(GateTried::of(&definition, run, began)),
            Execution::Abandoned => Err(Error::internal("this process is exiting")),
        }
    }
}

/// The gate of that name which may run, the id of the task, and that of the repository.
fn found(context: &ReadContext, input: &Input) -> Result<(EffectiveGate, String, String)> {
    let mut gates = gates_file::read(&context.workspace);
    let root = context.workspace.root().display().to_string();
    let (task, repo) = context.read(|reader| {
        let repo = reader.repo_at(&root)?.map(|repo| repo.id);
        let task = if let Some(id) = &input.task_id {
            let task = common::task(reader, "task_id", id)?.id;
            gates.extend(reader.effective_gates(&task)?);
            task.as_str().to_owned()
        } else {
            gates.extend(reader.gates()?.into_iter().map(EffectiveGate::from));
            String::new()
        };
        Ok((task, repo.unwrap_or_default()))
    })?;
    let gate = choose(&gates, input)?;
    let waiting = gate.waiting.clone();
    if let Some(why) = waiting.or_else(|| waits_for(context, &gate.id, &gate.definition)) {
        let message = format!("Gate \"{}\" may not run: {why}", gate.definition.name);
        return Err(Error::new(ErrorKind::NotAllowlisted, message));
    }
    Ok((gate.clone(), task, repo))
}

fn choose<'a>(gates: &'a [EffectiveGate], input: &Input) -> Result<&'a EffectiveGate> {
    let name = input.name.trim();
    let mut named = gates
        .iter()
        .filter(|gate| gate.definition.name == name || gate.id == name);
    match (named.next(), named.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => {
            // The gates of the file are unknown until a person allows it.
            let waiting = gates.iter().find(|gate| gate.waiting.is_some());
            waiting.ok_or_else(|| unknown(gates, name))
        }
        _ => {
            let message = format!("Several gates have the name \"{name}\"");
            Err(Error::new(ErrorKind::AmbiguousId, message)
                .with_hint("Name the task whose gate is meant, or give the gate's id."))
        }
    }
}

fn unknown(gates: &[EffectiveGate], name: &str) -> Error {
    let names: Vec<&str> = gates.iter().map(|it| it.definition.name.as_str()).collect();
    let hint = match names.as_slice() {
        [] => "There are no gates.".to_owned(),
        names => format!("The gates are {}.", names.join(", ")),
    };
    Error::new(
        ErrorKind::GateNotFound,
        format!("There is no gate \"{name}\""),
    )
    .with_hint(hint)
}

impl GateTried {
    fn of(definition: &GateDefinition, run: GateRun, began: Instant) -> Self {
        Self {
            name: definition.name.clone(),
            status: run.exit.status(0, definition).name().to_owned(),
            exit_code: match run.exit {
                GateExit::Code(code) => Some(code),
                GateExit::TimedOut | GateExit::Lost => None,
            },
            message: run.message,
            stdout: tail(&run.stdout, TAIL_CHARS),
            stderr: tail(&run.stderr, TAIL_CHARS),
            duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        }
    }
}

impl Render for GateTried {
    fn view(&self) -> View {
        let style = match self.status.as_str() {
            "passed" => Style::Good,
            "pending" => Style::Warning,
            _ => Style::Bad,
        };
        let mut how = format!(
            " in {}.{} s",
            self.duration_ms / 1000,
            self.duration_ms % 1000 / 100
        );
        if let Some(code) = self.exit_code.filter(|code| *code != 0) {
            let _ = write!(how, ", exit code {code}");
        }
        if let Some(message) = &self.message {
            let _ = write!(how, ": {message}");
        }
        View::default()
            .line([
                Span::new(format!("Gate {} {}", self.name, self.status), style),
                how.into(),
            ])
            .join(streams("", &self.stdout, &self.stderr))
    }

    fn unsuccessful(&self) -> bool {
        self.status != GateStatus::Passed.name()
    }
}
