//! One request to the collector.

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Response, StatusCode};
use serde_json::Value as Json;
use tokio::runtime::Builder;
use windlass_core::{Error, ErrorKind, Result};

use super::destination::Destination;
use super::encoding::NOTHING;

const CONNECT_WITHIN: Duration = Duration::from_secs(5);
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// How long somebody who asks whether it works waits.
const TRY_WITHIN: Duration = Duration::from_secs(3);
/// A longer answer of a collector is not read.
const LONGEST_ANSWER: usize = 64 * 1024;

/// What became of a request.
#[derive(Debug, PartialEq, Eq)]
pub enum Posted {
    /// Taken, but for as many spans as the collector says.
    Taken { rejected: usize },
    /// The same may work later.
    Later {
        problem: String,
        after: Option<Duration>,
    },
    /// The same would be refused again.
    Refused(String),
}

pub struct Client {
    client: reqwest::Client,
    destination: Destination,
}

impl Client {
    pub fn new(destination: Destination) -> Result<Self, String> {
        // Another part of the program may have installed a provider already; any provider will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("windlass/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_WITHIN)
            .timeout(ANSWER_WITHIN)
            // A person allowed this address and no other.
            .redirect(Policy::none());
        if is_local(&destination) {
            // No proxy of the environment reaches this machine.
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|problem| in_words(&problem))?;
        Ok(Self {
            client,
            destination,
        })
    }

    pub async fn post(&self, body: String) -> Posted {
        let request = self
            .client
            .post(self.destination.url.clone())
            .headers(self.destination.headers.clone())
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        match request.send().await {
            Ok(response) => outcome(response).await,
            Err(problem) => Posted::Later {
                problem: in_words(&problem.without_url()),
                after: None,
            },
        }
    }
}

fn is_local(destination: &Destination) -> bool {
    match destination.url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

async fn outcome(response: Response) -> Posted {
    let status = response.status();
    if status.is_success() {
        return Posted::Taken {
            rejected: rejected(response).await,
        };
    }
    let problem = format!("it answers {status}");
    let is_passing = matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT
    );
    if !is_passing {
        return Posted::Refused(problem);
    }
    let after = response.headers().get(RETRY_AFTER);
    let seconds = after.and_then(|it| it.to_str().ok()?.parse().ok());
    Posted::Later {
        problem,
        after: seconds.map(Duration::from_secs),
    }
}

/// How many spans the collector did not take, as far as it says so.
async fn rejected(mut response: Response) -> usize {
    let mut text = Vec::new();
    while let Ok(Some(part)) = response.chunk().await {
        text.extend_from_slice(&part);
        if text.len() > LONGEST_ANSWER {
            return 0;
        }
    }
    let answer: Json = serde_json::from_slice(&text).unwrap_or_default();
    // Whole numbers of 64 bits are strings; some collectors write numbers.
    match &answer["partialSuccess"]["rejectedSpans"] {
        Json::String(text) => text.parse().unwrap_or(0),
        Json::Number(number) => number
            .as_u64()
            .and_then(|it| usize::try_from(it).ok())
            .unwrap_or(0),
        _ => 0,
    }
}

fn in_words(problem: &reqwest::Error) -> String {
    let mut text = problem.to_string();
    let mut cause = std::error::Error::source(problem);
    while let Some(source) = cause {
        text = format!("{text}: {source}");
        cause = source.source();
    }
    text
}

/// Sends a request without spans, as a person who asks whether the export works wants it.
pub fn try_export(destination: &Destination) -> Result<()> {
    let failed = |problem: &str| {
        let message = format!("The collector at {destination} does not take spans: {problem}");
        Error::new(ErrorKind::StorageError, message)
    };
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|problem| failed(&problem.to_string()))?;
    let client = Client::new(destination.clone()).map_err(|problem| failed(&problem))?;
    let posted = runtime.block_on(async {
        tokio::time::timeout(TRY_WITHIN, client.post(NOTHING.to_owned())).await
    });
    match posted {
        Ok(Posted::Taken { .. }) => Ok(()),
        Ok(Posted::Later { problem, .. } | Posted::Refused(problem)) => Err(failed(&problem)),
        Err(_) => Err(failed("it does not answer in time")),
    }
}
