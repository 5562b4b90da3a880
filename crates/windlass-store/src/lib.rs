//! The project's state: SQLite and Loro behind one API. No other crate uses either.
//!
//! The source of truth is one small Loro document per entity, stored as a blob beside its row. A
//! write loads one document, changes it, and in ONE transaction stores the document, the row, the
//! search index, the relations, the event and the update that other clones will get. Reads use only
//! the rows.

mod backup;
mod binding;
mod carried;
mod changes;
mod check;
mod checkpoints;
mod claims;
mod common_words;
mod connection;
mod damage;
mod document;
mod entities;
mod error;
mod events;
mod exchange;
mod files;
mod graph;
mod health;
mod history;
mod imports;
#[cfg(test)]
mod interleavings;
mod jobs;
mod journal;
mod keyed;
mod links;
mod locks;
mod memory_uses;
#[cfg(test)]
mod migration_tests;
mod migrations;
mod names;
mod os;
mod packs;
mod private_files;
mod project;
mod queue;
mod reader;
mod readers;
mod rebuild;
mod records;
mod relations;
mod remote_claims;
mod remotes;
mod replaced;
mod rescue;
mod resolve;
mod restore;
mod revive;
mod rows;
mod runs;
mod salvage;
mod search;
mod servers;
mod sessions;
mod settled_names;
mod settled_numbers;
mod settlement;
mod shared_commit;
mod snippet;
mod statistics;
mod store;
mod task_filter;
mod task_graph;
mod task_list;
mod trust;
mod turns;
mod undo;
mod unspaced;
mod vectors;
mod word_index;
mod workflow;
mod worktree;
mod writer;

pub use backup::{Overwrite, StateCopy, copies_of, examine};
pub use binding::{Bindings, Foreign, Standing};
pub use carried::WorkRenumbered;
pub use changes::{Changed, Changes};
pub use check::Repair;
pub use claims::{
    Claim, DEFAULT_LEASE_SECONDS, MAX_LEASE_SECONDS, PERSON_LEASE_SECONDS, SERVER_LEASE_SECONDS,
};
pub use entities::EntityFilter;
pub use events::EventFilter;
pub use exchange::{ImportReport, Outbox, Update};
pub use graph::{Direction, MAX_PATH_DEPTH, RelationRow};
pub use health::Versions;
pub use imports::{Imported, Known};
pub use jobs::{JobEnd, JobFilter, JobRecord, NewJob};
pub use journal::{JournalEntry, JournalKind};
pub use keyed::{EarlierCall, Keyed, KeyedCall, is_in_keyed_call};
pub use links::{Link, LinkedTask};
pub use memory_uses::MemoryUse;
pub use packs::{
    MAX_PACK_BYTES, OutgoingPack, PACK_EXTENSION, PACK_VERSION, Pack, PackName, PackOutcome,
    examine_pack, wait_for_locks_at_most,
};
pub use project::{Project, STATE_DIRECTORY, WINDLASS_DIRECTORY};
pub use queue::{Blocker, QueuedTask};
pub use reader::Reader;
pub use records::{AttachedRecord, Collection, RecordEdit};
pub use remote_claims::{RemoteClaim, RemoteClaimState, needed_remote_claim};
pub use remotes::{RemoteProgress, RemoteState};
pub use replaced::Difference;
pub use rescue::rescued_copies;
pub use restore::{Restored, Restoring};
pub use revive::Revived;
pub use runs::{NewRun, RunFilter, StoredRun};
pub use salvage::{Salvaged, salvage};
pub use search::{Hit, SearchFilter, SearchWord, search_words};
pub use servers::{Agent, Server, ServerRecord};
pub use sessions::{NewSession, SessionEnd, SessionRecord, Signal};
pub use settled_names::Renamed;
pub use statistics::{Statistics, TaskCount};
pub use store::{StateReader, Store};
pub use task_filter::{Due, TaskFilter, TaskOrder};
pub use task_graph::Wait;
pub use task_list::ListedTask;
pub use undo::{Undo, Undone};
pub use vectors::{EmbeddedPiece, Unembedded, VectorFile, VectorPlace, text_digest};
pub use workflow::{
    Comment, EffectiveGate, Gate, GateEnd, GateResult, GateScope, HelpFilter, HelpRequest,
    NewComment, Place, Repo, Review, ReviewFilter, Submission, TaskLearning, WorkPlace,
};
pub use writer::Writer;
