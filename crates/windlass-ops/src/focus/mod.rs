//! Toolset `focus`: the tools of an agent that works on one task: done, partial, stuck, ask, blocked,
//! flag, learned and suggest. One per file.

mod ask;
mod blocked;
mod done;
mod flag;
mod learned;
mod partial;
mod signal;
mod stuck;
mod suggest;

pub use ask::Ask;
pub use blocked::Blocked;
pub use done::Done;
pub use flag::Flag;
pub use learned::Learned;
pub use partial::Partial;
pub use stuck::Stuck;
pub use suggest::Suggest;
