//! Which tools a server offers, computed once and then only read.
//!
//! Their descriptions are only built when a client requests the list: they take longer than the
//! rest of the start, and the response to `initialize` need not wait for them.
//!
//! A catalog is data: the same handler serves the shipped one, a session's part of it or that of a
//! test. It never changes while it is served, as the protocol requires.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value as Json;
use windlass_core::Permit;
use windlass_ops::{Access, Audience, Effect, Entry, OPERATIONS, Toolset};

/// The tools in the order of the list, and the operation behind each name.
pub struct ToolCatalog {
    access: Access,
    named: Vec<(String, &'static Entry)>,
    entries: HashMap<String, &'static Entry>,
    tools: OnceLock<Vec<Tool>>,
}

impl ToolCatalog {
    /// The requested part of the shipped operations. If a session has a filter, the filter alone
    /// decides: a recipe may name tools of any toolset.
    pub fn shipped(toolsets: &[Toolset], access: Access) -> Self {
        let asked_for =
            |entry: &&Entry| access.is_filtered() || toolsets.contains(&entry.declaration.toolset);
        let entries: Vec<_> = OPERATIONS.iter().filter(asked_for).collect();
        Self::of(entries, access)
    }

    /// A catalog of these operations, except those that only people may use and those that are
    /// turned off.
    pub fn of(entries: impl IntoIterator<Item = &'static Entry>, access: Access) -> Self {
        let offered: Vec<_> = entries
            .into_iter()
            .filter(|entry| entry.declaration.audience == Audience::Anyone)
            .filter(|entry| access.allows(&entry.declaration))
            .collect();
        let mut uses = HashMap::<&str, usize>::new();
        for entry in &offered {
            *uses.entry(entry.declaration.name).or_default() += 1;
        }
        let named: Vec<(String, &'static Entry)> = offered
            .iter()
            .map(|entry| (wire_name(entry, &uses), *entry))
            .collect();
        Self {
            access,
            entries: named.iter().cloned().collect(),
            named,
            tools: OnceLock::new(),
        }
    }

    pub fn tools(&self) -> &[Tool] {
        self.tools.get_or_init(|| {
            let tools = self.named.iter();
            tools
                .map(|(name, entry)| describe(name.clone(), entry, &self.access))
                .collect()
        })
    }

    /// What the calls of this catalog's clients may use.
    pub fn access(&self) -> &Access {
        &self.access
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.named.iter().map(|(name, _)| name.as_str())
    }

    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools().iter().find(|tool| tool.name == name)
    }

    /// The operation of that name. Dots are read as underscores: some documents name tools with
    /// dots, which many clients cannot list.
    pub fn operation(&self, name: &str) -> Option<&'static Entry> {
        let found = self.entries.get(name);
        if found.is_none() && name.contains('.') {
            return self.entries.get(&name.replace('.', "_")).copied();
        }
        found.copied()
    }
}

/// The name alone, or with its toolset if two toolsets use the same name.
fn wire_name(entry: &Entry, uses: &HashMap<&str, usize>) -> String {
    let name = entry.declaration.name;
    if uses.get(name).is_some_and(|count| *count > 1) {
        format!("{}_{name}", entry.declaration.toolset.name())
    } else {
        name.to_owned()
    }
}

fn describe(name: String, entry: &Entry, access: &Access) -> Tool {
    let mut input = entry.input_schema();
    if let Some(Permit::Fields(fields)) = access.permit(&entry.declaration) {
        keep_fields(&mut input, &fields);
    }
    // The tool carries the description already; in the schema it would only be sent twice.
    if let Some(schema) = input.as_object_mut() {
        schema.remove("description");
    }
    let tool =
        Tool::new(name, entry.description(), object(input)).with_annotations(hints(entry, access));
    match entry.output_schema() {
        // Clients older than 2026-07-28 accept only objects as output.
        schema if schema["type"] == "object" => tool.with_raw_output_schema(object(schema)),
        _ => tool,
    }
}

/// Removes the arguments that the session may not set.
fn keep_fields(schema: &mut Json, fields: &BTreeSet<String>) {
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.retain(|name, _| fields.contains(name));
    }
    if let Some(required) = schema["required"].as_array_mut() {
        required.retain(|name| name.as_str().is_some_and(|name| fields.contains(name)));
    }
}

fn hints(entry: &Entry, access: &Access) -> ToolAnnotations {
    let declaration = &entry.declaration;
    // A script has the permissions of its caller.
    let is_script = declaration.effect == Effect::Script;
    let reads = declaration.effect == Effect::Read || (is_script && access.is_read_only());
    ToolAnnotations::new()
        .read_only(reads)
        .destructive(
            !reads
                && matches!(
                    declaration.effect,
                    Effect::Destructive | Effect::Execute | Effect::Script
                ),
        )
        .idempotent(reads || declaration.idempotent)
        .open_world(false)
}

fn object(json: Json) -> Arc<JsonObject> {
    match json {
        Json::Object(object) => Arc::new(object),
        _ => Arc::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn the_order_is_that_of_the_list_and_people_only_operations_are_left_out() {
        let catalog = ToolCatalog::of(fixture::OPERATIONS, Access::everything());
        let names: Vec<_> = catalog.names().collect();
        assert_eq!(names, fixture::NAMES);
    }

    #[test]
    fn annotations_follow_the_effect() {
        let catalog = ToolCatalog::of(fixture::OPERATIONS, Access::everything());
        let shown = |name: &str| {
            let hints = catalog.tool(name).unwrap().annotations.clone().unwrap();
            (
                hints.read_only_hint.unwrap(),
                hints.destructive_hint.unwrap(),
                hints.idempotent_hint.unwrap(),
                hints.open_world_hint.unwrap(),
            )
        };
        assert_eq!(shown("echo"), (true, false, true, false));
        assert_eq!(shown("write_panic"), (false, false, false, false));
    }

    #[test]
    fn a_dotted_name_is_the_one_with_underscores() {
        let catalog = ToolCatalog::of(fixture::OPERATIONS, Access::everything());
        assert!(catalog.operation("write.panic").is_some());
        assert!(catalog.operation("write.nothing").is_none());
    }

    #[test]
    fn names_that_clash_carry_their_toolset() {
        let twice = [&fixture::OPERATIONS[0], &fixture::OPERATIONS[0]];
        let names: Vec<_> = ToolCatalog::of(twice, Access::everything())
            .names()
            .map(str::to_owned)
            .collect();
        assert_eq!(names, ["knowledge_echo", "knowledge_echo"]);
    }

    /// Clients truncate longer descriptions, and refuse a whole list because of one invalid name.
    #[test]
    fn the_shipped_tools_fit_every_client() {
        for tool in ToolCatalog::shipped(Toolset::ALL, Access::everything()).tools() {
            let description = tool.description.as_deref().unwrap_or_default();
            assert!(!description.is_empty(), "{}", tool.name);
            assert!(description.len() < 2048, "{}", tool.name);
            assert!(tool.name.len() <= 50, "{}", tool.name);
            assert!(
                tool.name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)),
                "{}",
                tool.name
            );
        }
    }

    #[test]
    fn reading_only_leaves_out_all_that_writes() {
        let catalog = ToolCatalog::shipped(Toolset::ALL, Access::everything().reading_only(true));
        assert!(catalog.tools().iter().all(|tool| {
            tool.annotations
                .as_ref()
                .is_some_and(|hints| hints.read_only_hint == Some(true))
        }));
    }
}
