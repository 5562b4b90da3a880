//! The content of an object of a lease.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// An object of a lease is a line; a longer one was not written by Windlass.
pub const LONGEST: u64 = 4096;
/// The longest lease that is believed.
const LONGEST_LEASE: u64 = 7 * 86_400;

/// Who asks for a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// The session or person.
    pub owner: String,
    /// What others call its machine.
    pub machine: String,
    /// A random text that only this holder of this lease knows as its own.
    pub nonce: String,
}

/// What others read about the holder of a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseRecord {
    pub owner: String,
    pub machine: String,
    pub nonce: String,
    /// How long after its last renewal others may take the lease.
    pub lease_seconds: u64,
}

impl LeaseRecord {
    pub fn new(holder: &Holder, lease: Duration) -> Self {
        Self {
            owner: holder.owner.clone(),
            machine: holder.machine.clone(),
            nonce: holder.nonce.clone(),
            lease_seconds: lease.as_secs().clamp(1, LONGEST_LEASE),
        }
    }

    /// Reads an object that anybody may have written. What cannot be read holds the lease for as long
    /// as an ordinary one would.
    pub fn parse(bytes: &[u8]) -> Self {
        let mut record: Self = serde_json::from_slice(bytes).unwrap_or_else(|_| Self {
            owner: "unknown".to_owned(),
            machine: "unknown".to_owned(),
            nonce: String::new(),
            lease_seconds: 600,
        });
        record.lease_seconds = record.lease_seconds.clamp(1, LONGEST_LEASE);
        record.owner = shown(&record.owner);
        record.machine = shown(&record.machine);
        record
    }

    /// How the holder is shown: `agent-3@build-7`.
    pub fn label(&self) -> String {
        format!("{}@{}", self.owner, self.machine)
    }
}

/// A name as it is stored and shown: one line of bounded length.
fn shown(text: &str) -> String {
    let printable = text.chars().filter(|letter| !letter.is_control());
    printable.take(100).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_is_written() {
        let holder = Holder {
            owner: "agent-3".to_owned(),
            machine: "build-7".to_owned(),
            nonce: "n".to_owned(),
        };
        let record = LeaseRecord::new(&holder, Duration::from_mins(10));
        let bytes = serde_json::to_vec(&record).unwrap();
        assert_eq!(LeaseRecord::parse(&bytes), record);
        assert_eq!(record.label(), "agent-3@build-7");
    }

    #[test]
    fn hostile_records_are_bounded() {
        let long = "x".repeat(5000);
        let text = format!(
            r#"{{"owner":"a\u001b[2J\nb","machine":"{long}","nonce":"","lease_seconds":99999999999}}"#
        );
        let record = LeaseRecord::parse(text.as_bytes());
        assert_eq!(record.owner, "a[2Jb");
        assert_eq!(record.machine.len(), 100);
        assert_eq!(record.lease_seconds, LONGEST_LEASE);
        assert_eq!(LeaseRecord::parse(b"{").owner, "unknown");
    }
}
