//! Runs operations in this process, as the surfaces do.

use std::sync::Arc;

use serde_json::Value as Json;
use windlass_ops::{Context, Host, Settings, Workshop};
use windlass_store::{Project, Store};

use crate::generate::origin;
use crate::harness::Outcome;

pub struct Operations(Context);

impl Operations {
    pub fn on(project: &Project) -> Outcome<Self> {
        let store = Arc::new(Store::open(project)?);
        let workshop = Workshop::new(project.clone(), Host::without_jobs(project.root()));
        Ok(Self(Context::new(
            store,
            Arc::new(workshop),
            origin(),
            Arc::new(Settings::default()),
        )))
    }

    pub fn call(&self, name: &str, input: &Json) -> Outcome<Json> {
        let entry = windlass_ops::find(name).ok_or("no such operation")?;
        let running = entry.call(self.0.clone(), input.clone())?;
        Ok(futures::executor::block_on(running)?.to_json())
    }
}
