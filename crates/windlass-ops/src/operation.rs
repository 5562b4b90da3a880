//! What an operation is: one typed input, one typed output, one handler, declared once.
//!
//! Every surface loops over the list of [`Entry`] and holds no rules of its own. The doc comment of
//! the input struct is the description that people, models and the reference read; the doc comment
//! of each field describes the argument.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use windlass_core::{Error, ErrorKind, Result};

use crate::context::Context;
use crate::input;
use crate::schema::{self, Fields};
use crate::view::{Render, View};

/// What calling an operation does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Changes nothing.
    Read,
    /// Adds or changes something; nothing is lost.
    Write,
    /// Removes something.
    Destructive,
    /// Runs code of the project.
    Execute,
    /// Runs a script. Each call that the script makes has an effect of its own, and its own checks.
    Script,
}

/// Who may call an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    Anyone,
    /// Only a person at a terminal.
    Human,
}

/// A group of tools that a session is given together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Toolset {
    Commands,
    Runs,
    Plan,
    Sessions,
    Focus,
    Knowledge,
    Workflow,
    Code,
}

impl Toolset {
    pub const ALL: &'static [Self] = &[
        Self::Commands,
        Self::Runs,
        Self::Plan,
        Self::Sessions,
        Self::Focus,
        Self::Knowledge,
        Self::Workflow,
        Self::Code,
    ];

    /// What a server has where neither its caller nor the project says otherwise.
    pub const DEFAULT: &'static [Self] = &[Self::Commands, Self::Knowledge, Self::Code];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Commands => "commands",
            Self::Runs => "runs",
            Self::Plan => "plan",
            Self::Sessions => "sessions",
            Self::Focus => "focus",
            Self::Knowledge => "knowledge",
            Self::Workflow => "workflow",
            Self::Code => "code",
        }
    }

    /// The JSON-RPC code that a tool of this set answers an error of that kind with: the one of its
    /// seed.
    pub const fn error_code(self, kind: ErrorKind) -> i32 {
        const INTERNAL_ERROR: i32 = -32603;
        const INVALID_PARAMS: i32 = -32602;
        match (self, kind) {
            (Self::Commands, ErrorKind::ValidationFailed | ErrorKind::InvalidEnumValue) => {
                INVALID_PARAMS
            }
            (
                Self::Commands,
                ErrorKind::StorageError
                | ErrorKind::InternalError
                | ErrorKind::RequestTimeout
                | ErrorKind::InvalidConfig
                | ErrorKind::DatabaseTooNew
                | ErrorKind::NotAProject,
            ) => INTERNAL_ERROR,
            // Seed 001 has one code for everything; what it takes over from seed 000 keeps its own.
            (Self::Runs, ErrorKind::NotAllowlisted) => kind.code(),
            (Self::Runs, _) => -32000,
            _ => kind.code(),
        }
    }

    /// An error about input that does not fit, in the words of the set's seed.
    fn input_error(self, error: Error) -> Error {
        match self {
            Self::Runs => crate::runs::input_error(error),
            _ => error,
        }
    }

    pub const fn doc(self) -> &'static str {
        match self {
            Self::Code => {
                "Scripts over everything that Windlass can do, in a sandbox, and what they can call."
            }
            Self::Runs => {
                "Runs of several steps with expectations and artifacts, and the playbooks they come from."
            }
            Self::Plan => {
                "The plan: tasks, features, disciplines, comments, progress and the two state files."
            }
            Self::Sessions => {
                "Sessions of agents: which tools each gets, by recipe and discipline, and its briefing."
            }
            Self::Focus => "Eight words by which an agent answers for the one task of its session.",
            Self::Commands => {
                "The repository's own commands, under an allowlist that people keep, and the jobs that run them."
            }
            Self::Workflow => {
                "The work lifecycle: tasks from start to done, reviews, gates that run, help from people, learnings."
            }
            Self::Knowledge => {
                "Decisions, tasks, notes, prompts, components and links, how they relate, search, and the task queue."
            }
        }
    }
}

/// How a tool answers an error over MCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorStyle {
    /// A JSON-RPC error with the code that the tool's seed fixes.
    Code,
    /// A result with `isError`, as the protocol asks of tools that no seed describes.
    Result,
    /// The same in the shape of seed 003: `{ok: false, error: {code, message, data}}`.
    Script,
}

/// A call that works on the sample project of the tests and says the same on every surface.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    pub about: &'static str,
    /// What follows `windlass` on the command line.
    pub cli: &'static [&'static str],
    /// The same input as JSON.
    pub input: &'static str,
}

