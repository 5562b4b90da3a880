//! What is known about a topic, within a budget.
//!
//! What is found by words and meaning, and what the best of it is related to, is sorted into sections.
//! What does not hold any more is one line. The same state and topic give the same text.

mod fit;
mod gather;
mod markdown;

use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::{Error, Result};

use crate::context::ReadContext;
use crate::knowledge::SearchMode;
use crate::view::{Render, View};

const LEAST_BUDGET: u32 = 100;
const MOST_BUDGET: u32 = 20_000;

/// What to collect.
#[derive(Debug, Clone)]
pub struct Topic {
    text: String,
    /// In tokens.
    budget: u32,
}

impl Topic {
    pub fn new(text: &str, budget: u32) -> Result<Self> {
        let text = text.trim().to_owned();
        if text.is_empty() {
            return Err(Error::validation("topic", "is required"));
        }
        if !(LEAST_BUDGET..=MOST_BUDGET).contains(&budget) {
            return Err(Error::validation(
                "budget",
                format!("must be {LEAST_BUDGET} to {MOST_BUDGET}"),
            ));
        }
        Ok(Self { text, budget })
    }
}

/// An entity or a learning.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Known {
    /// Its number, or the name of a learning.
    pub id: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// When it changed last, or was confirmed.
    pub date: String,
    /// The beginning of its text, or the part that is about the topic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What is known about a topic. Empty sections are absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct About {
    pub topic: String,
    /// Decisions in force.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub decisions: Vec<Known>,
    /// Decisions, notes and learnings that do not hold any more, and what replaced them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub replaced: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub open_tasks: Vec<Known>,
    /// Tasks that have ended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub done_tasks: Vec<Known>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub notes: Vec<Known>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub components: Vec<Known>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub learnings: Vec<Known>,
    /// Links, prompts, features and disciplines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub others: Vec<Known>,
    /// Relations between what is listed here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub relations: Vec<String>,
    /// How many that were found are left out because of the budget.
    pub left_out: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<SearchMode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl About {
    pub fn read(context: &ReadContext, topic: &Topic) -> Result<Self> {
        let found = gather::gather(context, &topic.text)?;
        Ok(fit::within(found, topic.budget))
    }

    pub fn is_empty(&self) -> bool {
        self.sections().iter().all(|(_, items)| items.is_empty()) && self.replaced.is_empty()
    }

    /// The sections in their order, with their names.
    fn sections(&self) -> [(&'static str, &Vec<Known>); 7] {
        [
            ("Decisions in force", &self.decisions),
            ("Open tasks", &self.open_tasks),
            ("Ended tasks", &self.done_tasks),
            ("Notes", &self.notes),
            ("Learnings", &self.learnings),
            ("Components", &self.components),
            ("Also", &self.others),
        ]
    }
}

impl Render for About {
    fn view(&self) -> View {
        if self.is_empty() {
            return View::nothing("Nothing is known about this.");
        }
        View::default().text(self.to_markdown().trim_end())
    }
}
