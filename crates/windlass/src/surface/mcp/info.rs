//! Who the server is and what it can do, as every client is told first.

use rmcp::model::{
    Implementation, PromptsCapability, ResourcesCapability, ServerCapabilities, ServerConfig,
    ToolsCapability,
};

/// Clients cut this at 2 KB.
const INSTRUCTIONS: &str = "\
Windlass is the memory and the work queue of this repository: decisions, tasks, notes, prompts, \
components and links, and how they relate. It is shared with the people who work here and with \
other agents, and it outlives this conversation.

How to begin:
- task_next gives the most important task that nothing blocks. Claim it before you work on it, and \
set its status when you are done.
- search_fulltext finds what is already known. Search before you decide something anew.
- entity_create records what should outlive this conversation: a decision with its reasons, a task \
that was found on the way, a note.
- list_tasks shows what the repository knows how to run; task_start runs what a person allowed, and \
task_output, task_wait and task_stop look after what goes on. Runs of several steps are playbooks.
- execute does many things in one go, in JavaScript, also what is no tool here: the plan, reviews, \
gates, sessions. describe tells its types.

Everywhere an entity is asked for, its number (7), its id, or the first characters of its id will \
do. Lists come in pages: ask on with offset. An error names what was wrong, and its hint says what \
to do instead.

The same things can be read as resources (windlass://...), which can be subscribed to; prompts \
written down here are offered as prompts.";

/// The same for a session on record, which has the tools of its recipe only.
const SESSION_INSTRUCTIONS: &str = "\
You work in a session of Windlass, the plan and memory of this repository. You have the tools that \
your job needs and no others. The prompt session-briefing tells what the session is about; the \
resources windlass://tasks/{id}, windlass://features/{name}, windlass://disciplines/{name}, \
windlass://progress and windlass://learnings can be read whatever tools you have. An error names what \
was wrong, and its hint says what to do instead.";

/// What every client is told; `of_session` where the tools are those of a session, and may change
/// while it is served.
pub fn config(of_session: bool) -> ServerConfig {
    let instructions = if of_session {
        SESSION_INSTRUCTIONS
    } else {
        INSTRUCTIONS
    };
    ServerConfig::new(capabilities(of_session))
        .with_server_info(
            Implementation::new("windlass", env!("CARGO_PKG_VERSION")).with_title("Windlass"),
        )
        .with_instructions(instructions)
}

#[expect(
    deprecated,
    reason = "logging left the protocol in 2026-07-28, and older clients set its level"
)]
fn capabilities(tools_change: bool) -> ServerCapabilities {
    let mut tools = ToolsCapability::default();
    tools.list_changed = Some(tools_change);
    let mut resources = ResourcesCapability::default();
    resources.subscribe = Some(true);
    resources.list_changed = Some(false);
    let mut prompts = PromptsCapability::default();
    prompts.list_changed = Some(true);
    ServerCapabilities::builder()
        .enable_logging()
        .enable_completions()
        .enable_prompts_with(prompts)
        .enable_resources_with(resources)
        .enable_tools_with(tools)
        .enable_tasks()
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fits_what_clients_show() {
        assert!(INSTRUCTIONS.len() < 2048, "{}", INSTRUCTIONS.len());
        let config = config(false);
        assert_eq!(config.server_info.name, "windlass");
        assert_eq!(
            serde_json::to_value(&config.capabilities).unwrap(),
            serde_json::json!({
                "completions": {},
                "extensions": { "io.modelcontextprotocol/tasks": {} },
                "logging": {},
                "prompts": { "listChanged": true },
                "resources": { "listChanged": false, "subscribe": true },
                "tools": { "listChanged": false },
            })
        );
    }
}
