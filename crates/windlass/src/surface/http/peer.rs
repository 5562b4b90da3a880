//! Which user is at the other end of a connection from this machine.
//!
//! The system knows who made the client's socket. Where it does not show that, clients must send a
//! token instead.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::net::TcpStream;

use crate::surface::os;

/// A table that changes while it is read may lack a row, so a missing row is looked for again.
const TRIES: u32 = 4;
const TRY_AGAIN_AFTER: Duration = Duration::from_millis(5);

const ROOT: u32 = 0;

/// The other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// A process of the user who runs the server, or of root.
    SameUser,
    /// A process of another user, or of nobody knows whom.
    Other,
    /// Nobody looked, because a token decides.
    NotAsked,
}

/// Finds out who is at the other end of connections.
#[derive(Debug, Clone, Copy)]
pub struct PeerUsers {
    own: u32,
}

impl PeerUsers {
    /// None where this system does not show whose connections they are: the listener itself must be
    /// in the table, under the user of this process.
    pub fn new(listening: SocketAddr) -> Option<Self> {
        let own = rustix::process::geteuid().as_raw();
        let nowhere = SocketAddr::new(unspecified(listening.ip()), 0);
        let is_shown = |attempt: u32| {
            if attempt > 0 {
                std::thread::sleep(TRY_AGAIN_AFTER);
            }
            os::user_of_socket(listening, nowhere) == Some(own)
        };
        ((0..TRIES).any(is_shown) && os::is_real_user(own)).then_some(Self { own })
    }

    /// Looks once for each connection; its requests share the result.
    pub async fn of(self, stream: &TcpStream) -> Peer {
        let (Ok(client), Ok(server)) = (stream.peer_addr(), stream.local_addr()) else {
            return Peer::Other;
        };
        for _ in 0..TRIES {
            let looking = tokio::task::spawn_blocking(move || os::user_of_socket(client, server));
            if let Ok(Some(user)) = looking.await {
                let same = user == self.own || user == ROOT;
                return if same { Peer::SameUser } else { Peer::Other };
            }
            tokio::time::sleep(TRY_AGAIN_AFTER).await;
        }
        Peer::Other
    }
}

fn unspecified(ip: IpAddr) -> IpAddr {
    match ip {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_connection_of_this_process_is_of_the_same_user() {
        for local in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = tokio::net::TcpListener::bind(local).await else {
                continue;
            };
            let listening = listener.local_addr().unwrap();
            let users = PeerUsers::new(listening).unwrap();
            let client = TcpStream::connect(listening).await.unwrap();
            let (accepted, _) = listener.accept().await.unwrap();
            assert_eq!(users.of(&accepted).await, Peer::SameUser);
            // The client is gone: whose it was cannot be known any more.
            drop(client);
            assert_eq!(users.of(&accepted).await, Peer::Other);
        }
    }
}
