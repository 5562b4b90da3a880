//! Signed requests to services of AWS that take and return JSON.
//!
//! The signature and the search for credentials are those of `object_store`, which is there for
//! artifacts in S3 anyway: the environment, a web identity, a container's or an instance's role.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AwsAuthorizer, AwsCredentialProvider};
use object_store::client::HttpRequest;
use reqwest::StatusCode;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::HostError;
use super::backoff::{Backoff, Failed};
use super::http::{self, unanswered};

/// Errors that pass, beside answers of the kinds 429 and 5xx.
const PASSING: &[&str] = &[
    "Throttling",
    "ThrottlingException",
    "ThrottledException",
    "TooManyRequestsException",
    "RequestLimitExceeded",
    "ProvisionedThroughputExceededException",
    "ServerException",
    "InternalServerError",
    "InternalFailure",
    "ServiceUnavailable",
    "ServiceUnavailableException",
];

/// The services that are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    Ecs,
    Logs,
    Ssm,
}

impl Service {
    const fn name(self) -> &'static str {
        match self {
            Self::Ecs => "ecs",
            Self::Logs => "logs",
            Self::Ssm => "ssm",
        }
    }

    /// What stands before the name of an action.
    const fn target(self) -> &'static str {
        match self {
            Self::Ecs => "AmazonEC2ContainerServiceV20141113",
            Self::Logs => "Logs_20140328",
            Self::Ssm => "AmazonSSM",
        }
    }
}

/// Where AWS is, and how to sign.
#[derive(Clone, Default)]
pub struct AwsOptions {
    /// The region; `AWS_REGION` if it is not set.
    pub region: Option<String>,
    /// The address of all services, if it is not that of AWS.
    pub endpoint: Option<String>,
    /// The variables of the environment that begin with `AWS_`.
    pub variables: Vec<(String, String)>,
    /// How requests are repeated.
    pub backoff: Backoff,
}

/// The values are credentials.
impl std::fmt::Debug for AwsOptions {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("AwsOptions")
            .field("region", &self.region)
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}

impl AwsOptions {
    fn variable(&self, names: &[&str]) -> Option<&str> {
        let is_named = |name: &str, wanted: &str| name.eq_ignore_ascii_case(wanted);
        let mut found = names.iter().filter_map(|wanted| {
            let mut variables = self.variables.iter();
            variables.find(|(name, value)| is_named(name, wanted) && !value.is_empty())
        });
        found.next().map(|(_, value)| value.as_str())
    }

    /// The region of requests.
    pub fn region(&self) -> Option<&str> {
        let own = self.region.as_deref();
        own.or_else(|| self.variable(&["AWS_REGION", "AWS_DEFAULT_REGION"]))
    }

    fn address(&self, service: Service, region: &str) -> String {
        let own = self.endpoint.as_deref();
        if let Some(own) = own.or_else(|| self.variable(&["AWS_ENDPOINT_URL"])) {
            return own.trim_end_matches('/').to_owned();
        }
        let country = if region.starts_with("cn-") { ".cn" } else { "" };
        format!("https://{}.{region}.amazonaws.com{country}", service.name())
    }
}

/// A client of AWS; connects with its first request.
pub struct AwsClient {
    options: AwsOptions,
    parts: OnceLock<(reqwest::Client, AwsCredentialProvider)>,
}

/// An error that a service names.
#[derive(Debug)]
pub enum AwsError {
    /// Its code, and what it says.
    Refused(String, HostError),
    /// No answer, or one that is not understood.
    Failed(HostError),
}

impl From<AwsError> for HostError {
    fn from(error: AwsError) -> Self {
        match error {
            AwsError::Refused(_, problem) | AwsError::Failed(problem) => problem,
        }
    }
}

impl AwsError {
    /// Whether it is an error of this code.
    pub fn is(&self, code: &str) -> bool {
        matches!(self, Self::Refused(own, _) if own == code)
    }
}

impl AwsClient {
    pub fn new(options: AwsOptions) -> Self {
        Self {
            options,
            parts: OnceLock::new(),
        }
    }

    fn parts(&self) -> Result<&(reqwest::Client, AwsCredentialProvider), HostError> {
        if let Some(parts) = self.parts.get() {
            return Ok(parts);
        }
        let client = http::client()?;
        // Only its credentials are used; the bucket does not exist.
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name("unused")
            .with_region(self.options.region().unwrap_or_default());
        for (name, value) in &self.options.variables {
            if let Ok(key) = name.to_ascii_lowercase().parse() {
                builder = builder.with_config(key, value);
            }
        }
        let built = builder.with_allow_http(true).build();
        let built = built.map_err(|problem| HostError::new(problem.to_string()))?;
        let credentials = Arc::clone(built.credentials());
        Ok(self.parts.get_or_init(|| (client, credentials)))
    }

