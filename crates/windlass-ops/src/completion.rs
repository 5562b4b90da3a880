//! Completions of what is being typed: ids, types, statuses, tags, dates.

use windlass_core::{Dialect, EntityType, Error, Result};

use crate::context::ReadContext;
use crate::prompts;
use crate::resources::{TemplateInfo, resource_templates};

/// How many values a client gets at once.
const MAX_VALUES: usize = 100;

/// What an argument belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionSource<'a> {
    /// A resource template, by its URI template.
    Template(&'a str),
    /// A prompt, by its name.
    Prompt(&'a str),
}

/// At most 100 values that start with `typed`, and whether there are more.
///
/// Arguments are recognised by name, in templates and in prompts alike: a prompt variable called
/// `tag` is completed with the project's tags.
pub fn complete(
    context: &ReadContext,
    source: CompletionSource<'_>,
    argument: &str,
    typed: &str,
) -> Result<(Vec<String>, bool)> {
    check_source(context, source)?;
    let limit = u32::try_from(MAX_VALUES + 1).unwrap_or(u32::MAX);
    let mut values = match argument {
        "type" => beginning(EntityType::NAMES, typed),
        "status" => beginning(statuses(), typed),
        "tag" => context.read(|reader| reader.tags_like(typed, limit))?,
        "date" | "due_date" => context.read(|reader| reader.due_dates_like(typed, limit))?,
        "pid" => pids(context, typed)?,
        "unique_name" | "command" => {
            let commands = context.workspace.discovery()?.discover();
            let names = commands.commands.iter().map(|it| it.unique_name.as_str());
            beginning(names, typed)
        }
        "id" => context.read(|reader| {
            let mut values = reader.numbers_like(typed.trim_start_matches('#'), limit)?;
            if typed.len() >= 2 {
                values.extend(reader.ids_like(&typed.to_lowercase(), limit)?);
            }
            Ok(values)
        })?,
        _ => Vec::new(),
    };
    let more = values.len() > MAX_VALUES;
    values.truncate(MAX_VALUES);
    Ok((values, more))
}

fn check_source(context: &ReadContext, source: CompletionSource<'_>) -> Result<()> {
    match source {
        CompletionSource::Prompt(name) => prompts::find(context, name).map(|_| ()),
        CompletionSource::Template(template) => {
            let known = |info: &&TemplateInfo| {
                // The scheme of the contract is an alias of ours.
                let rest = |uri: &str| uri.split_once("://").map(|(_, rest)| rest.to_owned());
                rest(info.uri_template) == rest(template)
            };
            if resource_templates().iter().any(|info| known(&info)) {
                return Ok(());
            }
            Err(
                Error::invalid_params(format!("\"{template}\" is not a resource template"))
                    .with_hint("resources/templates/list lists all templates."),
            )
        }
    }
}

/// Jobs on record, newest first.
fn pids(context: &ReadContext, typed: &str) -> Result<Vec<String>> {
    let filter = windlass_store::JobFilter {
        limit: 1000,
        ..windlass_store::JobFilter::default()
    };
    let jobs = context.read(|reader| reader.jobs(&filter))?;
    let pids: Vec<String> = jobs.iter().map(|job| job.pid.to_string()).collect();
    Ok(beginning(pids.iter().map(String::as_str), typed))
}

fn statuses() -> Vec<&'static str> {
    let mut words = Vec::new();
    for kind in EntityType::ALL {
        for word in kind.statuses(Dialect::Knowledge) {
            if !words.contains(word) {
                words.push(*word);
            }
        }
    }
    words
}

fn beginning<'a>(words: impl IntoIterator<Item = &'a str>, typed: &str) -> Vec<String> {
    words
        .into_iter()
        .filter(|word| word.starts_with(typed))
        .map(str::to_owned)
        .collect()
}
