//! Toolset `workflow`: the work lifecycle as plain tools. Tasks from start to done, reviews, gates,
//! help from people, learnings, repos and the history. One operation per file.

mod common;
mod events;
mod gates;
mod handover;
mod help;
mod history;
mod learnings;
mod outputs;
mod repos;
mod reviews;
mod tasks;

pub(crate) use common::{check_open, task as task_named};
pub use events::{EventReplay, EventSubscribe};
pub(crate) use gates::wait_for as wait_for_gates;
pub(crate) use gates::{GATES_FILE, file_gates, gates_file_text};
pub use gates::{
    GateAdd, GateAllow, GateGetEffective, GateList, GateRemove, GateRerun, GateResults, GateTry,
    GateUpdate,
};
pub use gates::{abandoned_reviews, look_after as look_after_gates, take_over as take_over_gates};
pub(crate) use handover::Handover;
pub use help::{HelpGetActive, HelpList, HelpRequest, HelpRespond, HelpResume};
pub use learnings::{LearningAdd, LearningGetInherited, LearningList};
pub(crate) use outputs::{
    GateFailure, GateOutput, GateResultOutput, HelpOutput, Inherited, ReviewCommentOutput,
    ReviewOutput, failures_of,
};
pub use repos::{RepoGet, RepoGetByPath, RepoList, RepoRegister, RepoUnregister};
pub use reviews::{
    ReviewApprove, ReviewComment, ReviewGet, ReviewGetActive, ReviewList, ReviewListComments,
    ReviewRequestChanges, ReviewResolveComment, ReviewShow,
};
pub use tasks::{
    WorkBlock, WorkCancel, WorkCreate, WorkDelete, WorkForceComplete, WorkGet, WorkList,
    WorkNextReady, WorkProgress, WorkSetStatus, WorkStart, WorkSubmit, WorkTree, WorkUnblock,
    WorkUpdate,
};
