//! Reads a playbook file and reports problems with file and line.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde_json::{Map, Value as Json};
use sha2::{Digest as _, Sha256};

use super::document::Document;
use super::expand::{expand, names};
use super::playbook::{InstantiateError, Playbook, Source, Variable};
use super::words::unquoted_uses;
use crate::paths::{self, PathProblem};
use crate::spec::check::{Findings, join};
use crate::spec::{EnvRef, RunSpec, is_environment_name};
use windlass_core::hexadecimal;

/// The maximum size of a playbook file.
const MAX_BYTES: usize = 1 << 20;

const FIELDS: &[&str] = &["id", "name", "description", "vars", "spec"];
const VARIABLE_FIELDS: &[&str] = &["default", "description", "required", "pattern"];

/// A problem in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file, relative to the project.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl Problem {
    /// Whether the file has the name of the playbook with this id.
    pub fn is_of(&self, id: &str) -> bool {
        let path = Path::new(&self.file);
        path.file_stem().is_some_and(|stem| stem == id)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.file, self.line, self.message)
    }
}

/// The SHA-256 of a file's bytes in hexadecimal.
pub fn fingerprint(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// The bytes of a file of the project.
pub fn read_bytes(root: &Path, file: &str) -> Result<Vec<u8>, Problem> {
    let broken = |message: String| Problem {
        file: file.to_owned(),
        line: 1,
        message,
    };
    let path = paths::inside(root, Path::new(file)).map_err(|escape| match escape {
        PathProblem::Missing => broken("the file does not exist".to_owned()),
        PathProblem::Outside => broken("the file is outside the project".to_owned()),
    })?;
    let about = path
        .metadata()
        .map_err(|problem| broken(problem.to_string()))?;
    if !about.is_file() || about.len() > MAX_BYTES as u64 {
        return Err(broken(format!(
            "a playbook must be a file of at most {MAX_BYTES} bytes"
        )));
    }
    std::fs::read(&path).map_err(|problem| broken(problem.to_string()))
}

/// Parses the playbook in `bytes`, or returns all problems.
pub fn parse(file: &str, bytes: &[u8]) -> Result<Playbook, Vec<Problem>> {
    let problem = |line: usize, message: String| Problem {
        file: file.to_owned(),
        line,
        message,
    };
    let text = std::str::from_utf8(bytes)
        .map_err(|_| vec![problem(1, "the file is not UTF-8".to_owned())])?;
    let (stem, ending) = stem_and_ending(file);
    let document = Document::read(ending, text)
        .map_err(|broken| vec![problem(broken.line, broken.message)])?;
    let mut findings = Findings::default();
    let source = Source::File {
        path: file.to_owned(),
        fingerprint: fingerprint(bytes),
    };
    let playbook = playbook_of(&mut findings, &document.json, stem, source);
    match (findings.into_result(), playbook) {
        (Ok(()), Some(mut playbook)) => {
            playbook.warnings = unquoted_uses(&playbook)
                .map(|(path, message)| problem(document.line(&path), format!("{path}: {message}")))
                .collect();
            Ok(playbook)
        }
        (Ok(()), None) => Err(vec![problem(1, "this is not a playbook".to_owned())]),
        (Err(invalid), _) => Err(invalid
            .issues()
            .map(|issue| problem(document.line(&issue.path), issue.to_string()))
            .collect()),
    }
}

/// The parts of a file name: `build` and `toml` of `.windlass/playbooks/build.toml`.
pub fn stem_and_ending(file: &str) -> (&str, &str) {
    let name = file.rsplit_once('/').map_or(file, |(_, name)| name);
    name.rsplit_once('.').unwrap_or((name, ""))
}

fn playbook_of(
    findings: &mut Findings,
    json: &Json,
    stem: &str,
    source: Source,
) -> Option<Playbook> {
    let object = findings.object("", json)?;
    let id = match object.get("id") {
        Some(value) => findings.filled_text("id", value, 100)?.to_owned(),
        None => stem.to_owned(),
    };
    let name = findings.required("", object, "name");
    let name = name.and_then(|value| findings.filled_text("name", value, 200));
    let description = object.get("description");
    let description =
        description.and_then(|value| findings.filled_text("description", value, 2000));
    let vars = variables(findings, object);
    findings.unknown_keys("", object, FIELDS);
    let spec = findings.required("", object, "spec");
    let spec = spec.and_then(|value| spec_of(findings, value, &vars));
    let playbook = Playbook {
        id,
        name: name?.to_owned(),
        description: description.map(str::to_owned),
        vars,
        spec: spec?,
        source,
        warnings: Vec::new(),
    };
    check_with_defaults(findings, &playbook);
    Some(playbook)
}

fn variables(findings: &mut Findings, object: &Map<String, Json>) -> BTreeMap<String, Variable> {
    let mut vars = BTreeMap::new();
    let Some(given) = object.get("vars") else {
        return vars;
    };
    for (name, value) in findings.object("vars", given).into_iter().flatten() {
        let path = join("vars", name);
        if !is_environment_name(name) {
            let message =
                "A name may contain only letters, digits and _, and must not begin with a digit";
            findings.add(&path, message);
        }
        if let Some(variable) = variable(findings, &path, value) {
            vars.insert(name.clone(), variable);
        }
    }
    vars
}

fn variable(findings: &mut Findings, path: &str, value: &Json) -> Option<Variable> {
    let Some(object) = value.as_object() else {
        return Some(Variable {
            default: Some(scalar(findings, path, value)?),
            ..Variable::default()
        });
    };
    findings.unknown_keys(path, object, VARIABLE_FIELDS);
    let default = match object.get("default") {
        Some(value) => Some(scalar(findings, &join(path, "default"), value)?),
        None => None,
    };
    let required = match object.get("required") {
        None => default.is_none(),
        Some(Json::Bool(required)) => *required,
        Some(other) => {
            findings.wrong_type(&join(path, "required"), "boolean", other);
            return None;
        }
    };
    let mut text = |field: &str| {
        let value = object.get(field)?;
        let text = findings.filled_text(&join(path, field), value, 2000)?;
        Some(text.to_owned())
    };
    let (description, pattern) = (text("description"), text("pattern"));
    if let Some(pattern) = &pattern
        && regex::Regex::new(pattern).is_err()
    {
        findings.add(&join(path, "pattern"), "Invalid regex");
    }
    Some(Variable {
        default,
        description,
        required,
        pattern,
    })
}

/// A shell sees strings, numbers and booleans as strings.
fn scalar(findings: &mut Findings, path: &str, value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(value) => Some(value.to_string()),
        _ => {
            findings.wrong_type(path, "string", value);
            None
        }
    }
}

