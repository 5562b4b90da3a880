//! JSON-RPC batches that wait for their responses, which are sent together in one line.
//!
//! The protocol dropped batches after 2025-03-26, but clients of that time still send them.

use std::collections::HashSet;

use rmcp::model::RequestId;

#[derive(Debug, Default)]
pub struct Batches(Vec<Batch>);

#[derive(Debug, Default)]
struct Batch {
    awaited: HashSet<RequestId>,
    /// The responses so far, with commas between them.
    answers: Vec<u8>,
}

/// What to do with a response.
#[derive(Debug, PartialEq, Eq)]
pub enum Delivery {
    /// It does not belong to a batch: it is sent alone.
    Alone,
    /// Its batch waits for more.
    Kept,
    /// Its batch is complete, and this is the line.
    Complete(Vec<u8>),
}

impl Batches {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Begins a batch, with the responses that are already known. Returns the line immediately if
    /// no other response is awaited; a batch of notifications has no response at all.
    pub fn open(&mut self, awaited: HashSet<RequestId>, known: &[Vec<u8>]) -> Option<Vec<u8>> {
        let mut batch = Batch {
            awaited,
            answers: Vec::new(),
        };
        for answer in known {
            batch.push(answer);
        }
        if batch.awaited.is_empty() {
            return batch.into_line();
        }
        self.0.push(batch);
        None
    }

    pub fn deliver(&mut self, id: &RequestId, answer: &[u8]) -> Delivery {
        let Some(at) = self.find(id) else {
            return Delivery::Alone;
        };
        self.0[at].push(answer);
        self.settle(at, id)
            .map_or(Delivery::Kept, Delivery::Complete)
    }

    /// Stops waiting for a request that was cancelled: it gets no response.
    pub fn forget(&mut self, id: &RequestId) -> Option<Vec<u8>> {
        let at = self.find(id)?;
        self.settle(at, id)
    }

    /// The lines of all batches with the responses so far.
    pub fn close(&mut self) -> Vec<Vec<u8>> {
        self.0.drain(..).filter_map(Batch::into_line).collect()
    }

    fn find(&self, id: &RequestId) -> Option<usize> {
        self.0.iter().position(|batch| batch.awaited.contains(id))
    }

    fn settle(&mut self, at: usize, id: &RequestId) -> Option<Vec<u8>> {
        self.0[at].awaited.remove(id);
        if self.0[at].awaited.is_empty() {
            self.0.remove(at).into_line()
        } else {
            None
        }
    }
}

impl Batch {
    fn push(&mut self, answer: &[u8]) {
        let separator = if self.answers.is_empty() { b'[' } else { b',' };
        self.answers.push(separator);
        self.answers.extend_from_slice(answer);
    }

    fn into_line(mut self) -> Option<Vec<u8>> {
        if self.answers.is_empty() {
            return None;
        }
        self.answers.push(b']');
        Some(self.answers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(numbers: &[i64]) -> HashSet<RequestId> {
        numbers.iter().copied().map(RequestId::Number).collect()
    }

    #[test]
    fn answers_go_out_together() {
        let mut batches = Batches::default();
        assert_eq!(batches.open(ids(&[1, 2]), &[b"0".to_vec()]), None);
        assert_eq!(
            batches.deliver(&RequestId::Number(9), b"9"),
            Delivery::Alone
        );
        assert_eq!(batches.deliver(&RequestId::Number(2), b"2"), Delivery::Kept);
        assert_eq!(
            batches.deliver(&RequestId::Number(1), b"1"),
            Delivery::Complete(b"[0,2,1]".to_vec())
        );
        assert!(batches.is_empty());
    }

    #[test]
    fn without_requests_there_is_nothing_to_wait_for() {
        let mut batches = Batches::default();
        assert_eq!(batches.open(ids(&[]), &[]), None);
        assert_eq!(
            batches.open(ids(&[]), &[b"1".to_vec()]),
            Some(b"[1]".to_vec())
        );
        assert!(batches.is_empty());
    }

    #[test]
    fn a_cancelled_request_does_not_hold_the_others_back() {
        let mut batches = Batches::default();
        batches.open(ids(&[1, 2]), &[]);
        batches.deliver(&RequestId::Number(1), b"1");
        assert_eq!(batches.forget(&RequestId::Number(3)), None);
        assert_eq!(batches.forget(&RequestId::Number(2)), Some(b"[1]".to_vec()));
    }

    #[test]
    fn the_end_of_the_session_sends_what_there_is() {
        let mut batches = Batches::default();
        batches.open(ids(&[1, 2]), &[]);
        batches.open(ids(&[3]), &[]);
        batches.deliver(&RequestId::Number(1), b"1");
        assert_eq!(batches.close(), [b"[1]".to_vec()]);
    }
}
