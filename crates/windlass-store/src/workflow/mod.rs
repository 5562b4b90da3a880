//! The work lifecycle on record: reviews, gates and their results, help requests, repos, and the
//! acts that move a task. Each act is one transaction with its events; what is possible is decided by
//! the rules of the core.

mod attempts;
mod comments;
mod gates;
mod guard;
mod help;
mod hierarchy;
mod learnings;
mod lifecycle;
mod local;
mod repos;
mod results;
mod reviews;
mod submission;

pub use comments::{Comment, NewComment};
pub use gates::{EffectiveGate, Gate, GateScope};
pub(crate) use guard::Mover;
pub use help::{HelpFilter, HelpRequest};
pub(crate) use hierarchy::KIND;
pub use hierarchy::Place;
pub use learnings::TaskLearning;
pub use lifecycle::WorkPlace;
pub use repos::Repo;
pub use results::{GateEnd, GateResult};
pub use reviews::{Review, ReviewFilter};
pub use submission::Submission;