/// The spec as written. For validation, each variable is replaced by a letter.
fn spec_of(
    findings: &mut Findings,
    json: &Json,
    vars: &BTreeMap<String, Variable>,
) -> Option<RunSpec> {
    let mut filled = json.clone();
    fill(findings, "spec", &mut filled, vars);
    if json.get("runId").is_some() {
        findings.add(
            "spec.runId",
            "A playbook may run more than once, so it must not set runId",
        );
    }
    for (name, entry) in json
        .get("envRefs")
        .and_then(Json::as_object)
        .into_iter()
        .flatten()
    {
        let entry = entry.as_str().unwrap_or_default();
        if !matches!(EnvRef::of(entry), EnvRef::Value(_)) && !names(entry).is_empty() {
            let path = join("spec.envRefs", name);
            findings.add(&path, "A variable must not choose a secret");
        }
    }
    if let Err(invalid) = RunSpec::parse(filled) {
        for issue in invalid.issues() {
            findings.add(&join_path("spec", &issue.path), issue.message.clone());
        }
        return None;
    }
    serde_json::from_value(json.clone())
        .inspect_err(|problem| findings.add("spec", problem.to_string()))
        .ok()
}

fn join_path(path: &str, below: &str) -> String {
    if below.is_empty() {
        path.to_owned()
    } else {
        join(path, below)
    }
}

fn fill(findings: &mut Findings, path: &str, json: &mut Json, vars: &BTreeMap<String, Variable>) {
    match json {
        Json::String(text) => {
            let filled = expand(text, |name| {
                if vars.contains_key(name) {
                    Ok("x".to_owned())
                } else {
                    Err(format!(
                        "Unknown variable {name}: declare it under vars, or write $${{{name}}} for \
                         the shell's own"
                    ))
                }
            });
            match filled {
                Ok(filled) => *text = filled,
                Err(message) => findings.add(path, message),
            }
        }
        Json::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                fill(findings, &join(path, index), item, vars);
            }
        }
        Json::Object(entries) => {
            for (key, value) in entries.iter_mut() {
                fill(findings, &join(path, key), value, vars);
            }
        }
        _ => {}
    }
}

/// A default that breaks a rule is an error in the file, not in a call.
fn check_with_defaults(findings: &mut Findings, playbook: &Playbook) {
    if playbook.vars.values().any(|variable| variable.required) {
        return;
    }
    match playbook.instantiate(&BTreeMap::new()) {
        Ok(_) => {}
        Err(InstantiateError::Variable { name, why }) => {
            findings.add(&join("vars", name), why);
        }
        Err(InstantiateError::Invalid(invalid)) => {
            for issue in invalid.issues() {
                findings.add(&join_path("spec", &issue.path), issue.message.clone());
            }
        }
    }
}
