//! Both kinds of subscription: per connection up to 2025-11-25, per request since then.

use std::collections::HashMap;
use std::sync::{Arc, MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{LoggingLevel, RequestMetaObject, SubscriptionFilter};
use rmcp::service::{Peer, RequestContext, SubscriptionContext};
use windlass_ops::Subscription;

use super::super::LOG;
use super::super::errors::Fault;
use super::super::hub::{Hub, ListenerId, Sink};
use super::super::tool_catalog::ToolCatalog;
use super::{Server, is_modern};

impl Server {
    pub(super) fn subscribe_connection(
        &self,
        uri: String,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), Fault> {
        let since = self.shared.hub.now()?;
        let subscription = windlass_ops::subscribe(&self.context(&context.meta), &uri)?;
        let sink = Sink::Peer(context.peer.clone());
        self.shared
            .hub
            .add_topic(self.listener, sink, uri, subscription, since);
        Ok(())
    }

    /// Notifies a client older than 2026-07-28 when the list of prompts changes, without a request.
    pub(super) fn watch_prompts(&self, peer: Peer<RoleServer>) {
        match self.shared.hub.now() {
            Ok(since) => {
                let sink = Sink::Peer(peer);
                self.shared.hub.add_prompts(self.listener, sink, since);
            }
            Err(problem) => {
                tracing::error!(target: LOG, error = %problem, "cannot read the history");
            }
        }
    }

    /// Notifies a client older than 2026-07-28 when its tools change.
    pub(super) fn watch_tools(&self, peer: &Peer<RoleServer>) {
        if !self.shared.tools.can_change() {
            return;
        }
        let (tools, peer) = (self.shared.tools.clone(), peer.clone());
        let watching = tokio::spawn(async move {
            let mut last = tools.now();
            loop {
                tools.change(&mut last).await;
                if peer.notify_tool_list_changed().await.is_err() {
                    return;
                }
            }
        });
        let mut current = self
            .watching_tools
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = current.replace(watching.abort_handle()) {
            before.abort();
        }
    }

    /// The part of a filter that can be served: unknown URIs are dropped.
    pub(super) fn accept(&self, requested: &SubscriptionFilter) -> SubscriptionFilter {
        if let (Ok(now), Some(task)) = (self.shared.hub.now(), tokio::task::try_id()) {
            self.opening().insert(task, (now, self.shared.catalog()));
        }
        let mut accepted = SubscriptionFilter::new();
        accepted.prompts_list_changed = requested.prompts_list_changed;
        accepted.tools_list_changed = requested
            .tools_list_changed
            .filter(|_| self.shared.tools.can_change());
        accepted.resource_subscriptions = requested.resource_subscriptions.as_ref().map(|uris| {
            let known = |uri: &&String| self.subscription(uri).is_some();
            uris.iter().filter(known).cloned().collect()
        });
        accepted
    }

    /// Serves one `subscriptions/listen` until the client cancels it or the server shuts down.
    pub(super) async fn listen_until_closed(
        &self,
        context: &SubscriptionContext,
    ) -> Result<(), Fault> {
        let hub = &self.shared.hub;
        let (since, mut tools) = match self.opened_at() {
            Some(opened) => opened,
            None => (hub.now()?, self.shared.catalog()),
        };
        let listening = Listening {
            hub,
            id: hub.next_id(),
        };
        let sink = || Sink::Listen(context.sink().clone());
        let accepted = context.accepted();
        for uri in accepted.resource_subscriptions.iter().flatten() {
            if let Some(subscription) = self.subscription(uri) {
                hub.add_topic(listening.id, sink(), uri.clone(), subscription, since);
            }
        }
        if accepted.prompts_list_changed == Some(true) {
            hub.add_prompts(listening.id, sink(), since);
        }
        let tools_change = async {
            if accepted.tools_list_changed == Some(true) {
                loop {
                    self.shared.tools.change(&mut tools).await;
                    if context.sink().notify_tool_list_changed().await.is_err() {
                        return;
                    }
                }
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = context.cancelled() => {}
            () = hub.closing() => {}
            () = tools_change => {}
        }
        Ok(())
    }

    fn opened_at(&self) -> Option<(i64, Arc<ToolCatalog>)> {
        self.opening().remove(&tokio::task::try_id()?)
    }

    fn opening(&self) -> MutexGuard<'_, HashMap<tokio::task::Id, (i64, Arc<ToolCatalog>)>> {
        self.shared
            .opening
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn subscription(&self, uri: &str) -> Option<Subscription> {
        let context = self.context(&RequestMetaObject::new());
        windlass_ops::subscribe(&context, uri).ok()
    }

    pub(super) fn set_client_level(&self, level: LoggingLevel) {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = Some(level);
    }

    /// The lowest log level that the client wants to receive: set for the connection or, since
    /// 2026-07-28, for the request.
    pub(super) fn log_level(&self, context: &RequestContext<RoleServer>) -> Option<LoggingLevel> {
        if is_modern(context) {
            return context.meta.log_level();
        }
        *self.level.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes the listener, however its request ends.
struct Listening<'a> {
    hub: &'a Hub,
    id: ListenerId,
}

impl Drop for Listening<'_> {
    fn drop(&mut self) {
        self.hub.remove(self.id);
    }
}
