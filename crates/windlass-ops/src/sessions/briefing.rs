//! The briefing of a session: what its agent needs to know. It mentions only tools that the session
//! has.

use std::fmt::Write as _;

use windlass_core::{Briefing, EntityType, RecipeTool, Result};
use windlass_store::{Reader, SessionRecord};

use super::recipes;
use super::session::{task_of, tools_of};
use crate::briefing::TaskBriefing;
use crate::context::ReadContext;
use crate::entity_fields::{BriefingValue, FieldOutputs, PlanType};
use crate::naming::served_name;
use crate::plan::{DisciplineOutput, FeatureOutput};

/// The text for the agent, in Markdown.
pub fn text(context: &ReadContext, record: &SessionRecord) -> Result<String> {
    let project = context.workspace.config()?.project.clone();
    let recipe = recipes::find(context.workspace.project(), &record.recipe);
    let mut out = Text::default();
    out.title(&project.title.unwrap_or_else(|| "Your session".to_owned()));
    out.paragraph(project.description.as_deref());
    if let Ok(recipe) = recipe {
        out.paragraph(Some(&format!("**{}**: {}", recipe.name, recipe.purpose)));
    }
    if let Some(task) = context.read(|reader| task_of(reader, record))? {
        let mut own = context.clone();
        own.naming = own.naming.of_session(&tools_of(record));
        out.0 += &TaskBriefing::read(&own, &task)?.to_markdown();
    }
    context.read(|reader| {
        reader.consistently(|reader| {
            feature(&mut out, reader, record)?;
            discipline(&mut out, reader, record)
        })
    })?;
    tools(&mut out, &tools_of(record));
    Ok(out.0)
}

#[derive(Default)]
struct Text(String);

impl Text {
    fn title(&mut self, title: &str) {
        let _ = writeln!(self.0, "# {title}");
    }

    fn heading(&mut self, heading: &str) {
        let _ = writeln!(self.0, "\n## {heading}");
    }

    fn paragraph(&mut self, text: Option<&str>) {
        if let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) {
            let _ = writeln!(self.0, "\n{text}");
        }
    }

    fn section(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) {
            let _ = writeln!(self.0, "\n### {name}\n\n{text}");
        }
    }

    /// The fields that the table of types marks for briefings, in its order.
    fn fields<T: PlanType>(&mut self, fields: &FieldOutputs<T>) {
        for (briefing, value) in fields.briefing() {
            match (briefing, value) {
                (Briefing::Section(name), BriefingValue::Text(text)) => {
                    self.section(name, Some(&text));
                }
                (Briefing::Section(name), BriefingValue::List(items)) => self.list(name, items),
                (Briefing::Paragraph, BriefingValue::Text(text)) => self.paragraph(Some(&text)),
                (Briefing::Paragraph, BriefingValue::List(items)) => {
                    self.paragraph(Some(&items.join("\n")));
                }
            }
        }
    }

    fn list(&mut self, name: &str, items: impl IntoIterator<Item = String>) {
        let mut items = items.into_iter().peekable();
        if items.peek().is_none() {
            return;
        }
        let _ = writeln!(self.0, "\n### {name}\n");
        for item in items {
            let _ = writeln!(self.0, "- {}", item.replace('\n', "\n  "));
        }
    }
}

fn feature(out: &mut Text, reader: &Reader<'_>, record: &SessionRecord) -> Result<()> {
    let Some(name) = &record.feature else {
        return Ok(());
    };
    let Some(feature) = reader.find_by_name(EntityType::Feature, name)? else {
        return Ok(());
    };
    let feature = FeatureOutput::read(reader, &feature)?;
    out.heading(&format!("The feature: {}", feature.fields.title()));
    out.fields(&feature.fields);
    Ok(())
}

fn discipline(out: &mut Text, reader: &Reader<'_>, record: &SessionRecord) -> Result<()> {
    let Some(name) = &record.discipline else {
        return Ok(());
    };
    let Some(discipline) = reader.find_by_name(EntityType::Discipline, name)? else {
        return Ok(());
    };
    let discipline = DisciplineOutput::from(&discipline);
    out.heading(&format!("Your discipline: {}", discipline.fields.title()));
    out.fields(&discipline.fields);
    Ok(())
}

fn tools(out: &mut Text, tools: &[RecipeTool]) {
    out.heading("Your tools");
    out.paragraph(Some(
        "The MCP server `windlass` gives you these tools and no others:",
    ));
    let names: Vec<String> = tools.iter().map(|tool| tool.name.clone()).collect();
    let lines = tools.iter().filter_map(|tool| {
        let entry = recipes::resolve(&tool.name).ok()?;
        let name = served_name(entry, &names)?;
        let description = entry.description();
        let first = description.split(". ").next().unwrap_or_default();
        let first = first.replace('\n', " ");
        Some(format!("- `{name}`: {}", first.trim_end_matches('.')))
    });
    let lines: Vec<String> = lines.collect();
    out.paragraph(Some(&lines.join("\n")));
    if tools.iter().any(|tool| tool.name == "done") {
        out.paragraph(Some(
            "Before you stop, call `done`, `partial` or `stuck`. `done` runs the gates and answers which \
             failed: fix the work and call it again. A session that ends without a word counts as stuck.",
        ));
    }
}
