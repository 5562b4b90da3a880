//! Every key of `config.toml`, with its meaning, and where the value of each comes from.

use std::sync::LazyLock;

use serde_json::Value as Json;
use toml_edit::{Array, DocumentMut, Item, Table, Value};
use windlass_core::{Error, ErrorKind, Result, nearest};

use crate::config::Config;
use crate::runtime_keys::RUNTIME_KEYS;

/// What the value of a key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingKind {
    Flag,
    Whole,
    /// A number of seconds, fractions allowed.
    Seconds,
    Text,
    /// Texts; separated by commas where they are typed.
    List,
}

impl SettingKind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flag => "true or false",
            Self::Whole => "whole number",
            Self::Seconds => "seconds",
            Self::Text => "text",
            Self::List => "list",
        }
    }
}

/// One key of the settings.
#[derive(Debug)]
pub struct SettingKey {
    /// Its table and its name: `commands.max_jobs`.
    pub name: &'static str,
    pub kind: SettingKind,
    pub doc: &'static str,
    /// Whether it lets agents or files of the repository do more, so that it counts only while a
    /// person allows exactly the current text of the file.
    pub needs_permission: bool,
}

const fn key(name: &'static str, kind: SettingKind, doc: &'static str) -> SettingKey {
    SettingKey {
        name,
        kind,
        doc,
        needs_permission: false,
    }
}

pub const fn for_people(name: &'static str, kind: SettingKind, doc: &'static str) -> SettingKey {
    SettingKey {
        needs_permission: true,
        ..key(name, kind, doc)
    }
}

/// All keys, in the order of the file's tables.
pub static SETTING_KEYS: LazyLock<Vec<&'static SettingKey>> =
    LazyLock::new(|| KEYS.iter().chain(RUNTIME_KEYS).collect());

