//! Recipes: which tools a kind of session gets. Each is an allowlist; all other tools are disabled.

/// A tool that a recipe allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipeTool {
    pub name: String,
    /// The only arguments that may be given; `None` allows all of them.
    pub fields: Option<Vec<String>>,
}

/// A kind of session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    pub name: String,
    /// The purpose of such sessions, in one sentence.
    pub purpose: String,
    pub tools: Vec<RecipeTool>,
}

/// A recipe that every project has.
#[derive(Debug)]
pub struct BuiltIn {
    pub name: &'static str,
    pub purpose: &'static str,
    tools: &'static [&'static str],
    /// Tools for which only some arguments may be given.
    narrowed: &'static [(&'static str, &'static [&'static str])],
}

impl BuiltIn {
    pub fn recipe(&self) -> Recipe {
        let fields = |tool: &str| {
            let found = self.narrowed.iter().find(|(name, _)| *name == tool);
            found.map(|(_, fields)| fields.iter().map(|field| (*field).to_owned()).collect())
        };
        Recipe {
            name: self.name.to_owned(),
            purpose: self.purpose.to_owned(),
            tools: self
                .tools
                .iter()
                .map(|tool| RecipeTool {
                    name: (*tool).to_owned(),
                    fields: fields(tool),
                })
                .collect(),
        }
    }
}

/// The recipes of the plan contract in its order, and `focus`, an addition of Windlass.
pub static RECIPES: &[BuiltIn] = &[
    BuiltIn {
        name: "braindump",
        purpose: "Project setup from unstructured input: notes become features, disciplines and tasks.",
        tools: &[
            "create_feature",
            "create_discipline",
            "create_task",
            "list_features",
            "list_disciplines",
            "list_tasks",
            "get_feature",
            "get_discipline",
            "get_project_info",
        ],
        narrowed: &[],
    },
    BuiltIn {
        name: "yap",
        purpose: "Task-focused conversation: refine and create tasks within existing features and disciplines.",
        tools: &[
            "list_tasks",
            "get_task",
            "create_task",
            "update_task",
            "list_features",
            "list_disciplines",
            "set_task_status",
            "get_project_info",
        ],
        narrowed: &[],
    },
    BuiltIn {
        name: "ramble",
        purpose: "Feature refinement: discuss and refine a specific feature's design.",
        tools: &[
            "list_features",
            "get_feature",
            "create_feature",
            "update_feature",
            "append_feature_learning",
            "add_feature_context_file",
            "list_tasks",
            "get_project_info",
        ],
        narrowed: &[],
    },
    BuiltIn {
        name: "discuss",
        purpose: "Discipline configuration: refine a discipline's persona, conventions and MCP servers.",
        tools: &[
            "list_disciplines",
            "get_discipline",
            "update_discipline",
            "get_project_info",
        ],
        narrowed: &[],
    },
    BuiltIn {
        name: "task_execution",
        purpose: "Execute one task, with only the tools that it needs.",
        tools: &[
            "get_task",
            "set_task_status",
            "add_task_comment",
            "append_learning",
            "append_progress",
            "add_feature_context_file",
            "read_learnings",
            "read_progress",
            "get_project_info",
        ],
        narrowed: &[],
    },
    BuiltIn {
        name: "opus_review",
        purpose: "Review of a feature's progress: completed work, priorities, learnings.",
        tools: &[
            "list_tasks",
            "get_task",
            "set_task_status",
            "update_task",
            "create_task",
            "add_task_comment",
            "list_features",
            "get_feature",
            "update_feature",
            "append_feature_learning",
            "append_learning",
            "append_progress",
            "read_learnings",
            "read_progress",
            "get_project_info",
            "get_project_progress",
        ],
        narrowed: &[("update_task", &["id", "priority", "description"])],
    },
    BuiltIn {
        name: "enrichment",
        purpose: "Draft task promotion: pseudocode and acceptance criteria for draft tasks.",
        tools: &[
            "list_tasks",
            "get_task",
            "enrich_task",
            "update_task",
            "create_task",
            "list_features",
            "get_feature",
            "list_disciplines",
            "get_project_info",
        ],
        narrowed: &[],
    },
    BuiltIn {
        name: "focus",
        purpose: "Work on one task: begin, run the allowed commands, hand the work in.",
        tools: &[
            "begin",
            "done",
            "partial",
            "stuck",
            "ask",
            "flag",
            "learned",
            "suggest",
            "blocked",
            "commands_list_tasks",
            "task_start",
            "task_status",
            "task_output",
            "task_wait",
            "task_stop",
        ],
        narrowed: &[],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrowed_tool_allows_only_its_fields() {
        let review = RECIPES
            .iter()
            .find(|one| one.name == "opus_review")
            .map(BuiltIn::recipe);
        let review = review.expect("there");
        let update = review.tools.iter().find(|tool| tool.name == "update_task");
        let fields = update
            .and_then(|tool| tool.fields.clone())
            .expect("narrowed");
        assert_eq!(fields, ["id", "priority", "description"]);
        assert!(
            review
                .tools
                .iter()
                .filter(|tool| tool.fields.is_some())
                .count()
                == 1
        );
    }
}
