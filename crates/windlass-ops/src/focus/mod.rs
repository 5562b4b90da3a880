//! Toolset `focus`: the loop of an agent that works on one task: begin, done, partial, stuck, ask,
//! blocked, flag, learned and suggest. One per file.

mod ask;
mod begin;
mod blocked;
mod closing;
mod current;
mod done;
mod flag;
mod learned;
mod partial;
mod signal;
mod stuck;
mod suggest;

pub use ask::Ask;
pub use begin::Begin;
pub(crate) use begin::own_briefing;
pub use blocked::Blocked;
pub(crate) use closing::Closing;
pub(crate) use current::Current;
pub use done::Done;
pub use flag::Flag;
pub use learned::Learned;
pub use partial::Partial;
pub use stuck::Stuck;
pub use suggest::Suggest;
