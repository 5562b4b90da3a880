//! The calls of a script and their results.

use std::time::Instant;

use crate::method::Method;
use crate::outcome::{CallEnd, CallRecord};

/// The number of calls that are listed.
const LISTED: usize = 100;

struct Call {
    /// The index of its method in the table.
    method: usize,
    began: Instant,
    ended: Option<(CallEnd, u64)>,
}

/// The calls of a script.
#[derive(Default)]
pub struct Calls(Vec<Call>);

impl Calls {
    /// The number of calls made.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Records the start of a call.
    pub fn begin(&mut self, method: usize) {
        self.0.push(Call {
            method,
            began: Instant::now(),
            ended: None,
        });
    }

    /// Records the end of a call. Calls are numbered in the order in which they started.
    pub fn end(&mut self, call: u32, error: Option<String>) {
        if let Some(call) = self.0.get_mut(call as usize) {
            let end = error.map_or(CallEnd::Ok, CallEnd::Error);
            call.ended = Some((end, milliseconds_since(call.began)));
        }
    }

    /// The list, and how many calls are not in it. Failed and unfinished calls are listed first.
    pub fn list(self, methods: &[Method]) -> (Vec<CallRecord>, usize) {
        let count = self.0.len();
        let is_bad = |call: &Call| !matches!(call.ended, Some((CallEnd::Ok, _)));
        let bad = self.0.iter().filter(|call| is_bad(call)).count();
        let mut room_for_good = LISTED.saturating_sub(bad);
        let listed: Vec<CallRecord> = self
            .0
            .into_iter()
            .filter(|call| {
                if is_bad(call) {
                    return true;
                }
                let is_listed = room_for_good > 0;
                room_for_good = room_for_good.saturating_sub(1);
                is_listed
            })
            .take(LISTED)
            .map(|call| {
                let (end, ms) = call
                    .ended
                    .unwrap_or_else(|| (CallEnd::Pending, milliseconds_since(call.began)));
                CallRecord {
                    method: methods
                        .get(call.method)
                        .map(Method::full_name)
                        .unwrap_or_default(),
                    end,
                    ms,
                }
            })
            .collect();
        let unlisted = count - listed.len();
        (listed, unlisted)
    }
}

/// The milliseconds since `then`.
pub fn milliseconds_since(then: Instant) -> u64 {
    u64::try_from(then.elapsed().as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_calls_are_listed_first() {
        let mut calls = Calls::default();
        let methods: Vec<_> = (0..300)
            .map(|number| Method::new("a", &number.to_string(), &[]))
            .collect();
        for number in 0..300 {
            calls.begin(number);
        }
        for number in 0..299 {
            let error = (number == 250).then(|| "broken".to_owned());
            calls.end(number, error);
        }
        let (listed, unlisted) = calls.list(&methods);
        assert_eq!((listed.len(), unlisted), (100, 200));
        assert_eq!(listed[97].method, "a.97");
        assert_eq!(listed[98].end, CallEnd::Error("broken".to_owned()));
        assert_eq!(listed[99].end, CallEnd::Pending);
    }
}
