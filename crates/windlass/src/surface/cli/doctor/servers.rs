//! Servers that run now, and whether they are of this version.

use windlass_ops::{RunningServer, running_servers};
use windlass_store::Store;

use super::check::{Check, counted};
use super::state;

const THIS: &str = env!("CARGO_PKG_VERSION");

pub fn versions(store: &Store) -> Check {
    match running_servers(store) {
        Ok(servers) => compared(&servers),
        Err(error) => state::unreadable("servers", &error),
    }
}

fn compared(servers: &[RunningServer]) -> Check {
    let is_other = |server: &&RunningServer| server.version.as_deref() != Some(THIS);
    let others: Vec<String> = servers.iter().filter(is_other).map(described).collect();
    if others.is_empty() {
        let message = match servers.len() {
            0 => "No server runs".to_owned(),
            count => format!("{}, all of this version", counted(count, "running server")),
        };
        return Check::ok("servers", message);
    }
    Check::warning(
        "servers",
        format!("Not of this version ({THIS}): {}", others.join(", ")),
        "Restart the clients that started them, so that they start this version. Until then a server may \
         not know new tools and settings, and refuses a database that a newer version upgraded.",
    )
}

/// `0.1.0 on stdio (process 4711)`.
fn described(server: &RunningServer) -> String {
    let version = server.version.as_deref().unwrap_or("unknown version");
    format!("{version} on {} (process {})", server.surface, server.pid)
}

#[cfg(test)]
mod tests {
    use super::super::check::Status;
    use super::*;

    fn server(version: Option<&str>) -> RunningServer {
        RunningServer {
            pid: 7,
            version: version.map(str::to_owned),
            surface: "stdio".to_owned(),
        }
    }

    #[test]
    fn servers_of_other_versions_are_named() {
        assert_eq!(compared(&[]).status, Status::Ok);
        assert_eq!(compared(&[server(Some(THIS))]).status, Status::Ok);
        let mixed = [server(Some(THIS)), server(Some("0.0.9")), server(None)];
        let check = compared(&mixed);
        assert_eq!(check.status, Status::Warning);
        let named = "0.0.9 on stdio (process 7), unknown version on stdio (process 7)";
        assert!(check.message.ends_with(named), "{}", check.message);
    }
}
