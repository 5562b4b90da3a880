//! The work lifecycle as pure rules: a state and an action give the next state, or an error that
//! lists the allowed actions. One file for each kind of record.
//!
//! Nothing here is stored; the store calls these functions inside its transactions.

mod gate;
mod guard;
mod help;
mod kind;
mod review;
mod task;

pub use gate::{
    GateCommand, GateDefinition, GateExit, GateStatus, GatesOutcome, MAX_GATE_OUTPUT_BYTES, Verdict,
};
pub use guard::{OutsideChange, Refusal, Standing};
pub use help::{HelpCategory, HelpStatus, MAX_OPTIONS, NewHelp};
pub use kind::TaskKind;
pub use review::{Phases, ReviewAction, ReviewStatus};
pub use task::TaskAction;

use crate::{Actor, Error, ErrorKind, Result};

/// Refuses an action that only a person may take.
fn require_person(action: &str, actor: Actor) -> Result<()> {
    if actor == Actor::Human {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::HumanOnly,
        format!("Only a person at a terminal can do this: {action}"),
    )
    .with("act", action)
    .with_hint("Ask a person to do it, for example with help_request."))
}

/// Names the current state and the actions that it allows.
fn invalid_transition(what: &str, state: &str, action: &str, possible: &[&str]) -> Error {
    let allowed = if possible.is_empty() {
        "no further action is allowed".to_owned()
    } else {
        format!("allowed actions: {}", possible.join(", "))
    };
    Error::new(
        ErrorKind::InvalidTransition,
        format!("Cannot {action} {what}: it is {state}"),
    )
    .with("state", state)
    .with("act", action)
    .with("possible", serde_json::json!(possible))
    .with_hint(format!("It is {state}; {allowed}."))
}
