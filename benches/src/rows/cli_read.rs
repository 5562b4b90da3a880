//! A complete CLI command, against the `sqlite3` shell with the same query.

use std::process::{Command, Stdio};

use crate::harness::{Measured, Outcome, Rounds, Row};
use crate::places::{Places, state_home};

pub const ROW: Row = Row {
    name: "cli_read",
    about: "windlass tasks next as a process, 10,000 tasks, against the sqlite3 shell",
    limit: 1.3,
    measure,
};

/// The query of `tasks next`.
const QUERY: &str = "SELECT e.* FROM entities e
    LEFT JOIN claims c ON c.id = e.id AND c.expires_at > unixepoch() * 1000
    WHERE e.queue = 1 AND (c.owner IS NULL OR c.owner = 'bench')
    ORDER BY e.priority, ifnull(e.due_date, '9999-12-32'), e.number LIMIT 1";

fn measure(places: &Places, rounds: Rounds) -> Outcome<Measured> {
    let project = places.project(10_000)?;
    rounds.compare(
        20,
        10,
        || {
            run(Command::new(&places.windlass)
                .args(["tasks", "next"])
                .current_dir(project.root())
                .env("XDG_STATE_HOME", state_home()))
        },
        || run(Command::new("sqlite3").arg(project.database()).arg(QUERY)),
    )
}

fn run(command: &mut Command) -> Outcome {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|problem| format!("{}: {problem}", command.get_program().display()))?;
    if !output.status.success() || output.stdout.is_empty() {
        let problem = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("{}: {problem}", command.get_program().display()).into());
    }
    Ok(())
}
