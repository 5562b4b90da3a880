//! Whether a run may be executed. Shell text of the project needs permission like a command: a person
//! must have allowed the current text of the playbook file, or ad-hoc runs in the settings.

use windlass_commands::Command;
use windlass_core::{Error, ErrorKind, Result};
use windlass_runs::playbooks::fingerprint;
use windlass_runs::spec::RuntimeName;

use super::stored::Plan;
use crate::context::ReadContext;
use crate::plain_file;

pub fn check(context: &ReadContext, plan: &Plan) -> Result<()> {
    if plan.spec.runtime == RuntimeName::Dummy {
        return Ok(());
    }
    let workspace = &context.workspace;
    let Some(file) = &plan.file else {
        if workspace.trusts_adhoc_runs()? {
            return Ok(());
        }
        return Err(refused(
            &plan.spec.title,
            "a run without a playbook executes only if a person has allowed ad-hoc runs",
        )
        .with(
            "how",
            "A person sets adhoc = true under [runs] in .windlass/config.toml and runs: \
             windlass allow .windlass/config.toml",
        ));
    };
    let text = plain_file::read(&workspace.settings_root().join(&file.path)).unwrap_or_default();
    if fingerprint(&text) != file.fingerprint {
        return Err(refused(
            &file.path,
            "the playbook has changed since the run was created",
        ));
    }
    let text = String::from_utf8_lossy(&text);
    let decision = workspace.allowlist().decide(
        workspace.settings_root(),
        &Command::of_text(&file.path, &text),
    );
    if decision.allowed {
        return Ok(());
    }
    Err(refused(&file.path, &decision.reason.message()).with(
        "how",
        format!("A person runs: windlass allow {}", file.path),
    ))
}

fn refused(what: &str, reason: &str) -> Error {
    Error::new(
        ErrorKind::NotAllowlisted,
        format!("Task '{what}' is not allowlisted for MCP execution"),
    )
    .with("reason", reason)
    .with_hint("Ask a human to grant MCP access to this task")
}
