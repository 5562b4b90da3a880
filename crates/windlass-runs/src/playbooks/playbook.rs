//! A playbook, and how it becomes a RunSpec.

use std::collections::BTreeMap;
use std::path::Path;

use regex::Regex;
use schemars::JsonSchema;
use serde::Serialize;

use super::expand::{environment_name, expand};
use super::file::{self, Problem};
use super::words::check_given;
use crate::spec::{EnvRef, Invalid, Limits, RunSpec, Shell, Step};

/// A RunSpec with a name and variables.
#[derive(Debug, Clone, PartialEq)]
pub struct Playbook {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Its variables by name.
    pub vars: BTreeMap<String, Variable>,
    /// The spec as written, with `${name}` for variables.
    pub spec: RunSpec,
    /// Where it comes from.
    pub source: Source,
    /// What is probably a mistake in its file, although it can be run.
    pub warnings: Vec<Problem>,
}

/// A variable of a playbook.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Variable {
    /// The value if the caller gives none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether the caller must give a value.
    pub required: bool,
    /// A regular expression that the whole value must match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
}

/// Where a playbook comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Built into Windlass.
    BuiltIn,
    /// A file of the project.
    File {
        /// Its path relative to the project.
        path: String,
        /// The SHA-256 of its bytes in hexadecimal; a person's permission is pinned to it.
        fingerprint: String,
    },
}

/// The output of `playbook.list` and `playbook.get` for one playbook.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PlaybookSummary {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The spec as written, with ${name} for variables.
    pub spec: RunSpec,
    /// Its variables by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(default)]
    pub vars: BTreeMap<String, Variable>,
    /// Its file, relative to the project; empty for built-in playbooks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// Why a playbook cannot become a RunSpec.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InstantiateError {
    /// A value is missing, unknown or not allowed.
    #[error("variable {name}: {why}")]
    Variable {
        /// The variable.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// With these values, the spec breaks a rule.
    #[error(transparent)]
    Invalid(#[from] Invalid),
}

/// Why a playbook must not be started although it was allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Changed {
    /// The file has changed since it was allowed.
    #[error("{path} has changed since it was allowed")]
    Content {
        /// The file.
        path: String,
    },
    /// The file can no longer be read, or is no longer a valid playbook.
    #[error("{path} is no longer a valid playbook")]
    Broken {
        /// The file.
        path: String,
        /// What is wrong in it.
        problems: Vec<Problem>,
    },
}

impl Playbook {
    /// The output for callers.
    pub fn view(&self) -> PlaybookSummary {
        PlaybookSummary {
            id: self.id.clone(),
            name: self.name.clone(),
            description: self.description.clone(),
            spec: self.spec.clone(),
            vars: self.vars.clone(),
            file: match &self.source {
                Source::BuiltIn => None,
                Source::File { path, .. } => Some(path.clone()),
            },
        }
    }

    /// Reads the file again right before a start, and returns the playbook in it if its hash is
    /// `fingerprint`. Use the returned playbook instead of `self`. A built-in playbook never
    /// changes.
    pub fn confirm(&self, root: &Path, fingerprint: &str) -> Result<Self, Changed> {
        let Source::File { path, .. } = &self.source else {
            return Ok(self.clone());
        };
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let bytes = file::read_bytes(&root, path).map_err(|problem| Changed::Broken {
            path: path.clone(),
            problems: vec![problem],
        })?;
        if file::fingerprint(&bytes) != fingerprint {
            return Err(Changed::Content { path: path.clone() });
        }
        file::parse(path, &bytes).map_err(|problems| Changed::Broken {
            path: path.clone(),
            problems,
        })
    }

    /// Creates the RunSpec with these values. Commands receive them through the environment, other
    /// strings contain them directly; the result is validated like any other RunSpec.
    pub fn instantiate(
        &self,
        values: &BTreeMap<String, String>,
    ) -> Result<RunSpec, InstantiateError> {
        check_given(self, values)?;
        let values = self.values(values)?;
        let plain = |text: &str| with_values(text, &values, str::to_owned);
        let mut spec = self.spec.clone();
        spec.title = plain(&spec.title)?;
        spec.issue_id = spec.issue_id.as_deref().map(plain).transpose()?;
        for step in &mut spec.steps {
            *step = instantiate_step(step, &values)?;
        }
        let mut env_refs = BTreeMap::new();
        for (name, entry) in spec.env_refs.take().unwrap_or_default() {
            let entry = match EnvRef::of(&entry) {
                // A value must not turn a string into a reference to a secret.
                EnvRef::Value(text) => EnvRef::literal(&plain(text)?),
                EnvRef::Environment(_) | EnvRef::File(_) => entry,
            };
            env_refs.insert(name, entry);
        }
        for (name, value) in &values {
            env_refs.insert(environment_name(name), EnvRef::literal(value));
        }
        spec.env_refs = (!env_refs.is_empty()).then_some(env_refs);
        let json =
            serde_json::to_value(&spec).map_err(|problem| Invalid::new("", problem.to_string()))?;
        Ok(RunSpec::parse(json)?)
    }

