//! The history told forwards, from one event on.

use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::Result;
use windlass_store::EventFilter;

use super::common::Wanted;
use crate::budget::fit_items;
use crate::context::ReadContext;
use crate::knowledge::{EventOutput, Events};
use crate::view::{Render, View};

/// How many events are looked at in one read.
const AT_ONCE: u32 = 500;

/// A piece of the history, oldest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct History {
    pub events: Vec<EventOutput>,
    /// Give it as after to go on.
    pub last_seq: i64,
    /// Whether there is more already.
    pub has_more: bool,
}

impl History {
    /// The events after one that fit, up to so many.
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
                    return Ok(history.fit(context.output_budget));
                }
                history.last_seq = event.seq;
                if wanted.fits(&event.kind) {
                    history.events.push(EventOutput::from(event));
                }
            }
            if last {
                return Ok(history.fit(context.output_budget));
            }
        }
    }

    fn fit(mut self, budget: Option<usize>) -> Self {
        if fit_items(&mut self.events, budget) {
            self.has_more = true;
            self.last_seq = self.events.last().map_or(self.last_seq, |event| event.seq);
        }
        self
    }
}

impl Render for History {
    fn view(&self) -> View {
        Events::view_of(&self.events)
    }
}
