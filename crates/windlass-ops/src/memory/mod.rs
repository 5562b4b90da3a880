//! A memory that stays true: notes and learnings, whether they still hold, how often they are used,
//! and which of them say the same.
//!
//! Nothing is merged or removed by itself: what looks wrong is shown to whoever asks, and they decide.

mod duplicates;
mod items;
mod marks;
mod memory_confirm;
mod memory_list;
mod memory_retire;
mod reference;

pub use duplicates::{Similar, similar_to};
pub use items::{MemoryItem, all as memory_items, truth_of};
pub use marks::ProjectLearning;
pub(crate) use marks::learnings as marked_learnings;
pub use memory_confirm::MemoryConfirm;
pub use memory_list::MemoryList;
pub use memory_retire::MemoryRetire;
pub use reference::{Reference, retire};
