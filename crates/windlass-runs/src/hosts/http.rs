//! The client of services.

use std::time::Duration;

use reqwest::{Client, Error};

use super::HostError;
use super::backoff::Failed;

/// One request.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(1);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

pub fn client() -> Result<Client, HostError> {
    // Another part of the program may have installed a provider already; any provider works.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .timeout(REQUEST_TIMEOUT)
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("windlass/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|problem| HostError::new(problem.to_string()))
}

/// A request that got no answer. Its URL is left out, because one may carry a signature.
pub fn unanswered(service: &str, problem: Error) -> Failed {
    let problem = problem.without_url();
    let mut text = problem.to_string();
    let mut source = std::error::Error::source(&problem);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    Failed::Again(
        HostError::new(format!("{service} does not answer: {text}")),
        None,
    )
}
