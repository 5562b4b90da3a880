//! The model of the search by meaning.

use windlass_ops::{Availability, MODEL, Workspace};

use super::check::Check;

const INSTALL: &str = "Run windlass models install.";

pub fn check(workspace: &Workspace) -> Check {
    match workspace.meaning() {
        Availability::Off => Check::ok("models", "search by meaning is off (search.semantic)"),
        Availability::Missing => Check::ok(
            "models",
            "no model: searches go by words. windlass models install adds the search by meaning",
        ),
        Availability::Unusable(problem) => Check::error("models", problem, INSTALL),
        Availability::Ready(_) => Check::ok("models", MODEL.name),
    }
}
