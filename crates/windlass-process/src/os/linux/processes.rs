//! What `/proc` shows of processes.

use crate::marks::ProcessStat;

/// What the system knows about the process `pid`; `None` if there is none, or nothing is known.
pub fn process_stat(pid: u32) -> Option<ProcessStat> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may contain anything, so parse after the last parenthesis.
    let rest = stat.rsplit_once(')')?.1;
    let mut fields = rest.split_whitespace();
    Some(ProcessStat {
        has_exited: matches!(fields.next()?, "Z" | "X"),
        started: fields.nth(18)?.parse().ok()?,
    })
}

/// The space in which the numbers of processes mean something: a container has one of its own.
pub fn namespace() -> Option<u64> {
    let link = std::fs::read_link("/proc/self/ns/pid").ok()?;
    let text = link.to_str()?.strip_prefix("pid:[")?.strip_suffix(']')?;
    text.parse().ok()
}

/// The processes of this user with the variables that they were started with, as one text of each.
pub fn environments() -> impl Iterator<Item = (i32, Vec<u8>)> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse::<i32>().ok()?;
        // Only the processes of this user can be read; one that has exited has no environment.
        let environment = std::fs::read(entry.path().join("environ")).ok()?;
        Some((pid, environment))
    })
}