/// All but those of runtimes, which have a file of their own.
const KEYS: &[SettingKey] = &[
    key(
        "project.title",
        SettingKind::Text,
        "The name of the project",
    ),
    key(
        "project.description",
        SettingKind::Text,
        "A description of the project, in a few sentences",
    ),
    key(
        "mcp.toolsets",
        SettingKind::List,
        "The toolsets that a server has by default",
    ),
    key(
        "mcp.output_schemas",
        SettingKind::Flag,
        "Whether servers list their tools with the schemas of their outputs",
    ),
    key(
        "commands.capture_seconds",
        SettingKind::Seconds,
        "How long a start waits for the end before it returns that the job is running",
    ),
    key(
        "commands.ring_lines",
        SettingKind::Whole,
        "Lines of output that are stored for each job",
    ),
    key(
        "commands.ring_bytes",
        SettingKind::Whole,
        "Bytes of output that are stored for each job",
    ),
    key(
        "commands.chunk_bytes",
        SettingKind::Whole,
        "The most bytes of output that a start returns",
    ),
    key(
        "commands.max_jobs",
        SettingKind::Whole,
        "Jobs that may run at once",
    ),
    key(
        "commands.grace_seconds",
        SettingKind::Seconds,
        "Time between TERM and KILL when a job is stopped",
    ),
    key(
        "commands.keep_finished_seconds",
        SettingKind::Seconds,
        "How long a job stays readable after its end",
    ),
    for_people(
        "commands.allow_env",
        SettingKind::List,
        "Variables that callers may set although they can change what is run",
    ),
    for_people(
        "runs.adhoc",
        SettingKind::Flag,
        "Whether runs without a playbook may execute anything",
    ),
    key(
        "runs.max_parallel",
        SettingKind::Whole,
        "Runs that one process executes at once",
    ),
    key(
        "runs.default_timeout_seconds",
        SettingKind::Whole,
        "The time limit of steps that do not set one",
    ),
    // Outputs of runs go there: to any folder of this user, or off the machine.
    for_people(
        "runs.artifacts",
        SettingKind::Text,
        "Where artifacts are stored: a folder, relative to the state, or s3://bucket/prefix",
    ),
    key(
        "runs.artifact_file_bytes",
        SettingKind::Whole,
        "The largest file that is stored for a run",
    ),
    key(
        "runs.artifact_run_bytes",
        SettingKind::Whole,
        "The most bytes that are stored for one run",
    ),
    // It decides which programs steps run.
    for_people(
        "runs.docker.image",
        SettingKind::Text,
        "The image that steps of the runtime docker run in",
    ),
    for_people(
        "workflow.agent_review",
        SettingKind::Flag,
        "Whether another agent reviews work whose gates passed",
    ),
    for_people(
        "workflow.human_review",
        SettingKind::Flag,
        "Whether a person reviews work before it is done",
    ),
    for_people(
        "workflow.git.branch",
        SettingKind::Flag,
        "Whether starting a task switches to its own branch",
    ),
    for_people(
        "workflow.git.commit",
        SettingKind::Flag,
        "Whether submitting a task commits all changes",
    ),
    key(
        "code.timeout_seconds",
        SettingKind::Seconds,
        "The default time limit of a script",
    ),
    key(
        "code.max_timeout_seconds",
        SettingKind::Seconds,
        "The highest time limit that a script may request",
    ),
    key("code.memory_mb", SettingKind::Whole, "Memory of one script"),
    key(
        "code.result_characters",
        SettingKind::Whole,
        "Characters of a script's value before it is cut",
    ),
    key(
        "code.log_bytes",
        SettingKind::Whole,
        "Bytes of a script's log that are returned",
    ),
    key(
        "code.max_calls",
        SettingKind::Whole,
        "Calls that one script may make",
    ),
    key(
        "code.max_calls_at_once",
        SettingKind::Whole,
        "Calls that one script may make at the same time",
    ),
    key(
        "code.max_workers",
        SettingKind::Whole,
        "Scripts that run at once; further ones wait",
    ),
    for_people(
        "code.unjailed",
        SettingKind::Flag,
        "Whether scripts run even where the system does not restrict their process",
    ),
    key(
        "sync.compact_after",
        SettingKind::Whole,
        "Past this number of packs, a sync joins them into one; 0 is never",
    ),
    // The whole plan goes there, and what others put there comes back.
    for_people(
        "sync.remote",
        SettingKind::Text,
        "Object storage that packs are exchanged with and tasks are claimed on, as s3://bucket/prefix",
    ),
    key(
        "sync.interval_seconds",
        SettingKind::Whole,
        "Time between two exchanges of a server with the remote; 0 is never",
    ),
    key(
        "search.semantic",
        SettingKind::Flag,
        "Whether texts are also found by their meaning, where a model is installed",
    ),
    // What the servers do goes there, and a variable of their environment with it.
    for_people(
        "telemetry.otlp",
        SettingKind::Text,
        "Collector of OpenTelemetry that servers send spans to, as http://localhost:4318",
    ),
    for_people(
        "telemetry.headers_env",
        SettingKind::Text,
        "The environment variable with the headers for that collector, as name=value,name=value",
    ),
];

