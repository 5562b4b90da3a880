//! The history of all changes, and who made them.

use serde::Serialize;
use serde_json::Value as Json;

use crate::Timestamp;

/// Who makes a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// The command line on a terminal, or the dashboard.
    Human,
    /// MCP, a script, or the command line without a terminal.
    Agent,
}

impl Actor {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Agent => "agent",
        }
    }
}

/// Where a change came from. Every write stores it in its event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub actor: Actor,
    /// The surface: `cli`, `mcp`, `http`, `sync`.
    pub source: &'static str,
    /// The session or person that does the work. Claims are held under this name.
    pub session: String,
    /// Groups the changes of one request or one script.
    pub correlation_id: Option<String>,
}

macro_rules! event_types {
    ($( $name:ident = $text:literal, )*) => {
        /// What happened.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum EventType { $( $name, )* }

        impl EventType {
            pub const ALL: &'static [Self] = &[$( Self::$name, )*];

            pub const fn name(self) -> &'static str {
                match self { $( Self::$name => $text, )* }
            }

            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| kind.name() == text)
            }
        }
    };
}

event_types! {
    EntityCreated = "entity.created",
    EntityUpdated = "entity.updated",
    EntityDeleted = "entity.deleted",
    EntityRestored = "entity.restored",
    EntityMerged = "entity.merged",
    EntityRenumbered = "entity.renumbered",
    Imported = "project.imported",
    RelationCreated = "relation.created",
    RelationDeleted = "relation.deleted",
    TaskClaimed = "task.claimed",
    TaskReleased = "task.released",
    TaskClaimConflict = "task.claim_conflict",
    JobStarted = "job.started",
    JobEnded = "job.ended",
    RunCreated = "run.created",
    RunStarted = "run.started",
    RunStep = "run.step",
    RunEnded = "run.ended",
    RunCancelled = "run.cancel_requested",
    CommentAdded = "comment.added",
    CommentUpdated = "comment.updated",
    CommentDeleted = "comment.deleted",
    LearningAdded = "learning.added",
    MemoryConfirmed = "memory.confirmed",
    MemoryRetired = "memory.retired",
    JournalAppended = "journal.appended",
    SessionStarted = "session.started",
    SessionSignal = "session.signal",
    SessionEnded = "session.ended",
    AllowlistChanged = "allowlist.changed",
    CommandRefused = "command.refused",
    TaskCreated = "task.created",
    TaskUpdated = "task.updated",
    TaskStarted = "task.started",
    TaskSubmitted = "task.submitted",
    TaskCompleted = "task.completed",
    TaskCancelled = "task.cancelled",
    TaskDeleted = "task.deleted",
    TaskStatusChanged = "task.status_changed",
    BlockerAdded = "blocker.added",
    BlockerRemoved = "blocker.removed",
    ReviewCreated = "review.created",
    ReviewResubmitted = "review.resubmitted",
    ReviewAdvanced = "review.advanced",
    ReviewApproved = "review.approved",
    ReviewWithdrawn = "review.withdrawn",
    ChangesRequested = "review.changes_requested",
    CommentResolved = "comment.resolved",
    GateAdded = "gate.added",
    GateUpdated = "gate.updated",
    GateRemoved = "gate.removed",
    GateStarted = "gate.started",
    GatePending = "gate.pending",
    GateWaiting = "gate.waiting",
    GatePassed = "gate.passed",
    GateFailed = "gate.failed",
    GateEscalated = "gate.escalated",
    HelpRequested = "help.requested",
    HelpResponded = "help.responded",
    HelpResumed = "help.resumed",
    HelpCancelled = "help.cancelled",
    LearningBubbled = "learning.bubbled",
    RepoRegistered = "repo.registered",
    RepoUnregistered = "repo.unregistered",
    StateRestored = "state.restored",
}

/// One line of the append-only history.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub seq: i64,
    pub id: String,
    pub at: Timestamp,
    pub actor: String,
    pub source: String,
    pub session: String,
    pub correlation_id: Option<String>,
    pub kind: String,
    /// The entity that changed, and its type, so that subscribers can filter by it.
    pub entity: Option<String>,
    pub entity_type: Option<String>,
    pub payload: Json,
}
