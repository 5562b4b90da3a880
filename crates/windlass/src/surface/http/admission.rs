//! Which requests are accepted: checks the Host and Origin headers, the user who connects, and the
//! token.
//!
//! A server on this machine is reachable from every web page that its owner visits. A page can
//! point its own host name at 127.0.0.1, so Host is checked; and it can send cross-origin requests,
//! so Origin is checked. Other users of this machine can connect too: without a token, only the user
//! who runs the server is served. If other machines can reach the server, a token is required.

use std::fmt;
use std::net::IpAddr;

use axum::http::header::{AUTHORIZATION, HOST, ORIGIN, WWW_AUTHENTICATE};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::Response;
use subtle::ConstantTimeEq as _;
use windlass_core::{Error, ErrorKind, Result};

use super::address::is_local;
use super::answer;
use super::peer::Peer;

/// The token that a client must send. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// The text without the space around it, such as the line end of a file.
    pub fn parse(text: &str, from: &str) -> Result<Self> {
        let text = text.trim();
        let wrong = |why: &str, hint: &str| {
            Error::new(ErrorKind::InvalidConfig, format!("{from}: {why}")).with_hint(hint)
        };
        if text.is_empty() {
            let hint = "For example: openssl rand -hex 32";
            return Err(wrong("the token is empty", hint));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            let hint = "Use ASCII letters, digits and punctuation without spaces.";
            return Err(wrong("the token cannot be sent in a header", hint));
        }
        Ok(Self(text.to_owned()))
    }

    /// Compares in constant time.
    fn is(&self, shown: &str) -> bool {
        self.0.as_bytes().ct_eq(shown.as_bytes()).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Token(..)")
    }
}

/// The rules of one server.
#[derive(Debug)]
pub struct Admission {
    /// Whether only this machine can reach the server.
    local: bool,
    hosts: Vec<Name>,
    origins: Vec<Origin>,
    token: Option<Token>,
}

/// Why a request was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    Host,
    Origin,
    OtherUser,
    NoToken,
    WrongToken,
}

impl Admission {
    pub fn new(
        listening: IpAddr,
        token: Option<Token>,
        hosts: &[String],
        origins: &[String],
    ) -> Result<Self> {
        let local = is_local(listening);
        if !local && token.is_none() {
            return Err(Error::new(
                ErrorKind::InvalidConfig,
                format!("Other machines can reach {listening}, but no token is set"),
            )
            .with_hint("Set WINDLASS_HTTP_TOKEN or use --token-file, or listen on 127.0.0.1."));
        }
        let hosts = hosts.iter().map(|text| {
            Name::parse(text).ok_or_else(|| {
                wrong(
                    "--allow-host",
                    text,
                    "a host, as in example.com or example.com:8080",
                )
            })
        });
        let origins = origins.iter().map(|text| {
            Origin::parse(text).ok_or_else(|| {
                wrong(
                    "--allow-origin",
                    text,
                    "an origin, as in https://example.com",
                )
            })
        });
        Ok(Self {
            local,
            hosts: hosts.collect::<Result<_>>()?,
            origins: origins.collect::<Result<_>>()?,
            token,
        })
    }

    pub fn check(&self, uri: &Uri, headers: &HeaderMap, peer: Peer) -> Result<(), Refused> {
        let host = asked_for(uri, headers).ok_or(Refused::Host)?;
        if !self.allows_host(&host) {
            return Err(Refused::Host);
        }
        if let Some(origin) = headers.get(ORIGIN) {
            let origin = origin.to_str().ok().and_then(Origin::parse);
            if !origin.is_some_and(|origin| self.allows_origin(&origin, &host)) {
                return Err(Refused::Origin);
            }
        }
        // The health check needs no token.
        if uri.path() == "/health" {
            return Ok(());
        }
        match &self.token {
            Some(token) => check_token(token, headers),
            None if peer == Peer::SameUser => Ok(()),
            None => Err(Refused::OtherUser),
        }
    }

    /// If other machines can reach the server, only its operator knows its host names: without a
    /// list every name is accepted, because a web page cannot send the token.
    fn allows_host(&self, host: &Name) -> bool {
        host.is_local()
            || (!self.local && self.hosts.is_empty())
            || self.hosts.iter().any(|allowed| allowed.allows(host))
    }

    fn allows_origin(&self, origin: &Origin, host: &Name) -> bool {
        (self.local && origin.name.is_local())
            || (!self.local && origin.name == *host)
            || self.origins.iter().any(|allowed| allowed.allows(origin))
    }
}

