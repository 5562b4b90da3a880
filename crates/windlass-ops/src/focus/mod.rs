//! Toolset `focus`: eight words by which an agent answers for the one task of its session. One a
//! file.

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
