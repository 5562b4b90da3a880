//! The progress of the work, in total and by feature and discipline.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::{Dialect, EntityType, Result, TaskStatus};
use windlass_store::{Reader, TaskCount};

use super::outputs::all_of;
use crate::view::{Column, Render, Span, Style, View};

/// The number of cells of a full bar.
const BAR: u64 = 24;

/// Tasks counted by status, with the plan's names.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Counts {
    pub total: u64,
    pub done: u64,
    /// 0 to 100; 0 if there are no tasks.
    pub percent: u64,
    pub by_status: BTreeMap<String, u64>,
}

impl Counts {
    fn add(&mut self, status: TaskStatus, count: u64) {
        self.total += count;
        if status == TaskStatus::Done {
            self.done += count;
        }
        let word = Dialect::Plan.status(status).to_owned();
        *self.by_status.entry(word).or_default() += count;
        self.percent = self.done * 100 / self.total.max(1);
    }

    fn bar(&self) -> Vec<Span> {
        let filled = BAR * self.done / self.total.max(1);
        let cells = |cell: &str, count: u64| cell.repeat(usize::try_from(count).unwrap_or(0));
        let bar = format!("{}{}", cells("█", filled), cells("░", BAR - filled));
        let style = if self.total > 0 && self.done == self.total {
            Style::Good
        } else {
            Style::Plain
        };
        vec![
            Span::new(bar, style),
            Span::from(format!("{} %", self.percent)),
            Span::from(format!("{} of {}", self.done, self.total)),
        ]
    }

    /// What is not done, by status: `2 pending, 1 blocked`.
    fn rest(&self) -> String {
        let open: Vec<String> = Dialect::Plan
            .statuses()
            .iter()
            .filter(|word| **word != "done")
            .filter_map(|word| Some(format!("{} {word}", self.by_status.get(*word)?)))
            .collect();
        open.join(", ")
    }
}

/// The tasks of one feature or discipline.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Share {
    /// Absent for tasks that belong to none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    #[serde(flatten)]
    pub counts: Counts,
}

/// The progress of the project.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ProjectProgress {
    #[serde(flatten)]
    pub counts: Counts,
    pub by_feature: Vec<Share>,
    pub by_discipline: Vec<Share>,
}

impl ProjectProgress {
    pub fn read(reader: &Reader<'_>) -> Result<Self> {
        let tasks = reader.task_counts()?;
        let mut counts = Counts::default();
        for task in &tasks {
            counts.add(task.status, task.count);
        }
        Ok(Self {
            counts,
            by_feature: shares(reader, EntityType::Feature, &tasks, |task| &task.feature)?,
            by_discipline: shares(reader, EntityType::Discipline, &tasks, |task| {
                &task.discipline
            })?,
        })
    }
}

/// Each feature or discipline, including those without tasks, and last the tasks without one.
fn shares(
    reader: &Reader<'_>,
    kind: EntityType,
    tasks: &[TaskCount],
    belongs_to: fn(&TaskCount) -> &Option<String>,
) -> Result<Vec<Share>> {
    let mut shares: Vec<Share> = all_of(reader, kind)?
        .iter()
        .map(|entity| Share {
            name: entity.text("name").map(str::to_owned),
            display_name: Some(entity.title.clone()),
            counts: Counts::default(),
        })
        .collect();
    for task in tasks {
        let name = belongs_to(task);
        let known = shares.iter().position(|share| share.name == *name);
        let at = known.unwrap_or(shares.len());
        if known.is_none() {
            shares.push(Share {
                name: name.clone(),
                display_name: None,
                counts: Counts::default(),
            });
        }
        shares[at].counts.add(task.status, task.count);
    }
    Ok(shares)
}

impl Render for ProjectProgress {
    fn view(&self) -> View {
        if self.counts.total == 0 {
            return View::nothing("No tasks yet.");
        }
        let row = |name: Span, counts: &Counts| {
            let mut row = vec![name];
            row.extend(counts.bar());
            row.push(Span::new(counts.rest(), Style::Dim));
            row
        };
        let mut rows: Vec<Vec<Span>> = self
            .by_feature
            .iter()
            .map(|share| {
                let name = share
                    .name
                    .clone()
                    .unwrap_or_else(|| "(no feature)".to_owned());
                row(Span::new(name, Style::Id), &share.counts)
            })
            .collect();
        rows.push(row(Span::new("all", Style::Strong), &self.counts));
        let columns = vec![
            Column::new("FEATURE"),
            Column::new("PROGRESS"),
            Column::new("").right(),
            Column::new("DONE"),
            Column::new("OPEN").shrinking(),
        ];
        View::default().table(columns, rows)
    }
}
