//! The simulation: nothing is executed, and every step succeeds with the same output each time.

use futures::future::BoxFuture;
use windlass_process::Stream;

use super::{Outcome, Runtime, StepRequest, Unavailable};
use crate::spec::{RunSpec, RuntimeName};

/// Executes nothing.
#[derive(Debug, Clone, Copy)]
pub struct Dummy;

impl Runtime for Dummy {
    fn name(&self) -> RuntimeName {
        RuntimeName::Dummy
    }

    fn check(&self, _spec: &RunSpec) -> Result<(), Unavailable> {
        Ok(())
    }

    fn is_simulation(&self) -> bool {
        true
    }

    fn run<'a>(&'a self, request: StepRequest<'a>) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            if request.cancel.is_cancelled() {
                return Outcome::Cancelled;
            }
            let (shell, command) = (request.step.shell, &request.step.command);
            let line = format!("[dummy] {shell}: {command}\n");
            request.output.write(Stream::Stdout, line.as_bytes());
            Outcome::Ended {
                code: 0,
                signal: None,
            }
        })
    }
}
