//! The sessions of clients up to 2025-11-25: long-lived, but never more than a few hundred.
//!
//! Agents pause for hours and then continue, so a session outlives any pause of a working day.
//! Clients that begin session after session without ending one must not fill the memory either:
//! beyond the limit, the session that has been idle longest is closed, and its client begins a new
//! one.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::WorkerTransport;
use rmcp::transport::common::server_side_http::{ServerSseMessage, SessionId};
use rmcp::transport::streamable_http_server::SessionManager;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, LocalSessionWorker,
};

use super::LOG;

/// How long a session may be idle.
const KEEP: Duration = Duration::from_hours(12);

/// The most sessions at once.
const MAX_SESSIONS: usize = 1000;

type Failed = LocalSessionManagerError;

pub struct Sessions {
    local: LocalSessionManager,
    /// When each session last received a request.
    heard: Mutex<HashMap<SessionId, Instant>>,
    most: usize,
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
            heard: Mutex::default(),
            most,
        }
    }

    pub fn count(&self) -> usize {
        self.heard().len()
    }

    fn heard(&self) -> MutexGuard<'_, HashMap<SessionId, Instant>> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session to close to make room for a new one, if the limit is reached.
    fn silent_for_longest(&self) -> Option<SessionId> {
        let heard = self.heard();
        if heard.len() < self.most {
            return None;
        }
        let silent = heard.iter().min_by_key(|(_, at)| **at);
        silent.map(|(id, _)| id.clone())
    }
}

impl SessionManager for Sessions {
    type Error = Failed;
    type Transport = WorkerTransport<LocalSessionWorker>;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Failed> {
        while let Some(silent) = self.silent_for_longest() {
            tracing::warn!(target: LOG, session = &*silent, "too many sessions; closed the one that was idle longest");
            self.close_session(&silent).await?;
        }
        let created = self.local.create_session().await?;
        self.heard().insert(created.0.clone(), Instant::now());
        Ok(created)
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Failed> {
        self.local.initialize_session(id, message).await
    }

    /// Called for every request that names a session, so it also records that the session is used.
    async fn has_session(&self, id: &SessionId) -> Result<bool, Failed> {
        if let Some(at) = self.heard().get_mut(id) {
            *at = Instant::now();
        }
        self.local.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Failed> {
        self.heard().remove(id);
        self.local.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failed> {
        self.local.create_stream(id, message).await
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Failed> {
        self.local.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failed> {
        self.local.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failed> {
        self.local.resume(id, last_event_id).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_most_silent_session_makes_room() {
        let sessions = Sessions::at_most(2);
        let (first, _one) = sessions.create_session().await.unwrap();
        let (second, _two) = sessions.create_session().await.unwrap();
        assert!(sessions.has_session(&first).await.unwrap());
        let (third, _three) = sessions.create_session().await.unwrap();
        assert_eq!(sessions.count(), 2);
        assert!(sessions.has_session(&first).await.unwrap());
        assert!(!sessions.has_session(&second).await.unwrap());
        assert!(sessions.has_session(&third).await.unwrap());
        sessions.close_session(&first).await.unwrap();
        assert_eq!(sessions.count(), 1);
    }
}
