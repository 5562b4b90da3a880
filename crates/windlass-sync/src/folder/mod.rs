//! The packs of a checkout: the folder `.windlass/packs/`, which git carries from clone to clone.
//!
//! Files are only added, under the name of their content, and removed when a compaction has replaced
//! them: so git never has two versions of one file to merge. Whoever can write into the repository can
//! put anything there, so that nothing in it is believed before the store has checked it.

mod check;
mod exchange;
mod names;
mod place;
mod refused;

pub use check::{Difference, StatePacks};
pub use exchange::{Compaction, Exchange, Imported, Synced, WrittenPack};
pub use place::{Listing, Odd, PACKS, PacksFolder};
pub use refused::Refused;
