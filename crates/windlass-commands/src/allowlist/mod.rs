//! What a human allowed. Errors can only make it stricter: a file that does not parse allows
//! nothing, and no path tricks can widen a grant.

mod decide;
mod edit;
mod entry;
mod file;
mod granted;
mod system;
mod trust;

pub use decide::{Decision, Reason};
pub use edit::{EditError, Removed, allow, deny, grant, revoke};
pub use entry::{Entry, Pin, Scope};
pub use file::{Allowlist, AllowlistError};
pub use granted::{GrantedFile, GrantedText};
pub use system::prepare as prepare_system_list;
pub use trust::Owner;
