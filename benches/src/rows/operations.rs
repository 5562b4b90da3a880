//! Runs operations in this process, as the surfaces do.

use std::sync::Arc;

use serde_json::Value as Json;
use tokio_util::sync::CancellationToken;
use windlass_ops::{AnyOutput as _, Context, JobHost, Lifetime, Machine, Settings, Workspace};
use windlass_store::{Project, Store};

use crate::generate::origin;
use crate::harness::Outcome;

pub struct Operations(Context);

impl Operations {
    pub fn on(project: &Project) -> Outcome<Self> {
        Ok(Self(context(
            project,
            Machine::without_jobs(project.root()),
        )?))
    }

    pub fn call(&self, name: &str, input: &Json) -> Outcome<Json> {
        futures::executor::block_on(call(&self.0, name, input.clone()))
    }
}

/// The context of operations on the project.
pub fn context(project: &Project, machine: Machine) -> Outcome<Context> {
    let store = Arc::new(Store::open(project)?);
    // As in a server.
    store.copy_log_beside_writes()?;
    let workspace = Arc::new(Workspace::new(project.clone(), machine));
    let host = Arc::new(JobHost::new(workspace, Lifetime::Server));
    let settings = Arc::new(Settings::default());
    Ok(Context::new(store, host, origin(), settings))
}

pub async fn call(context: &Context, name: &str, input: Json) -> Outcome<Json> {
    let entry = windlass_ops::find(name).ok_or("no such operation")?;
    let call = windlass_ops::call(entry, context.clone(), input, CancellationToken::new());
    Ok(call.await?.to_json())
}
