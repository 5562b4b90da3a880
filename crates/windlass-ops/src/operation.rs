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

use crate::budget;
use crate::context::{Context, ReadContext};
use crate::input;
use crate::pace::Pace;
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
    Board,
    Commands,
    Runs,
    Plan,
    Sessions,
    Focus,
    Knowledge,
    Workflow,
    Code,
    Sync,
}

impl Toolset {
    pub const ALL: &'static [Self] = &[
        Self::Board,
        Self::Commands,
        Self::Runs,
        Self::Plan,
        Self::Sessions,
        Self::Focus,
        Self::Knowledge,
        Self::Workflow,
        Self::Code,
        Self::Sync,
    ];

    /// The toolsets of a server unless its caller or the project chooses others.
    pub const DEFAULT: &'static [Self] =
        &[Self::Commands, Self::Focus, Self::Knowledge, Self::Code];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Board => "board",
            Self::Commands => "commands",
            Self::Runs => "runs",
            Self::Plan => "plan",
            Self::Sessions => "sessions",
            Self::Focus => "focus",
            Self::Knowledge => "knowledge",
            Self::Workflow => "workflow",
            Self::Code => "code",
            Self::Sync => "sync",
        }
    }

    /// The JSON-RPC code that a tool of this set returns for an error of that kind, fixed by its
    /// contract.
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
            // The runs contract has one code for everything; errors taken from the commands contract
            // keep theirs.
            (Self::Runs, ErrorKind::NotAllowlisted) => kind.code(),
            (Self::Runs, _) => -32000,
            _ => kind.code(),
        }
    }

    /// Whether the set's contract fixes the whole message of an error of that kind, so that no hint
    /// may follow it.
    pub const fn fixes_message(self, kind: ErrorKind) -> bool {
        matches!(self, Self::Runs)
            && matches!(
                kind,
                ErrorKind::RunNotFound
                    | ErrorKind::AlreadyExecuted
                    | ErrorKind::PlaybookNotFound
                    | ErrorKind::InvalidRunSpec
            )
    }

    /// How the tools of this set report an error over MCP, unless one says otherwise.
    const fn error_style(self) -> ErrorStyle {
        match self {
            Self::Commands | Self::Runs | Self::Knowledge => ErrorStyle::Code,
            Self::Board
            | Self::Plan
            | Self::Sessions
            | Self::Focus
            | Self::Workflow
            | Self::Sync => ErrorStyle::Result,
            Self::Code => ErrorStyle::Script,
        }
    }

    /// An error about invalid input, in the form that the set's contract fixes.
    fn input_error(self, error: Error) -> Error {
        match self {
            Self::Runs => crate::runs::input_error(error),
            _ => error,
        }
    }

    pub const fn doc(self) -> &'static str {
        match self {
            Self::Board => {
                "Tasks with every field and filter, all details of any entity, and what is waiting for a person."
            }
            Self::Code => {
                "Run sandboxed scripts that can call every operation, and look up what they can call."
            }
            Self::Sync => "The exchange of changes with other clones, by files that git carries.",
            Self::Runs => {
                "Multi-step runs with expectations and artifacts, and the playbooks that define them."
            }
            Self::Plan => {
                "The plan: tasks, features, disciplines, comments, progress and the two state files."
            }
            Self::Sessions => {
                "Agent sessions: the tools that each gets, by recipe and discipline, and its briefing."
            }
            Self::Focus => {
                "Tools for an agent working on one task: done, partial, stuck, ask, blocked, flag, learned, suggest."
            }
            Self::Commands => {
                "The repository's own commands, behind an allowlist that people maintain, and the jobs that run them."
            }
            Self::Workflow => {
                "The work lifecycle: tasks from start to done, reviews, gates, help from people, learnings."
            }
            Self::Knowledge => {
                "Decisions, tasks, notes, prompts, components and links, their relations, search, and the task queue."
            }
        }
    }
}

