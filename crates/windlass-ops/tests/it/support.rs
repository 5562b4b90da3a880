//! A project in a temporary folder, and calls by name as a surface makes them.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;
use windlass_core::{Actor, Error, Origin, Result};
use windlass_ops::{
    AnyOutput as _, Context, Entry, JobHost, Lifetime, Machine, OPERATIONS, Settings, Toolset,
    Workspace, find,
};
use windlass_store::{Project, Store};

pub struct Sandbox {
    // Held so that the folder lives as long as the store.
    _folder: tempfile::TempDir,
    pub context: Context,
}

/// Runs an operation as every surface does.
pub fn run(entry: &'static Entry, context: Context, input: Json) -> Result<Json> {
    let call = windlass_ops::call(entry, context, input, CancellationToken::new());
    futures::executor::block_on(call).map(|response| response.to_json())
}

pub fn sandbox() -> Sandbox {
    let folder = tempfile::tempdir().expect("a folder");
    let (project, _) = Project::init(folder.path()).expect("a project");
    let store = Arc::new(Store::open(&project).expect("a store"));
    let origin = Origin {
        actor: Actor::Agent,
        source: "test",
        session: "test".into(),
        correlation_id: None,
    };
    let machine = Machine::without_jobs(folder.path());
    let workspace = Arc::new(Workspace::new(project, machine));
    let host = Arc::new(JobHost::new(workspace, Lifetime::Command));
    Sandbox {
        _folder: folder,
        context: Context::new(store, host, origin, Arc::new(Settings::default())),
    }
}

impl Sandbox {
    pub fn call(&self, name: &str, input: Json) -> Result<Json> {
        // The plan has a tool of the same name as the commands.
        let entry = match name {
            "list_plan_tasks" => OPERATIONS.iter().find(|entry| {
                entry.declaration.name == "list_tasks" && entry.declaration.toolset == Toolset::Plan
            }),
            _ => find(name),
        };
        let entry = entry.expect(name);
        run(entry, self.context.clone(), input)
    }

    pub fn ok(&self, name: &str, input: Json) -> Json {
        self.call(name, input.clone())
            .unwrap_or_else(|error| panic!("{name} {input}: {error}"))
    }

    pub fn refused(&self, name: &str, input: Json) -> Error {
        match self.call(name, input.clone()) {
            Ok(answer) => panic!("{name} {input} answered {answer}"),
            Err(error) => error,
        }
    }

    pub fn add(&self, kind: &str, title: &str, properties: Json) -> i64 {
        let input = json!({"type": kind, "title": title, "properties": properties});
        self.ok("entity_create", input)["sequence_number"]
            .as_i64()
            .expect("a number")
    }
}
