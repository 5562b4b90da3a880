//! Runtimes that execute runs elsewhere and have no settings.

use futures::future::BoxFuture;

use super::{Outcome, Runtime, StepRequest, Unavailable};
use crate::record::{Failure, FailureKind};
use crate::spec::{RunSpec, RuntimeName};

/// A runtime of which only the name is known.
#[derive(Debug, Clone, Copy)]
pub struct NotConfigured(pub RuntimeName);

impl Runtime for NotConfigured {
    fn name(&self) -> RuntimeName {
        self.0
    }

    fn check(&self, _spec: &RunSpec) -> Result<(), Unavailable> {
        Err(Unavailable::not_supported(self.0))
    }

    fn run<'a>(&'a self, _step: StepRequest<'a>) -> BoxFuture<'a, Outcome> {
        let unavailable = Unavailable::not_supported(self.0);
        let failure = Failure::new(FailureKind::Start, unavailable.message);
        Box::pin(async { Outcome::Failed(failure.with_hint(unavailable.hint)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_is_the_one_the_contract_fixes() {
        let unavailable = Unavailable::not_supported(RuntimeName::GithubRunner);
        assert_eq!(
            unavailable.to_string(),
            "Runtime github-runner not supported by DummyExecutorAdapter. Only 'dummy' runtime is \
             supported in I631."
        );
        let expected = "Set it up in .windlass/config.toml, and let a person allow the file:\n\
            [runtimes.github-runner]\nrepository = \"owner/name\"";
        assert_eq!(unavailable.hint, expected);
    }
}
