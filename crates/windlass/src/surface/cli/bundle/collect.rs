//! What goes into a bundle. Every text passes the redactor, on its way in and nowhere else.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};
use windlass_core::Result;
use windlass_ops::{Config, ExportFormat, export_to, read_text};
use windlass_store::{Bindings, Project, Standing, Store};

use crate::surface::cli::caller::Caller;
use crate::surface::cli::doctor;
use crate::surface::log_files::{self, log_files};
use crate::surface::os;
use crate::surface::redact::{MASK, Redactor};

/// How many log files, and how much of the end of each.
const MOST_LOGS: usize = 20;
const TAIL: usize = 128 * 1024;
/// What stands where an error text was: it may quote the plan.
const LEFT_OUT: &str = "(left out)";

/// A file of the bundle.
pub struct Part {
    pub name: String,
    pub about: &'static str,
    pub bytes: Vec<u8>,
}

/// Collects parts.
pub struct Collector<'a> {
    caller: &'a Caller,
    redactor: Redactor,
    home: String,
    with_plan: bool,
    parts: Vec<Part>,
}

impl<'a> Collector<'a> {
    pub fn new(caller: &'a Caller, with_plan: bool) -> Self {
        Self {
            caller,
            redactor: caller.environment.redactor(),
            home: caller.environment.folders().home.display().to_string(),
            with_plan,
            parts: Vec::new(),
        }
    }

    pub fn collect(mut self) -> Result<Vec<Part>> {
        let cwd = &self.caller.global.cwd;
        self.add(
            "versions.json",
            "versions of Windlass and of the system",
            &pretty(&versions()),
        );
        let report = doctor::report(cwd, &self.caller.environment);
        self.add("doctor.json", "what windlass doctor says", &pretty(&report));
        let variables = self.caller.environment.own_variables();
        let variables = variables
            .into_iter()
            .map(|(name, value, _)| format!("{name}={value}\n"));
        let variables: String = variables.collect();
        self.add(
            "environment.txt",
            "variables of Windlass that are set",
            &variables,
        );
        self.logs();
        if let Ok(project) = Project::find(cwd) {
            self.project(&project)?;
        }
        Ok(self.parts)
    }

    fn project(&mut self, project: &Project) -> Result<()> {
        let config = read_text(&project.settings_root().join(Config::FILE)).unwrap_or_default();
        self.add("config.toml", "the settings of the project", &config);
        let state = state(project, &self.caller.bindings());
        self.add(
            "state.json",
            "version of the database, and rows of each table",
            &pretty(&state),
        );
        if self.with_plan {
            let mut plan = Vec::new();
            export_to(
                &*self.caller.context_as_it_is()?,
                ExportFormat::JsonLines,
                &mut plan,
            )?;
            let plan = String::from_utf8_lossy(&plan).into_owned();
            self.add(
                "plan.jsonl",
                "everything that is planned (--with-plan)",
                &plan,
            );
        }
        Ok(())
    }

    fn logs(&mut self) {
        let folder = log_files::folder(&self.caller.environment.folders().state);
        for file in log_files(&folder).into_iter().rev().take(MOST_LOGS) {
            // Whoever makes room may have removed it.
            let Ok(bytes) = fs::read(&file.path) else {
                continue;
            };
            let text = String::from_utf8_lossy(&bytes);
            let start = text.ceil_char_boundary(text.len().saturating_sub(TAIL));
            let tail = &text[start..];
            let lines = tail.lines().map(|line| self.log_line(line));
            let lines: String = lines.collect();
            let name = file.path.file_name().unwrap_or_default().to_string_lossy();
            self.add(&format!("logs/{name}"), "the end of a log file", &lines);
        }
    }

    fn log_line(&self, line: &str) -> String {
        let line = match line.find(" error=") {
            Some(at) if !self.with_plan => format!("{} error={LEFT_OUT}", &line[..at]),
            _ => line.to_owned(),
        };
        line + "\n"
    }

    fn add(&mut self, name: &str, about: &'static str, text: &str) {
        let text = self.redactor.text(text);
        let text = if self.home.len() > 1 {
            text.replace(&self.home, "~")
        } else {
            text
        };
        self.parts.push(Part {
            name: name.to_owned(),
            about,
            bytes: text.into_bytes(),
        });
    }
}

fn pretty(json: &Json) -> String {
    format!("{json:#}\n")
}

fn versions() -> Json {
    json!({
        "windlass": env!("CARGO_PKG_VERSION"),
        "system": std::env::consts::OS,
        "machine": std::env::consts::ARCH,
        "release": os::system_release(),
        "debug_build": cfg!(debug_assertions),
        "masked_with": MASK,
    })
}

/// Numbers only. A state that is not this user's own is not opened.
fn state(project: &Project, bindings: &Bindings) -> Json {
    let size = |path: &Path| fs::metadata(path).map_or(0, |found| found.len());
    let mut state = json!({ "database_bytes": size(&project.database()) });
    let opened = match bindings.standing(project) {
        Ok(Standing::Own) => Store::open_bound(project, bindings),
        Ok(standing) => {
            state["standing"] = json!(format!("{standing:?}"));
            return state;
        }
        Err(error) => Err(error),
    };
    let read = opened.and_then(|store| {
        let versions = store.versions()?;
        let tables = store.read(None, |reader| reader.table_sizes())?;
        Ok((versions, tables))
    });
    match read {
        Ok((versions, tables)) => {
            state["version"] = json!({"found": versions.found, "known": versions.known});
            state["rows"] = json!(tables);
        }
        Err(error) => state["error"] = json!(error.message()),
    }
    state
}
