//! Who is a person. Everything that only a person may do asks [`check`], on every surface that a
//! person can use; MCP, HTTP and scripts never have a person's rights.
//!
//! A person has the terminal that controls the process; no variable of an agent is set; and no
//! process that led to this one is an agent, a server of Windlass, a job or a gate, or had such a
//! variable when it was started. So `env -u CLAUDECODE`, `script`, a pseudoterminal of Python, a
//! `tmux` server and `setsid` change nothing. What this cannot see is said in
//! `docs/guide/security.md`: a program of the same user that cuts itself off from everything that
//! started it.
//!
//! Where a system does not show what led to this process (`surface/os`), its terminal and its
//! variables decide alone.

mod agents;
mod decide;
mod processes;

pub use agents::{AGENTS, Agent};
pub use decide::NotAPerson;
pub use processes::{Process, names_of};

use decide::{Facts, Terminal};

use super::environment::Environment;
use super::os;

/// Whether a person runs this process, and if not, what shows it.
pub fn check(environment: &Environment) -> Result<(), NotAPerson> {
    let terminal = Terminal::of_process();
    // Nobody is kept waiting for what the terminal has decided already.
    let ancestors = match terminal {
        Terminal::Controlling => os::ancestors(),
        Terminal::Missing | Terminal::Foreign => Ok(Vec::new()),
    };
    decide::decide(&Facts {
        terminal,
        variables: environment.names(),
        ancestors,
    })
}
