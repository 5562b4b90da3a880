//! The caller of a command and its output: the context of every command of the tree.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::ArgMatches;
use serde_json::Value as Json;
use windlass_core::{Actor, Error, Origin, Result};
use windlass_ops::{
    AnyOutput, Context, Entry, IdempotencyKey, JobHost, Lifetime, Machine, OPERATIONS, Response,
    Settings, Toolset, Workspace,
};
use windlass_store::{Bindings, Project, Store};

use super::commands::models::embed_later;
use super::execute::{self, CommandEnd};
use super::exit_codes::{DECLINED, NOT_SUCCESSFUL};
use super::global::Global;
use super::input;
use super::output::{self, Output};
use super::text;
use super::tree;
use crate::surface::environment::Environment;
use crate::surface::person::{self, NotAPerson};

pub struct Caller {
    /// The arguments of the process, including the program's name.
    pub words: Vec<OsString>,
    pub global: Global,
    pub output: Output,
    pub environment: Environment,
    context: OnceCell<Context>,
    person: OnceCell<Result<(), NotAPerson>>,
}

impl Caller {
    pub fn new(words: Vec<OsString>, global: Global, environment: Environment) -> Self {
        Self {
            output: Output::of(&global, &environment),
            words,
            global,
            environment,
            context: OnceCell::new(),
            person: OnceCell::new(),
        }
    }

    /// The project that the command works on, with what other clones have sent. It is opened once.
    pub fn context(&self) -> Result<Context> {
        if let Some(context) = self.context.get() {
            return Ok(context.clone());
        }
        let context = self.context_as_it_is()?;
        let imported = windlass_ops::import_new_packs(&context);
        if !self.output.is_json() {
            for line in imported.lines() {
                output::note(&line);
            }
        }
        Ok(context)
    }

    /// The same without a look at what other clones have sent.
    pub fn context_as_it_is(&self) -> Result<Context> {
        if let Some(context) = self.context.get() {
            return Ok(context.clone());
        }
        let mut context = self.opening()?.open()?;
        self.output.tell_notices_of(&context.store);
        context.idempotency_key = match &self.global.idempotency_key {
            Some(key) => Some(Arc::new(IdempotencyKey::new(key)?)),
            None => None,
        };
        // Whoever looks at what came from elsewhere should know; the error of a change says the rest.
        if !self.output.is_json() && context.store.check_trusted().is_err() {
            output::note(
                "warning: this state came from elsewhere: it is shown, and nothing is changed or run. See \
                 windlass trust.",
            );
        }
        Ok(self.context.get_or_init(|| context).clone())
    }

    /// All that is needed to open the project, also on another thread.
    pub fn opening(&self) -> Result<Opening> {
        Ok(Opening {
            cwd: self.global.cwd.clone(),
            settings: self.environment.settings()?,
            origin: self.origin()?,
            machine: self.environment.machine(&self.global.cwd),
            not_a_person: self.person().err().map(|why| why.to_string()),
        })
    }

    /// The input of an operation: one JSON text, or its arguments.
    pub fn input(&self, entry: &Entry, matches: &ArgMatches) -> Result<Json> {
        match matches.get_one::<String>(tree::INPUT) {
            Some(value) => entry.complete(input::read(value, &self.global.cwd)?),
            None => entry.input_of_matches(matches),
        }
    }

    /// What this user's machine knows about projects.
    pub fn bindings(&self) -> Bindings {
        Bindings::new(self.environment.machine(&self.global.cwd).bindings)
    }

    /// Whether a person runs the command, and if not, what shows it.
    pub fn person(&self) -> Result<(), NotAPerson> {
        let known = self.person.get_or_init(|| person::check(&self.environment));
        known.clone()
    }

