//! Text in the user's editor.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use windlass_core::{Error, Result};

use crate::surface::environment::Environment;

/// Opens a file in the editor and waits until the person is finished.
pub fn open(file: &Path, environment: &Environment) -> Result<()> {
    let editor = environment.editor();
    // As git does it: the editor may be a command with arguments, and the file is never shell text.
    let status = Command::new("sh")
        .args(["-c", &format!("{editor} \"$@\""), &editor])
        .arg(file)
        .status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(failed(&editor, &status.to_string())),
        Err(problem) => Err(failed(&editor, &problem.to_string())),
    }
}

fn failed(editor: &str, problem: &str) -> Error {
    Error::invalid_params(format!("The editor \"{editor}\" failed: {problem}"))
        .with_hint("Set VISUAL or EDITOR to an editor that waits until you are finished.")
}

/// A temporary file with a text to edit. It is deleted unless it is persisted.
pub fn temporary(name: &str, text: &str) -> Result<tempfile::NamedTempFile> {
    let cannot = |problem: std::io::Error| Error::internal(format!("A temporary file: {problem}"));
    let mut file = tempfile::Builder::new()
        .prefix(name)
        .suffix(".md")
        .tempfile()
        .map_err(cannot)?;
    file.write_all(text.as_bytes()).map_err(cannot)?;
    file.flush().map_err(cannot)?;
    Ok(file)
}
