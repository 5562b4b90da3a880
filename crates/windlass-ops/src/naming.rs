//! How texts name operations.
//!
//! A hint is written once and read on every surface: by a model with tools, in a script, at a
//! terminal. So it does not name an operation but refers to it: `[[task_next]]`, or with the toolset
//! where the name alone is not unique or has no underscore: `[[commands.list_tasks]]`,
//! `[[focus.done]]`. The surface puts in what its caller can use.

use std::sync::Arc;

use serde_json::Value as Json;
use windlass_core::{Error, RecipeTool};

use crate::access::{Access, tool_name};
use crate::code::sdk_method_name;
use crate::list::OPERATIONS;
use crate::operation::{Audience, Entry};

const OPEN: &str = "[[";
const CLOSE: &str = "]]";

type Call = Arc<dyn Fn(&'static Entry) -> Option<String> + Send + Sync>;
/// The words of the command line that run an operation: `windlass tasks next`.
type Command = fn(&Entry) -> String;

/// What a caller calls the operations. Cheap to clone.
#[derive(Clone)]
pub struct Naming {
    /// How the caller itself can call it.
    call: Call,
    command: Command,
}

impl Default for Naming {
    fn default() -> Self {
        let command =
            |entry: &Entry| format!("windlass {}", entry.declaration.command_words().join(" "));
        Self::new(|entry| Some(entry.declaration.name.to_owned()), command)
    }
}

impl Naming {
    /// `call` says how the caller can call an operation, if it can; `command` what a person types to
    /// run it.
    pub fn new(
        call: impl Fn(&'static Entry) -> Option<String> + Send + Sync + 'static,
        command: fn(&Entry) -> String,
    ) -> Self {
        Self {
            call: Arc::new(call),
            command,
        }
    }

    /// The names for a person at a terminal.
    pub fn typed(command: fn(&Entry) -> String) -> Self {
        Self::new(move |entry| Some(format!("`{}`", command(entry))), command)
    }

    /// The names for a script that this caller runs.
    #[must_use]
    pub fn in_script(&self, access: &Access) -> Self {
        let access = access.clone();
        Self::new(move |entry| method_of(entry, &access), self.command)
    }

    /// The names for an agent whose session has these tools.
    #[must_use]
    pub fn of_session(&self, tools: &[RecipeTool]) -> Self {
        let names: Vec<String> = tools.iter().map(|tool| tool.name.clone()).collect();
        Self::new(move |entry| served_name(entry, &names), self.command)
    }

    /// Whether the caller itself can call an operation.
    pub fn can_call(&self, reference: &str) -> bool {
        referenced(reference).is_some_and(|entry| (self.call)(entry).is_some())
    }

    /// The text with the names that the caller knows instead of references.
    pub fn render(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, reference, after)) = next_reference(rest) {
            let name = self.name(reference);
            // The commands contract puts names into quotes; a command has backticks already.
            let unquoted = before.strip_suffix('\'').zip(after.strip_prefix('\''));
            let (before, after) = match unquoted {
                Some(unquoted) if name.starts_with('`') => unquoted,
                _ => (before, after),
            };
            out += before;
            out += &name;
            rest = after;
        }
        out + rest
    }

    /// The same for an error's hint.
    pub fn render_hint(&self, error: Error) -> Error {
        error.map_hint(|hint| self.render(hint))
    }

    /// The same for every text of a value.
    pub(crate) fn render_json(&self, value: &mut Json) {
        match value {
            Json::String(text) => *text = self.render(text),
            Json::Array(items) => items.iter_mut().for_each(|item| self.render_json(item)),
            _ => {}
        }
    }

    fn name(&self, entry: &'static Entry) -> String {
        if let Some(call) = (self.call)(entry) {
            return call;
        }
        let command = (self.command)(entry);
        match entry.declaration.audience {
            Audience::Anyone => format!("`{command}`"),
            Audience::Human => format!("`{command}` (a person can run it)"),
        }
    }
}

