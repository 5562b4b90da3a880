//! Long output in the user's pager.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::surface::environment::Environment;

/// The program that shows long output.
#[derive(Debug, Clone)]
pub struct Pager {
    /// As a shell would run it.
    command: String,
    /// The value of `LESS`, unless the user has set it.
    less: Option<&'static str>,
}

impl Pager {
    pub fn of(environment: &Environment) -> Option<Self> {
        Some(Self {
            command: environment.pager()?,
            less: (!environment.sets_less()).then_some("FRX"),
        })
    }

    /// Shows the text and waits for the person to finish. Returns whether the pager could be
    /// started.
    pub fn show(&self, text: &str) -> bool {
        let program = self.command.split_whitespace().next().unwrap_or_default();
        if which::which(program).is_err() {
            return false;
        }
        let mut command = Command::new("sh");
        command.args(["-c", &self.command]).stdin(Stdio::piped());
        if let Some(less) = self.less {
            command.env("LESS", less);
        }
        let Ok(mut child) = command.spawn() else {
            return false;
        };
        if let Some(mut input) = child.stdin.take() {
            // Closing the pager early is not an error.
            let _ = input.write_all(text.as_bytes());
        }
        child.wait().is_ok()
    }
}
