use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::{Dialect, Result};
use windlass_store::{HelpRequest, Reader};

use super::{moment, task_number};
use crate::outputs::more_line;
use crate::paging::PageInfo;
use crate::view::{Column, Render, Span, Style, View};

/// A question to a person, for which a task waits.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HelpOutput {
    pub id: String,
    pub number: i64,
    pub task_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_number: Option<i64>,
    /// The status to which the task returns.
    pub from_status: String,
    /// clarification, decision, technical_blocker or unexpected.
    pub category: String,
    pub reason: String,
    pub suggested_options: Vec<String>,
    /// pending, responded, resolved or cancelled.
    pub status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
    /// The chosen suggestion, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen_option: Option<i64>,
    pub created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub responded_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed_at: Option<String>,
}

impl HelpOutput {
    pub fn read(reader: &Reader<'_>, request: HelpRequest) -> Result<Self> {
        Ok(Self {
            task_id: request.task.as_str().to_owned(),
            task_number: task_number(reader, &request.task)?,
            from_status: Dialect::Sdk.status(request.from_status).to_owned(),
            category: request.category.name().to_owned(),
            reason: request.reason,
            suggested_options: request.suggested_options,
            status: request.status.name().to_owned(),
            response: request.response,
            chosen_option: request.chosen_option,
            created_at: request.created_at.as_str().to_owned(),
            responded_at: moment(request.responded_at.as_ref()),
            resumed_at: moment(request.resumed_at.as_ref()),
            id: request.id,
            number: request.number,
        })
    }
}

impl Render for HelpOutput {
    fn view(&self) -> View {
        let task = self
            .task_number
            .map_or(String::new(), |it| format!(" of task #{it}"));
        let mut view = View::default()
            .line([
                Span::new(format!("Help request {}{task}", self.number), Style::Strong),
                Span::new(
                    format!("  {}  {}", self.category, self.status),
                    Style::Warning,
                ),
            ])
            .text(self.reason.clone());
        for (at, option) in self.suggested_options.iter().enumerate() {
            view = view.line([
                Span::new(format!("  {at} "), Style::Id),
                Span::from(option.clone()),
            ]);
        }
        if let Some(response) = &self.response {
            view = view
                .line([Span::new("Answer", Style::Good)])
                .text(response.clone());
        }
        view
    }
}

/// The open question of a task, or none.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ActiveHelp {
    /// Absent if the task has no open question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help_request: Option<HelpOutput>,
    /// Whether there is one.
    pub active: bool,
}

impl Render for ActiveHelp {
    fn view(&self) -> View {
        self.help_request.as_ref().map_or_else(
            || View::nothing("The task has no open question."),
            Render::view,
        )
    }
}

/// A page of help requests, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HelpPage {
    pub help_requests: Vec<HelpOutput>,
    #[serde(flatten)]
    pub page: PageInfo,
}

impl Render for HelpPage {
    fn view(&self) -> View {
        if self.help_requests.is_empty() {
            return View::nothing("No help requests.");
        }
        let columns = vec![
            Column::new("HELP").right(),
            Column::new("TASK").right(),
            Column::new("STATUS"),
            Column::new("CATEGORY"),
            Column::new("REASON").shrinking(),
        ];
        let rows = self.help_requests.iter().map(|help| {
            let task = help
                .task_number
                .map_or(String::new(), |it| format!("#{it}"));
            vec![
                Span::new(help.number.to_string(), Style::Id),
                Span::new(task, Style::Id),
                Span::from(help.status.clone()),
                Span::from(help.category.clone()),
                Span::from(help.reason.lines().next().unwrap_or_default()),
            ]
        });
        let view = View::default().table(columns, rows.collect());
        if self.page.has_more {
            return more_line(view, self.help_requests.len(), self.page.offset, None);
        }
        view
    }
}
