//! The project's state: SQLite and Loro behind one API. No other crate uses either.
//!
//! The source of truth is one small Loro document per entity, stored as a blob beside its row. A
//! write loads one document, changes it, and in ONE transaction stores the document, the row, the
//! search index, the relations, the event and the update that other clones will get. Reads use only
//! the rows.

mod binding;
mod changes;
mod check;
mod claims;
mod connection;
mod document;
mod entities;
mod error;
mod events;
mod exchange;
mod files;
mod graph;
mod health;
mod history;
mod jobs;
mod links;
mod migrations;
mod names;
mod private_files;
mod project;
mod queue;
mod reader;
mod readers;
mod rebuild;
mod records;
mod relations;
mod rescue;
mod resolve;
mod rows;
mod runs;
mod search;
mod servers;
mod sessions;
mod snippet;
mod statistics;
mod store;
mod task_filter;
mod task_graph;
mod task_list;
mod trust;
mod workflow;
mod worktree;
mod writer;

pub use binding::{Bindings, Foreign, Standing};
pub use changes::{Changed, Changes};
pub use check::Repair;
pub use claims::{Claim, DEFAULT_LEASE_SECONDS, MAX_LEASE_SECONDS, SERVER_LEASE_SECONDS};
pub use entities::EntityFilter;
pub use events::EventFilter;
pub use exchange::{ImportReport, Outbox, Update};
pub use graph::{Direction, MAX_PATH_DEPTH, RelationRow};
pub use health::Versions;
pub use jobs::{JobEnd, JobFilter, JobRecord, NewJob};
pub use links::{Link, LinkedTask};
pub use project::{Project, STATE_DIRECTORY, WINDLASS_DIRECTORY};
pub use queue::{Blocker, QueuedTask};
pub use reader::Reader;
pub use records::{AttachedRecord, Collection, RecordEdit};
pub use rescue::rescued_copies;
pub use runs::{NewRun, RunFilter, StoredRun};
pub use search::{Hit, SearchFilter};
pub use servers::{Agent, Server, ServerRecord};
pub use sessions::{NewSession, SessionEnd, SessionRecord, Signal};
pub use statistics::{Statistics, TaskCount};
pub use store::{StateReader, Store};
pub use task_filter::{Due, TaskFilter, TaskOrder};
pub use task_graph::Wait;
pub use task_list::ListedTask;
pub use workflow::{
    Comment, EffectiveGate, Gate, GateEnd, GateResult, GateScope, HelpFilter, HelpRequest,
    NewComment, Place, Repo, Review, ReviewFilter, Submission, TaskLearning, WorkPlace,
};
pub use writer::Writer;
