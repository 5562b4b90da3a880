//! What the commands print.

use serde::Serialize;
use windlass_core::Result;
use windlass_ops::{Render, Span, Style, View};

use super::install::{HookReport, State};
use super::script::HOOKS;

/// All hooks of a repository.
#[derive(Debug, Serialize)]
pub struct HooksReport {
    pub hooks: Vec<HookReport>,
    /// What was done, for the text.
    #[serde(skip)]
    pub done: Done,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    Looked,
    Installed,
    Uninstalled,
}

/// Does the same with each hook.
pub fn each(work: impl Fn(&'static str) -> Result<HookReport>, done: Done) -> Result<HooksReport> {
    let hooks: Result<Vec<HookReport>> = HOOKS.into_iter().map(work).collect();
    Ok(HooksReport {
        hooks: hooks?,
        done,
    })
}

impl Render for HooksReport {
    fn view(&self) -> View {
        let mut view = View::default();
        for hook in &self.hooks {
            let (style, text) = text(hook);
            view = view.line([
                Span::new(format!("{:<14}", hook.hook), Style::Strong),
                Span::new(text, style),
            ]);
        }
        for hook in &self.hooks {
            let Some(add) = &hook.add else {
                continue;
            };
            if self.done == Done::Uninstalled {
                continue;
            }
            let by = hook.managed_by.unwrap_or("another program");
            let file = hook.file.display();
            view = view
                .blank()
                .line([Span::from(format!(
                    "{} manages {}. Add this to {file}:",
                    by, hook.hook
                ))])
                .text(add.clone());
        }
        view
    }
}

fn text(hook: &HookReport) -> (Style, String) {
    let file = hook.file.display();
    match (hook.state, hook.changed) {
        (State::Installed, true) => (Style::Good, format!("installed: {file}")),
        (State::Installed, false) => (Style::Good, "installed".to_owned()),
        (State::Chained, true) => (
            Style::Good,
            format!("installed, and your own hook runs after it: {file}"),
        ),
        (State::Chained, false) => (
            Style::Good,
            "installed, and your own hook runs after it".to_owned(),
        ),
        (State::Outdated, _) => (
            Style::Warning,
            "runs another windlass or is switched off; run windlass hook install".to_owned(),
        ),
        (State::Missing, true) => (Style::Plain, "removed; as it was before".to_owned()),
        (State::Missing, false) => (Style::Dim, "not installed".to_owned()),
        (State::Managed, _) => {
            let by = hook.managed_by.unwrap_or("another program");
            (Style::Good, format!("runs windlass, by {by}"))
        }
        (State::ByHand, _) => {
            let by = hook.managed_by.unwrap_or("another program");
            (Style::Warning, format!("not installed: {by} manages it"))
        }
    }
}
