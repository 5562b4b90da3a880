//! Which process listens on a port of this machine.

use std::time::Duration;

use crate::os;

/// The polling interval; the system does not notify when a port is opened.
pub const POLL_INTERVAL: Duration = Duration::from_millis(25);

/// Who listens on a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listener {
    /// No process.
    None,
    /// A process of the job.
    Job,
    /// A process that does not belong to the job.
    Another,
    /// Some process, but it is unknown which.
    Unknown,
}

/// Who listens on `port`, seen from the network namespace of process `pid`. All processes of the
/// job are descendants of `shim`.
pub async fn listener(pid: i32, shim: Option<i32>, port: u16) -> Listener {
    match os::listening_sockets(pid, port) {
        Some(sockets) if sockets.is_empty() => Listener::None,
        Some(sockets) => match shim {
            Some(shim) if os::holds_any(shim, &sockets) => Listener::Job,
            Some(_) => Listener::Another,
            None => Listener::Unknown,
        },
        None => match tokio::net::TcpStream::connect(("127.0.0.1", port)).await {
            Ok(_) => Listener::Unknown,
            Err(_) => Listener::None,
        },
    }
}
