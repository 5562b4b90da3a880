//! The output of `windlass init`.

use std::path::PathBuf;

use serde::Serialize;
use windlass_ops::{Render, Span, Style, View};

use super::detect::Detected;
use super::plans::FoundPlan;
use super::proposals::{Step, first_steps};
use crate::surface::cli::quote::quote;

#[derive(Serialize)]
pub struct Initialised {
    pub root: PathBuf,
    /// Whether anything was missing and has been created.
    pub created: bool,
    /// Disciplines that were created.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disciplines: Vec<String>,
    /// What became of packs that other clones wrote.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub packs: Vec<String>,
    /// Whether a lost state was rebuilt from packs.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rebuilt: bool,
    pub found: Detected,
    /// Plans of other tools.
    pub plans: Vec<FoundPlan>,
    /// Everything that is worth doing now, the most important first. None of it was done.
    pub next: Vec<Step>,
    /// The folder to change to, if the project is not in the current one.
    #[serde(skip)]
    pub elsewhere: Option<PathBuf>,
}

impl Render for Initialised {
    fn view(&self) -> View {
        let root = Span::new(self.root.display().to_string(), Style::Strong);
        let disciplines = self.disciplines.join(", ");
        let mut view = if self.created {
            View::default()
                .line([Span::new("Made a Windlass project: ", Style::Good), root])
                .line(["Its settings and state are in .windlass/.".into()])
        } else {
            View::default().line(["Already a Windlass project: ".into(), root])
        };
        view = self.with_packs(view);
        if !disciplines.is_empty() {
            let about = if self.created {
                "Disciplines"
            } else {
                "New disciplines"
            };
            view = view.line([Span::from(format!("{about}: {disciplines}"))]);
        }
        for plan in self.plans.iter().filter(|plan| plan.imported) {
            let text = format!("Imported {} from {}", plan.counts(), plan.path);
            view = view.line([Span::new(text, Style::Good)]);
        }
        view = view.blank().line([Span::new("Found here:", Style::Dim)]);
        view = view.fields(self.found_fields());
        self.with_steps(view.blank())
    }
}

impl Initialised {
    fn found_fields(&self) -> Vec<(String, Span)> {
        let found = &self.found;
        let git = match (found.git, found.git_hooks) {
            (false, _) => Span::new("no repository; git init makes one", Style::Warning),
            (true, true) => "a repository whose hooks carry the plan".into(),
            (true, false) => "a repository".into(),
        };
        let mut fields = vec![("git".to_owned(), git)];
        if !found.stack.is_empty() {
            fields.push(("stack".to_owned(), found.stack.join(", ").into()));
        }
        if let Some(commands) = &found.commands {
            let text = match commands.total {
                0 => "none that Windlass knows".to_owned(),
                total => format!("{total}, of which agents may run {}", commands.allowed),
            };
            fields.push(("commands".to_owned(), text.into()));
            for runner in commands.missing() {
                let install = runner.install.as_deref().unwrap_or_default();
                let text = format!("{} is not installed. {install}", runner.program);
                fields.push(("missing".to_owned(), Span::new(text, Style::Warning)));
            }
        }
        for plan in &self.plans {
            fields.push(("plan".to_owned(), plan_text(plan)));
        }
        let clients = found.clients.iter().map(|client| {
            let set_up = if client.set_up { " (set up)" } else { "" };
            format!("{}{set_up}", client.title)
        });
        let clients: Vec<String> = clients.collect();
        let clients = if clients.is_empty() {
            "none that windlass setup knows".to_owned()
        } else {
            clients.join(", ")
        };
        fields.push(("agents".to_owned(), clients.into()));
        fields
    }

    fn with_packs(&self, view: View) -> View {
        let lines = self.packs.iter();
        let view = lines.fold(view, |view, line| view.line([Span::from(line.as_str())]));
        if !self.rebuilt {
            return view;
        }
        view.line([Span::new(
            "Packs do not have gates, jobs, runs, sessions, claims, the history of events, and changes \
             since the last sync: these are gone.",
            Style::Warning,
        )])
    }

    fn with_steps(&self, mut view: View) -> View {
        if let Some(folder) = &self.elsewhere {
            let folder = folder.display().to_string();
            let command = format!("cd {}", quote(&folder));
            view = view.line([Span::new("Go there:", Style::Dim)]);
            view = view.line(["  ".into(), Span::new(command, Style::Strong)]);
        }
        view = view.line([Span::new("Next:", Style::Dim)]);
        for (number, step) in first_steps(&self.next).iter().enumerate() {
            let about = format!("  {}. {}:", number + 1, step.about);
            view = view.line([about.into()]);
            view = view.line([
                "     ".into(),
                Span::new(step.command.as_str(), Style::Strong),
            ]);
        }
        view
    }
}

fn plan_text(plan: &FoundPlan) -> Span {
    if let Some(problem) = &plan.problem {
        let text = format!("{} cannot be imported as it is: {problem}", plan.path);
        return Span::new(text, Style::Warning);
    }
    let state = match (plan.imported, plan.is_waiting()) {
        (true, _) => "imported".to_owned(),
        (false, true) => format!("{}, not imported", plan.counts()),
        (false, false) => "imported before, nothing new".to_owned(),
    };
    Span::from(format!("{} ({}): {state}", plan.path, plan.source))
}
