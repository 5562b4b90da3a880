//! The listeners for changes, and the one task that notifies them.
//!
//! Changes are read from the project's event history, so that those of other processes are
//! included. The task runs only while there are listeners. The hub does not interpret URIs: the
//! [`Subscription`] of each one does.

use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionSink};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use windlass_core::{Event, Result};
use windlass_ops::Subscription;
use windlass_store::Store;

/// How long changes are collected after a commit before they are sent.
const GATHER: Duration = Duration::from_millis(10);
/// The same for the output of a job, which may be large.
const GATHER_OUTPUT: Duration = Duration::from_millis(100);
/// How long a listener may take to receive a notification. One that does not read its stream is
/// removed after that, so that the others need not wait for it.
const HEAR_WITHIN: Duration = Duration::from_secs(2);
/// How many events are read at once.
const EVENTS_AT_ONCE: u32 = 1000;
/// The entities behind the list of prompts.
const PROMPT: &str = "prompt";

/// Identifies a listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ListenerId(u64);

/// Where the notifications of a listener go.
#[derive(Clone)]
pub enum Sink {
    /// The connection itself, up to protocol 2025-11-25.
    Peer(Peer<RoleServer>),
    /// One `subscriptions/listen` request, since 2026-07-28.
    Listen(SubscriptionSink),
}

#[derive(Clone)]
pub struct Hub(Arc<Shared>);

struct Shared {
    store: Arc<Store>,
    /// Wakes the task when a listener is added or removed.
    wake: Notify,
    closing: CancellationToken,
    next_id: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    listeners: HashMap<ListenerId, Listener>,
    watching: bool,
}

struct Listener {
    sink: Sink,
    topics: Vec<Topic>,
    /// The newest event when the list of prompts was last known to the listener.
    prompts_since: Option<i64>,
}

struct Topic {
    /// Exactly as the client wrote it: the notification must carry the same text.
    uri: String,
    subscription: Subscription,
    since: i64,
}

/// The notifications for one listener.
#[derive(Debug, Default, PartialEq, Eq)]
struct News {
    uris: Vec<String>,
    prompts: bool,
}

impl Hub {
    /// `closing` ends the notifications, and every `subscriptions/listen` with it.
    pub fn new(store: Arc<Store>, closing: CancellationToken) -> Self {
        Self(Arc::new(Shared {
            store,
            wake: Notify::new(),
            closing,
            next_id: AtomicU64::new(0),
            state: Mutex::default(),
        }))
    }

    pub fn next_id(&self) -> ListenerId {
        ListenerId(self.0.next_id.fetch_add(1, Ordering::Relaxed))
    }

    /// The newest event; a new listener is notified of the events after it.
    pub fn now(&self) -> Result<i64> {
        self.0.store.last_event()
    }

    /// Returns when the server is about to shut down.
    pub fn closing(&self) -> impl Future<Output = ()> + '_ {
        self.0.closing.cancelled()
    }

    /// Subscribes a listener to a URI. Subscribing twice has no further effect.
    pub fn add_topic(
        &self,
        id: ListenerId,
        sink: Sink,
        uri: String,
        subscription: Subscription,
        since: i64,
    ) {
        self.change(id, sink, since, |listener| {
            if listener.topics.iter().all(|topic| topic.uri != uri) {
                listener.topics.push(Topic {
                    uri,
                    subscription,
                    since,
                });
            }
        });
    }

    pub fn add_prompts(&self, id: ListenerId, sink: Sink, since: i64) {
        self.change(id, sink, since, |listener| {
            listener.prompts_since = Some(since);
        });
    }

    pub fn remove_topic(&self, id: ListenerId, uri: &str) {
        if let Some(listener) = self.0.state().listeners.get_mut(&id) {
            listener.topics.retain(|topic| topic.uri != uri);
        }
    }

    pub fn remove(&self, id: ListenerId) {
        self.0.state().listeners.remove(&id);
        // Lets the task check whether any listener is left.
        self.0.wake.notify_one();
    }

    fn change(&self, id: ListenerId, sink: Sink, since: i64, edit: impl FnOnce(&mut Listener)) {
        let mut state = self.0.state();
        edit(state.listeners.entry(id).or_insert_with(|| Listener {
            sink,
            topics: Vec::new(),
            prompts_since: None,
        }));
        if !std::mem::replace(&mut state.watching, true) {
            tokio::spawn(watch(Arc::clone(&self.0), since));
        }
        drop(state);
        self.0.wake.notify_one();
    }
}

