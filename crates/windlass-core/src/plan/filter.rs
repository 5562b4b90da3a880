//! Which tools remain after a recipe and a discipline. Strictly reductive: a recipe allows, a
//! discipline disables, nothing adds.

use std::collections::{BTreeMap, BTreeSet};

/// How an enabled tool may be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permit {
    /// With all of its arguments.
    Whole,
    /// With these arguments only.
    Fields(BTreeSet<String>),
}

/// The enabled tools, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolFilter {
    on: BTreeMap<String, Permit>,
}

impl ToolFilter {
    /// The allowed tools without the disabled ones.
    pub fn new(
        allowed: impl IntoIterator<Item = (String, Option<Vec<String>>)>,
        disabled: &BTreeSet<String>,
    ) -> Self {
        let on = allowed
            .into_iter()
            .filter(|(tool, _)| !disabled.contains(tool))
            .map(|(tool, fields)| {
                let permit = fields.map_or(Permit::Whole, |fields| {
                    Permit::Fields(fields.into_iter().collect())
                });
                (tool, permit)
            })
            .collect();
        Self { on }
    }

    /// How the tool may be used; `None` if it is disabled.
    pub fn permit(&self, tool: &str) -> Option<&Permit> {
        self.on.get(tool)
    }

    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.on.keys().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::super::RECIPES;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The enabled tools are a subset of the recipe's list, whatever a discipline disables.
        #[test]
        fn enabled_tools_are_a_subset_of_the_recipe(
            at in 0..RECIPES.len(),
            disabled in prop::collection::btree_set("[a-z]{3,7}_(task|feature|discipline)|get_task|list_tasks|create_task|done", 0..8),
        ) {
            let recipe = RECIPES[at].recipe();
            let allowed: BTreeSet<String> = recipe.tools.iter().map(|tool| tool.name.clone()).collect();
            let filter = ToolFilter::new(
                recipe.tools.iter().map(|tool| (tool.name.clone(), tool.fields.clone())),
                &disabled,
            );
            for tool in filter.tools() {
                prop_assert!(allowed.contains(tool));
                prop_assert!(!disabled.contains(tool));
            }
            for tool in &allowed {
                prop_assert_eq!(filter.permit(tool).is_none(), disabled.contains(tool));
            }
        }
    }
}
