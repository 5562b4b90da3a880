//! Hooks of a client: commands that it runs by itself. Each is an item of a list in its settings,
//! by the name of the event; items of other programs are not touched.

use jsonc_parser::cst::{CstArray, CstNode, CstObject};
use serde_json::{Value as Json, json};

use super::document::{Broken, Format};
use super::json::{find, has_comments, input, parse};
use crate::surface::cli::quote::quote;

/// What is run at the events. The project is the folder that the client works in.
const ARGUMENTS: &str = " prime --mcp";

/// Where a client has its hooks.
#[derive(Debug)]
pub struct Hooks {
    /// The file in the project.
    pub file: &'static str,
    pub format: Format,
    /// The key that holds the events.
    pub container: &'static str,
    pub events: &'static [&'static str],
}

pub const CLAUDE: Hooks = Hooks {
    file: ".claude/settings.json",
    format: Format::JsonWithComments,
    container: "hooks",
    events: &["SessionStart", "PreCompact"],
};

impl Hooks {
    /// The text with a hook for each event; one that runs another windlass is replaced.
    pub fn added(&self, text: &str, program: &str) -> Result<String, Broken> {
        let command = format!("{}{ARGUMENTS}", quote(program));
        let wanted = json!({"hooks": [{"type": "command", "command": command}]});
        let root = parse(text, self.format)?;
        let settings = root
            .object_value_or_create()
            .ok_or_else(Broken::not_an_object)?;
        let container = object(&settings, self.container)?;
        for event in self.events {
            let list = list(&container, event)?;
            let ours = list.elements().into_iter().enumerate();
            let ours = ours.filter_map(|(place, element)| Some((place, hook(&element)?, element)));
            match ours.last() {
                Some((_, value, _)) if value == wanted => {}
                Some((place, _, element)) => {
                    element.remove();
                    list.insert(place, input(&wanted));
                }
                None => drop(list.append(input(&wanted))),
            }
        }
        self.checked(root.to_string())
    }

    /// The text without the hooks, and without what is empty then. `None` if there are none.
    pub fn removed(&self, text: &str) -> Result<Option<String>, Broken> {
        let root = parse(text, self.format)?;
        let holder = root
            .object_value()
            .and_then(|settings| find(&settings, self.container));
        let Some((holder, container)) =
            holder.and_then(|holder| holder.object_value().map(|object| (holder, object)))
        else {
            return Ok(None);
        };
        let mut found = false;
        for event in self.events {
            let Some(property) = find(&container, event) else {
                continue;
            };
            let Some(list) = property.array_value() else {
                continue;
            };
            let ours = list.elements().into_iter();
            let ours: Vec<_> = ours.filter(|element| hook(element).is_some()).collect();
            if ours.is_empty() {
                continue;
            }
            found = true;
            ours.into_iter().for_each(CstNode::remove);
            if list.elements().is_empty() {
                property.remove();
            }
        }
        if !found {
            return Ok(None);
        }
        if container.properties().is_empty() && !has_comments(&holder, &container) {
            holder.remove();
        }
        self.checked(root.to_string()).map(Some)
    }

    /// The programs that the hooks of Windlass start in this text.
    pub fn programs(&self, text: &str) -> Vec<String> {
        let settings = self.format.read(text).unwrap_or_default();
        let events = self.events.iter();
        let hooks = events.filter_map(|event| settings[self.container][event].as_array());
        hooks.flatten().filter_map(program).collect()
    }

    /// The text, if it can be read again.
    fn checked(&self, text: String) -> Result<String, Broken> {
        self.format.read(&text)?;
        Ok(text)
    }
}

/// The object of that name, created if missing.
fn object(settings: &CstObject, name: &str) -> Result<CstObject, Broken> {
    match find(settings, name) {
        Some(property) => property.object_value().ok_or_else(|| wrong(name)),
        None => settings
            .append(name, input(&json!({})))
            .object_value()
            .ok_or_else(|| wrong(name)),
    }
}

/// The list of that name, created if missing.
fn list(container: &CstObject, event: &str) -> Result<CstArray, Broken> {
    match find(container, event) {
        Some(property) => property.array_value().ok_or_else(|| wrong(event)),
        None => container
            .append(event, input(&json!([])))
            .array_value()
            .ok_or_else(|| wrong(event)),
    }
}

fn wrong(name: &str) -> Broken {
    Broken::new(1, format!("\"{name}\" does not hold hooks"))
}

/// The program of a hook that runs `windlass prime`, of any version and at any path.
fn program(hook: &Json) -> Option<String> {
    let commands = hook["hooks"].as_array().into_iter().flatten();
    let mut commands = commands.filter_map(|it| it["command"].as_str());
    commands.find_map(|command| {
        let (program, _) = command.split_once(" prime")?;
        let program = program.trim_matches(['\'', '"']);
        (program == "windlass" || program.ends_with("/windlass")).then(|| program.to_owned())
    })
}

/// The value of a hook, if it is ours.
fn hook(element: &CstNode) -> Option<Json> {
    let value = super::json::read(&element.to_string(), Format::JsonWithComments).ok()?;
    program(&value).is_some().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_of_others_stay_and_ours_go_without_a_trace() {
        for text in [
            "{\n  \"model\": \"opus\"\n}\n",
            "{\n  // mine\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"hooks\": [{\"type\": \"command\", \"command\": \"date\"}]\n      }\n    ]\n  }\n}\n",
        ] {
            let added = CLAUDE.added(text, "windlass").unwrap();
            let read = CLAUDE.format.read(&added).unwrap();
            for event in CLAUDE.events {
                let list = read["hooks"][event].as_array().unwrap();
                assert_eq!(
                    list.iter().filter(|hook| program(hook).is_some()).count(),
                    1,
                    "{added}"
                );
            }
            assert_eq!(CLAUDE.added(&added, "windlass").unwrap(), added, "twice");
            assert_eq!(CLAUDE.removed(&added).unwrap().as_deref(), Some(text));
        }
        assert_eq!(CLAUDE.removed("{\"hooks\": {}}").unwrap(), None);
    }

    #[test]
    fn another_path_of_the_program_replaces_the_hook() {
        let old = CLAUDE.added("", "/old/bin of mine/windlass").unwrap();
        assert_eq!(CLAUDE.programs(&old)[0], "/old/bin of mine/windlass");
        let new = CLAUDE.added(&old, "windlass").unwrap();
        assert_eq!(new, CLAUDE.added("", "windlass").unwrap());
        insta::assert_snapshot!(new, @r#"
        {
          "hooks": {
            "SessionStart": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "windlass prime --mcp"
                  }
                ]
              }
            ],
            "PreCompact": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "windlass prime --mcp"
                  }
                ]
              }
            ]
          }
        }
        "#);
    }

    #[test]
    fn settings_that_are_something_else_are_refused() {
        for text in [
            "[]",
            "{\"hooks\": 1}",
            "{\"hooks\": {\"PreCompact\": {}}}",
            "{",
        ] {
            assert!(CLAUDE.added(text, "windlass").is_err(), "{text}");
        }
    }
}
