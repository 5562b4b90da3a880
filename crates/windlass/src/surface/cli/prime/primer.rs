//! The text of `windlass prime`: the project, how to begin, the rules, and where the work stands.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::Value as Json;
use windlass_ops::{Render, View};

use super::rules::{Reader, rules};

/// How much of the project's own texts is shown.
struct Lengths {
    /// How many tasks in progress are named.
    tasks: usize,
    /// Characters of a title or a name.
    title: usize,
    description: usize,
}

impl Lengths {
    fn of(reader: Reader) -> Self {
        match reader {
            Reader::WithTools => Self {
                tasks: 2,
                title: 30,
                description: 60,
            },
            Reader::WithToolsOrShell => Self {
                tasks: 5,
                title: 80,
                description: 400,
            },
        }
    }
}

#[derive(Debug, Serialize)]
pub struct Primer {
    pub project: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub ready: u64,
    pub in_progress: Vec<Begun>,
    pub in_progress_total: u64,
    /// How many tasks, reviews and questions wait for a person.
    pub waiting_for_person: usize,
    /// The text that is printed without `--json`.
    pub text: String,
}

#[derive(Debug, Serialize)]
pub struct Begun {
    pub number: i64,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
}

impl Primer {
    /// From the outputs of `get_project_info` and `board_status`.
    pub fn new(info: &Json, status: &Json, reader: Reader) -> Self {
        let lengths = Lengths::of(reader);
        let text = |value: &Json, longest| value.as_str().map(|text| shortened(text, longest));
        let begun = status["in_progress"].as_array().into_iter().flatten();
        let begun = begun.take(lengths.tasks).map(|task| Begun {
            number: task["number"].as_i64().unwrap_or_default(),
            title: text(&task["title"], lengths.title).unwrap_or_default(),
            claimed_by: text(&task["claimed_by"], lengths.title),
        });
        let mut primer = Self {
            project: text(&info["title"], lengths.title).unwrap_or_default(),
            description: text(&info["description"], lengths.description),
            ready: status["ready_total"].as_u64().unwrap_or_default(),
            in_progress: begun.collect(),
            in_progress_total: status["in_progress_total"].as_u64().unwrap_or_default(),
            waiting_for_person: status["waiting_for_person"].as_array().map_or(0, Vec::len),
            text: String::new(),
        };
        primer.text = primer.write(reader);
        primer
    }

    fn write(&self, reader: Reader) -> String {
        let mut text = format!("# {} (Windlass)\n\n", self.project);
        if let Some(description) = &self.description {
            let _ = write!(text, "{description}\n\n");
        }
        text += "Windlass keeps this project's tasks, decisions and checks. Work here begins with a task.\n\n";
        text += &rules(reader);
        let _ = write!(text, "\nReady: {}.", counted(self.ready));
        if !self.in_progress.is_empty() {
            let mut tasks: Vec<String> = self.in_progress.iter().map(Begun::words).collect();
            let named = u64::try_from(tasks.len()).unwrap_or(u64::MAX);
            if named < self.in_progress_total {
                tasks.push(format!("and {} more", self.in_progress_total - named));
            }
            let _ = write!(text, " In progress: {}.", tasks.join("; "));
        }
        if self.waiting_for_person > 0 {
            let _ = write!(text, " Waiting for a person: {}.", self.waiting_for_person);
        }
        text.push('\n');
        text
    }
}

impl Begun {
    fn words(&self) -> String {
        match &self.claimed_by {
            Some(owner) => format!("#{} {} (claimed by {owner})", self.number, self.title),
            None => format!("#{} {}", self.number, self.title),
        }
    }
}

fn counted(tasks: u64) -> String {
    match tasks {
        1 => "1 task".to_owned(),
        tasks => format!("{tasks} tasks"),
    }
}

/// One line, cut where it is longer than that many characters.
fn shortened(text: &str, longest: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= longest {
        return line;
    }
    let kept: String = line.chars().take(longest - 1).collect();
    format!("{}…", kept.trim_end())
}

impl Render for Primer {
    fn view(&self) -> View {
        View::default().text(self.text.clone())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn primer(reader: Reader) -> String {
        let long = "x ".repeat(3_000);
        let tasks: Vec<Json> = (1..=20)
            .map(|number| json!({"number": number, "title": long, "claimed_by": long}))
            .collect();
        let info = json!({"title": long, "description": long});
        let status = json!({"ready_total": 1_234, "in_progress": tasks,
            "in_progress_total": 99, "waiting_for_person": tasks});
        Primer::new(&info, &status, reader).text
    }

    #[test]
    fn both_forms_stay_within_their_budget_whatever_the_project() {
        for (reader, tokens) in [(Reader::WithTools, 250), (Reader::WithToolsOrShell, 800)] {
            let text = primer(reader);
            let characters = text.chars().count();
            assert!(characters <= tokens * 4, "{characters}: {text}");
        }
    }

    #[test]
    fn the_short_form() {
        let info = json!({"title": "shop", "description": "Sells\nthings."});
        let status = json!({"ready_total": 1, "in_progress_total": 3, "in_progress": [
            {"number": 7, "title": "Log in", "claimed_by": "focus-7-ab"},
            {"number": 8, "title": "Log out"}, {"number": 9, "title": "Sign up"}],
            "waiting_for_person": [{}]});
        insta::assert_snapshot!(Primer::new(&info, &status, Reader::WithTools).text, @"
        # shop (Windlass)

        Sells things.

        Windlass keeps this project's tasks, decisions and checks. Work here begins with a task.

        - First call the tool `begin`: it claims the next ready task, or the one that you name with `id`, and returns everything that helps. `begin` with `peek: true` looks without claiming.
        - Run the project's commands through Windlass. Only those that a person allowed run.
        - End with `done` and a summary: gates and reviews decide, not you. If a gate fails, fix it and call `done` again. `partial` and `stuck` give the task back.
        - `ask` when a person must decide. Record with `learned` what the next agent should know.

        Ready: 1 task. In progress: #7 Log in (claimed by focus-7-ab); #8 Log out; and 1 more. Waiting for a person: 1.
        ");
    }
}
