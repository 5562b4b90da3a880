//! What a human allowed. Reading it can only ever refuse: a file that does not parse allows nothing,
//! and no trick with a path makes a grant wider than what it names.

mod decide;
mod edit;
mod entry;
mod file;

pub use decide::{Decision, Reason};
pub use edit::{EditError, allow, deny, revoke};
pub use entry::{Entry, Scope};
pub use file::{Allowlist, AllowlistError};
