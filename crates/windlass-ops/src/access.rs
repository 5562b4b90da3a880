//! Which operations a caller may use: all, those that change nothing, or those that its session
//! allows.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value as Json;
use windlass_core::{Error, ErrorKind, Permit, Result, ToolFilter};

use crate::list::OPERATIONS;
use crate::operation::{Declaration, Effect, Toolset};

/// Cheap to clone; every context carries one.
#[derive(Debug, Clone, Default)]
pub struct Access {
    read_only: bool,
    filter: Option<Arc<ToolFilter>>,
}

impl Access {
    pub fn everything() -> Self {
        Self::default()
    }

    /// Only operations that change nothing.
    #[must_use]
    pub fn reading_only(mut self, read_only: bool) -> Self {
        self.read_only |= read_only;
        self
    }

    /// Only what a session's filter allows.
    #[must_use]
    pub fn within(mut self, filter: Arc<ToolFilter>) -> Self {
        self.filter = Some(filter);
        self
    }

    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Whether a session's filter applies.
    pub fn is_filtered(&self) -> bool {
        self.filter.is_some()
    }

    /// Whether the caller may use the operation.
    pub fn allows(&self, declaration: &Declaration) -> bool {
        self.permit(declaration).is_some()
    }

    /// How the operation may be used; none if it is off.
    pub fn permit(&self, declaration: &Declaration) -> Option<Permit> {
        // A script acts only through its calls, and each of those is checked here.
        if self.read_only && !matches!(declaration.effect, Effect::Read | Effect::Script) {
            return None;
        }
        match &self.filter {
            Some(filter) => filter.permit(&tool_name(declaration)).cloned(),
            None => Some(Permit::Whole),
        }
    }

    /// Refuses operations and arguments that are off as if they did not exist.
    pub(crate) fn check(&self, declaration: &Declaration, input: &Json) -> Result<()> {
        let fields = match self.permit(declaration) {
            Some(Permit::Whole) => return Ok(()),
            Some(Permit::Fields(fields)) => fields,
            None => return Err(unknown_tool(declaration)),
        };
        let given = input
            .as_object()
            .into_iter()
            .flat_map(|object| object.keys());
        for name in given {
            if !fields.contains(name) {
                let known: Vec<&str> = fields.iter().map(String::as_str).collect();
                return Err(Error::invalid_params(format!("Unknown field \"{name}\""))
                    .with("field", name.as_str())
                    .with_hint(format!(
                        "Known fields in this session: {}.",
                        known.join(", ")
                    )));
            }
        }
        Ok(())
    }
}

fn unknown_tool(declaration: &Declaration) -> Error {
    let name = tool_name(declaration);
    Error::new(ErrorKind::UnknownTool, format!("Unknown tool \"{name}\""))
        .with("tool", name.as_ref())
        .with_hint("This session does not have it.")
}

/// The name of a tool in recipes, disciplines and context files: its own, prefixed with its toolset
/// if the plan has a tool of the same name.
pub fn tool_name(declaration: &Declaration) -> Cow<'static, str> {
    let of_the_plan = OPERATIONS.iter().any(|entry| {
        entry.declaration.name == declaration.name && entry.declaration.toolset == Toolset::Plan
    });
    if of_the_plan && declaration.toolset != Toolset::Plan {
        return Cow::Owned(format!(
            "{}_{}",
            declaration.toolset.name(),
            declaration.name
        ));
    }
    Cow::Borrowed(declaration.name)
}
