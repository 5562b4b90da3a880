//! Playbooks: RunSpecs with a name and variables, three of them built in, the others files of the
//! project in `.windlass/playbooks/`.
//!
//! `${name}` in a string of the spec is replaced by a variable; `$${` stands for a literal `${`
//! that the shell should see. The value of a variable never becomes part of a shell script: in a
//! command, `${name}` is replaced by a reference to an environment variable with the value, so that
//! `; rm -rf x` stays a plain string. As always in a shell, quote it (`"${name}"`), or its value is
//! split into words: a caller's value with spaces is then refused, and `playbook_check` warns.
//! Between single quotes it is not expanded. A caller's value that begins with a dash where a word
//! begins is refused unless the variable has a `pattern`. The author must avoid whatever evaluates
//! strings again (`eval`, `$((…))`, source code of another interpreter), or restrict values with
//! the variable's `pattern`.

mod builtin;
mod document;
mod expand;
mod file;
mod library;
mod playbook;
mod quoting;
mod words;

pub use file::{Problem, fingerprint};
pub use library::{FOLDER, NotFound, Playbooks};
pub use playbook::{Changed, InstantiateError, Playbook, PlaybookSummary, Source, Variable};