    /// Calls an action until it is answered.
    pub async fn call<O: DeserializeOwned>(
        &self,
        service: Service,
        action: &str,
        input: &impl Serialize,
    ) -> Result<O, AwsError> {
        let body = serde_json::to_vec(input)
            .map_err(|problem| AwsError::Failed(HostError::new(problem.to_string())))?;
        let mut tries = self.options.backoff.begin();
        let answer = loop {
            match self.send(service, action, &body).await {
                Ok(answer) => break answer,
                Err(Refusal::Named(code, problem)) => return Err(AwsError::Refused(code, problem)),
                Err(Refusal::Failed(failed)) => {
                    tries.after(failed).await.map_err(AwsError::Failed)?;
                }
            }
        };
        serde_json::from_slice(&answer).map_err(|problem| {
            let message = format!(
                "{} {action}: the answer is not understood: {problem}",
                service.name()
            );
            AwsError::Failed(HostError::new(message))
        })
    }

    async fn send(&self, service: Service, action: &str, body: &[u8]) -> Result<Vec<u8>, Refusal> {
        let failed = |problem: HostError| Refusal::Failed(Failed::Finally(problem));
        let Some(region) = self.options.region() else {
            let problem = HostError::new("The region of AWS is not set");
            let hint = "Set `region` of the runtime in .windlass/config.toml, or AWS_REGION.";
            return Err(failed(problem.with_hint(hint)));
        };
        let (client, credentials) = self.parts().map_err(failed)?;
        let credential = credentials.get_credential().await.map_err(|problem| {
            let text = format!("No credentials for AWS were found: {problem}");
            failed(HostError::new(text).with_hint(
                "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role. A \
                 profile or SSO: eval \"$(aws configure export-credentials --format env)\".",
            ))
        })?;
        let address = self.options.address(service, region);
        let mut request: HttpRequest = ::http::Request::post(format!("{address}/"))
            .header("content-type", "application/x-amz-json-1.1")
            .header("x-amz-target", format!("{}.{action}", service.target()))
            .body(body.to_vec().into())
            .map_err(|problem| failed(HostError::new(format!("{address}: {problem}"))))?;
        AwsAuthorizer::new(&credential, service.name(), region)
            .try_authorize(&mut request, None)
            .map_err(|problem| failed(HostError::new(problem.to_string())))?;
        let response = client
            .post(request.uri().to_string())
            .headers(request.headers().clone())
            .body(body.to_vec())
            .send()
            .await
            .map_err(|problem| Refusal::Failed(unanswered(service.name(), problem)))?;
        let (status, after) = (response.status(), retry_after(&response));
        let answer = response
            .bytes()
            .await
            .map_err(|problem| Refusal::Failed(unanswered(service.name(), problem)))?;
        if status.is_success() {
            return Ok(answer.to_vec());
        }
        Err(refusal((service, action), status, &answer, after))
    }
}

enum Refusal {
    Failed(Failed),
    Named(String, HostError),
}

fn retry_after(response: &reqwest::Response) -> Option<Duration> {
    let value = response.headers().get("retry-after")?.to_str().ok()?;
    value.parse().ok().map(Duration::from_secs)
}

fn refusal(
    (service, action): (Service, &str),
    status: StatusCode,
    answer: &[u8],
    after: Option<Duration>,
) -> Refusal {
    let said: Json = serde_json::from_slice(answer).unwrap_or_default();
    let code = said["__type"].as_str().or(said["code"].as_str());
    let code = code
        .unwrap_or_default()
        .rsplit('#')
        .next()
        .unwrap_or_default();
    let text = said["message"].as_str().or(said["Message"].as_str());
    let text = text.unwrap_or_default();
    let name = service.name();
    let problem = HostError::new(
        format!("{name} {action}: {status} {code} {text}")
            .trim()
            .to_owned(),
    );
    if PASSING.contains(&code)
        || status == StatusCode::TOO_MANY_REQUESTS
        || status.is_server_error()
    {
        return Refusal::Failed(Failed::Again(problem, after));
    }
    let problem = match code {
        "AccessDeniedException" | "AccessDenied" => {
            let action = format!("{name}:{action}");
            problem.with_hint(format!(
                "The IAM policy of these credentials needs `{action}`."
            ))
        }
        "UnrecognizedClientException"
        | "InvalidSignatureException"
        | "ExpiredTokenException"
        | "InvalidClientTokenId" => {
            problem.with_hint("The credentials are wrong or expired: check AWS_ACCESS_KEY_ID.")
        }
        _ => problem,
    };
    Refusal::Named(code.to_owned(), problem)
}
