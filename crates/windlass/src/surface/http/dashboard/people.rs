//! Who is logged in.
//!
//! A session has two halves, and a request needs both. The cookie is kept from scripts (HttpOnly), but
//! browsers send cookies of a host to every port of it: an agent's own server on 127.0.0.1 would be
//! sent it too. The token is kept by the page in the storage of its origin, which includes the port;
//! it is sent in a header, so that no form or link of another page can send it.
//!
//! Sessions are in the memory of one process, as SHA-256 only. They end with it, so that a program
//! that takes over the port of a server that is gone collects nothing that is worth anything.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use axum::http::HeaderMap;
use axum::http::header::COOKIE;
use subtle::ConstantTimeEq as _;

use crate::surface::dashboard_folder::{DashboardFolder, Person, hash, milliseconds, secret};

/// How long a session lasts.
pub const SESSION_LASTS: Duration = Duration::from_hours(7 * 24);

/// The header of the token.
pub const TOKEN_HEADER: &str = "x-windlass-token";

/// The most sessions at once; the oldest makes room.
const MOST: usize = 64;

pub struct People {
    folder: DashboardFolder,
    server_id: String,
    sessions: Mutex<HashMap<String, Session>>,
}

struct Session {
    token: String,
    person: Person,
    since: Instant,
    created: u128,
}

/// What a browser is given at login.
pub struct LoggedIn {
    pub person: Person,
    pub cookie: String,
    pub token: String,
}

impl People {
    pub fn new(folder: DashboardFolder, server_id: String) -> Self {
        Self {
            folder,
            server_id,
            sessions: Mutex::default(),
        }
    }

    pub fn server_id(&self) -> &str {
        &self.server_id
    }

    /// Exchanges a code for a session.
    pub fn log_in(&self, code: &str) -> Option<LoggedIn> {
        let person = self.folder.take_code(code)?;
        let (cookie, token) = (secret(), secret());
        let session = Session {
            token: hash(token.as_bytes()),
            person: person.clone(),
            since: Instant::now(),
            created: milliseconds(SystemTime::now()),
        };
        let mut sessions = self.sessions();
        sessions.retain(|_, session| session.since.elapsed() < SESSION_LASTS);
        if sessions.len() >= MOST {
            let oldest = sessions.iter().min_by_key(|(_, session)| session.since);
            if let Some(key) = oldest.map(|(key, _)| key.clone()) {
                sessions.remove(&key);
            }
        }
        sessions.insert(hash(cookie.as_bytes()), session);
        Some(LoggedIn {
            person,
            cookie,
            token,
        })
    }

    /// The person of a request that shows both halves of a session.
    pub fn of_request(&self, headers: &HeaderMap) -> Option<Person> {
        let token = headers.get(TOKEN_HEADER)?.to_str().ok()?;
        let key = hash(self.cookie(headers)?.as_bytes());
        let sessions = self.sessions();
        let session = sessions.get(&key)?;
        let shown = hash(token.as_bytes());
        let same: bool = session.token.as_bytes().ct_eq(shown.as_bytes()).into();
        let ended = self.folder.logged_out_at();
        let lives = session.since.elapsed() < SESSION_LASTS
            && ended.is_none_or(|ended| session.created > ended);
        (same && lives).then(|| session.person.clone())
    }

    /// Ends the session of a request.
    pub fn log_out(&self, headers: &HeaderMap) {
        if self.of_request(headers).is_some()
            && let Some(cookie) = self.cookie(headers)
        {
            self.sessions().remove(&hash(cookie.as_bytes()));
        }
    }

    /// Each server has a cookie of its own, because all ports of a host share their cookies.
    pub fn cookie_name(&self) -> String {
        let id = self.server_id.get(..12).unwrap_or(&self.server_id);
        format!("windlass_{id}")
    }

    fn cookie<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let name = self.cookie_name();
        let mut pairs = headers.get_all(COOKIE).iter().flat_map(|header| {
            let text = header.to_str().unwrap_or_default();
            text.split(';')
                .filter_map(|pair| pair.trim().split_once('='))
        });
        pairs
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<String, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn people() -> (tempfile::TempDir, People) {
        let home = tempfile::tempdir().unwrap();
        let folder = DashboardFolder::new(home.path(), home.path());
        (home, People::new(folder, "0123456789abcdef".to_owned()))
    }

    fn headers(people: &People, cookie: &str, token: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let cookie = format!("other=1; {}={cookie}", people.cookie_name());
        headers.insert(COOKIE, cookie.parse().unwrap());
        if let Some(token) = token {
            headers.insert(TOKEN_HEADER, token.parse().unwrap());
        }
        headers
    }

    fn ann() -> Person {
        Person {
            session: "cli:ann".to_owned(),
            user: "ann".to_owned(),
        }
    }

    #[test]
    fn a_request_needs_both_halves() {
        let (_home, people) = people();
        let code = people.folder.create_code(&ann()).unwrap();
        assert!(people.log_in("guess").is_none());
        let LoggedIn { cookie, token, .. } = people.log_in(&code).unwrap();
        assert!(people.log_in(&code).is_none(), "replayed");
        let both = headers(&people, &cookie, Some(&token));
        assert_eq!(people.of_request(&both), Some(ann()));
        for wrong in [
            headers(&people, &cookie, None),
            headers(&people, &cookie, Some(&cookie)),
            headers(&people, &token, Some(&token)),
            headers(&people, "", Some(&token)),
            HeaderMap::new(),
        ] {
            assert_eq!(people.of_request(&wrong), None, "{wrong:?}");
        }
        people.log_out(&both);
        assert_eq!(people.of_request(&both), None);
    }

    #[test]
    fn logging_out_everywhere_ends_the_session() {
        let (_home, people) = people();
        let log_in = || {
            let code = people.folder.create_code(&ann()).unwrap();
            let LoggedIn { cookie, token, .. } = people.log_in(&code).unwrap();
            headers(&people, &cookie, Some(&token))
        };
        let before = log_in();
        people.folder.log_out().unwrap();
        assert_eq!(people.of_request(&before), None);
        // A session of the same millisecond counts as older.
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(people.of_request(&log_in()), Some(ann()));
    }
}