/// How a tool returns an error over MCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorStyle {
    /// A JSON-RPC error with the code that the tool's contract fixes.
    Code,
    /// A result with `isError`, as MCP recommends for tools.
    Result,
    /// The same in the form of the workflow contract: `{ok: false, error: {code, message, data}}`.
    Script,
}

/// A call that works on the sample project of the tests and gives the same result on every surface.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    pub about: &'static str,
    /// What follows `windlass` on the command line; empty where only `windlass call` runs it.
    pub cli: &'static [&'static str],
    /// The same input as JSON.
    pub input: &'static str,
}

impl Example {
    pub const fn new(
        about: &'static str,
        cli: &'static [&'static str],
        input: &'static str,
    ) -> Self {
        Self { about, cli, input }
    }

    /// A call of an operation that has no command of its own in the tree of commands.
    pub const fn call(about: &'static str, input: &'static str) -> Self {
        Self::new(about, &[], input)
    }
}

/// Everything about an operation except its types and its handler. Written with a constructor for its
/// effect, and then only what differs from the default.
#[derive(Debug)]
pub struct Declaration {
    /// The name on the wire: `entity_create`.
    pub name: &'static str,
    pub toolset: Toolset,
    /// The words after `windlass` in the tree of commands for people: `["tasks", "ready"]`. Empty where
    /// only `windlass call` has it.
    pub cli: &'static [&'static str],
    /// Namespace and method of the JavaScript SDK: `entities.create`.
    pub sdk: &'static str,
    pub effect: Effect,
    /// Whether calling it twice does no more than calling it once.
    pub idempotent: bool,
    /// Whether it may wait longer than the time limit of an ordinary request.
    pub long_running: bool,
    /// Whether it reads files, runs git or does anything else that may block, so that it never runs
    /// on a thread that serves other requests.
    pub blocking: bool,
    pub audience: Audience,
    pub errors: ErrorStyle,
    pub examples: &'static [Example],
}

impl Declaration {
    /// An operation that changes nothing.
    pub const fn read(name: &'static str, toolset: Toolset) -> Self {
        Self::new(name, toolset, Effect::Read)
    }

    /// An operation that adds or changes something.
    pub const fn write(name: &'static str, toolset: Toolset) -> Self {
        Self::new(name, toolset, Effect::Write)
    }

    /// An operation that removes something.
    pub const fn destructive(name: &'static str, toolset: Toolset) -> Self {
        Self::new(name, toolset, Effect::Destructive)
    }

    /// An operation that runs code of the project.
    pub const fn execute(name: &'static str, toolset: Toolset) -> Self {
        Self::new(name, toolset, Effect::Execute)
    }

    /// An operation that runs a script.
    pub const fn script(name: &'static str, toolset: Toolset) -> Self {
        Self::new(name, toolset, Effect::Script)
    }

    const fn new(name: &'static str, toolset: Toolset, effect: Effect) -> Self {
        Self {
            name,
            toolset,
            cli: &[],
            sdk: "",
            effect,
            idempotent: matches!(effect, Effect::Read),
            long_running: false,
            blocking: false,
            audience: Audience::Anyone,
            errors: toolset.error_style(),
            examples: &[],
        }
    }

    #[must_use]
    pub const fn cli(mut self, words: &'static [&'static str]) -> Self {
        self.cli = words;
        self
    }

    #[must_use]
    pub const fn sdk(mut self, method: &'static str) -> Self {
        self.sdk = method;
        self
    }

    #[must_use]
    pub const fn idempotent(mut self) -> Self {
        self.idempotent = true;
        self
    }

    #[must_use]
    pub const fn not_idempotent(mut self) -> Self {
        self.idempotent = false;
        self
    }

    #[must_use]
    pub const fn long_running(mut self) -> Self {
        self.long_running = true;
        self
    }

    #[must_use]
    pub const fn blocking(mut self) -> Self {
        self.blocking = true;
        self
    }

    #[must_use]
    pub const fn human_only(mut self) -> Self {
        self.audience = Audience::Human;
        self
    }

    #[must_use]
    pub const fn errors(mut self, style: ErrorStyle) -> Self {
        self.errors = style;
        self
    }

    #[must_use]
    pub const fn examples(mut self, examples: &'static [Example]) -> Self {
        self.examples = examples;
        self
    }

    /// The words after `windlass` that run it.
    pub fn command_words(&self) -> Vec<&'static str> {
        if self.cli.is_empty() {
            return vec!["call", self.name];
        }
        self.cli.to_vec()
    }
}

