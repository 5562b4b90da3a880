//! What a setup would change, worked out before anything is.

use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::clients::Client;
use super::document::Broken;
use super::entry;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// The entry is new.
    Added,
    /// Another entry of the name gives way.
    Replaced,
    /// The entry is there already.
    Unchanged,
    Removed,
    /// There was nothing to remove.
    Absent,
}

#[derive(Debug)]
pub struct Plan {
    pub change: Change,
    /// The text afterwards; nothing where the file is not to exist.
    pub after: Option<String>,
    /// The entry as it will be, or as it was before it is removed.
    pub entry: Option<Json>,
    /// Whether an entry gives way that does not start windlass.
    pub is_foreign: bool,
}

impl Plan {
    /// Puts the entry into the text.
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

    /// Takes the entry out of the text. A file that holds nothing else was made for it, and goes.
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
}
