//! Disciplines to begin with: `windlass init --stack` plants one of these sets.

use serde::Deserialize;
use windlass_core::{EntityType, Error, Origin, Result};
use windlass_store::Store;

use super::named_entities::{New, create};
use super::outputs::all_of;
use super::tasks::Changes;

/// A set of disciplines for a kind of project.
#[derive(Debug, Clone, Copy)]
pub struct Stack {
    pub name: &'static str,
    pub about: &'static str,
    text: &'static str,
}

/// The sets there are; `none` plants nothing.
pub static STACKS: &[Stack] = &[
    Stack {
        name: "generic",
        about: "Any project: implementation, testing, architecture and so on.",
        text: include_str!("stacks/generic.toml"),
    },
    Stack {
        name: "desktop",
        about: "An application with windows, a backend and a platform to ship on.",
        text: include_str!("stacks/desktop.toml"),
    },
    Stack {
        name: "web",
        about: "A web application: frontend, backend, data, operations.",
        text: include_str!("stacks/web.toml"),
    },
    Stack {
        name: "none",
        about: "No disciplines.",
        text: "",
    },
];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Set {
    #[serde(default)]
    discipline: Vec<Planted>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Planted {
    name: String,
    display_name: String,
    acronym: String,
    icon: String,
    color: String,
    description: String,
    system_prompt: String,
    skills: Vec<String>,
    conventions: String,
}

impl Stack {
    fn disciplines(&self) -> Result<Vec<Planted>> {
        toml::from_str::<Set>(self.text)
            .map(|set| set.discipline)
            .map_err(|problem| Error::internal(format!("the stack {}: {problem}", self.name)))
    }
}

/// Plants the disciplines of a stack that the project does not have yet. Answers their names.
pub fn seed_stack(store: &Store, origin: &Origin, stack: &Stack) -> Result<Vec<String>> {
    let disciplines = stack.disciplines()?;
    store.write(origin, |writer| {
        let mut planted = Vec::new();
        for one in &disciplines {
            if writer
                .find_by_name(EntityType::Discipline, &one.name)?
                .is_some()
            {
                continue;
            }
            let mut fields = Changes::default();
            fields.text("icon", Some(&one.icon));
            fields.text("color", Some(&one.color));
            fields.text("system_prompt", Some(one.system_prompt.trim()));
            fields.list("skills", Some(&one.skills));
            fields.text("conventions", Some(one.conventions.trim()));
            let taken = all_of(writer, EntityType::Discipline)?
                .iter()
                .any(|other| other.text("acronym") == Some(&one.acronym));
            let new = New {
                name: &one.name,
                display_name: &one.display_name,
                description: Some(&one.description),
                acronym: (!taken).then_some(one.acronym.as_str()),
            };
            create(writer, EntityType::Discipline, &new, fields)?;
            planted.push(one.name.clone());
        }
        Ok(planted)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stack_reads_and_says_something() {
        for stack in STACKS {
            let disciplines = stack.disciplines().expect(stack.name);
            assert_eq!(disciplines.is_empty(), stack.name == "none");
            for one in disciplines {
                assert!(one.system_prompt.len() > 80, "{} {}", stack.name, one.name);
                assert!(one.conventions.len() > 40, "{} {}", stack.name, one.name);
                assert!(one.skills.len() >= 3, "{} {}", stack.name, one.name);
                assert_eq!(one.acronym.len(), 4, "{} {}", stack.name, one.name);
            }
        }
    }
}
