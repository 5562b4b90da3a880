//! The work lifecycle as rules: from where a thing stands and what someone wants to do with it to
//! where it stands then, or to an error that says what is possible instead. One file a noun.
//!
//! Nothing here is stored; the store asks these functions inside its transactions.

mod gate;
mod help;
mod kind;
mod review;
mod task;

pub use gate::{
    GateCommand, GateDefinition, GateExit, GateStatus, GatesOutcome, MAX_GATE_OUTPUT_BYTES, Verdict,
};
pub use help::{HelpCategory, HelpStatus, MAX_OPTIONS, NewHelp};
pub use kind::TaskKind;
pub use review::{Phases, ReviewAct, ReviewStatus};
pub use task::TaskAct;

use crate::{Actor, Error, ErrorKind, Result};

/// Refuses an act that is only for people.
fn people_only(act: &str, actor: Actor) -> Result<()> {
    if actor == Actor::Human {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::HumanOnly,
        format!("Only a person at a terminal can do this: {act}"),
    )
    .with("act", act)
    .with_hint("Ask a person to do it; help_request is the way to ask."))
}

/// Says where a thing stands and what can be done with it from there.
fn not_possible(what: &str, state: &str, act: &str, possible: &[&str]) -> Error {
    let open = if possible.is_empty() {
        "nothing more can be done with it".to_owned()
    } else {
        format!("possible from there: {}", possible.join(", "))
    };
    Error::new(
        ErrorKind::InvalidTransition,
        format!("Cannot {act} {what}: it is {state}"),
    )
    .with("state", state)
    .with("act", act)
    .with("possible", serde_json::json!(possible))
    .with_hint(format!("It is {state}; {open}."))
}
