//! Object storage: where it is, and the client for it.
//!
//! Artifacts of runs and the exchange of packs both keep their objects in a folder or in a bucket.
//! What they store there is theirs; this crate only finds the place.

mod location;
mod open;

pub use location::{Location, LocationError, Provider};
pub use open::{Opened, Patience};
