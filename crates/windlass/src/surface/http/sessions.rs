//! The sessions of clients up to 2025-11-25: long-lived, but never more than a few hundred.
//!
//! Agents pause for hours and then continue, so a session outlives any pause of a working day.
//! Clients that begin session after session without ending one must not fill the memory either:
//! beyond the limit, the session that has been idle longest is closed, and its client begins a new
//! one.
//!
//! A session belongs to the endpoint at which it began: its tools are those of that endpoint, so any
//! other endpoint does not know it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use futures::Stream;
use rmcp::model::{ClientJsonRpcMessage, ClientNotification, ServerJsonRpcMessage};
use rmcp::transport::WorkerTransport;
use rmcp::transport::common::server_side_http::{ServerSseMessage, SessionId};
use rmcp::transport::streamable_http_server::SessionManager;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, LocalSessionWorker,
};

use super::LOG;
use crate::surface::mcp::{QuickCalls, WeakQuickCalls};

/// How long a session may be idle.
const KEEP: Duration = Duration::from_hours(12);

/// How often the library gets a call of a session that is in use, so that it does not take the
/// session for idle.
const TELL_EVERY: Duration = Duration::from_mins(10);

/// The most sessions at once.
const MAX_SESSIONS: usize = 1000;

type Failed = LocalSessionManagerError;

/// The sessions of all endpoints.
pub struct Sessions {
    local: LocalSessionManager,
    known: Mutex<HashMap<SessionId, KnownSession>>,
    most: usize,
}

struct KnownSession {
    /// Where it began.
    endpoint: Arc<str>,
    /// When it last received a request.
    heard: Instant,
    /// When the library last received one.
    told: Instant,
    /// What answers calls that need no library.
    quick: Option<WeakQuickCalls>,
    /// Whether the client has completed the handshake.
    is_ready: bool,
}

/// The sessions of one endpoint, for one request.
pub struct EndpointSessions {
    all: Arc<Sessions>,
    /// What sets the endpoint apart from others.
    endpoint: Arc<str>,
    beginning: Beginning,
}

/// What serves the session that a request begins, if it begins one.
#[derive(Clone, Default)]
pub struct Beginning(Arc<OnceLock<WeakQuickCalls>>);

impl Beginning {
    pub fn is_served_by(&self, quick: &QuickCalls) {
        // The first server is that of the session.
        let _ = self.0.set(quick.downgrade());
    }
}

impl Sessions {
    pub fn new() -> Self {
        Self::at_most(MAX_SESSIONS)
    }

    fn at_most(most: usize) -> Self {
        let mut local = LocalSessionManager::default();
        local.session_config.keep_alive = Some(KEEP);
        Self {
            local,
            known: Mutex::default(),
            most,
        }
    }

    pub fn count(&self) -> usize {
        self.known().len()
    }

    fn known(&self) -> MutexGuard<'_, HashMap<SessionId, KnownSession>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session to close to make room for a new one, if the limit is reached.
    fn silent_for_longest(&self) -> Option<SessionId> {
        let known = self.known();
        if known.len() < self.most {
            return None;
        }
        let silent = known.iter().min_by_key(|(_, session)| session.heard);
        silent.map(|(id, _)| id.clone())
    }

    async fn close(&self, id: &SessionId) -> Result<(), Failed> {
        self.known().remove(id);
        self.local.close_session(id).await
    }
}

impl EndpointSessions {
    pub fn new(all: &Arc<Sessions>, endpoint: Arc<str>) -> Self {
        Self {
            all: Arc::clone(all),
            endpoint,
            beginning: Beginning::default(),
        }
    }

    pub fn beginning(&self) -> Beginning {
        self.beginning.clone()
    }

    /// What answers calls of a session; none while the library has to receive them.
    pub fn quick_calls(&self, id: &str) -> Option<QuickCalls> {
        let mut known = self.all.known();
        let session = known.get_mut(id)?;
        if session.endpoint != self.endpoint || !session.is_ready {
            return None;
        }
        session.heard = Instant::now();
        let is_due = session.heard.duration_since(session.told) > TELL_EVERY;
        if is_due {
            return None;
        }
        session.quick.as_ref()?.upgrade()
    }

