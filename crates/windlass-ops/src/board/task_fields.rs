//! The fields for creating and changing a task, declared once for both.

use serde_json::{Value as Json, json};

use crate::arguments::Id;
use crate::entity_fields::Changes;

/// Declares an input: its own fields, and all those of a task. An empty text clears a field, an empty
/// list a list.
macro_rules! task_input {
    ($(#[$about:meta])* { $($own:tt)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, clap::Args, Serialize, Deserialize, JsonSchema)]
        pub struct Input {
            $($own)*
            /// The full description: markdown.
            #[serde(default)]
            #[arg(long)]
            pub description: Option<String>,
            /// low, normal, high or urgent.
            #[serde(default)]
            #[arg(long)]
            pub priority: Option<PriorityWord>,
            /// The day by which it should be done, YYYY-MM-DD.
            #[serde(default)]
            #[arg(long = "due", alias = "due-date", value_name = "DATE")]
            pub due_date: Option<String>,
            /// The person who works on it.
            #[serde(default)]
            #[arg(long)]
            pub assignee: Option<String>,
            /// The name of the feature that it belongs to.
            #[serde(default)]
            #[arg(long)]
            pub feature: Option<String>,
            /// The name of the discipline that it needs.
            #[serde(default)]
            #[arg(long)]
            pub discipline: Option<String>,
            /// The task that it is a part of: its number, or at least 4 hex digits of its id.
            #[serde(default)]
            #[arg(long)]
            pub parent: Option<Id>,
            /// milestone, task or subtask; the default under its parent if absent.
            #[serde(default)]
            #[arg(long)]
            pub kind: Option<String>,
            /// Tasks that must be done first.
            #[serde(default)]
            #[arg(long, value_delimiter = ',', value_name = "ID")]
            pub blocked_by: Option<Vec<Id>>,
            /// Tasks that wait for this one.
            #[serde(default)]
            #[arg(long, value_delimiter = ',', value_name = "ID")]
            pub blocks: Option<Vec<Id>>,
            /// What must hold when it is done, one text each.
            #[serde(default)]
            #[arg(long = "criterion", value_name = "TEXT")]
            pub acceptance_criteria: Option<Vec<String>>,
            /// Files to read first: paths in the project, at most 30.
            #[serde(default)]
            #[arg(long = "context-file", value_delimiter = ',', value_name = "PATH")]
            pub context_files: Option<Vec<String>>,
            /// Files that the work creates or changes: paths in the project.
            #[serde(default)]
            #[arg(long = "output-artifact", value_delimiter = ',', value_name = "PATH")]
            pub output_artifacts: Option<Vec<String>>,
            /// Advice for doing it.
            #[serde(default)]
            #[arg(long)]
            pub hints: Option<String>,
            /// How many turns an agent may need; 0 clears it.
            #[serde(default)]
            #[arg(long)]
            pub estimated_turns: Option<u32>,
            /// How it could be done, step by step.
            #[serde(default)]
            #[arg(long)]
            pub pseudocode: Option<String>,
            /// Tags.
            #[serde(default)]
            #[arg(long = "tag", value_delimiter = ',', value_name = "TAG")]
            pub tags: Option<Vec<String>>,
            /// Decisions that it implements.
            #[serde(default)]
            #[arg(long, value_delimiter = ',', value_name = "ID")]
            pub implements: Option<Vec<Id>>,
            /// Components that it is about.
            #[serde(default)]
            #[arg(long, value_delimiter = ',', value_name = "ID")]
            pub belongs_to: Option<Vec<Id>>,
        }

        impl Input {
            fn fields(&self) -> $crate::board::task_fields::TaskFields<'_> {
                $crate::board::task_fields::TaskFields {
                    texts: [
                        ("priority", self.priority.as_ref().map(PriorityWord::as_str)),
                        ("due_date", self.due_date.as_deref()),
                        ("assignee", self.assignee.as_deref()),
                        ("feature", self.feature.as_deref()),
                        ("discipline", self.discipline.as_deref()),
                        ("hints", self.hints.as_deref()),
                        ("pseudocode", self.pseudocode.as_deref()),
                    ],
                    lists: [
                        ("acceptance_criteria", self.acceptance_criteria.as_deref()),
                        ("context_files", self.context_files.as_deref()),
                        ("output_artifacts", self.output_artifacts.as_deref()),
                    ],
                    estimated_turns: self.estimated_turns,
                    blocked_by: self.blocked_by.as_deref(),
                    blocks: self.blocks.as_deref(),
                    implements: self.implements.as_deref(),
                    belongs_to: self.belongs_to.as_deref(),
                }
            }
        }
    };
}

pub(super) use task_input;

/// The fields that were given.
pub struct TaskFields<'a> {
    pub texts: [(&'static str, Option<&'a str>); 7],
    pub lists: [(&'static str, Option<&'a [String]>); 3],
    pub estimated_turns: Option<u32>,
    pub blocked_by: Option<&'a [Id]>,
    pub blocks: Option<&'a [Id]>,
    pub implements: Option<&'a [Id]>,
    pub belongs_to: Option<&'a [Id]>,
}

impl TaskFields<'_> {
    /// The fields of the entity itself. The status is separate: it cannot be cleared.
    pub fn changes(&self, status: Option<&str>) -> Changes {
        let mut changes = Changes::default();
        changes.json("status", status.map(|word| json!(word)));
        for (name, text) in self.texts {
            changes.text(name, text);
        }
        for (name, list) in self.lists {
            changes.list(name, list.map(without_empty).as_deref());
        }
        changes.json(
            "estimated_turns",
            self.estimated_turns.map(|turns| match turns {
                0 => Json::Null,
                turns => json!(turns),
            }),
        );
        changes
    }
}

/// On a command line a list is cleared by one empty text.
pub fn without_empty(list: &[String]) -> Vec<String> {
    let filled = list.iter().filter(|text| !text.trim().is_empty());
    filled.cloned().collect()
}