fn check_token(token: &Token, headers: &HeaderMap) -> Result<(), Refused> {
    let shown = headers
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    match shown {
        None => Err(Refused::NoToken),
        Some((_, shown)) if token.is(shown.trim()) => Ok(()),
        Some(_) => Err(Refused::WrongToken),
    }
}

/// The host of a request: from its URI if that has one, else from the Host header. A request with
/// two Host headers is refused.
fn asked_for(uri: &Uri, headers: &HeaderMap) -> Option<Name> {
    let mut given = headers.get_all(HOST).iter();
    let header = given.next();
    if given.next().is_some() {
        return None;
    }
    match uri.authority() {
        Some(authority) => Some(Name::of(authority)),
        None => Name::parse(header?.to_str().ok()?),
    }
}

/// A host, and a port if one is given.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Name {
    host: String,
    port: Option<u16>,
}

impl Name {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        // An IPv6 address has brackets in a URL, but people omit them.
        if let Ok(address) = text.parse::<IpAddr>() {
            return Some(Self {
                host: address.to_string(),
                port: None,
            });
        }
        if text.contains('@') {
            return None;
        }
        Authority::try_from(text).ok().as_ref().map(Self::of)
    }

    fn of(authority: &Authority) -> Self {
        let host = authority.host();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        Self {
            host: host.trim_end_matches('.').to_ascii_lowercase(),
            port: authority.port_u16(),
        }
    }

    fn is_local(&self) -> bool {
        self.host == "localhost" || self.host.parse().is_ok_and(is_local)
    }

    /// A name without a port matches every port.
    fn allows(&self, other: &Self) -> bool {
        self.host == other.host && (self.port.is_none() || self.port == other.port)
    }
}

/// The origin of a web page, as browsers send it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Origin {
    scheme: String,
    name: Name,
}

impl Origin {
    /// Browsers send `null` for pages without an origin; those are always refused.
    fn parse(text: &str) -> Option<Self> {
        let (scheme, name) = text.trim().trim_end_matches('/').split_once("://")?;
        let scheme = scheme.to_ascii_lowercase();
        if name.contains('/') || !matches!(scheme.as_str(), "http" | "https") {
            return None;
        }
        Some(Self {
            scheme,
            name: Name::parse(name)?,
        })
    }

    fn allows(&self, other: &Self) -> bool {
        self.scheme == other.scheme && self.name.allows(&other.name)
    }
}

fn wrong(flag: &str, text: &str, expected: &str) -> Error {
    Error::new(
        ErrorKind::InvalidConfig,
        format!("{flag}: \"{text}\" is not {expected}"),
    )
}

impl Refused {
    pub fn name(self) -> &'static str {
        match self {
            Self::Host => "HostNotAllowed",
            Self::Origin => "OriginNotAllowed",
            Self::OtherUser => "UserNotAllowed",
            Self::NoToken => "TokenRequired",
            Self::WrongToken => "TokenInvalid",
        }
    }

    pub fn response(self) -> Response {
        let (status, message, hint) = match self {
            Self::Host => (
                StatusCode::FORBIDDEN,
                "The Host header is not allowed",
                "Use 127.0.0.1 or localhost, or start the server with --allow-host NAME.",
            ),
            Self::Origin => (
                StatusCode::FORBIDDEN,
                "The Origin header is not allowed",
                "Start the server with --allow-origin URL to allow it.",
            ),
            Self::OtherUser => (
                StatusCode::FORBIDDEN,
                "This server only serves the user who runs it",
                "Connect as that user, keep the connection open until the response has come, or start the server with a token: --token-file FILE.",
            ),
            Self::NoToken => (
                StatusCode::UNAUTHORIZED,
                "A token is required",
                "Send the header Authorization: Bearer TOKEN.",
            ),
            Self::WrongToken => (
                StatusCode::UNAUTHORIZED,
                "The token is wrong",
                "Use the token that the server was started with.",
            ),
        };
        let mut response = answer::problem(status, self.name(), message, hint);
        let challenge = match self {
            Self::NoToken => Some("Bearer realm=\"windlass\""),
            Self::WrongToken => Some("Bearer realm=\"windlass\", error=\"invalid_token\""),
            _ => None,
        };
        if let Some(challenge) = challenge {
            let value = HeaderValue::from_static(challenge);
            response.headers_mut().insert(WWW_AUTHENTICATE, value);
        }
        response
    }
}

#[cfg(test)]
#[path = "admission_tests.rs"]
mod tests;