    /// The author of the events that the command writes.
    pub fn origin(&self) -> Result<Origin> {
        Ok(Origin {
            actor: match self.person() {
                Ok(()) => Actor::Human,
                Err(_) => Actor::Agent,
            },
            source: "cli",
            session: match self.environment.session()? {
                Some(session) => session,
                None => format!("cli:{}", self.environment.user_name()),
            },
            correlation_id: self.environment.correlation_id()?,
        })
    }

    /// Calls an operation that waits only for the disk.
    pub fn call(&self, name: &str, input: Json) -> Result<Response> {
        match execute::to_the_end(operation(name)?, input, self.context()?)? {
            CommandEnd::Response(response) => Ok(response),
            CommandEnd::Signal(_) => Err(Error::internal("The command was interrupted")),
        }
    }

    /// Calls an operation, prints its output and returns the exit code.
    pub fn answer_call(&self, name: &str, input: Json) -> Result<ExitCode> {
        self.answer(&self.call(name, input)?)
    }

    /// Prints an output and returns the exit code.
    pub fn answer(&self, output: &dyn AnyOutput) -> Result<ExitCode> {
        self.output.answer(output)?;
        Ok(exit_code(output))
    }

    /// What is left to do when a command has answered: what it wrote gets its vectors.
    pub fn finish(&self) {
        let own_words = self.words.get(1).is_some_and(|word| word == "models");
        if let Some(context) = self.context.get().filter(|_| !own_words) {
            embed_later(context);
        }
    }

    /// Reports that a person declined.
    pub fn declined(&self) -> ExitCode {
        self.output.error("stopped", "Nothing was changed.", None);
        ExitCode::from(DECLINED)
    }
}

/// What is needed to open a project.
pub struct Opening {
    cwd: PathBuf,
    settings: Settings,
    origin: Origin,
    machine: Machine,
    not_a_person: Option<String>,
}

impl Opening {
    /// The same for a project elsewhere.
    pub fn at(self, root: &Path) -> Self {
        let cwd = root.to_owned();
        Self { cwd, ..self }
    }

    pub fn open(self) -> Result<Context> {
        let project = Project::find(&self.cwd)?;
        let bindings = Bindings::new(self.machine.bindings.clone());
        let store = Arc::new(Store::open_bound(&project, &bindings)?);
        let workspace = Arc::new(Workspace::new(project, self.machine));
        let host = Arc::new(JobHost::new(workspace, Lifetime::Command));
        let mut context = Context::new(store, host, self.origin, Arc::new(self.settings));
        context.naming = text::naming();
        context.not_a_person = self.not_a_person.map(Into::into);
        Ok(context)
    }
}

pub fn exit_code(output: &dyn AnyOutput) -> ExitCode {
    if output.unsuccessful() {
        ExitCode::from(NOT_SUCCESSFUL)
    } else {
        ExitCode::SUCCESS
    }
}

/// The operation of that name; prefixed with its toolset if two operations share a name.
pub fn operation(name: &str) -> Result<&'static Entry> {
    find_operation(name).ok_or_else(|| Error::internal(format!("Unknown operation \"{name}\"")))
}

/// An operation by its name, or by its toolset and its name.
pub fn find_operation(name: &str) -> Option<&'static Entry> {
    windlass_ops::find(name).or_else(|| {
        OPERATIONS.iter().find(|entry| {
            let rest = name.strip_prefix(entry.declaration.toolset.name());
            rest.and_then(|rest| rest.strip_prefix('_')) == Some(entry.declaration.name)
        })
    })
}

/// The name of an operation in `windlass call`: prefixed with its toolset if two operations share a
/// name.
pub fn call_name(entry: &Entry) -> String {
    let declaration = &entry.declaration;
    let same = |other: &&Entry| other.declaration.name == declaration.name;
    if OPERATIONS.iter().filter(same).count() > 1 {
        return prefixed(declaration.toolset, declaration.name);
    }
    declaration.name.to_owned()
}

fn prefixed(toolset: Toolset, name: &str) -> String {
    format!("{}_{name}", toolset.name())
}
