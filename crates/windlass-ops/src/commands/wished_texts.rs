//! Texts that run something and that nobody has allowed on this machine: the shell text of gates, the
//! file of gates, and the MCP servers of disciplines.

use schemars::JsonSchema;
use serde::Serialize;
use windlass_commands::Command;
use windlass_core::workflow::GateCommand;
use windlass_core::{EntityType, McpServer, Result};
use windlass_store::Reader;

use crate::context::ReadContext;
use crate::granted_texts::{GrantedTexts, TextKind, fingerprint, servers_text};
use crate::plan::all_of;
use crate::workflow::{GATES_FILE, gates_file_text};

/// A text that waits for a permission.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WishedText {
    /// gate (gate_allow allows it), file (allowlist_allow) or servers (discipline_allow).
    pub kind: String,
    /// The gate, the file, or the discipline.
    pub name: String,
    /// The number of the gate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<i64>,
    /// What would run. A permission covers exactly this.
    pub text: String,
    /// Names the text: the operation that allows it refuses another one.
    pub fingerprint: String,
}

/// All of them: gates first, as they are what work waits for.
pub fn waiting(context: &ReadContext) -> Result<Vec<WishedText>> {
    let granted = GrantedTexts::of(&context.workspace);
    let mut texts: Vec<WishedText> = gates_file(context).into_iter().collect();
    context.read(|reader| {
        texts.extend(gates(reader, &granted)?);
        texts.extend(servers(reader, &granted)?);
        Ok(())
    })?;
    Ok(texts)
}

fn gates_file(context: &ReadContext) -> Option<WishedText> {
    let (root, text) = gates_file_text(&context.workspace)?;
    let command = Command::of_text(GATES_FILE, &text);
    let decision = context.workspace.allowlist().decide(&root, &command);
    (!decision.allowed).then(|| WishedText {
        kind: "file".to_owned(),
        name: root.join(GATES_FILE).display().to_string(),
        number: None,
        text,
        fingerprint: command.fingerprint,
    })
}

fn gates(reader: &Reader<'_>, granted: &GrantedTexts) -> Result<Vec<WishedText>> {
    let gates = reader.gates()?.into_iter();
    let waiting = gates.filter(|gate| match gate.definition.parsed() {
        GateCommand::Shell(text) => !granted.allows(TextKind::Gate, text),
        GateCommand::Command(_) | GateCommand::Playbook(_) => false,
    });
    let text = waiting.map(|gate| WishedText {
        kind: "gate".to_owned(),
        name: gate.definition.name,
        number: Some(gate.number),
        fingerprint: fingerprint(&gate.definition.command),
        text: gate.definition.command,
    });
    Ok(text.collect())
}

fn servers(reader: &Reader<'_>, granted: &GrantedTexts) -> Result<Vec<WishedText>> {
    let mut texts = Vec::new();
    for discipline in all_of(reader, EntityType::Discipline)? {
        let servers = McpServer::all_of(discipline.text("mcp_servers"));
        if servers.iter().all(|server| granted.allows_server(server)) {
            continue;
        }
        let text = servers_text(&discipline);
        texts.push(WishedText {
            kind: "servers".to_owned(),
            name: discipline.text("name").unwrap_or_default().to_owned(),
            number: None,
            fingerprint: fingerprint(&text),
            text,
        });
    }
    Ok(texts)
}
