//! Playbooks: RunSpecs with a name and variables, three of them built in, the others files of the
//! project in `.windlass/playbooks/`.
//!
//! `${name}` in a text of the spec stands for a variable; `$${` is a plain `${`, for what the shell
//! shall see. A variable never becomes part of a shell text: in a command it is replaced by a
//! reference to an environment variable that holds its value, so that `; rm -rf x` stays a text. As
//! always in a shell, quote it (`"${name}"`) where it shall stay one word; between single quotes it is
//! not replaced. What evaluates texts again (`eval`, `$((…))`, another interpreter's source) is the
//! author's to avoid, or to guard with the variable's `pattern`.

mod builtin;
mod document;
mod expand;
mod file;
mod library;
mod playbook;

pub use file::{Problem, fingerprint};
pub use library::{FOLDER, NotFound, Playbooks};
pub use playbook::{Changed, InstantiateError, Playbook, PlaybookSummary, Source, Variable};
