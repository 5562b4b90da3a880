//! What is in the project, as far as a shell wants to complete it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use windlass_core::{EntityType, Priority, TaskStatus};
use windlass_ops::{AnyOutput as _, SETTING_KEYS};
use windlass_store::Project;

use crate::surface::cli::caller::Caller;
use crate::surface::cli::global::Global;
use crate::surface::cli::tree::groups::GROUPS;
use crate::surface::environment::Environment;

/// The most that a shell is offered.
const MOST: usize = 200;

/// Where values come from.
#[derive(Debug, Clone, Copy)]
pub enum Source {
    Numbers,
    Features,
    Disciplines,
    Recipes,
    Sessions,
    Playbooks,
    Runs,
    Jobs,
    Reviews,
    Gates,
    Tags,
    RepositoryCommands,
    Statuses,
    Priorities,
    Types,
    Settings,
    Commands,
}

/// The values of one source in one folder.
pub struct Values {
    source: Source,
    folder: PathBuf,
}

impl Values {
    pub fn new(source: Source, folder: &Path) -> Self {
        Self {
            source,
            folder: folder.to_owned(),
        }
    }

    /// Values that begin like that, each with what it is.
    pub fn beginning(&self, typed: &str) -> Vec<(String, String)> {
        let typed = typed.strip_prefix('#').unwrap_or(typed);
        let mut values = self.all();
        values.retain(|(value, _)| value.starts_with(typed));
        values.truncate(MOST);
        values
    }

    fn all(&self) -> Vec<(String, String)> {
        match self.source {
            Source::Statuses => words(&TaskStatus::NAMES),
            Source::Priorities => words(&Priority::ALL.map(Priority::name)),
            Source::Types => words(&EntityType::NAMES),
            Source::Settings => SETTING_KEYS
                .iter()
                .map(|key| (key.name.to_owned(), key.doc.to_owned()))
                .collect(),
            Source::Commands => GROUPS
                .iter()
                .flat_map(|group| group.commands)
                .map(|(name, about)| ((*name).to_owned(), (*about).to_owned()))
                .collect(),
            Source::Numbers => self.listed(
                "entity_list",
                &json!({"limit": 100}),
                "entities",
                "sequence_number",
                "title",
            ),
            Source::Features => self.listed(
                "list_features",
                &json!({}),
                "features",
                "name",
                "display_name",
            ),
            Source::Disciplines => self.listed(
                "list_disciplines",
                &json!({}),
                "disciplines",
                "name",
                "display_name",
            ),
            Source::Recipes => {
                self.listed("recipe_list", &json!({}), "recipes", "name", "description")
            }
            Source::Sessions => self.listed("session_list", &json!({}), "sessions", "id", "recipe"),
            Source::Playbooks => {
                self.listed("playbook_list", &json!({}), "playbooks", "id", "name")
            }
            Source::Runs => self.listed("run_list", &json!({}), "runs", "runId", "title"),
            Source::Jobs => self.listed("job_list", &json!({}), "jobs", "pid", "unique_name"),
            Source::Reviews => {
                self.listed("review_list", &json!({}), "reviews", "number", "summary")
            }
            Source::Gates => self.listed("gate_list", &json!({}), "gates", "name", "command"),
            Source::RepositoryCommands => self.listed(
                "commands_list_tasks",
                &json!({}),
                "tasks",
                "unique_name",
                "description",
            ),
            Source::Tags => self.tags(),
        }
    }

    /// The items of a list that an operation returns.
    fn listed(
        &self,
        operation: &str,
        input: &Json,
        list: &str,
        value: &str,
        about: &str,
    ) -> Vec<(String, String)> {
        let Some(output) = self.call(operation, input) else {
            return Vec::new();
        };
        let items = output[list].as_array().cloned().unwrap_or_default();
        items
            .iter()
            .filter_map(|item| Some((text(&item[value])?, text(&item[about]).unwrap_or_default())))
            .collect()
    }

    fn tags(&self) -> Vec<(String, String)> {
        let Some(output) = self.call("entity_list", &json!({"limit": 100})) else {
            return Vec::new();
        };
        let items = output["entities"].as_array().cloned().unwrap_or_default();
        let mut tags: Vec<String> = items
            .iter()
            .filter_map(|item| item["tags"].as_array())
            .flatten()
            .filter_map(|tag| tag.as_str().map(str::to_owned))
            .collect();
        tags.sort();
        tags.dedup();
        tags.into_iter().map(|tag| (tag, String::new())).collect()
    }

    /// Calls an operation that reads. Nothing where there is no project with a state.
    fn call(&self, name: &str, input: &Json) -> Option<Json> {
        let project = Project::find(&self.folder).ok()?;
        if !project.database().exists() {
            return None;
        }
        let global = Global::in_folder(self.folder.clone());
        let caller = Caller::new(Vec::new(), global, Environment::of_process());
        let output = caller.call(name, input.clone()).ok()?;
        Some(output.to_json())
    }
}

fn words(list: &[&str]) -> Vec<(String, String)> {
    list.iter()
        .map(|word| ((*word).to_owned(), String::new()))
        .collect()
}

fn text(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.lines().next().unwrap_or_default().to_owned()),
        Json::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The folder that the command line being typed works in.
pub fn folder_of(words: &[OsString]) -> PathBuf {
    let given = words.iter().enumerate().find_map(|(at, word)| {
        let word = word.to_str()?;
        if word == "-C" || word == "--cwd" {
            return words.get(at + 1).map(PathBuf::from);
        }
        word.strip_prefix("--cwd=").map(PathBuf::from)
    });
    let folder = given.unwrap_or_else(|| PathBuf::from("."));
    std::path::absolute(&folder).unwrap_or(folder)
}
