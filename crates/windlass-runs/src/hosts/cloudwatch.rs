//! Log streams of CloudWatch, read from their beginning.

use serde::Deserialize;
use serde_json::json;

use super::aws::{AwsClient, Service};
use super::{Follower, HostError};

/// A page with as many bytes is probably followed by another. CloudWatch returns up to 1 MiB.
const LARGE_PAGE: usize = 64 << 10;

/// How far a log is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// What is new, by as few requests as possible.
    Now,
    /// Everything: nothing is written any more.
    ToTheEnd,
}

/// One log stream.
pub struct LogStream {
    group: String,
    name: String,
    token: Option<String>,
    is_enough: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    #[serde(default)]
    events: Vec<LogEvent>,
    next_forward_token: Option<String>,
}

#[derive(Deserialize)]
struct LogEvent {
    #[serde(default)]
    message: String,
}

impl LogStream {
    pub fn new(group: &str, name: String) -> Self {
        Self {
            group: group.to_owned(),
            name,
            token: None,
            is_enough: false,
        }
    }

    /// Sends what is new, and returns whether anything was.
    pub async fn read(
        &mut self,
        aws: &AwsClient,
        reading: Reading,
        follower: &Follower,
    ) -> Result<bool, HostError> {
        let mut is_new = false;
        while let Some(page) = self.next(aws, reading).await? {
            is_new |= !page.is_empty();
            follower.output(page).await;
        }
        Ok(is_new)
    }

    /// The next page; `None` ends a look at the log. A look at one that grows is mostly one request;
    /// what came meanwhile comes with the next look.
    pub async fn next(
        &mut self,
        aws: &AwsClient,
        reading: Reading,
    ) -> Result<Option<Vec<u8>>, HostError> {
        if std::mem::take(&mut self.is_enough) && reading == Reading::Now {
            return Ok(None);
        }
        let page = self.page(aws).await?;
        self.is_enough = page.as_ref().is_some_and(|page| page.len() < LARGE_PAGE);
        Ok(page)
    }

    /// The next page of what is new, which may be empty; `None` if nothing follows yet.
    async fn page(&mut self, aws: &AwsClient) -> Result<Option<Vec<u8>>, HostError> {
        let mut input = json!({
            "logGroupName": self.group,
            "logStreamName": self.name,
            "startFromHead": true,
        });
        if let Some(token) = &self.token {
            input["nextToken"] = json!(token);
        }
        let answer: Answer = match aws.call(Service::Logs, "GetLogEvents", &input).await {
            Ok(answer) => answer,
            // The stream is made with its first line.
            Err(problem) if problem.is("ResourceNotFoundException") => return Ok(None),
            Err(problem) => return Err(problem.into()),
        };
        let mut page = Vec::new();
        for event in answer.events {
            page.extend_from_slice(event.message.as_bytes());
            page.push(b'\n');
        }
        // The same token again means that nothing follows yet.
        let is_last =
            answer.next_forward_token.is_none() || answer.next_forward_token == self.token;
        self.token = answer.next_forward_token.or(self.token.take());
        Ok((!is_last || !page.is_empty()).then_some(page))
    }
}
