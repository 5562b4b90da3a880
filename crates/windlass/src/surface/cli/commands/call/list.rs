//! `windlass call --list`.

use serde::Serialize;
use windlass_ops::{Audience, Column, OPERATIONS, Render, Span, Style, View};

use crate::surface::cli::caller::call_name;
use crate::surface::cli::text;

/// All tools, in the order of the list.
#[derive(Serialize)]
pub struct Tools {
    tools: Vec<Tool>,
}

#[derive(Serialize)]
struct Tool {
    name: String,
    toolset: &'static str,
    about: String,
    /// Whether only a person may call it.
    human_only: bool,
}

impl Tools {
    pub fn all() -> Self {
        let tools = OPERATIONS.iter().map(|entry| Tool {
            name: call_name(entry),
            toolset: entry.declaration.toolset.name(),
            about: text::first_sentence(&entry.description()),
            human_only: entry.declaration.audience == Audience::Human,
        });
        Self {
            tools: tools.collect(),
        }
    }
}

impl Render for Tools {
    fn view(&self) -> View {
        let columns = vec![
            Column::new("TOOL"),
            Column::new("TOOLSET"),
            Column::new("ABOUT").shrinking(),
        ];
        let rows = self.tools.iter().map(|tool| {
            let about = if tool.human_only {
                format!("{} (people only)", tool.about)
            } else {
                tool.about.clone()
            };
            vec![
                Span::new(tool.name.clone(), Style::Strong),
                Span::new(tool.toolset, Style::Dim),
                Span::from(about),
            ]
        });
        View::default().table(columns, rows.collect())
    }
}
