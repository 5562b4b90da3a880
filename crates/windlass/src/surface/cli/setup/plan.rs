//! What a setup would change, computed before anything is written.

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
}
