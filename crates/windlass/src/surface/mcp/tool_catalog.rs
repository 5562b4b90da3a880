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
use windlass_ops::{
    Access, Audience, Effect, Entry, Naming, OPERATIONS, Toolset, method_of, referenced,
};

use super::published_schema::publish;
use crate::surface::cli::typed_command;

/// Whether the list of tools says what each returns. Half of the list would be that, and models do
/// not read it; programs may ask for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OutputSchemas {
    #[default]
    Omitted,
    Published,
}

/// The tools in the order of the list, and the operation behind each name.
pub struct ToolCatalog {
    access: Access,
    output_schemas: OutputSchemas,
    named: Named,
    naming: Naming,
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
        let named: Named = offered
            .iter()
            .map(|entry| (wire_name(entry, &uses), *entry))
            .collect();
        Self {
            naming: naming(Arc::clone(&named), access.clone()),
            access,
            output_schemas: OutputSchemas::default(),
            entries: named.iter().cloned().collect(),
            named,
            tools: OnceLock::new(),
        }
    }

    #[must_use]
    pub fn with_output_schemas(mut self, output_schemas: OutputSchemas) -> Self {
        self.output_schemas = output_schemas;
        self
    }

    pub fn tools(&self) -> &[Tool] {
        self.tools.get_or_init(|| {
            let tools = self.named.iter();
            tools
                .map(|(name, entry)| self.describe(name.clone(), entry))
                .collect()
        })
    }

    fn describe(&self, name: String, entry: &Entry) -> Tool {
        let mut input = entry.input_schema();
        if let Some(Permit::Fields(fields)) = self.access.permit(&entry.declaration) {
            keep_fields(&mut input, &fields);
        }
        publish(&mut input);
        let tool = Tool::new(name, entry.description(), object(input))
            .with_annotations(hints(entry, &self.access));
        if self.output_schemas == OutputSchemas::Omitted {
            return tool;
        }
        match entry.output_schema() {
            // Clients older than 2026-07-28 accept only objects as output.
            schema if schema["type"] == "object" => tool.with_raw_output_schema(object(schema)),
            _ => tool,
        }
    }

    /// What the calls of this catalog's clients may use.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// What the clients of this catalog call the operations: the name of a tool, else the method that
    /// a script can call, else the command that a person can type.
    pub fn naming(&self) -> &Naming {
        &self.naming
    }

    /// The name under which an operation is served, if it is. The reference is that of a hint:
    /// `commands.list_tasks`.
    pub fn name_of(&self, reference: &str) -> Option<&str> {
        served(&self.named, referenced(reference)?)
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

type Named = Arc<[(String, &'static Entry)]>;

fn naming(named: Named, access: Access) -> Naming {
    let runs_scripts = named
        .iter()
        .any(|(_, entry)| entry.declaration.effect == Effect::Script);
    let call = move |entry: &'static Entry| match served(&named, entry) {
        Some(name) => Some(name.to_owned()),
        None if runs_scripts => {
            method_of(entry, &access).map(|method| format!("{method} in execute"))
        }
        None => None,
    };
    Naming::new(call, typed_command)
}

fn served<'a>(named: &'a [(String, &'static Entry)], entry: &Entry) -> Option<&'a str> {
    let found = named.iter().find(|(_, it)| std::ptr::eq(*it, entry));
    found.map(|(name, _)| name.as_str())
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

    /// Name, description and input schema of the tools, as JSON, in tokens of four characters: what
    /// a model reads before it does anything.
    fn tokens(catalog: &ToolCatalog) -> usize {
        let shown = catalog.tools().iter().map(|tool| {
            serde_json::json!({
                "name": tool.name,
                "description": tool.description,
                "inputSchema": tool.input_schema,
            })
        });
        Json::Array(shown.collect()).to_string().chars().count() / 4
    }

    #[test]
    fn the_list_of_tools_is_short() {
        let usual = ToolCatalog::shipped(Toolset::DEFAULT, Access::everything());
        assert!(tokens(&usual) <= 4_500, "{}", tokens(&usual));
        let code = ToolCatalog::shipped(&[Toolset::Code], Access::everything());
        let config = super::super::info::config(&code, false);
        let instructions = config.instructions.unwrap_or_default();
        let all = tokens(&code) + instructions.chars().count() / 4;
        assert!(all <= 1_200, "{all}");
    }

    #[test]
    fn output_schemas_are_listed_on_request() {
        let catalog = || ToolCatalog::shipped(Toolset::DEFAULT, Access::everything());
        let with_schema = |catalog: &ToolCatalog| {
            let tools = catalog.tools().iter();
            tools.filter(|tool| tool.output_schema.is_some()).count()
        };
        assert_eq!(with_schema(&catalog()), 0);
        let published = catalog().with_output_schemas(OutputSchemas::Published);
        assert_eq!(with_schema(&published), published.tools().len());
    }

    /// A client is never told to use a tool that it does not have.
    #[test]
    fn operations_are_named_as_the_client_can_use_them() {
        let name = |toolsets: &[Toolset], reference: &str| {
            let catalog = ToolCatalog::shipped(toolsets, Access::everything());
            catalog.naming().render(&format!("[[{reference}]]"))
        };
        for (toolsets, reference, shown) in [
            (Toolset::ALL, "commands.list_tasks", "commands_list_tasks"),
            (&[Toolset::Commands], "commands.list_tasks", "list_tasks"),
            (
                &[Toolset::Code],
                "work_next_ready",
                "tasks.nextReady() in execute",
            ),
            (&[Toolset::Runs], "task_next", "`windlass next`"),
            (
                Toolset::ALL,
                "allowlist_allow",
                "`windlass allow` (a person can run it)",
            ),
        ] {
            assert_eq!(name(toolsets, reference), shown);
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
