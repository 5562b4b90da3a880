//! Toolset `runs`: runs of several steps with expectations, and the playbooks that define them. One
//! operation per file.

mod byte_page;
mod execution;
mod permission;
mod playbook_check;
mod playbook_get;
mod playbook_list;
mod playbook_run;
mod recorder;
mod render;
mod run_artifacts;
mod run_cancel;
mod run_check;
mod run_create;
mod run_execute;
mod run_list;
mod run_logs;
mod run_read;
mod run_rerun;
mod run_status;
mod stored;

pub use playbook_check::PlaybookCheck;
pub use playbook_get::PlaybookGet;
pub use playbook_list::PlaybookList;
pub use playbook_run::{
    PlaybookRun, check_playbook, follow_playbook, is_played_elsewhere, run_playbook,
};
pub use run_artifacts::RunArtifacts;
pub use run_cancel::{RunCancel, cancel as cancel_run};
pub use run_check::{RunCheck, RuntimeCheck, check_all as check_runtimes};
pub use run_create::RunCreate;
pub use run_execute::RunExecute;
pub use run_list::RunList;
pub use run_logs::RunLogs;
pub use run_read::RunRead;
pub use run_rerun::RunRerun;
pub use run_status::RunStatus;
pub use stored::{list as listed_runs, recover_interrupted};

use windlass_core::{Error, ErrorKind};

/// The error for invalid input, in the form of the runs contract.
pub fn input_error(error: Error) -> Error {
    if error.kind() != ErrorKind::InvalidParams {
        return error;
    }
    let data = error.data();
    let field = data["field"].as_str().unwrap_or_default();
    let message = error.message();
    let what = if message.starts_with("Missing required field") {
        "Required".to_owned()
    } else if message.starts_with("Unknown field") {
        let message = format!("Unrecognized key(s) in object: '{field}'");
        return invalid("", &message).with("field", field);
    } else {
        let prefix = format!("{field}: ");
        message.strip_prefix(&prefix).unwrap_or(message).to_owned()
    };
    invalid(field, &what)
}

/// `Validation error: {field}: {message}`.
pub fn invalid(field: &str, message: &str) -> Error {
    let error = |text: String| Error::new(ErrorKind::InvalidRunSpec, text);
    match field {
        "" | "." => error(format!("Validation error: {message}")),
        _ => error(format!("Validation error: {field}: {message}")).with("field", field),
    }
}
