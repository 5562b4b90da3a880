//! The history in order, from one event on.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json};
use windlass_core::Result;
use windlass_store::EventFilter;

use super::common::Wanted;
use crate::context::ReadContext;
use crate::knowledge::{EventOutput, Events};
use crate::view::{Render, View};

/// How many events one read examines.
const AT_ONCE: u32 = 500;

/// A piece of the history, oldest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct History {
    pub events: Vec<EventOutput>,
    /// Pass it as after to continue.
    pub last_seq: i64,
    /// Whether there is more already.
    pub has_more: bool,
}

impl History {
    /// The matching events after one, up to a limit.
    pub fn read(context: &ReadContext, wanted: &Wanted, after: i64, limit: u32) -> Result<Self> {
        let mut history = Self {
            events: Vec::new(),
            last_seq: after,
            has_more: false,
        };
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        loop {
            let filter = EventFilter {
                after: history.last_seq,
                entity: wanted.entity.clone(),
                limit: AT_ONCE,
                ..EventFilter::default()
            };
            let found = context.read(|reader| reader.events(&filter))?;
            let last = u32::try_from(found.len()).unwrap_or(AT_ONCE) < AT_ONCE;
            for event in found {
                if history.events.len() == limit {
                    history.has_more = true;
                    return Ok(history);
                }
                history.last_seq = event.seq;
                if wanted.fits(&event.kind) {
                    history.events.push(EventOutput::from(event));
                }
            }
            if last {
                return Ok(history);
            }
        }
    }
}

impl Render for History {
    fn view(&self) -> View {
        Events::view_of(&self.events)
    }

    fn end_after(&self, kept: usize, page: &mut Map<String, Json>) {
        let last = kept.checked_sub(1).and_then(|last| self.events.get(last));
        if let Some(last) = last {
            page.insert("last_seq".to_owned(), Json::from(last.seq));
        }
        page.insert("has_more".to_owned(), Json::Bool(true));
    }
}
