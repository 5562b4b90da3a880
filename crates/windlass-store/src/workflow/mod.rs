//! The stored work lifecycle: reviews, gates and their results, help requests, repositories, and
//! the actions that move a task. Each action is one transaction with its events; the rules of
//! windlass-core decide what is allowed.

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

pub(crate) use attempts::end_of;
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
