//! Runs as tasks of the protocol's extension: a client that declares it immediately gets a task,
//! which it can poll and cancel.

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{CallToolResponse, CreateTaskResult};
use rmcp::service::RequestContext;
use rmcp::task_manager::{TaskExit, TaskOptions};
use serde_json::Value as Json;
use tokio_util::sync::CancellationToken;
use windlass_ops::{Context, Effect, Entry, Toolset};

use super::super::errors::{Fault, unknown_tool};
use super::{Server, answer_of, is_modern};

/// How long a task may take, and how long its result is available afterwards.
const KEPT: u64 = 24 * 60 * 60 * 1000;
/// How often a client should poll.
const ASK_EVERY: u64 = 500;

/// Whether the call returns a task.
pub fn becomes_task(entry: &Entry, input: &Json, context: &RequestContext<RoleServer>) -> bool {
    let declaration = &entry.declaration;
    let declared = context
        .client_capabilities()
        .is_some_and(|capabilities| capabilities.supports_tasks());
    // Clients older than 2026-07-28 may declare it too, but do not understand the response.
    declared
        && is_modern(context)
        && declaration.toolset == Toolset::Runs
        && declaration.effect == Effect::Execute
        && input["wait"] != false
}

impl Server {
    /// Starts the call as a task.
    pub(super) fn start_task(
        &self,
        tool: &str,
        mut ours: Context,
        input: Json,
    ) -> CallToolResponse {
        let shared = Arc::clone(&self.shared);
        let tool = tool.to_owned();
        let options = TaskOptions::new()
            .with_ttl_ms(KEPT)
            .with_poll_interval_ms(ASK_EVERY);
        let task = self.shared.tasks.spawn(options, move |task| {
            let told = task.clone();
            ours.progress = Some(Arc::new(move |progress| {
                told.set_status_message(progress.message);
            }));
            Box::pin(async move {
                let catalog = shared.catalog();
                let Some(entry) = catalog.operation(&tool) else {
                    let unknown = unknown_tool(&tool, catalog.names());
                    return Err(unknown.into_error().into());
                };
                let result = tokio::select! {
                    result = windlass_ops::call(entry, ours, input, CancellationToken::new()) => result,
                    () = task.cancelled() => return Err(TaskExit::Cancelled),
                };
                match result {
                    Ok(response) => Ok(answer_of(&response)),
                    Err(error) => match Fault::from(error).into_tool_answer(&entry.declaration) {
                        Ok(CallToolResponse::Complete(result)) => Ok(result),
                        Ok(_) => Err(TaskExit::Cancelled),
                        Err(error) => Err(error.into()),
                    },
                }
            })
        });
        CreateTaskResult::new(task).into()
    }
}