/// Looks for new events until there are no listeners.
async fn watch(hub: Arc<Shared>, mut last: i64) {
    let mut healthy = true;
    let mut changes = hub.store.watch();
    while hub.has_listeners() {
        tokio::select! {
            // The response to the write goes first, and writes that follow soon are included.
            () = changes.changed() => tokio::time::sleep(GATHER).await,
            () = hub.wake.notified() => {}
            () = hub.output() => {}
            () = hub.closing.cancelled() => return,
        }
        match hub.news_since(&mut last) {
            Ok(news) => {
                healthy = true;
                let notifications = news
                    .into_iter()
                    .map(|(id, news)| hub.tell_in_time(id, news));
                futures::future::join_all(notifications).await;
            }
            Err(problem) => {
                if std::mem::take(&mut healthy) {
                    tracing::error!(target: super::LOG, error = %problem, "cannot read the history");
                }
            }
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there are listeners; if not, the watch ends.
    fn has_listeners(&self) -> bool {
        let mut state = self.state();
        state
            .listeners
            .retain(|_, listener| !listener.topics.is_empty() || listener.prompts_since.is_some());
        state.watching = !state.listeners.is_empty();
        state.watching
    }

    /// Returns when a job has written output that a listener subscribed to.
    async fn output(&self) {
        let written: Vec<_> = self
            .state()
            .listeners
            .values()
            .flat_map(|listener| &listener.topics)
            .filter_map(|topic| topic.subscription.output())
            .map(Box::pin)
            .collect();
        if written.is_empty() {
            std::future::pending::<()>().await;
        } else {
            futures::future::select_all(written).await;
            tokio::time::sleep(GATHER_OUTPUT).await;
        }
    }

    /// Everything since `last` as notifications, one for each listener and subject.
    fn news_since(&self, last: &mut i64) -> Result<HashMap<ListenerId, News>> {
        let mut news = self.changes_without_events();
        if self.store.last_event()? <= *last {
            return Ok(news);
        }
        loop {
            let events = self.store.events_after(*last, EVENTS_AT_ONCE)?;
            let Some(newest) = events.last() else {
                return Ok(news);
            };
            *last = newest.seq;
            for (id, listener) in &self.state().listeners {
                listener.collect(&events, news.entry(*id).or_default());
            }
        }
    }

    async fn tell_in_time(&self, id: ListenerId, news: News) {
        let notifications = self.tell(id, news);
        if tokio::time::timeout(HEAR_WITHIN, notifications)
            .await
            .is_err()
        {
            tracing::warn!(target: super::LOG, "a client does not read its notifications; its subscriptions end");
            self.state().listeners.remove(&id);
        }
    }

    /// The output of jobs is not in the event history, so the jobs are asked.
    fn changes_without_events(&self) -> HashMap<ListenerId, News> {
        let mut news = HashMap::<ListenerId, News>::new();
        for (id, listener) in &mut self.state().listeners {
            for topic in &mut listener.topics {
                if topic.subscription.take_change() {
                    news.entry(*id).or_default().uris.push(topic.uri.clone());
                }
            }
        }
        news
    }

    async fn tell(&self, id: ListenerId, news: News) {
        for uri in news.uris {
            // Checked again for each one, because the client may have unsubscribed meanwhile.
            let sink = self.sink_of(id, |listener| {
                listener.topics.iter().any(|topic| topic.uri == uri)
            });
            if let Some(sink) = sink
                && !sink.resource_updated(uri).await
            {
                self.state().listeners.remove(&id);
            }
        }
        if news.prompts
            && let Some(sink) = self.sink_of(id, |listener| listener.prompts_since.is_some())
            && !sink.prompts_changed().await
        {
            self.state().listeners.remove(&id);
        }
    }

    fn sink_of(&self, id: ListenerId, wants: impl FnOnce(&Listener) -> bool) -> Option<Sink> {
        let state = self.state();
        let listener = state.listeners.get(&id)?;
        wants(listener).then(|| listener.sink.clone())
    }
}

impl Listener {
    fn collect(&self, events: &[Event], news: &mut News) {
        for topic in &self.topics {
            let concerned =
                |event: &Event| event.seq > topic.since && topic.subscription.concerns(event);
            if !news.uris.contains(&topic.uri) && events.iter().any(concerned) {
                news.uris.push(topic.uri.clone());
            }
        }
        news.prompts |= self.prompts_since.is_some_and(|since| {
            events
                .iter()
                .any(|event| event.seq > since && event.entity_type.as_deref() == Some(PROMPT))
        });
    }
}

impl Sink {
    /// Sends the notifications. Returns false if the client has disconnected.
    async fn resource_updated(&self, uri: String) -> bool {
        match self {
            Self::Peer(peer) => peer
                .notify_resource_updated(ResourceUpdatedNotificationParam::new(uri))
                .await
                .is_ok(),
            Self::Listen(sink) => sink.notify_resource_updated(uri).await.is_ok(),
        }
    }

    async fn prompts_changed(&self) -> bool {
        match self {
            Self::Peer(peer) => peer.notify_prompt_list_changed().await.is_ok(),
            Self::Listen(sink) => sink.notify_prompt_list_changed().await.is_ok(),
        }
    }
}
