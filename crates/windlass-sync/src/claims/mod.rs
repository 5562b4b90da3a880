//! Who works on a task, across machines: leases on a remote.
//!
//! A lease is a row of objects, `claims/<task>/<generation>`, of which the one with the highest number
//! counts. Taking, renewing and giving back each create the next one, and creating is atomic on every
//! store (`PutMode::Create`), also in a folder: of several that try, one succeeds. An empty object is a
//! lease that was given back.
//!
//! Older generations are removed by the holder. Somebody who looked before that may then create one
//! that is long past, so whoever takes a lease looks once more: it counts only if nothing is there that
//! was not there before. Of two that create something and then look, at least one sees the other.
//!
//! Clocks of machines are never compared with each other. Whether a lease has expired is decided by
//! the times that the store itself gave its objects.

mod leases;
mod record;

pub use leases::{Acquired, Busy, Leases, Renewed};
pub use record::{Holder, LeaseRecord};