impl SettingKey {
    /// The key of that name; else an error that names the nearest.
    pub fn find(name: &str) -> Result<&'static Self> {
        let wanted = name.trim();
        if let Some(key) = SETTING_KEYS.iter().find(|key| key.name == wanted) {
            return Ok(key);
        }
        let error = Error::invalid_params(format!("There is no setting \"{name}\""))
            .with("field", "key")
            .with("value", name);
        let last = |key: &SettingKey| key.name.rsplit('.').next() == Some(wanted);
        let near = SETTING_KEYS
            .iter()
            .find(|key| last(key))
            .map(|key| key.name)
            .or_else(|| nearest(wanted, SETTING_KEYS.iter().map(|key| key.name)));
        Err(match near {
            Some(near) => error.with_hint(format!("Did you mean \"{near}\"?")),
            None => error.with_hint("`windlass config list` lists all of them."),
        })
    }

    fn parts(&self) -> Vec<&'static str> {
        self.name.split('.').collect()
    }

    /// The value in the settings, in JSON; null if it is not set.
    pub fn value_in(&self, config: &Config) -> Json {
        let config = serde_json::to_value(config).unwrap_or(Json::Null);
        let found = self
            .parts()
            .into_iter()
            .try_fold(&config, |table, part| table.get(part));
        found.cloned().unwrap_or(Json::Null)
    }

    /// Whether the text of a file sets it.
    pub fn is_set_in(&self, text: &str) -> bool {
        let Ok(document) = text.parse::<DocumentMut>() else {
            return false;
        };
        let found = self
            .parts()
            .into_iter()
            .try_fold(document.as_item(), |table, part| table.get(part));
        found.is_some()
    }

    /// The text of the file with the key set, everything else as it was. The result is checked as a
    /// whole before it is returned.
    pub fn set_in(&self, text: &str, typed: &str) -> Result<String> {
        let mut document = document(text)?;
        let value = self.parse(typed)?;
        let parts = self.parts();
        let (name, tables) = parts
            .split_last()
            .ok_or_else(|| Error::internal("no key"))?;
        let mut table: &mut Table = document.as_table_mut();
        for part in tables {
            let entry = table
                .entry(part)
                .or_insert_with(|| Item::Table(Table::new()));
            table = entry.as_table_mut().ok_or_else(|| {
                let message = format!("{}: {part} is not a table", Config::FILE);
                Error::new(ErrorKind::InvalidConfig, message)
            })?;
        }
        match table.get_mut(name).and_then(Item::as_value_mut) {
            // The comment behind the old value stays.
            Some(old) => {
                let decor = old.decor().clone();
                *old = value;
                *old.decor_mut() = decor;
            }
            None => {
                table.insert(name, Item::Value(value));
            }
        }
        let text = document.to_string();
        Config::parse(Config::FILE, &text)?;
        Ok(text)
    }

    /// The text of the file without the key.
    pub fn unset_in(&self, text: &str) -> Result<String> {
        let mut document = document(text)?;
        let parts = self.parts();
        let (name, tables) = parts
            .split_last()
            .ok_or_else(|| Error::internal("no key"))?;
        let table = tables
            .iter()
            .try_fold(document.as_table_mut(), |table, part| {
                table.get_mut(part).and_then(Item::as_table_mut)
            });
        if let Some(table) = table {
            table.remove(name);
        }
        let text = document.to_string();
        Config::parse(Config::FILE, &text)?;
        Ok(text)
    }

    fn parse(&self, typed: &str) -> Result<Value> {
        let wrong = || {
            let message = format!("{}: \"{typed}\" is not a {}", self.name, self.kind.name());
            Error::invalid_params(message.replace("a true or false", "true or false"))
                .with("field", self.name)
        };
        Ok(match self.kind {
            SettingKind::Flag => Value::from(typed.parse::<bool>().map_err(|_| wrong())?),
            SettingKind::Whole => {
                let digits = typed.replace(['_', ','], "");
                Value::from(digits.parse::<i64>().map_err(|_| wrong())?)
            }
            SettingKind::Seconds => Value::from(typed.parse::<f64>().map_err(|_| wrong())?),
            SettingKind::Text => Value::from(typed),
            SettingKind::List => {
                let items = typed.split(',').map(str::trim);
                let items = items.filter(|item| !item.is_empty());
                Value::from(items.collect::<Array>())
            }
        })
    }
}