/// What the input of an operation can do: be read from JSON and from the command line, and describe
/// itself.
pub trait OperationInput:
    clap::Args + Serialize + DeserializeOwned + JsonSchema + Send + 'static
{
}

impl<T> OperationInput for T where
    T: clap::Args + Serialize + DeserializeOwned + JsonSchema + Send + 'static
{
}

/// What the output of an operation can do: become JSON, be shown to a person, and describe itself.
pub trait OperationOutput: Serialize + JsonSchema + Render + Send + 'static {}

impl<T: Serialize + JsonSchema + Render + Send + 'static> OperationOutput for T {}

/// One thing that Windlass can do.
pub trait Operation: Sized + 'static {
    type Input: OperationInput;
    type Output: OperationOutput;

    const DECLARATION: Declaration;

    fn run(
        context: Context,
        input: Self::Input,
    ) -> impl Future<Output = Result<Self::Output>> + Send;
}

/// One thing that Windlass can look up. Its context has no way to change anything.
pub trait ReadOperation: Sized + 'static {
    type Input: OperationInput;
    type Output: OperationOutput;

    const DECLARATION: Declaration;

    fn run(
        context: ReadContext,
        input: Self::Input,
    ) -> impl Future<Output = Result<Self::Output>> + Send;
}

/// The output of an operation, whatever its type.
pub trait AnyOutput: Send {
    fn to_json(&self) -> Json;
    /// The same as text. Written directly, because the way over a value takes several times as long.
    fn to_text(&self) -> String {
        text_of(&self.to_json())
    }
    fn view(&self) -> View;
    /// Whether it reports a failure, which is a result all the same.
    fn failed(&self) -> bool;
    /// Cuts the JSON of the output to about so many characters.
    fn fit(&self, _json: &mut Json, _budget: usize) {}
    /// Whether what was asked for ended without success.
    fn unsuccessful(&self) -> bool;
}

impl<T: Serialize + Render + Send> AnyOutput for T {
    fn to_json(&self) -> Json {
        // Outputs are plain data with text keys; serialising them cannot fail.
        serde_json::to_value(self).unwrap_or(Json::Null)
    }

    fn to_text(&self) -> String {
        let text = text_of(self);
        // A field that a flattened part has too would be written twice.
        debug_assert_eq!(text, text_of(&AnyOutput::to_json(self)));
        text
    }

    fn view(&self) -> View {
        Render::view(self)
    }

    fn failed(&self) -> bool {
        Render::failed(self)
    }

    fn fit(&self, json: &mut Json, budget: usize) {
        budget::fit(json, self, budget);
    }

    fn unsuccessful(&self) -> bool {
        Render::unsuccessful(self)
    }
}

