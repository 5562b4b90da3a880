//! Which sockets listen, and who has them open.

use std::fs;

use super::descendants;

/// The sockets that listen on `port`, or `None` if it cannot be determined.
pub fn listening_sockets(pid: i32, port: u16) -> Option<Vec<u64>> {
    let tables =
        ["tcp", "tcp6"].map(|table| fs::read_to_string(format!("/proc/{pid}/net/{table}")));
    if tables.iter().all(Result::is_err) {
        return None;
    }
    Some(
        tables
            .iter()
            .flatten()
            .flat_map(|table| listening(table, port))
            .collect(),
    )
}

/// Whether a descendant of `shim` has one of `sockets` open.
pub fn holds_any(shim: i32, sockets: &[u64]) -> bool {
    let names: Vec<String> = sockets
        .iter()
        .map(|inode| format!("socket:[{inode}]"))
        .collect();
    descendants(shim).into_iter().any(|pid| {
        let Ok(descriptors) = fs::read_dir(format!("/proc/{pid}/fd")) else {
            return false;
        };
        descriptors
            .flatten()
            .filter_map(|descriptor| fs::read_link(descriptor.path()).ok())
            .any(|target| names.iter().any(|name| target.as_os_str() == name.as_str()))
    })
}

/// The inodes of the sockets in a table that listen on `port` and are reachable through
/// loopback.
fn listening(table: &str, port: u16) -> Vec<u64> {
    const LISTEN: &str = "0A";
    let port = format!("{port:04X}");
    table
        .lines()
        .skip(1)
        .filter_map(|line| {
            let fields: Vec<&str> = line.split_ascii_whitespace().collect();
            let (address, local_port) = fields.get(1)?.split_once(':')?;
            let is_it = local_port == port && *fields.get(3)? == LISTEN && is_reachable(address);
            is_it.then(|| fields.get(9)?.parse().ok()).flatten()
        })
        .collect()
}

/// Addresses are in the byte order of the machine, in groups of four bytes.
fn is_reachable(address: &str) -> bool {
    let any = address.bytes().all(|digit| digit == b'0');
    let loopback4 = address.len() == 8 && address.ends_with("7F");
    let loopback6 = address == "00000000000000000000000001000000";
    let mapped = address.starts_with("0000000000000000FFFF0000") && address.ends_with("7F");
    any || loopback4 || loopback6 || mapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listeners_reachable_through_loopback_are_found() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
            0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 1000 0 11 1\n\
            1: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 1000 0 12 1\n\
            2: 0A00000A:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 1000 0 13 1\n\
            3: 0100007F:1F90 0100007F:A000 01 00000000:00000000 00:00000000 00000000 1000 0 14 1\n\
            4: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000 1000 0 15 1\n\
            5: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 0:0 0:0 0 0 0 16 1\n\
            broken\n";
        assert_eq!(listening(table, 8080), [11, 12, 16]);
        assert_eq!(listening(table, 8081), [15]);
        assert_eq!(listening("", 1), [0_u64; 0]);
    }
}
