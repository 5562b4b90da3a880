//! Plans of other tools that the repository has: what is new in them, and their import.

use serde::Serialize;
use serde_json::{Value as Json, json};
use windlass_core::{Error, Result};
use windlass_ops::{AnyOutput as _, Context, plans_in};

use crate::surface::cli::caller::operation;
use crate::surface::cli::confirm;
use crate::surface::cli::execute::{self, CommandEnd};

/// What to do with plans that are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    Import,
    Leave,
    /// A person at a terminal is asked; else they are left.
    Ask,
}

/// A plan of another tool.
#[derive(Debug, Serialize)]
pub struct FoundPlan {
    /// As `windlass import` calls it.
    pub source: &'static str,
    pub path: &'static str,
    /// How many of its records are new here.
    pub new: u64,
    /// How many have changed since they were imported.
    pub changed: u64,
    pub imported: bool,
    /// Why it cannot be imported as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl FoundPlan {
    /// What there would be to import, without importing it. A file without a single record, such as a
    /// list in prose, is no plan.
    pub fn look(context: &Context) -> Vec<Self> {
        let found = plans_in(context.workspace.root()).into_iter();
        let plans = found.filter_map(|(source, path)| {
            let plan = Self {
                source: source.name(),
                path,
                new: 0,
                changed: 0,
                imported: false,
                problem: None,
            };
            plan.read(context)
        });
        plans.collect()
    }

    fn read(mut self, context: &Context) -> Option<Self> {
        match import(context, self.source, self.path, true) {
            Ok(report) if report["records"] == 0 && report["broken"] == 0 => return None,
            Ok(report) => self.take(&report),
            Err(error) => self.problem = Some(error.message().to_owned()),
        }
        Some(self)
    }

    fn take(&mut self, report: &Json) {
        self.new = report["created"].as_u64().unwrap_or(0);
        self.changed = report["updated"].as_u64().unwrap_or(0);
        let broken = report["broken"].as_u64().unwrap_or(0);
        if broken > 0 {
            let problems = report["problems"].as_array().into_iter().flatten();
            let mut broken_ones = problems.filter(|it| it["severity"] == "broken");
            let first = broken_ones.next().and_then(|it| it["message"].as_str());
            let first = first.unwrap_or_default();
            let records = if broken == 1 { "record" } else { "records" };
            self.problem = Some(format!("{broken} broken {records}, the first: {first}"));
        }
    }

    /// Whether there is something to import.
    pub fn is_waiting(&self) -> bool {
        !self.imported && self.problem.is_none() && self.new + self.changed > 0
    }

    /// Imports it, if that is wanted.
    pub fn import_if(&mut self, wish: Wish, context: &Context) -> Result<()> {
        let wanted = match wish {
            Wish::Import => true,
            Wish::Leave => false,
            Wish::Ask => confirm::can_ask() && confirm::ask(&self.question()),
        };
        if !wanted || !self.is_waiting() {
            return Ok(());
        }
        let report = import(context, self.source, self.path, false)?;
        self.take(&report);
        self.imported = report["imported"] == true;
        Ok(())
    }

    fn question(&self) -> String {
        format!("Import {} from {}? [y/N] ", self.counts(), self.path)
    }

    /// `3 tasks or other records, 1 changed one`.
    pub fn counts(&self) -> String {
        let records = |count: u64, kind: &str| {
            let plural = if count == 1 { "" } else { "s" };
            format!("{count} {kind} record{plural}")
        };
        match (self.new, self.changed) {
            (new, 0) => records(new, "new"),
            (0, changed) => records(changed, "changed"),
            (new, changed) => format!("{new} new and {}", records(changed, "changed")),
        }
    }

    /// The command that imports it.
    pub fn words(&self) -> [&'static str; 3] {
        ["import", self.source, self.path]
    }
}

fn import(context: &Context, source: &str, path: &str, dry_run: bool) -> Result<Json> {
    let input = json!({"source": source, "path": path, "dry_run": dry_run});
    match execute::to_the_end(operation("import")?, input, context.clone())? {
        CommandEnd::Response(response) => Ok(response.to_json()),
        CommandEnd::Signal(_) => Err(Error::internal("The import was interrupted")),
    }
}
