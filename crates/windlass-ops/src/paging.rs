//! Pages of lists: how many items a caller asks for, and how an output shows whether there are more.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use windlass_core::{MAX_LIMIT, Page, Result};

/// How many to return, 1 to 100; `DEFAULT` if absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Limit<const DEFAULT: u32>(pub u32);

impl<const DEFAULT: u32> Limit<DEFAULT> {
    /// Refuses a limit that is out of bounds.
    pub fn page(self, offset: u32) -> Result<Page> {
        Page::new(self.0, offset)
    }

    /// The same where the input has no offset.
    pub fn first_page(self) -> Result<Page> {
        Page::first(self.0)
    }
}

impl<const DEFAULT: u32> Default for Limit<DEFAULT> {
    fn default() -> Self {
        Self(DEFAULT)
    }
}

impl<const DEFAULT: u32> fmt::Display for Limit<DEFAULT> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl<const DEFAULT: u32> FromStr for Limit<DEFAULT> {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        text.parse().map(Self)
    }
}

impl<const DEFAULT: u32> JsonSchema for Limit<DEFAULT> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Limit".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": 1, "maximum": MAX_LIMIT})
    }
}

/// Which page of a list to return: `limit` and `offset`, where `limit` is `DEFAULT` if absent. To be
/// flattened into an input, with `deserialize_with = "crate::input::part"`.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
pub struct Paging<const DEFAULT: u32> {
    /// How many to return, 1 to 100.
    #[serde(default)]
    pub limit: Limit<DEFAULT>,
    /// How many to skip.
    #[serde(default)]
    pub offset: u32,
}

impl<const DEFAULT: u32> Paging<DEFAULT> {
    /// Refuses a limit that is out of bounds.
    pub fn page(self) -> Result<Page> {
        self.limit.page(self.offset)
    }
}

impl<const DEFAULT: u32> clap::FromArgMatches for Paging<DEFAULT> {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        let number = |name| matches.get_one::<u32>(name).copied();
        Ok(Self {
            limit: Limit(number("limit").unwrap_or(DEFAULT)),
            offset: number("offset").unwrap_or_default(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

// Not derived: what clap derives keeps the text of a default in a static, which all values of
// `DEFAULT` would share.
impl<const DEFAULT: u32> clap::Args for Paging<DEFAULT> {
    fn augment_args(command: clap::Command) -> clap::Command {
        let number = |name: &'static str, default: u32, help: &'static str| {
            clap::Arg::new(name)
                .long(name)
                .value_name(name.to_uppercase())
                .value_parser(clap::value_parser!(u32))
                .default_value(default.to_string())
                .help(help)
        };
        command
            .arg(number("limit", DEFAULT, "How many to return, 1 to 100"))
            .arg(number("offset", 0, "How many to skip"))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

/// Which page an output is, and whether another follows.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PageInfo {
    pub limit: u32,
    pub offset: u32,
    /// Whether there are more.
    pub has_more: bool,
    /// How many there are in all; absent where counting would take too long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

/// Reads one more than was asked for, to know whether there is more.
pub fn read_page<T>(
    page: Page,
    read: impl FnOnce(Page) -> Result<Vec<T>>,
) -> Result<(Vec<T>, PageInfo)> {
    let mut items = read(Page {
        limit: page.limit + 1,
        ..page
    })?;
    let more = items.len() > page.limit as usize;
    items.truncate(page.limit as usize);
    // The last page says how many there are.
    let is_last = !more && (page.offset == 0 || !items.is_empty());
    let info = PageInfo {
        limit: page.limit,
        offset: page.offset,
        has_more: more,
        total: is_last.then(|| u64::from(page.offset) + items.len() as u64),
    };
    Ok((items, info))
}
