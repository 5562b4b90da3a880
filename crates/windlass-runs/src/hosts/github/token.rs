//! Where the token for GitHub comes from.

use std::process::{Command, Stdio};

use crate::hosts::HostError;
use crate::secrets::Lookup;

/// Where the token comes from. It is read for each request, so that a new one counts at once.
#[derive(Clone)]
pub struct TokenSource {
    /// `env:NAME`; otherwise `GITHUB_TOKEN`, `GH_TOKEN`, and what `gh auth token` prints.
    pub reference: Option<String>,
    /// The host that `gh` is asked about.
    pub host: String,
    /// Reads the environment.
    pub lookup: Lookup,
}

/// Prints no value.
impl std::fmt::Debug for TokenSource {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("TokenSource")
            .field("reference", &self.reference)
            .finish_non_exhaustive()
    }
}

const HINT: &str = "Set GITHUB_TOKEN, or `token = \"env:NAME\"` under [runtimes.github-runner], or log \
    in with gh auth login.";

impl TokenSource {
    pub(super) async fn read(&self) -> Result<String, HostError> {
        let variable = |name: &str| {
            let value = (self.lookup)(name)?.into_string().ok()?;
            (!value.is_empty()).then_some(value)
        };
        if let Some(reference) = &self.reference {
            let name = reference.strip_prefix("env:").unwrap_or(reference);
            let missing =
                || HostError::new(format!("The variable {name} is not set")).with_hint(HINT);
            return variable(name).ok_or_else(missing);
        }
        if let Some(token) = variable("GITHUB_TOKEN").or_else(|| variable("GH_TOKEN")) {
            return Ok(token);
        }
        let host = self.host.clone();
        let asked = tokio::task::spawn_blocking(move || of_gh(&host)).await;
        let none = || HostError::new("There is no token for GitHub").with_hint(HINT);
        asked.ok().flatten().ok_or_else(none)
    }
}

fn of_gh(host: &str) -> Option<String> {
    let output = Command::new("gh")
        .args(["auth", "token", "--hostname", host])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let token = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !token.is_empty()).then_some(token)
}