/// The name of a tool on a server that has the tools of these names: its own where no other has it.
pub fn served_name(entry: &Entry, names: &[String]) -> Option<String> {
    let name = tool_name(&entry.declaration).into_owned();
    if !names.contains(&name) {
        return None;
    }
    let own = entry.declaration.name;
    let alone = name == own || !names.iter().any(|other| other == own);
    Some(if alone { own.to_owned() } else { name })
}

/// How a script calls an operation, if it may: `tasks.nextReady()`.
pub fn method_of(entry: &Entry, access: &Access) -> Option<String> {
    let declaration = &entry.declaration;
    if declaration.audience == Audience::Human || !access.allows(declaration) {
        return None;
    }
    sdk_method_name(entry).map(|name| format!("{name}()"))
}

/// The operation that a reference means, by its name or by toolset and name.
pub fn referenced(reference: &str) -> Option<&'static Entry> {
    let (toolset, name) = match reference.split_once('.') {
        Some((toolset, name)) => (Some(toolset), name),
        None => (None, reference),
    };
    let mut found = OPERATIONS.iter().filter(|entry| {
        let declaration = &entry.declaration;
        declaration.name == name && toolset.is_none_or(|it| it == declaration.toolset.name())
    });
    let entry = found.next()?;
    found.next().is_none().then_some(entry)
}

/// The text before the next reference, the operation, and the text after it. Brackets around
/// anything else are text.
fn next_reference(text: &str) -> Option<(&str, &'static Entry, &str)> {
    let mut from = 0;
    while let Some(open) = text.get(from..)?.find(OPEN).map(|at| from + at) {
        let inner = open + OPEN.len();
        let close = text.get(inner..)?.find(CLOSE).map(|at| inner + at)?;
        if let Some(entry) = text.get(inner..close).and_then(referenced) {
            return Some((text.get(..open)?, entry, text.get(close + CLOSE.len()..)?));
        }
        from = inner;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_become_what_the_caller_can_use() {
        let command =
            |entry: &Entry| format!("windlass {}", entry.declaration.command_words().join(" "));
        let tools = Naming::new(
            |entry| (entry.declaration.name == "task_ready").then(|| "task_ready".to_owned()),
            command,
        );
        let typed = Naming::typed(command);
        let script = tools.in_script(&Access::everything());
        let reading = tools.in_script(&Access::everything().reading_only(true));
        for (text, tool, method, line) in [
            ("Wait.", "Wait.", "Wait.", "Wait."),
            (
                "Use [[task_ready]] first.",
                "Use task_ready first.",
                "Use tasks.ready() first.",
                "Use `windlass call task_ready` first.",
            ),
            (
                "[[entity_update]], '[[commands.list_tasks]]'",
                "`windlass update`, `windlass commands`",
                "entities.update(), 'commands.list()'",
                "`windlass update`, `windlass commands`",
            ),
            (
                "Ask for [[allowlist_allow]]",
                "Ask for `windlass allow` (a person can run it)",
                "Ask for `windlass allow` (a person can run it)",
                "Ask for `windlass allow`",
            ),
            (
                "[[gate]] [[no_such]] [[",
                "[[gate]] [[no_such]] [[",
                "[[gate]] [[no_such]] [[",
                "[[gate]] [[no_such]] [[",
            ),
        ] {
            assert_eq!(tools.render(text), tool);
            assert_eq!(script.render(text), method);
            assert_eq!(typed.render(text), line);
        }
        assert_eq!(reading.render("[[entity_update]]"), "`windlass update`");
    }

    #[test]
    fn a_name_that_two_operations_have_needs_its_toolset() {
        assert!(referenced("list_tasks").is_none());
        assert!(referenced("plan.list_tasks").is_some());
        assert!(referenced("commands.list_tasks").is_some());
        assert!(referenced("nothing").is_none());
    }
}
