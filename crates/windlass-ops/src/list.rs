//! The one ordered list. Its order is the order of the tools, of `--help` and of the reference.

use crate::operation::Entry;

/// Everything Windlass can do.
pub static OPERATIONS: &[Entry] = &[];

/// The operation of that wire name.
pub fn find(name: &str) -> Option<&'static Entry> {
    OPERATIONS
        .iter()
        .find(|entry| entry.declaration.name == name)
}
