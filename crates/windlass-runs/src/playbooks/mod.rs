//! Playbooks: RunSpecs with a name and variables, three of them built in, the others files of the
//! project in `.windlass/playbooks/`.
//!
//! `${name}` in a string of the spec is replaced by a variable; `$${` stands for a literal `${`
//! that the shell should see. The value of a variable never becomes part of a shell script: in a
//! command, `${name}` is replaced by a reference to an environment variable with the value, so that
//! `; rm -rf x` stays a plain string. As always in a shell, quote it (`"${name}"`) if it must stay
//! one word; between single quotes it is not expanded. The author must avoid whatever evaluates
//! strings again (`eval`, `$((…))`, source code of another interpreter), or restrict values with
//! the variable's `pattern`.

mod builtin;
mod document;
mod expand;
mod file;
mod library;
mod playbook;

pub use file::{Problem, fingerprint};
pub use library::{FOLDER, NotFound, Playbooks};
pub use playbook::{Changed, InstantiateError, Playbook, PlaybookSummary, Source, Variable};