/// Not through `Display`, which takes twice as long. Outputs are plain data with text keys;
/// serialising them cannot fail.
fn text_of(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

pub type BoxedOutput = Box<dyn AnyOutput>;
pub type Running = Pin<Box<dyn Future<Output = Result<BoxedOutput>> + Send>>;

/// An operation without its types, as the list holds it.
pub struct Entry {
    pub declaration: Declaration,
    input_schema: fn() -> Json,
    output_schema: fn() -> Json,
    named_schemas: [fn() -> Json; 2],
    fields: fn() -> Arc<Fields>,
    complete: fn(Json) -> Result<Json>,
    from_matches: fn(&clap::ArgMatches) -> Result<Json>,
    augment: fn(clap::Command) -> clap::Command,
    start: fn(Context, Json) -> Result<Running>,
    pub(crate) pace: Pace,
}

impl Entry {
    pub const fn act<O: Operation>() -> Self {
        assert!(
            !matches!(O::DECLARATION.effect, Effect::Read),
            "an operation that changes nothing is a ReadOperation"
        );
        Self::with_types::<O::Input, O::Output>(O::DECLARATION, |context, input| {
            let input = decode::<O::Input>(&O::DECLARATION, input)?;
            Ok(Box::pin(async move {
                let output = O::run(context, input).await?;
                Ok(Box::new(output) as BoxedOutput)
            }))
        })
    }

    pub const fn read<O: ReadOperation>() -> Self {
        assert!(
            matches!(O::DECLARATION.effect, Effect::Read),
            "a ReadOperation changes nothing"
        );
        Self::with_types::<O::Input, O::Output>(O::DECLARATION, |context, input| {
            let input = decode::<O::Input>(&O::DECLARATION, input)?;
            Ok(Box::pin(async move {
                let output = O::run(context.into_reading(), input).await?;
                Ok(Box::new(output) as BoxedOutput)
            }))
        })
    }

    const fn with_types<I: OperationInput, O: OperationOutput>(
        declaration: Declaration,
        start: fn(Context, Json) -> Result<Running>,
    ) -> Self {
        Self {
            declaration,
            input_schema: schema::of_input::<I>,
            output_schema: schema::of_output::<O>,
            named_schemas: [schema::with_names::<I>, schema::with_names::<O>],
            fields: schema::fields_of::<I>,
            complete: |json| {
                let input = input::decode::<I>(json)?;
                Ok(serde_json::to_value(input).unwrap_or(Json::Null))
            },
            from_matches: |matches| {
                let input = input::from_matches::<I>(matches)?;
                Ok(serde_json::to_value(input).unwrap_or(Json::Null))
            },
            augment: <I as clap::Args>::augment_args,
            start,
            pace: Pace::new(),
        }
    }

    /// The JSON schema of the input, in the form that strict clients accept.
    pub fn input_schema(&self) -> Json {
        (self.input_schema)()
    }

    pub fn output_schema(&self) -> Json {
        (self.output_schema)()
    }

    /// The schemas of input and output with the names of their types.
    pub(crate) fn named_schemas(&self) -> [Json; 2] {
        self.named_schemas.map(|schema| schema())
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

    /// Starts the operation. Invalid input is refused before anything runs. Only the pipeline calls
    /// this: it does everything that holds for all operations.
    pub(crate) fn start(&self, context: Context, input: Json) -> Result<Running> {
        (self.start)(context, input)
    }

    /// Whether a call is expected to take microseconds: it only reads the state, and was not slow
    /// lately.
    pub fn is_quick(&self) -> bool {
        let declaration = &self.declaration;
        declaration.effect == Effect::Read
            && !declaration.blocking
            && !declaration.long_running
            && !self.pace.is_slow()
    }

    /// Whether a call only changes the state: nothing in it can be cancelled or takes long.
    pub fn is_short_change(&self) -> bool {
        let declaration = &self.declaration;
        matches!(declaration.effect, Effect::Write | Effect::Destructive)
            && !declaration.long_running
    }

    /// The arguments of the operation, added to a command.
    pub fn augment(&self, command: clap::Command) -> clap::Command {
        (self.augment)(command)
    }

    /// The input with all defaults filled in.
    pub fn complete(&self, input: Json) -> Result<Json> {
        (self.complete)(input)
    }

    /// The input that parsed command-line arguments stand for.
    pub fn input_of_matches(&self, matches: &clap::ArgMatches) -> Result<Json> {
        (self.from_matches)(matches)
    }
}

fn decode<I: OperationInput>(declaration: &Declaration, input: Json) -> Result<I> {
    input::decode(input).map_err(|error| declaration.toolset.input_error(error))
}
