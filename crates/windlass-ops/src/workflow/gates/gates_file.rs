//! `.windlass/gates.toml`: the gates that a project defines.
//!
//! Agents can write files of the project, so the file counts only while a person allows exactly its
//! current text. Until then a review waits: the gates neither run nor pass. This also applies if a
//! file that was once allowed no longer exists; otherwise deleting it would be the easiest way past a
//! gate.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use windlass_commands::Command;
use windlass_commands::allowlist::Scope;
use windlass_core::workflow::GateDefinition;
use windlass_store::{EffectiveGate, GateScope};

use crate::plain_file;
use crate::workspace::Workspace;

/// The file, relative to the project.
pub const GATES_FILE: &str = ".windlass/gates.toml";
/// The placeholder gate for the whole file while its text is not allowed.
pub const PLACEHOLDER: &str = "file:.windlass/gates.toml";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    gate: Vec<FileGate>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileGate {
    name: String,
    command: String,
    timeout_secs: Option<u32>,
    max_retries: Option<u32>,
    poll_interval_secs: Option<u32>,
    max_pending_secs: Option<u32>,
}

impl FileGate {
    fn definition(self) -> GateDefinition {
        let usual = GateDefinition::new(&self.name, &self.command);
        GateDefinition {
            timeout_secs: self.timeout_secs.unwrap_or(usual.timeout_secs),
            max_retries: self.max_retries.unwrap_or(usual.max_retries),
            poll_interval_secs: self.poll_interval_secs.unwrap_or(usual.poll_interval_secs),
            max_pending_secs: self.max_pending_secs.unwrap_or(usual.max_pending_secs),
            ..usual
        }
    }
}

/// The current gates of the file, or one that waits for a person.
pub fn read(workspace: &Workspace) -> Vec<EffectiveGate> {
    let root = gates_root(workspace);
    let text = match plain_file::read_text(&root.join(GATES_FILE)) {
        Ok(text) => text,
        Err(problem) if problem.kind() == std::io::ErrorKind::NotFound => {
            return if was_allowed(workspace, &root) {
                vec![waiting(format!(
                    "{GATES_FILE} no longer exists, although a person allowed it. A person restores it, or \
                     takes its entry out of the allowlist."
                ))]
            } else {
                Vec::new()
            };
        }
        Err(problem) => return vec![waiting(format!("{GATES_FILE} cannot be read: {problem}"))],
    };
    let decision = workspace
        .allowlist()
        .decide(&root, &Command::of_text(GATES_FILE, &text));
    if !decision.allowed {
        return vec![waiting(format!(
            "{GATES_FILE} is not allowed with its current text: {}. A person runs: windlass allow {GATES_FILE}",
            decision.reason.message()
        ))];
    }
    match parse(&text) {
        Ok(gates) => gates.into_iter().map(of_file).collect(),
        Err(problem) => vec![waiting(format!("{GATES_FILE}: {problem}"))],
    }
}

/// The text of the file, and the folder of the project that it counts for.
pub fn text(workspace: &Workspace) -> Option<(PathBuf, String)> {
    let root = gates_root(workspace);
    let text = plain_file::read_text(&root.join(GATES_FILE)).ok()?;
    Some((root, text))
}

/// The file of the main worktree applies to all: anyone can create a linked one.
fn gates_root(workspace: &Workspace) -> PathBuf {
    workspace.project().main_root().to_owned()
}

/// Whether a person has ever allowed the file itself.
fn was_allowed(workspace: &Workspace, root: &Path) -> bool {
    let file = root.join(GATES_FILE);
    let Ok(entries) = workspace.allowlist().entries() else {
        return true;
    };
    entries
        .iter()
        .any(|(_, entry)| entry.path == file && entry.scope != Scope::Deny)
}

fn parse(text: &str) -> Result<Vec<GateDefinition>, String> {
    let file: File = toml::from_str(text).map_err(|problem| {
        let start = problem.span().map_or(0, |span| span.start);
        let line = text[..start].matches('\n').count() + 1;
        format!("line {line}: {}", problem.message())
    })?;
    let gates: Vec<GateDefinition> = file.gate.into_iter().map(FileGate::definition).collect();
    for (at, gate) in gates.iter().enumerate() {
        gate.check()
            .map_err(|error| format!("gate \"{}\": {error}", gate.name))?;
        if gates[..at].iter().any(|before| before.name == gate.name) {
            return Err(format!("two gates are called \"{}\"", gate.name));
        }
    }
    Ok(gates)
}

fn of_file(definition: GateDefinition) -> EffectiveGate {
    EffectiveGate {
        id: format!("file:{}", definition.name),
        number: None,
        scope: GateScope::Repo,
        definition,
        waiting: None,
    }
}

fn waiting(message: String) -> EffectiveGate {
    EffectiveGate {
        id: PLACEHOLDER.to_owned(),
        number: None,
        scope: GateScope::Repo,
        definition: GateDefinition::new("gates.toml", "the gates of .windlass/gates.toml"),
        waiting: Some(message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_say_something() {
        let gates = parse(
            "[[gate]]\nname = \"tests\"\ncommand = \"cargo test\"\nmax_retries = 1\n\
             [[gate]]\nname = \"lint\"\ncommand = \"command:lint\"\n",
        )
        .expect("valid");
        assert_eq!(gates.len(), 2);
        assert_eq!((gates[0].max_retries, gates[0].timeout_secs), (1, 300));
        assert_eq!(parse(""), Ok(Vec::new()));
    }

    #[test]
    fn files_that_are_refused_say_why() {
        for (text, why) in [
            ("[[gate]]\nname = \"a\"\n", "command"),
            (
                "[[gate]]\nname = \"a\"\ncommand = \"true\"\ntimeout = 3\n",
                "timeout",
            ),
            ("[[gate]]\nname = \"a\"\ncommand = \"\"\n", "command"),
            (
                "[[gate]]\nname = \"a\"\ncommand = \"true\"\ntimeout_secs = 0\n",
                "timeout_secs",
            ),
            (
                "[[gate]]\nname = \"a\"\ncommand = \"true\"\n[[gate]]\nname = \"a\"\ncommand = \"false\"\n",
                "two gates",
            ),
            ("[gates]\n", "gates"),
        ] {
            let problem = parse(text).expect_err(text);
            assert!(problem.contains(why), "{problem}");
        }
    }
}
