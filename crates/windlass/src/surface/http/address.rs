//! The listening address, and the errors when it cannot be used.

use std::io::ErrorKind as IoErrorKind;
use std::net::{IpAddr, SocketAddr, TcpListener, ToSocketAddrs};

use windlass_core::{Error, ErrorKind, Result};

const EXAMPLES: &str =
    "For example: --http 127.0.0.1:3002, or --http 127.0.0.1:0 for any free port.";

/// Listens at an address. A port alone means this machine only.
pub fn listen(text: &str) -> Result<TcpListener> {
    let addresses = resolve(text)?;
    let listener = TcpListener::bind(addresses.as_slice())
        .map_err(|problem| cannot_listen(text, problem.kind(), &problem.to_string()))?;
    // The runtime waits for it; a blocking listener would stop a whole thread.
    listener
        .set_nonblocking(true)
        .map_err(|problem| cannot_listen(text, problem.kind(), &problem.to_string()))?;
    Ok(listener)
}

fn resolve(text: &str) -> Result<Vec<SocketAddr>> {
    if let Ok(port) = text.parse::<u16>() {
        return Ok(vec![SocketAddr::from(([127, 0, 0, 1], port))]);
    }
    let wrong = |why: &str| {
        setting(format!("--http: \"{text}\" is not an address: {why}")).with_hint(EXAMPLES)
    };
    if text.starts_with(':') {
        return Err(wrong("which interface is missing"));
    }
    match text.to_socket_addrs() {
        Ok(addresses) => Ok(addresses.collect()),
        Err(problem) if problem.kind() == IoErrorKind::InvalidInput => {
            Err(wrong(&problem.to_string()))
        }
        Err(_) => Err(wrong("no such host")),
    }
}

fn cannot_listen(text: &str, kind: IoErrorKind, problem: &str) -> Error {
    let (why, hint) = match kind {
        IoErrorKind::AddrInUse => (
            "the port is in use",
            "Perhaps another windlass serve has it. Choose another port, or 0 for any free one.",
        ),
        IoErrorKind::PermissionDenied => (
            "permission denied",
            "Ports below 1024 need special rights. Choose a higher one.",
        ),
        IoErrorKind::AddrNotAvailable => (
            "no interface of this machine has that address",
            "Use 127.0.0.1 for this machine only, or 0.0.0.0 for every interface.",
        ),
        _ => (problem, EXAMPLES),
    };
    setting(format!("Cannot listen on {text}: {why}")).with_hint(hint)
}

/// Whether only this machine can reach the address.
pub fn is_local(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

fn setting(message: String) -> Error {
    Error::new(ErrorKind::InvalidConfig, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_alone_is_this_machine_only() {
        let shown: Vec<String> = resolve("3002")
            .unwrap()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(shown, ["127.0.0.1:3002"]);
        assert_eq!(resolve("[::1]:80").unwrap()[0].port(), 80);
    }

    #[test]
    fn what_is_no_address_is_refused_with_an_example() {
        for (text, why) in [
            ("", "invalid socket address"),
            ("localhost", "invalid socket address"),
            ("127.0.0.1:99999", "invalid port value"),
            (":3002", "which interface is missing"),
            ("no.such.host.invalid:80", "no such host"),
        ] {
            let error = resolve(text).unwrap_err();
            let message = format!("--http: \"{text}\" is not an address: {why}");
            assert_eq!(error.message(), message);
            assert_eq!(error.hint(), Some(EXAMPLES));
        }
    }

    #[test]
    fn a_port_in_use_is_named() {
        let first = listen("127.0.0.1:0").unwrap();
        let address = first.local_addr().unwrap().to_string();
        let error = listen(&address).unwrap_err();
        assert_eq!(
            error.message(),
            format!("Cannot listen on {address}: the port is in use")
        );
        let elsewhere = listen("192.0.2.1:80").unwrap_err();
        assert!(
            elsewhere.message().ends_with("has that address"),
            "{elsewhere}"
        );
    }

    #[test]
    fn loopback_in_every_notation() {
        for (address, local) in [
            ("127.0.0.1", true),
            ("127.9.9.9", true),
            ("::1", true),
            ("::ffff:127.0.0.1", true),
            ("0.0.0.0", false),
            ("::", false),
            ("10.0.0.1", false),
        ] {
            assert_eq!(is_local(address.parse().unwrap()), local, "{address}");
        }
    }
}