    /// Whether a session began at this endpoint.
    pub fn has(&self, id: &str) -> bool {
        let known = self.all.known();
        known
            .get(id)
            .is_some_and(|session| session.endpoint == self.endpoint)
    }

    /// Refuses a session of another endpoint as if it did not exist.
    fn check(&self, id: &SessionId) -> Result<&LocalSessionManager, Failed> {
        if self.has(id) {
            Ok(&self.all.local)
        } else {
            Err(Failed::SessionNotFound(id.clone()))
        }
    }
}

impl SessionManager for EndpointSessions {
    type Error = Failed;
    type Transport = WorkerTransport<LocalSessionWorker>;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Failed> {
        while let Some(silent) = self.all.silent_for_longest() {
            tracing::warn!(target: LOG, session = &*silent, "too many sessions; closed the one that was idle longest");
            self.all.close(&silent).await?;
        }
        let created = self.all.local.create_session().await?;
        let now = Instant::now();
        let session = KnownSession {
            endpoint: Arc::clone(&self.endpoint),
            heard: now,
            told: now,
            quick: self.beginning.0.get().cloned(),
            is_ready: false,
        };
        self.all.known().insert(created.0.clone(), session);
        Ok(created)
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Failed> {
        self.check(id)?.initialize_session(id, message).await
    }

    /// Called for every request that names a session, so it also records that the session is used.
    async fn has_session(&self, id: &SessionId) -> Result<bool, Failed> {
        if !self.has(id) {
            return Ok(false);
        }
        if let Some(session) = self.all.known().get_mut(id) {
            session.heard = Instant::now();
            session.told = session.heard;
        }
        self.all.local.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Failed> {
        self.check(id)?;
        self.all.close(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failed> {
        self.check(id)?.create_stream(id, message).await
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Failed> {
        let completes = matches!(
            &message,
            ClientJsonRpcMessage::Notification(it)
                if matches!(it.notification, ClientNotification::InitializedNotification(_))
        );
        self.check(id)?.accept_message(id, message).await?;
        if completes && let Some(session) = self.all.known().get_mut(id) {
            session.is_ready = true;
        }
        Ok(())
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failed> {
        self.check(id)?.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failed> {
        self.check(id)?.resume(id, last_event_id).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(all: &Arc<Sessions>, endpoint: &str) -> EndpointSessions {
        EndpointSessions::new(all, endpoint.into())
    }

    #[tokio::test]
    async fn a_session_is_unknown_at_every_other_endpoint() {
        let all = Arc::new(Sessions::new());
        let (own, other) = (at(&all, "session:a"), at(&all, "session:b"));
        let (id, _transport) = own.create_session().await.unwrap();
        assert!(own.has_session(&id).await.unwrap());
        assert!(!other.has_session(&id).await.unwrap());
        assert!(other.close_session(&id).await.is_err());
        assert!(other.create_standalone_stream(&id).await.is_err());
        assert!(own.has_session(&id).await.unwrap());
        own.close_session(&id).await.unwrap();
        assert_eq!(all.count(), 0);
    }

    #[tokio::test]
    async fn the_most_silent_session_makes_room() {
        let all = Arc::new(Sessions::at_most(2));
        let sessions = at(&all, "/mcp");
        let (first, _one) = sessions.create_session().await.unwrap();
        let (second, _two) = sessions.create_session().await.unwrap();
        assert!(sessions.has_session(&first).await.unwrap());
        let (third, _three) = sessions.create_session().await.unwrap();
        assert_eq!(all.count(), 2);
        assert!(sessions.has_session(&first).await.unwrap());
        assert!(!sessions.has_session(&second).await.unwrap());
        assert!(sessions.has_session(&third).await.unwrap());
        sessions.close_session(&first).await.unwrap();
        assert_eq!(all.count(), 1);
    }
}
