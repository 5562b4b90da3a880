//! Object storage that this project shares with other machines: `[sync] remote`.
//!
//! `shared.rs` is the connection of this process, `exchange.rs` one exchange of packs, `claiming.rs` how a
//! task is claimed on the remote before it is claimed here, `upkeep.rs` what becomes of such claims
//! later, `background.rs` what a server does by itself.

mod background;
mod claiming;
mod exchange;
mod outputs;
mod shared;
mod upkeep;

pub use background::{Synced, keep_syncing};
pub use claiming::Claimed;
pub use exchange::exchange_with;
pub use outputs::{RemoteStatus, RemoteSync};
pub use shared::SharedRemote;
pub use upkeep::{has_to_settle, settle, settle_at_the_end};