/// Everything about an operation but its types and its handler.
#[derive(Debug)]
pub struct Declaration {
    /// The name on the wire: `entity_create`.
    pub name: &'static str,
    pub toolset: Toolset,
    /// The words after `windlass`: `["tasks", "ready"]`.
    pub cli: &'static [&'static str],
    /// Namespace and method of the JavaScript SDK: `entities.create`.
    pub sdk: &'static str,
    pub effect: Effect,
    /// Whether calling it twice does no more than calling it once.
    pub idempotent: bool,
    /// Whether it takes as long as what it waits for, beyond the limit of an ordinary request.
    pub long_running: bool,
    pub audience: Audience,
    pub errors: ErrorStyle,
    pub examples: &'static [Example],
}

/// One thing that Windlass can do.
pub trait Operation: Sized + 'static {
    type Input: clap::Args + Serialize + DeserializeOwned + JsonSchema + Send + 'static;
    type Output: Serialize + JsonSchema + Render + Send + 'static;

    const DECLARATION: Declaration;

    fn run(
        context: Context,
        input: Self::Input,
    ) -> impl Future<Output = Result<Self::Output>> + Send;
}

/// What an operation answered, whatever its type.
pub trait Answer: Send {
    fn to_json(&self) -> Json;
    fn view(&self) -> View;
    /// Whether it tells of a failure, which is an answer all the same.
    fn failed(&self) -> bool;
}

impl<T: Serialize + Render + Send> Answer for T {
    fn to_json(&self) -> Json {
        // Answers are plain data with text keys; serialising them cannot fail.
        serde_json::to_value(self).unwrap_or(Json::Null)
    }

    fn view(&self) -> View {
        Render::view(self)
    }

    fn failed(&self) -> bool {
        Render::failed(self)
    }
}

pub type BoxedAnswer = Box<dyn Answer>;
pub type Running = Pin<Box<dyn Future<Output = Result<BoxedAnswer>> + Send>>;

/// An operation without its types, as the list holds it.
pub struct Entry {
    pub declaration: Declaration,
    input_schema: fn() -> Json,
    output_schema: fn() -> Json,
    fields: fn() -> Arc<Fields>,
    decode: fn(Json) -> Result<Json>,
    call_json: fn(Context, Json) -> Result<Running>,
    call_matches: fn(Context, &clap::ArgMatches) -> Result<Running>,
    matches_to_json: fn(&clap::ArgMatches) -> Result<Json>,
    augment: fn(clap::Command) -> clap::Command,
}

impl Entry {
    pub const fn of<O: Operation>() -> Self {
        Self {
            declaration: O::DECLARATION,
            input_schema: schema::of_input::<O::Input>,
            output_schema: schema::of_output::<O::Output>,
            fields: schema::fields_of::<O::Input>,
            decode: |json| {
                let input = input::decode::<O::Input>(json)?;
                Ok(serde_json::to_value(input).unwrap_or(Json::Null))
            },
            call_json: |context, json| {
                context.access.check(&O::DECLARATION, &json)?;
                let input = input::decode::<O::Input>(json)
                    .map_err(|error| O::DECLARATION.toolset.input_error(error))?;
                Ok(start::<O>(context, input))
            },
            call_matches: |context, matches| {
                let input = input::from_matches::<O::Input>(matches)?;
                Ok(start::<O>(context, input))
            },
            matches_to_json: |matches| {
                let input = input::from_matches::<O::Input>(matches)?;
                Ok(serde_json::to_value(input).unwrap_or(Json::Null))
            },
            augment: <O::Input as clap::Args>::augment_args,
        }
    }

    /// The JSON schema of the input, in the shape that strict clients take.
    pub fn input_schema(&self) -> Json {
        (self.input_schema)()
    }

    pub fn output_schema(&self) -> Json {
        (self.output_schema)()
    }

    /// The names of its arguments.
    pub(crate) fn fields(&self) -> Arc<Fields> {
        (self.fields)()
    }

    /// What the operation does, for people and models: the doc comment of its input.
    pub fn description(&self) -> String {
        self.input_schema()["description"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// Starts the operation on JSON input. Input that does not fit is refused before anything runs.
    pub fn call(&self, context: Context, input: Json) -> Result<Running> {
        (self.call_json)(context, input)
    }

    /// Starts the operation on parsed command-line arguments.
    pub fn call_matches(&self, context: Context, matches: &clap::ArgMatches) -> Result<Running> {
        (self.call_matches)(context, matches)
    }

    /// The arguments of the operation, added to a command.
    pub fn augment(&self, command: clap::Command) -> clap::Command {
        (self.augment)(command)
    }

    /// The input with all defaults filled in, from JSON. For tests about the list.
    pub fn complete_json(&self, input: Json) -> Result<Json> {
        (self.decode)(input)
    }

    /// The input with all defaults filled in, from the command line. For tests about the list.
    pub fn complete_matches(&self, matches: &clap::ArgMatches) -> Result<Json> {
        (self.matches_to_json)(matches)
    }
}

fn start<O: Operation>(context: Context, input: O::Input) -> Running {
    Box::pin(async move {
        context.check_audience(&O::DECLARATION)?;
        let output = O::run(context, input).await?;
        Ok(Box::new(output) as BoxedAnswer)
    })
}
