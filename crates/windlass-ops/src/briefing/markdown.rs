//! The briefing as Markdown, for prompts and the resource.

use std::fmt::Write as _;

use super::TaskBriefing;

impl TaskBriefing {
    /// From `## Your task` on.
    pub fn to_markdown(&self) -> String {
        let mut out = Markdown(String::new());
        let task = &self.task;
        out.line(&format!("\n## Your task: #{} {}", task.id, task.title));
        out.line(&format!(
            "\nStatus: {}, priority: {}",
            task.status, task.priority
        ));
        if let Some(parent) = &task.parent {
            out.line(&format!("Part of {parent}"));
        }
        if let Some(due) = &task.due_date {
            out.line(&format!("Due: {due}"));
        }
        if let Some(text) = &task.description {
            out.line(&format!("\n{text}"));
        }
        if let Some(feedback) = &self.feedback {
            out.line(&format!(
                "\n### Feedback of review {} ({})",
                feedback.review, feedback.status
            ));
            if let Some(summary) = &feedback.summary {
                out.line(&format!("\n{summary}"));
            }
            out.items(&feedback.comments);
            for failure in &feedback.gate_failures {
                let code = failure
                    .exit_code
                    .map_or(String::new(), |code| format!(", exit code {code}"));
                out.line(&format!(
                    "\nGate {} failed (attempt {} of {}{code}):",
                    failure.name, failure.attempt, failure.max_retries
                ));
                out.block(&[failure.stdout.trim_end(), failure.stderr.trim_end()]);
            }
        }
        let answers: Vec<String> = self
            .answers
            .iter()
            .map(|it| format!("{} Answer: {}", it.question, it.answer))
            .collect();
        out.list("Answered questions", &answers);
        out.list("Acceptance criteria", &task.acceptance_criteria);
        out.list("Read first", &task.context_files);
        out.section("Pseudocode", task.pseudocode.as_deref());
        out.section("Hints", task.hints.as_deref());
        out.list("Output files", &task.output_artifacts);
        out.list("Comments", &self.comments);
        let decisions: Vec<String> = self
            .decisions
            .iter()
            .map(|it| match &it.text {
                Some(text) => format!("#{} {}: {text}", it.id, it.title),
                None => format!("#{} {}", it.id, it.title),
            })
            .collect();
        out.list("Decisions", &decisions);
        out.list("Learnings", &self.learnings);
        let gates: Vec<String> = self
            .gates
            .iter()
            .map(|gate| match &gate.waits {
                Some(waits) => format!("{}: {waits}", gate.name),
                None => format!("{}: `{}`", gate.name, gate.command),
            })
            .collect();
        out.list("Gates that check the work", &gates);
        if !self.commands.is_empty() {
            out.section("Commands that you may run", Some(&self.commands.join(", ")));
        }
        out.list("More", &self.read_on);
        out.0
    }
}

struct Markdown(String);

impl Markdown {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.0, "{text}");
    }

    fn section(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.line(&format!("\n### {name}\n\n{text}"));
        }
    }

    fn items(&mut self, items: &[String]) {
        if !items.is_empty() {
            self.line("");
        }
        for item in items {
            self.line(&format!("- {}", item.replace('\n', "\n  ")));
        }
    }

    fn list(&mut self, name: &str, items: &[String]) {
        if !items.is_empty() {
            self.line(&format!("\n### {name}"));
            self.items(items);
        }
    }

    /// Output of a program: indented, so that nothing in it can end the block.
    fn block(&mut self, texts: &[&str]) {
        self.line("");
        for text in texts.iter().filter(|text| !text.is_empty()) {
            for line in text.lines() {
                self.line(&format!("    {line}"));
            }
        }
    }
}
