//! How runs look to a person.

use windlass_runs::playbooks::PlaybookSummary;
use windlass_runs::record::{
    CreatedRun, ExecutedRun, Failure, FullRun, RunState, RunStatus, StepRecord, StepStatus,
};

use crate::view::{Column, Render, Span, Style, View};

/// How many lines of a failing step's output are shown.
const TAIL: usize = 20;

pub fn status_span(status: RunStatus) -> Span {
    let style = match status {
        RunStatus::Success => Style::Good,
        RunStatus::Created | RunStatus::Running => Style::Plain,
        RunStatus::Failed | RunStatus::Timeout | RunStatus::Cancelled => Style::Bad,
    };
    Span::new(status.name(), style)
}

fn step_mark(status: StepStatus) -> Span {
    match status {
        StepStatus::Success => Span::new("✓", Style::Good),
        StepStatus::Failed | StepStatus::Timeout => Span::new("✗", Style::Bad),
        StepStatus::Running => Span::new("…", Style::Plain),
        StepStatus::Pending | StepStatus::Skipped => Span::new("·", Style::Dim),
    }
}

/// `820 ms`, `12.3 s`, `3 min 5 s`.
pub fn duration(millis: u64) -> String {
    match millis {
        ..1000 => format!("{millis} ms"),
        1000..60_000 => format!("{}.{} s", millis / 1000, millis % 1000 / 100),
        _ => format!("{} min {} s", millis / 60_000, millis / 1000 % 60),
    }
}

fn steps(view: View, steps: &[StepRecord]) -> View {
    steps.iter().fold(view, |view, step| {
        let took = step.duration_ms.map(duration).unwrap_or_default();
        let view = view.line([
            step_mark(step.status),
            Span::from(format!(" {}  ", step.name)),
            Span::new(took, Style::Dim),
        ]);
        match &step.failure {
            Some(failure) => failed_step(view, step, failure),
            None => view,
        }
    })
}

fn failed_step(view: View, step: &StepRecord, failure: &Failure) -> View {
    let mut view = view.line([Span::new(format!("    {}", failure.message), Style::Bad)]);
    for output in [&step.stdout, &step.stderr].into_iter().flatten() {
        let lines: Vec<&str> = output.lines().collect();
        let tail = &lines[lines.len().saturating_sub(TAIL)..];
        if !tail.is_empty() {
            let shown: Vec<String> = tail.iter().map(|line| format!("    {line}")).collect();
            view = view.text(shown.join("\n"));
        }
    }
    view
}

fn head(run_id: &str, status: RunStatus, took: Option<u64>) -> View {
    View::default().line([
        Span::new(run_id, Style::Id),
        Span::from(" "),
        status_span(status),
        Span::new(
            took.map(|took| format!(" {}", duration(took)))
                .unwrap_or_default(),
            Style::Dim,
        ),
    ])
}

impl Render for CreatedRun {
    fn view(&self) -> View {
        let view = head(&self.run_id, self.status, None).line([Span::from(self.title.clone())]);
        self.steps.iter().fold(view, |view, step| {
            view.line([
                step_mark(step.status),
                Span::from(format!(" {}", step.name)),
            ])
        })
    }
}

/// Where the run is executed, if that is elsewhere.
fn elsewhere(
    view: View,
    id: Option<&String>,
    url: Option<&String>,
    state: Option<&String>,
) -> View {
    let Some(id) = url.or(id) else { return view };
    let state = state.map(|state| format!("  {state}")).unwrap_or_default();
    view.line([Span::new(format!("{id}{state}"), Style::Dim)])
}

impl Render for ExecutedRun {
    fn view(&self) -> View {
        let view = head(&self.run_id, self.status, self.duration_ms);
        let view = elsewhere(
            view,
            self.external_id.as_ref(),
            self.external_url.as_ref(),
            self.external_state.as_ref(),
        );
        end(steps(view, &self.steps), self.failure.as_ref())
    }

    fn unsuccessful(&self) -> bool {
        self.status != RunStatus::Success
    }
}

impl Render for RunState {
    fn view(&self) -> View {
        elsewhere(
            head(&self.run_id, self.status, self.duration_ms),
            self.external_id.as_ref(),
            self.external_url.as_ref(),
            self.external_state.as_ref(),
        )
    }
}

impl Render for FullRun {
    fn view(&self) -> View {
        let view = self
            .state
            .view()
            .line([Span::new(self.title.clone(), Style::Strong)]);
        end(steps(view, &self.steps), self.failure.as_ref())
    }
}

fn end(view: View, failure: Option<&Failure>) -> View {
    match failure.and_then(|failure| failure.hint.as_ref()) {
        Some(hint) => view.line([Span::new(hint.clone(), Style::Dim)]),
        None => view,
    }
}

impl Render for PlaybookSummary {
    fn view(&self) -> View {
        let mut view = View::default().line([
            Span::new(self.id.clone(), Style::Strong),
            Span::from(format!("  {}", self.name)),
        ]);
        if let Some(description) = &self.description {
            view = view.line([Span::from(description.clone())]);
        }
        let mut fields = vec![("runtime".to_owned(), Span::from(self.spec.runtime.name()))];
        if let Some(file) = &self.file {
            fields.push(("file".to_owned(), Span::from(file.clone())));
        }
        for (name, variable) in &self.vars {
            let default = variable.default.as_deref().unwrap_or("(no default)");
            fields.push((format!("${{{name}}}"), Span::from(default)));
        }
        let columns = vec![
            Column::new("STEP"),
            Column::new("SHELL"),
            Column::new("COMMAND").shrinking(),
        ];
        let rows = self.spec.steps.iter().map(|step| {
            vec![
                Span::from(step.name.clone()),
                Span::from(step.shell.name()),
                Span::from(step.command.clone()),
            ]
        });
        view.fields(fields).table(columns, rows.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_well() {
        for (millis, text) in [(7, "7 ms"), (12_345, "12.3 s"), (185_000, "3 min 5 s")] {
            assert_eq!(duration(millis), text);
        }
    }
}
