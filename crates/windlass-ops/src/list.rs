//! The one ordered list. Its order is the order of the tools, of `--help` and of the reference.

use crate::code::{Describe, Execute};
use crate::commands::{
    Allow, Allowed, Deny, JobList, ListTasks, Revoke, Status, TaskOutput, TaskStart, TaskStatus,
    TaskStop, TaskWait,
};
use crate::knowledge::{
    DecisionSupersede, EntityBatch, EntityCreate, EntityDelete, EntityGet, EntityList,
    EntityUpdate, EventList, GraphOrphans, GraphPath, GraphRelations, RelationCreate,
    RelationDelete, SearchFulltext, SearchQueryOperation, TaskBlocked, TaskClaim, TaskComplete,
    TaskNext, TaskReady, TaskReschedule,
};
use crate::operation::Entry;
use crate::runs::{
    PlaybookCheck, PlaybookGet, PlaybookList, PlaybookRun, RunArtifacts, RunCancel, RunCreate,
    RunExecute, RunList, RunLogs, RunRead, RunRerun, RunStatus,
};

/// Everything Windlass can do.
pub static OPERATIONS: &[Entry] = &[
    Entry::of::<ListTasks>(),
    Entry::of::<TaskStart>(),
    Entry::of::<JobList>(),
    Entry::of::<Status>(),
    Entry::of::<TaskStatus>(),
    Entry::of::<TaskOutput>(),
    Entry::of::<TaskWait>(),
    Entry::of::<TaskStop>(),
    Entry::of::<Allow>(),
    Entry::of::<Deny>(),
    Entry::of::<Allowed>(),
    Entry::of::<Revoke>(),
    Entry::of::<RunCreate>(),
    Entry::of::<RunExecute>(),
    Entry::of::<RunStatus>(),
    Entry::of::<RunRead>(),
    Entry::of::<PlaybookList>(),
    Entry::of::<PlaybookGet>(),
    Entry::of::<PlaybookRun>(),
    Entry::of::<PlaybookCheck>(),
    Entry::of::<RunList>(),
    Entry::of::<RunLogs>(),
    Entry::of::<RunArtifacts>(),
    Entry::of::<RunCancel>(),
    Entry::of::<RunRerun>(),
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
    Entry::of::<Execute>(),
    Entry::of::<Describe>(),
];

/// The operation of that wire name.
pub fn find(name: &str) -> Option<&'static Entry> {
    OPERATIONS
        .iter()
        .find(|entry| entry.declaration.name == name)
}