    /// The values of all variables.
    fn values(
        &self,
        given: &BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, String>, InstantiateError> {
        if let Some(name) = given.keys().find(|name| !self.vars.contains_key(*name)) {
            let known: Vec<&str> = self.vars.keys().map(String::as_str).collect();
            let why = if known.is_empty() {
                "the playbook has no variables".to_owned()
            } else {
                format!(
                    "the playbook has no such variable; it has {}",
                    known.join(", ")
                )
            };
            return Err(wrong(name, why));
        }
        let mut values = BTreeMap::new();
        for (name, variable) in &self.vars {
            let value = match given.get(name).or(variable.default.as_ref()) {
                Some(value) => value.clone(),
                None if variable.required => {
                    return Err(wrong(name, "a value is required".to_owned()));
                }
                None => String::new(),
            };
            variable.check(&value).map_err(|why| wrong(name, why))?;
            values.insert(name.clone(), value);
        }
        Ok(values)
    }
}

impl Variable {
    fn check(&self, value: &str) -> Result<(), String> {
        let most = Limits::ENV_VALUE_BYTES / 2;
        if value.len() > most || value.contains('\0') {
            return Err(format!("a value may have at most {most} bytes and no NUL"));
        }
        if let Some(pattern) = &self.pattern {
            let whole = Regex::new(&format!(r"\A(?:{pattern})\z"));
            if !whole.is_ok_and(|whole| whole.is_match(value)) {
                return Err(format!("the value does not match `{pattern}`"));
            }
        }
        Ok(())
    }
}

pub(super) fn wrong(name: &str, why: String) -> InstantiateError {
    InstantiateError::Variable {
        name: name.to_owned(),
        why,
    }
}

type Values = BTreeMap<String, String>;

/// Replaces the variables in `text`; `prepare` adapts each value to its use.
fn with_values(
    text: &str,
    values: &Values,
    prepare: fn(&str) -> String,
) -> Result<String, InstantiateError> {
    expand(text, |name| match values.get(name) {
        Some(value) => Ok(prepare(value)),
        None => Err(wrong(name, "is not declared".to_owned())),
    })
}

fn instantiate_step(step: &Step, values: &Values) -> Result<Step, InstantiateError> {
    let plain = |text: &String| with_values(text, values, str::to_owned);
    let each = |texts: &Option<Vec<String>>, prepare: fn(&str) -> String| {
        let texts = texts.as_ref();
        let expanded = texts.map(|texts| {
            let expanded = texts.iter().map(|text| with_values(text, values, prepare));
            expanded.collect::<Result<Vec<String>, _>>()
        });
        expanded.transpose()
    };
    let command = expand(&step.command, |name| {
        if !values.contains_key(name) {
            return Err(wrong(name, "is not declared".to_owned()));
        }
        let variable = environment_name(name);
        Ok(match step.shell {
            Shell::Bash | Shell::Sh => format!("${{{variable}}}"),
            Shell::Pwsh => format!("${{env:{variable}}}"),
        })
    })?;
    let mut expect = step.expect.clone();
    if let Some(expect) = &mut expect {
        expect.stdout_regex = each(&expect.stdout_regex, regex::escape)?;
        expect.stderr_regex = each(&expect.stderr_regex, regex::escape)?;
        expect.file_exists = each(&expect.file_exists, str::to_owned)?;
    }
    Ok(Step {
        name: plain(&step.name)?,
        shell: step.shell,
        command,
        cwd: step.cwd.as_ref().map(plain).transpose()?,
        timeout_sec: step.timeout_sec.clone(),
        expect,
        artifacts: each(&step.artifacts, globset::escape)?,
    })
}
