//! Where boards get their tasks from: operations, through the pipeline that every surface uses.

use std::ops::Range;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;
use windlass_core::{Error, Result};
use windlass_ops::{AnyOutput as _, Context, Response};

use super::card::Card;
use super::columns::COLUMNS;
use crate::surface::cli::caller::operation;

/// The operation that lists tasks.
pub const LIST: &str = "board_list";
/// How many tasks it returns at most.
const PAGE: usize = 100;

/// Calls operations.
pub struct Source {
    context: Context,
}

/// A part of a list, and how long the whole is.
#[derive(Debug, Clone, PartialEq)]
pub struct Part<T> {
    pub total: usize,
    pub offset: usize,
    pub items: Vec<T>,
}

#[derive(Deserialize)]
struct Page {
    tasks: Vec<Card>,
    total: usize,
}

impl Source {
    pub fn new(context: Context) -> Self {
        Self { context }
    }

    pub async fn call(&self, name: &str, input: Json) -> Result<Response> {
        let never = CancellationToken::new();
        windlass_ops::call(operation(name)?, self.context.clone(), input, never).await
    }

    pub async fn read<T: DeserializeOwned>(&self, name: &str, input: Json) -> Result<T> {
        let json = self.call(name, input).await?.to_json();
        serde_json::from_value(json)
            .map_err(|problem| Error::internal(format!("Cannot read {name}: {problem}")))
    }

    /// The tasks at these positions of a list.
    pub async fn tasks(&self, filters: &Json, positions: Range<usize>) -> Result<Part<Card>> {
        let mut part = Part {
            total: 0,
            offset: positions.start,
            items: Vec::new(),
        };
        loop {
            let at = positions.start + part.items.len();
            let missing = positions.end.saturating_sub(at).clamp(1, PAGE);
            let mut input = filters.clone();
            input["limit"] = json!(missing);
            input["offset"] = json!(at);
            let page: Page = self.read(LIST, input).await?;
            let ended = page.tasks.len() < missing;
            part.total = page.total;
            part.items.extend(page.tasks);
            if ended || positions.start + part.items.len() >= positions.end {
                return Ok(part);
            }
        }
    }

    /// The first tasks of every column, in the order of the board.
    pub async fn columns(&self, filters: &Json, most: usize) -> Result<Vec<Part<Card>>> {
        let mut all = Vec::new();
        for column in &COLUMNS {
            all.push(self.tasks(&column.input(filters), 0..most).await?);
        }
        Ok(all)
    }
}
