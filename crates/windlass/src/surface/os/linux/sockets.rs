//! Whose sockets those of this machine are: the kernel's table of TCP sockets has a row for each, with
//! the user who made it.

use std::net::{IpAddr, SocketAddr};

/// The tables for both families; an IPv4 address may be in either.
const TABLES: &[&str] = &["/proc/net/tcp", "/proc/net/tcp6"];

/// What the kernel shows for users that do not exist in this container.
const NOBODY: u32 = 65534;

/// All users that a container does not know look the same, so such a user cannot be told from others.
pub fn is_real_user(user: u32) -> bool {
    if user != NOBODY {
        return true;
    }
    let map = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    map.lines().any(|line| {
        let mut numbers = line.split_whitespace().map(|word| word.parse::<u64>().ok());
        match (numbers.next(), numbers.nth(1)) {
            (Some(Some(first)), Some(Some(count))) => {
                (first..first + count).contains(&u64::from(user))
            }
            _ => false,
        }
    })
}

/// The user of the socket between these addresses, seen from the first; none if it is not shown.
pub fn user_of_socket(own: SocketAddr, other: SocketAddr) -> Option<u32> {
    TABLES.iter().find_map(|table| {
        let text = std::fs::read_to_string(table).ok()?;
        user_in(&text, own, other)
    })
}

/// The same, from one table.
fn user_in(table: &str, own: SocketAddr, other: SocketAddr) -> Option<u32> {
    let plain = |address: SocketAddr| (address.ip().to_canonical(), address.port());
    table.lines().skip(1).find_map(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        if address(fields.next()?)? != plain(own) || address(fields.next()?)? != plain(other) {
            return None;
        }
        let user = fields.nth(4)?.parse().ok()?;
        // A socket that no process has any more is shown as root's.
        let socket: u64 = fields.nth(1)?.parse().ok()?;
        (socket != 0).then_some(user)
    })
}

/// `0100007F:0BBA`: words of four bytes in the order of this machine.
fn address(text: &str) -> Option<(IpAddr, u16)> {
    let (ip, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let mut bytes = Vec::with_capacity(16);
    for start in (0..ip.len()).step_by(8) {
        let word = u32::from_str_radix(ip.get(start..start + 8)?, 16).ok()?;
        bytes.extend(word.to_ne_bytes());
    }
    let ip: IpAddr = match bytes.len() {
        4 => <[u8; 4]>::try_from(bytes).ok()?.into(),
        16 => <[u8; 16]>::try_from(bytes).ok()?.into(),
        _ => return None,
    };
    Some((ip.to_canonical(), port))
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;

    use super::*;

    const TABLE: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0BBA 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4101 1 0 100 0 0 10 0
   1: 0100007F:0BBA 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 4102 1 0 20 4 30 10 -1
   2: 0100007F:9C40 0100007F:0BBA 01 00000000:00000000 00:00000000 00000000  1001        0 4103 1 0 20 4 30 10 -1
   3: 0100007F:9C41 0100007F:0BBA 05 00000000:00000000 00:00000000 00000000     0        0 0 1 0 20 4 30 10 -1
   4: 0100007F:9C42 0100007F:0BBB 01 00000000:00000000 00:00000000 00000000  1000        0 4105 1 0 20 4 30 10 -1
";

    #[test]
    fn the_row_of_the_client_counts() {
        let server: SocketAddr = "127.0.0.1:3002".parse().unwrap();
        for (client, user) in [
            ("127.0.0.1:40000", Some(1001)),
            // Closed by its process: shown as root's, and so not believed.
            ("127.0.0.1:40001", None),
            // A connection to another server.
            ("127.0.0.1:40002", None),
            ("[::ffff:127.0.0.1]:40000", Some(1001)),
            ("127.0.0.2:40000", None),
        ] {
            assert_eq!(
                user_in(TABLE, client.parse().unwrap(), server),
                user,
                "{client}"
            );
        }
    }

    #[test]
    fn addresses_of_both_families() {
        let mapped = "0000000000000000FFFF00000100007F:0050";
        assert_eq!(address(mapped), Some(([127, 0, 0, 1].into(), 80)));
        let own = address("00000000000000000000000001000000:0051");
        assert_eq!(own, Some((Ipv6Addr::LOCALHOST.into(), 81)));
        assert_eq!(address("0100007F"), None);
        assert_eq!(address("01:0050"), None);
    }
}
