//! How the things of the lifecycle look in answers, to programs and to people. Statuses are in the
//! words of the SDK.

mod gate;
mod help;
mod learning;
mod repo;
mod review;
mod task;

pub use gate::{GateFailure, GateResultView, GateView, Gates, ReviewGates};
pub use help::{ActiveHelp, HelpPage, HelpView};
pub use learning::{Inherited, LearningView, Learnings};
pub use repo::{RepoView, Repos};
pub use review::{
    ActiveReview, CommentPage, CommentView, ReviewPage, ReviewView, Submitted, failures_of,
};
pub use task::{WorkDetails, WorkPage, WorkTask};

use windlass_core::{EntityId, ErrorKind, Result, Timestamp};
use windlass_store::Reader;

/// The number of a task; none where it was deleted.
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
