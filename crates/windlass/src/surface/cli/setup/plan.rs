//! What a setup would change, computed before anything is written.

use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::clients::Client;
use super::document::Broken;
use super::entry;
use super::hooks::Hooks;
use super::instructions::Instructions;
use super::section::{Removed, with_section, without_section};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// The entry is new.
    Added,
    /// Replaces another entry of the same name.
    Replaced,
    /// The entry already exists.
    Unchanged,
    Removed,
    /// There was nothing to remove.
    Absent,
}

#[derive(Debug)]
pub struct Plan {
    pub change: Change,
    /// The text afterwards; none if the file is to be removed.
    pub after: Option<String>,
    /// The new entry, or the one to be removed.
    pub entry: Option<Json>,
    /// Whether the replaced or removed entry does not start windlass.
    pub is_foreign: bool,
}

impl Plan {
    /// Adds the entry to the text.
    pub fn add(
        client: &Client,
        text: Option<&str>,
        name: &str,
        new: Map<String, Json>,
    ) -> Result<Self, Broken> {
        let before = text.unwrap_or_default();
        let servers = client.format.servers(before, client.container)?;
        let old = servers.get(name);
        let merged = entry::merged(old, new);
        let change = match old {
            Some(old) if *old == merged => Change::Unchanged,
            Some(_) => Change::Replaced,
            None => Change::Added,
        };
        let after = match change {
            Change::Unchanged => before.to_owned(),
            _ => client
                .format
                .with_entry(before, client.container, name, &merged)?,
        };
        Ok(Self {
            change,
            after: Some(after),
            is_foreign: old.is_some_and(|old| !entry::is_windlass(old)),
            entry: Some(merged),
        })
    }

    /// Removes the entry from the text. A file with no other content was created for it, and is
    /// removed.
    pub fn remove(client: &Client, text: Option<&str>, name: &str) -> Result<Self, Broken> {
        let before = text.unwrap_or_default();
        let mut servers = client.format.servers(before, client.container)?;
        let Some(old) = servers.shift_remove(name) else {
            return Ok(Self {
                change: Change::Absent,
                after: text.map(str::to_owned),
                entry: None,
                is_foreign: false,
            });
        };
        let made = client.format.with_entry("", client.container, name, &old)?;
        let after = if made == before {
            None
        } else {
            Some(
                client
                    .format
                    .without_entry(before, client.container, name)?,
            )
        };
        Ok(Self {
            change: Change::Removed,
            after,
            is_foreign: !entry::is_windlass(&old),
            entry: Some(old),
        })
    }

    /// Adds the section for agents, or brings it up to date. What is between its markers is ours.
    pub fn add_section(instructions: &Instructions, text: Option<&str>) -> Result<Self, Broken> {
        let (before, header) = (text.unwrap_or_default(), instructions.header);
        let after = with_section(before, header, &instructions.body())?;
        let had_one = without_section(before, header)? != Removed::NoSection;
        Ok(Self::of_addition(before, after, had_one))
    }

    /// Removes the section. A file with no other content was created for it, and is removed.
    pub fn remove_section(instructions: &Instructions, text: Option<&str>) -> Result<Self, Broken> {
        Ok(
            match without_section(text.unwrap_or_default(), instructions.header)? {
                Removed::NoSection => Self::kept(text),
                Removed::NothingLeft => Self::of_removal(None),
                Removed::Left(after) => Self::of_removal(Some(after)),
            },
        )
    }

    pub fn add_hooks(hooks: &Hooks, text: Option<&str>, program: &str) -> Result<Self, Broken> {
        let before = text.unwrap_or_default();
        let after = hooks.added(before, program)?;
        let had_one = hooks.removed(before)?.is_some();
        Ok(Self::of_addition(before, after, had_one))
    }

    pub fn remove_hooks(hooks: &Hooks, text: Option<&str>) -> Result<Self, Broken> {
        let before = text.unwrap_or_default();
        Ok(match hooks.removed(before)? {
            None => Self::kept(text),
            Some(after)
                if hooks
                    .format
                    .read(&after)?
                    .as_object()
                    .is_some_and(Map::is_empty) =>
            {
                let made_for_them = hooks
                    .programs(before)
                    .into_iter()
                    .any(|program| hooks.added("", &program).is_ok_and(|made| made == before));
                Self::of_removal((!made_for_them).then_some(after))
            }
            Some(after) => Self::of_removal(Some(after)),
        })
    }

    /// The file stays as it is.
    pub fn kept(text: Option<&str>) -> Self {
        Self {
            change: Change::Absent,
            after: text.map(str::to_owned),
            entry: None,
            is_foreign: false,
        }
    }

    fn of_addition(before: &str, after: String, had_one: bool) -> Self {
        let change = match had_one {
            _ if before == after => Change::Unchanged,
            true => Change::Replaced,
            false => Change::Added,
        };
        Self {
            change,
            after: Some(after),
            entry: None,
            is_foreign: false,
        }
    }

    fn of_removal(after: Option<String>) -> Self {
        Self {
            change: Change::Removed,
            after,
            entry: None,
            is_foreign: false,
        }
    }
}
