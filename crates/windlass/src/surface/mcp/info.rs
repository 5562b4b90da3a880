//! The server's name, capabilities and instructions, sent to every client at the start.

use rmcp::model::{
    Implementation, PromptsCapability, ResourcesCapability, ServerCapabilities, ServerConfig,
    ToolsCapability,
};

use windlass_ops::{method_of, referenced};

use super::tool_catalog::ToolCatalog;

/// The server information; `of_session` if the tools are those of a session, which may change while
/// it is served.
pub fn config(catalog: &ToolCatalog, of_session: bool) -> ServerConfig {
    let served = |reference: &str| match reference.strip_suffix("()") {
        Some(reference) => method_of(referenced(reference)?, catalog.access()),
        None => catalog.name_of(reference).map(str::to_owned),
    };
    ServerConfig::new(capabilities(of_session))
        .with_server_info(
            Implementation::new("windlass", env!("CARGO_PKG_VERSION")).with_title("Windlass"),
        )
        .with_instructions(instructions(&served, of_session))
}

/// A sentence of the instructions with the tools that it names, as references; with `()` the method
/// of scripts is meant. Where the server does not have all of them, the sentence is left out.
struct Sentence {
    tools: &'static [&'static str],
    text: &'static str,
}

const fn sentence(tools: &'static [&'static str], text: &'static str) -> Sentence {
    Sentence { tools, text }
}

/// What each tool is for, in the order in which a model needs it. `{0}` stands for the name of the
/// first tool, and so on.
const TOOLS: &[Sentence] = &[
    sentence(
        &["focus.done", "focus.ask"],
        "Report with {0} when the work is finished; {1} asks a person.",
    ),
    sentence(
        &["focus.partial", "focus.stuck"],
        "If you cannot finish, {0} or {1} gives the task back.",
    ),
    sentence(
        &["search_fulltext"],
        "{0} searches everything stored: search before you decide.",
    ),
    sentence(
        &["entity_create"],
        "{0} stores what should outlast this conversation: decisions with their reasons, tasks that \
         you found, notes.",
    ),
    sentence(
        &["commands.list_tasks", "task_start"],
        "{0} lists the commands of the repository; {1} runs those that a person allowed.",
    ),
    sentence(
        &["playbook_list", "playbook_run"],
        "{0} lists playbooks, runs of several steps; {1} runs one.",
    ),
    sentence(
        &["work_start", "work_submit"],
        "{0} starts a task, {1} submits it for review: its gates run.",
    ),
    sentence(
        &["plan.list_tasks", "get_task"],
        "{0} lists the plan; {1} shows one task of it.",
    ),
    sentence(
        &["code.execute", "code.describe"],
        "{0} runs JavaScript that can call all of this and more in one call (plan, reviews, gates, \
         runs); {1} finds its methods.",
    ),
];

/// The sentences that tell a model where to begin. The first that the server has the tools for counts.
const BEGINNINGS: &[Sentence] = &[
    sentence(
        &["focus.begin"],
        "Call {0} first: it gives you a task and everything that helps with it, and says what to do \
         next.",
    ),
    sentence(
        &["task_next", "task_claim"],
        "{0} returns the most important task that is not blocked; {1} claims it.",
    ),
    sentence(
        &["code.execute", "focus.begin()"],
        "Begin with `await {1}` in {0}: it gives you a task and everything that helps with it, and \
         says what to do next.",
    ),
    sentence(
        &["code.execute", "task_next()", "task_claim()"],
        "Begin with {0}: `await {1}` returns the most important ready task, {2} claims it.",
    ),
];

const ABOUT: &str = "Windlass is the task list and memory of this repository, shared with people and \
                     other agents.";

const ABOUT_SESSION: &str = "You work in a session of Windlass, the task list and memory of this \
                             repository, with the tools that its job needs. The prompt \
                             session-briefing describes the job.";

const MANNERS: &str = "Tasks and other entities are given by number (7) or id. An error says what to \
                       do instead.";

/// Clients truncate instructions at 2 KB.
fn instructions(served: &dyn Fn(&str) -> Option<String>, of_session: bool) -> String {
    let beginning = BEGINNINGS.iter().find_map(|it| it.filled(served));
    let about = if of_session { ABOUT_SESSION } else { ABOUT };
    let mut parts: Vec<String> = beginning.into_iter().collect();
    parts.push(about.to_owned());
    parts.extend(TOOLS.iter().filter_map(|it| it.filled(served)));
    parts.push(MANNERS.to_owned());
    parts.join(" ")
}

impl Sentence {
    fn filled(&self, served: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        let mut text = self.text.to_owned();
        for (place, tool) in self.tools.iter().enumerate() {
            text = text.replace(&format!("{{{place}}}"), &served(tool)?);
        }
        Some(text)
    }
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
    use windlass_ops::{Access, OPERATIONS, Toolset};

    use super::*;

    fn catalog(toolsets: &[Toolset]) -> ToolCatalog {
        ToolCatalog::shipped(toolsets, Access::everything())
    }

    #[test]
    fn fits_what_clients_show() {
        let config = config(&catalog(Toolset::ALL), false);
        let instructions = config.instructions.unwrap();
        assert!(instructions.len() < 2048, "{}", instructions.len());
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

    /// Whatever is served, no tool is named that is not there.
    #[test]
    fn only_tools_that_are_served_are_named() {
        let sets = Toolset::ALL.iter().map(std::slice::from_ref);
        for toolsets in sets.chain([Toolset::DEFAULT, Toolset::ALL, &[]]) {
            let catalog = catalog(toolsets);
            let text = config(&catalog, false).instructions.unwrap();
            let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
            for word in words.filter(|word| word.contains('_')) {
                let is_tool = OPERATIONS.iter().any(|it| it.declaration.name == word);
                let is_served = catalog.names().any(|name| name == word);
                assert!(is_served || !is_tool, "{word} in {toolsets:?}");
            }
        }
    }

    #[test]
    fn the_first_words_say_where_to_begin() {
        let only = |names: &'static [&'static str]| {
            move |reference: &str| {
                let name = reference.rsplit('.').next()?;
                names.contains(&name).then(|| name.to_owned())
            }
        };
        let begin = instructions(&only(&["begin", "task_next", "task_claim"]), false);
        assert!(begin.starts_with("Call begin first"), "{begin}");
        let queue = instructions(&only(&["task_next", "task_claim"]), false);
        assert!(queue.starts_with("task_next returns"), "{queue}");
        let nothing = instructions(&only(&[]), true);
        assert!(nothing.starts_with("You work in a session"), "{nothing}");
    }
}
