//! The server's name, capabilities and instructions, sent to every client at the start.

use rmcp::model::{
    Implementation, PromptsCapability, ResourcesCapability, ServerCapabilities, ServerConfig,
    ToolsCapability,
};

/// Clients truncate this at 2 KB.
const INSTRUCTIONS: &str = "\
Windlass is the memory and the task list of this repository: decisions, tasks, notes, prompts, \
components and links, and the relations between them. It is shared with the people who work here \
and with other agents, and it persists after this conversation.

How to begin:
- task_next returns the most important task that is not blocked. Claim it before you work on it, \
and set its status when you are done.
- search_fulltext searches everything stored. Search before you make a decision.
- entity_create stores what should persist after this conversation: a decision with its reasons, a \
task that you found while working, a note.
- list_tasks lists the commands that the repository defines; task_start runs those that a person \
has allowed; task_output, task_wait and task_stop read, await and stop a running one. Runs of \
several steps are playbooks.
- execute runs JavaScript that can call many operations at once, including those that are not tools \
here: the plan, reviews, gates, sessions. describe returns its types.

Wherever an entity is required, pass its number (7), its id, or the first characters of its id. \
Lists are paged: pass offset for the next page. An error says what was wrong, and its hint says \
what to do instead.

Entities can also be read as resources (windlass://...), which can be subscribed to; stored prompts \
are available as MCP prompts.";

/// The instructions for a session on record, which has only the tools of its recipe.
const SESSION_INSTRUCTIONS: &str = "\
You work in a session of Windlass, the plan and memory of this repository. You have the tools that \
your job needs and no others. The prompt session-briefing describes the work of the session; the \
resources windlass://tasks/{id}, windlass://features/{name}, windlass://disciplines/{name}, \
windlass://progress and windlass://learnings can always be read. An error says what was wrong, and \
its hint says what to do instead.";

/// The server information; `of_session` if the tools are those of a session, which may change while
/// it is served.
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
