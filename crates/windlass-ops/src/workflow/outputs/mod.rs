//! The outputs of the workflow operations, for programs and for people. Statuses have their SDK
//! names.

mod comment;
mod gate;
mod help;
mod learning;
mod repo;
mod result;
mod review;
mod submitted;
mod task;

pub use comment::{CommentPage, ReviewCommentOutput};
pub use gate::{GateOutput, Gates};
pub use help::{ActiveHelp, HelpOutput, HelpPage};
pub use learning::{Inherited, Learnings, TaskLearningOutput};
pub use repo::{RepoOutput, Repos};
pub use result::{GateFailure, GateResultOutput, ReviewGates, streams, tail};
pub use review::{ActiveReview, ReviewOutput, ReviewPage};
pub use submitted::{Submitted, failures_of};
pub use task::{WorkDetails, WorkPage, WorkTask};

use windlass_core::{EntityId, ErrorKind, Result, Timestamp};
use windlass_store::Reader;

/// The number of a task; none if it was deleted.
fn task_number(reader: &Reader<'_>, task: &EntityId) -> Result<Option<i64>> {
    match reader.entity(task) {
        Ok(task) => Ok(Some(task.number)),
        Err(error) if error.kind() == ErrorKind::EntityNotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn moment(at: Option<&Timestamp>) -> Option<String> {
    at.map(|at| at.as_str().to_owned())
}