fn document(text: &str) -> Result<DocumentMut> {
    text.parse().map_err(|problem: toml_edit::TomlError| {
        let message = format!("{}: {}", Config::FILE, problem.message());
        Error::new(ErrorKind::InvalidConfig, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every field of the settings has a key, and every key a field.
    #[test]
    fn keys_and_fields_are_the_same() {
        fn names(prefix: &str, value: &Json, out: &mut Vec<String>) {
            match value.as_object() {
                Some(table) => {
                    for (name, value) in table {
                        let name = format!("{prefix}.{name}");
                        names(name.trim_start_matches('.'), value, out);
                    }
                }
                None => out.push(prefix.to_owned()),
            }
        }
        let mut fields = Vec::new();
        let config = serde_json::to_value(Config::default()).expect("JSON");
        names("", &config, &mut fields);
        let mut keys: Vec<&str> = SETTING_KEYS.iter().map(|key| key.name).collect();
        fields.sort();
        keys.sort_unstable();
        assert_eq!(fields, keys);
    }

    /// Each key with what it can do at most. A new key is to be looked at here: one that lets agents or
    /// files do more, runs something, or sends data out of the state needs a person.
    #[test]
    fn every_key_is_classified() {
        let harmless = [
            // Texts that agents read, like any file of the repository.
            "project.title",
            "project.description",
            // Which tools are listed; each checks by itself who calls it.
            "mcp.toolsets",
            "mcp.output_schemas",
            // Limits, which have upper bounds of their own.
            "commands.capture_seconds",
            "commands.ring_lines",
            "commands.ring_bytes",
            "commands.chunk_bytes",
            "commands.max_jobs",
            "commands.grace_seconds",
            "commands.keep_finished_seconds",
            "runs.max_parallel",
            "runs.default_timeout_seconds",
            "runs.artifact_file_bytes",
            "runs.artifact_run_bytes",
            "code.timeout_seconds",
            "code.max_timeout_seconds",
            "code.memory_mb",
            "code.result_characters",
            "code.log_bytes",
            "code.max_calls",
            "code.max_calls_at_once",
            "code.max_workers",
            // How many files there are; their content stays the same.
            "sync.compact_after",
            // How often, not where to.
            "sync.interval_seconds",
            "search.semantic",
        ];
        let for_people = [
            "commands.allow_env",
            "runs.adhoc",
            "runs.artifacts",
            "runs.docker.image",
            "workflow.agent_review",
            "workflow.human_review",
            "workflow.git.branch",
            "workflow.git.commit",
            "code.unjailed",
            "sync.remote",
            "telemetry.otlp",
            "telemetry.headers_env",
        ];
        let named = |needed: bool| {
            let keys = SETTING_KEYS
                .iter()
                .filter(move |key| key.needs_permission == needed);
            keys.map(|key| key.name).collect::<Vec<_>>()
        };
        assert_eq!(named(false), harmless);
        // A runtime sends shell text somewhere, so all of it needs a person.
        let (of_runtimes, others): (Vec<&str>, Vec<&str>) = named(true)
            .into_iter()
            .partition(|name| name.starts_with("runtimes."));
        assert_eq!(others, for_people);
        assert_eq!(of_runtimes.len(), RUNTIME_KEYS.len());
    }

    #[test]
    fn without_permission_only_harmless_settings_count() {
        let text = "[project]\ntitle = \"Shop\"\n[commands]\nmax_jobs = 3\nallow_env = [\"PATH\"]\n\
            [runs]\nadhoc = true\nartifacts = \"s3://elsewhere\"\nmax_parallel = 2\n\
            [runs.docker]\nimage = \"evil\"\n[workflow]\nhuman_review = false\nagent_review = false\n\
            [workflow.git]\nbranch = true\ncommit = true\n\
            [telemetry]\notlp = \"http://localhost:4318\"\nheaders_env = \"KEYS\"\n";
        let written = Config::parse("c", text).expect("valid");
        let counts = written.without_permission();
        let mut expected = Config::default();
        expected.project.title = Some("Shop".to_owned());
        expected.commands.max_jobs = 3;
        expected.runs.max_parallel = 2;
        assert_eq!(counts, expected);
    }

    #[test]
    fn setting_keeps_comments_and_checks_the_whole() {
        let text = "# Ours\n[commands]\nmax_jobs = 4 # enough\n";
        let key = SettingKey::find("commands.max_jobs").expect("a key");
        assert_eq!(
            key.set_in(text, "8").expect("set"),
            "# Ours\n[commands]\nmax_jobs = 8 # enough\n"
        );
        assert!(key.set_in(text, "0").is_err());
        assert!(key.set_in(text, "many").is_err());
        assert_eq!(key.unset_in(text).expect("unset"), "# Ours\n[commands]\n");
        let key = SettingKey::find("mcp.toolsets").expect("a key");
        let text = key.set_in("", "knowledge, plan").expect("set");
        assert_eq!(text, "[mcp]\ntoolsets = [\"knowledge\", \"plan\"]\n");
        assert!(key.is_set_in(&text) && !key.is_set_in(""));
        assert!(key.set_in("", "knowlege").is_err());
    }

    #[test]
    fn a_wrong_key_gets_the_nearest() {
        for (typed, near) in [
            ("max_jobs", "commands.max_jobs"),
            ("commands.maxjobs", "commands.max_jobs"),
        ] {
            let error = SettingKey::find(typed).expect_err("no key");
            assert_eq!(
                error.hint(),
                Some(format!("Did you mean \"{near}\"?").as_str())
            );
        }
    }
}
