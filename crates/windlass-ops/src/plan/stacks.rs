//! Initial disciplines: `windlass init --stack` creates one of these sets.

use serde::Deserialize;
use windlass_core::{EntityType, Error, Origin, Result};
use windlass_store::Store;

use super::named_entities::create;
use super::outputs::all_of;
use crate::entity_fields::{Discipline, FieldArguments, New};

/// A set of disciplines for a kind of project.
#[derive(Debug, Clone, Copy)]
pub struct Stack {
    pub name: &'static str,
    pub about: &'static str,
    text: &'static str,
}

/// All sets; `none` creates nothing.
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

/// A discipline as `create_discipline` takes it.
type Planted = FieldArguments<New<Discipline>>;

impl Stack {
    fn disciplines(&self) -> Result<Vec<Planted>> {
        toml::from_str::<Set>(self.text)
            .map(|set| set.discipline)
            .map_err(|problem| Error::internal(format!("the stack {}: {problem}", self.name)))
    }
}

/// Creates the disciplines of a stack that the project does not have yet. Returns their names.
pub fn seed_stack(store: &Store, origin: &Origin, stack: &Stack) -> Result<Vec<String>> {
    let disciplines = stack.disciplines()?;
    store.write(origin, |writer| {
        let mut planted = Vec::new();
        for one in disciplines {
            let name = one.text("name").unwrap_or_default().to_owned();
            if writer
                .find_by_name(EntityType::Discipline, &name)?
                .is_some()
            {
                continue;
            }
            let is_taken = all_of(writer, EntityType::Discipline)?
                .iter()
                .any(|other| other.text("acronym") == one.text("acronym"));
            let fields = if is_taken {
                one.without("acronym")
            } else {
                one
            };
            create(writer, fields)?;
            planted.push(name);
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
                let text = |field: &str| one.text(field).expect(field).to_owned();
                let name = text("name");
                for field in ["display_name", "icon", "color", "description"] {
                    assert!(!text(field).is_empty(), "{} {name} {field}", stack.name);
                }
                assert!(text("system_prompt").len() > 80, "{} {name}", stack.name);
                assert!(text("conventions").len() > 40, "{} {name}", stack.name);
                assert_eq!(text("acronym").len(), 4, "{} {name}", stack.name);
                let skills = serde_json::json!(one)["skills"].as_array().map(Vec::len);
                assert!(skills >= Some(3), "{} {name}", stack.name);
            }
        }
    }
}
