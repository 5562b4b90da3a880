//! What to do next: three steps, chosen by what is there.

use serde::Serialize;

use super::detect::Detected;
use super::plans::FoundPlan;
use crate::surface::cli::quote::command_line;

/// How many steps a person is told.
const STEPS: usize = 3;

/// One thing to do, and what to type for it.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    pub about: String,
    pub command: String,
}

impl Step {
    fn new(about: impl Into<String>, words: &[&str]) -> Self {
        Self {
            about: about.into(),
            command: command_line(words),
        }
    }
}

/// Everything that is worth doing, the most important first.
pub fn proposals(detected: &Detected, plans: &[FoundPlan]) -> Vec<Step> {
    let mut steps: Vec<Step> = plans
        .iter()
        .filter(|plan| plan.is_waiting())
        .map(|plan| {
            let about = format!("Import {} from {}", plan.counts(), plan.path);
            Step::new(about, &plan.words())
        })
        .collect();
    if detected.tasks > 0 {
        steps.push(Step::new("See what to do next", &["next"]));
    } else if steps.is_empty() {
        steps.push(Step::new("Add a task", &["add", "Write the README"]));
    }
    steps.extend(connect(detected));
    if let Some(commands) = &detected.commands
        && commands.allowed == 0
        && let Some(first) = commands.worth_allowing.first()
    {
        let about = "Look at a command, and let agents run it";
        steps.push(Step::new(about, &["allow", first.as_str()]));
    }
    if detected.git && !detected.git_hooks {
        let about = "Let git carry the plan to other clones";
        steps.push(Step::new(about, &["hook", "install"]));
    }
    steps.push(Step::new("See what there is", &[]));
    steps
}

/// The first ones, for a person.
pub fn first_steps(proposals: &[Step]) -> &[Step] {
    &proposals[..proposals.len().min(STEPS)]
}

/// The clients that are here and not set up; an example where none is here.
fn connect(detected: &Detected) -> Vec<Step> {
    if detected.clients.is_empty() {
        return vec![Step::new("Connect an agent", &["setup", "claude-code"])];
    }
    if detected.clients.iter().any(|client| client.set_up) {
        return Vec::new();
    }
    let first = detected.clients.first();
    first
        .map(|client| Step::new(format!("Connect {}", client.title), &["setup", client.name]))
        .into_iter()
        .collect()
}
