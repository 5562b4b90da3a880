//! Each `prompt` entity as a prompt that a client can offer, its variables as arguments.

use std::collections::HashMap;

use serde_json::{Map, Value as Json};
use windlass_core::{Entity, EntityType, Error, ErrorKind, Page, Result, Value, nearest};
use windlass_store::{EntityFilter, SessionRecord};

use crate::context::ReadContext;
use crate::sessions::briefing_of;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptArgument {
    pub name: String,
    pub required: bool,
}

#[derive(Debug, Clone)]
pub struct PromptInfo {
    pub name: String,
    pub title: String,
    pub description: Option<String>,
    pub arguments: Vec<PromptArgument>,
}

#[derive(Debug, Clone)]
pub struct PromptText {
    pub description: Option<String>,
    pub text: String,
}

/// The prompt that every recorded session has.
const BRIEFING: &str = "session-briefing";

/// One page of the prompts, and whether more follow. The first page of a recorded session begins with
/// its briefing.
pub fn list_prompts(context: &ReadContext, page: Page) -> Result<(Vec<PromptInfo>, bool)> {
    let filter = EntityFilter::of(EntityType::Prompt);
    let (entities, total) = context.read(|reader| reader.entities(&filter, page))?;
    let reached = u64::from(page.offset) + entities.len() as u64;
    let mut prompts: Vec<PromptInfo> = Vec::with_capacity(entities.len() + 1);
    if page.offset == 0 && own_session(context)?.is_some() {
        prompts.push(PromptInfo {
            name: BRIEFING.to_owned(),
            title: "Briefing".to_owned(),
            description: Some("What this session is about, and the tools that it has.".to_owned()),
            arguments: Vec::new(),
        });
    }
    prompts.extend(entities.iter().map(info));
    Ok((prompts, reached < total))
}

fn own_session(context: &ReadContext) -> Result<Option<SessionRecord>> {
    context.read(|reader| reader.find_session(&context.origin.session))
}

fn info(entity: &Entity) -> PromptInfo {
    PromptInfo {
        name: name_of(entity),
        title: entity.title.clone(),
        description: description_of(entity),
        arguments: variables(entity)
            .into_iter()
            .map(|name| PromptArgument {
                name,
                required: true,
            })
            .collect(),
    }
}

/// The title in characters that every client accepts, with the number to make it unique.
fn name_of(entity: &Entity) -> String {
    let mut name = String::new();
    for letter in entity.title.chars() {
        if letter.is_ascii_alphanumeric() {
            name.push(letter.to_ascii_lowercase());
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
        if name.len() >= 40 {
            break;
        }
    }
    let name = name.trim_end_matches('-');
    if name.is_empty() {
        return format!("prompt-{}", entity.number);
    }
    format!("{name}-{}", entity.number)
}

fn description_of(entity: &Entity) -> Option<String> {
    entity
        .content
        .as_deref()
        .and_then(|content| content.lines().find(|line| !line.trim().is_empty()))
        .map(|line| line.trim().chars().take(300).collect())
}

/// The template text.
fn template_of(entity: &Entity) -> &str {
    entity
        .text("template")
        .or(entity.content.as_deref())
        .unwrap_or(&entity.title)
}

/// The declared variables; where none are declared, those that the template uses.
fn variables(entity: &Entity) -> Vec<String> {
    if let Some(Value::List(names)) = entity.properties.get("variables")
        && !names.is_empty()
    {
        return names.clone();
    }
    let mut names: Vec<String> = Vec::new();
    for piece in template_of(entity).split("{{").skip(1) {
        let Some((inner, _)) = piece.split_once("}}") else {
            continue;
        };
        let name = inner.trim();
        let is_name = !name.is_empty()
            && name
                .chars()
                .all(|letter| letter.is_alphanumeric() || "_-.".contains(letter));
        if is_name && !names.iter().any(|have| have == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// The prompt with its variables filled in.
pub fn get_prompt(
    context: &ReadContext,
    name: &str,
    arguments: &Map<String, Json>,
) -> Result<PromptText> {
    if name == BRIEFING
        && let Some(session) = own_session(context)?
    {
        return Ok(PromptText {
            description: None,
            text: briefing_of(context, &session)?,
        });
    }
    let entity = find(context, name)?;
    let variables = variables(&entity);
    for given in arguments.keys() {
        if !variables.contains(given) {
            let hint = match nearest(given, variables.iter().map(String::as_str)) {
                Some(near) => format!("Did you mean \"{near}\"?"),
                None => "prompts/list lists the arguments of each prompt.".to_owned(),
            };
            return Err(Error::invalid_params(format!(
                "Prompt \"{name}\" has no argument \"{given}\""
            ))
            .with("field", given.as_str())
            .with_hint(hint));
        }
    }
    let mut values = HashMap::new();
    for variable in &variables {
        let value = arguments.get(variable).ok_or_else(|| {
            Error::invalid_params(format!(
                "Prompt \"{name}\" needs the argument \"{variable}\""
            ))
            .with("field", variable.as_str())
        })?;
        let text = match value {
            Json::String(text) => text.clone(),
            other => other.to_string(),
        };
        values.insert(variable.as_str(), text);
    }
    let text = fill(template_of(&entity), &values);
    Ok(PromptText {
        description: description_of(&entity),
        text,
    })
}

/// The number at the end of the name identifies the prompt; the title may have changed since.
pub(crate) fn find(context: &ReadContext, name: &str) -> Result<Entity> {
    let number = name.rsplit('-').next().unwrap_or(name);
    let found = context.read(|reader| {
        let entity = reader.entity(&reader.resolve("name", number)?)?;
        Ok((entity.kind == EntityType::Prompt).then_some(entity))
    });
    match found {
        Ok(Some(entity)) => Ok(entity),
        Err(error) if error.kind() == ErrorKind::StorageError => Err(error),
        _ => Err(Error::new(
            ErrorKind::PromptNotFound,
            format!("Prompt \"{name}\" not found"),
        )
        .with("name", name)
        .with_hint("prompts/list lists all prompts.")),
    }
}

/// Replaces `{{name}}` by its value; spaces inside the braces are allowed. In one pass: a value that
/// looks like a variable stays as it is.
fn fill(template: &str, values: &HashMap<&str, String>) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(open) = rest.find("{{") {
        let Some(length) = rest[open..].find("}}") else {
            break;
        };
        let end = open + length + 2;
        out.push_str(&rest[..open]);
        match values.get(rest[open + 2..end - 2].trim()) {
            Some(value) => out.push_str(value),
            None => out.push_str(&rest[open..end]),
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_filled_in() {
        for (template, expected) in [
            ("Hello {{name}}!", "Hello Ann!"),
            ("{{ name }} and {{other}}", "Ann and {{other}}"),
            ("{{name}}{{name}}", "AnnAnn"),
            ("no variables", "no variables"),
            ("{{name", "{{name"),
            ("{{}} {{name}}", "{{}} Ann"),
            ("{{tricky}} {{name}}", "{{name}} Ann"),
        ] {
            let values = HashMap::from([("name", "Ann".into()), ("tricky", "{{name}}".into())]);
            assert_eq!(fill(template, &values), expected);
        }
    }
}
