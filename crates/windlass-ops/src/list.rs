//! The one ordered list. Its order is the order of the tools, of `--help` and of the reference.

use crate::knowledge::{
    DecisionSupersede, EntityBatch, EntityCreate, EntityDelete, EntityGet, EntityList,
    EntityUpdate, EventList, GraphOrphans, GraphPath, GraphRelations, RelationCreate,
    RelationDelete, SearchFulltext, SearchQueryOperation, TaskBlocked, TaskClaim, TaskComplete,
    TaskNext, TaskReady, TaskReschedule,
};
use crate::operation::Entry;

/// Everything Windlass can do.
pub static OPERATIONS: &[Entry] = &[
    Entry::of::<EntityCreate>(),
    Entry::of::<EntityGet>(),
    Entry::of::<EntityList>(),
    Entry::of::<EntityUpdate>(),
    Entry::of::<EntityDelete>(),
    Entry::of::<EntityBatch>(),
    Entry::of::<SearchFulltext>(),
    Entry::of::<SearchQueryOperation>(),
    Entry::of::<GraphRelations>(),
    Entry::of::<GraphPath>(),
    Entry::of::<GraphOrphans>(),
    Entry::of::<RelationCreate>(),
    Entry::of::<RelationDelete>(),
    Entry::of::<TaskReady>(),
    Entry::of::<TaskNext>(),
    Entry::of::<TaskBlocked>(),
    Entry::of::<TaskComplete>(),
    Entry::of::<TaskReschedule>(),
    Entry::of::<TaskClaim>(),
    Entry::of::<DecisionSupersede>(),
    Entry::of::<EventList>(),
];

/// The operation of that wire name.
pub fn find(name: &str) -> Option<&'static Entry> {
    OPERATIONS
        .iter()
        .find(|entry| entry.declaration.name == name)
}
