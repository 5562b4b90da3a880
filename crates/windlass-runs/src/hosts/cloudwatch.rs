//! Log streams of CloudWatch, read from their beginning.

use serde::Deserialize;
use serde_json::json;

use super::aws::{AwsClient, Service};
use super::{Follower, HostError};

/// One log stream.
pub struct LogStream {
    group: String,
    name: String,
    token: Option<String>,
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
        }
    }

    /// Sends what is new, and returns whether anything was.
    pub async fn read(&mut self, aws: &AwsClient, follower: &Follower) -> Result<bool, HostError> {
        let mut is_new = false;
        loop {
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
                Err(problem) if problem.is("ResourceNotFoundException") => return Ok(is_new),
                Err(problem) => return Err(problem.into()),
            };
            is_new |= !answer.events.is_empty();
            for event in answer.events {
                let mut bytes = event.message.into_bytes();
                bytes.push(b'\n');
                follower.output(bytes).await;
            }
            // The same token again means that nothing follows yet.
            if answer.next_forward_token.is_none() || answer.next_forward_token == self.token {
                return Ok(is_new);
            }
            self.token = answer.next_forward_token;
        }
    }
}
