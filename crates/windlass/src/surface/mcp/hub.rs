//! Who wants to hear of which changes, and the one task that tells them.
//!
//! Changes are found in the project's history, so that those of other processes are told as well.
//! The task runs only while someone listens. The hub never decides what a URI means: that is asked
//! of the [`Subscription`] which came with it.

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

/// How long after a commit its news are gathered.
const GATHER: Duration = Duration::from_millis(10);
/// The same for what a job writes, which may be much.
const GATHER_OUTPUT: Duration = Duration::from_millis(100);
/// How long a listener may take to hear its news. One that does not read its stream is forgotten
/// after that, so that the others need not wait for it.
const HEAR_WITHIN: Duration = Duration::from_secs(2);
/// How many events are read at once.
const EVENTS_AT_ONCE: u32 = 1000;
/// The entities behind the list of prompts.
const PROMPT: &str = "prompt";

/// Tells apart those who listen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ListenerId(u64);

/// Where the news of a listener goes.
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
    /// Wakes the task when someone begins or stops to listen.
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
    /// To the letter as the client wrote it: the news must carry the same.
    uri: String,
    subscription: Subscription,
    since: i64,
}

/// What one listener is to be told.
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

    /// The newest event, from which on a listener hears.
    pub fn now(&self) -> Result<i64> {
        self.0.store.last_event()
    }

    /// Ends when the server is about to go.
    pub fn closing(&self) -> impl Future<Output = ()> + '_ {
        self.0.closing.cancelled()
    }

    /// Adds a URI to what a listener hears of. The same URI twice is heard of once.
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
        // Lets the task see that no one may be left.
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

/// Looks for new events until no one listens any more.
async fn watch(hub: Arc<Shared>, mut last: i64) {
    let mut healthy = true;
    let mut changes = hub.store.watch();
    while hub.has_listeners() {
        tokio::select! {
            // The answer to the write goes first, and writes that follow at once are told with it.
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

    /// Whether anyone listens; if not, the watch ends.
    fn has_listeners(&self) -> bool {
        let mut state = self.state();
        state
            .listeners
            .retain(|_, listener| !listener.topics.is_empty() || listener.prompts_since.is_some());
        state.watching = !state.listeners.is_empty();
        state.watching
    }

    /// Ends when a job has written something of which a listener has to be notified.
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

    /// All that happened since `last`, as news; each listener's once, however much happened.
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
            tracing::warn!(target: super::LOG, "a client does not read its news; its subscriptions end");
            self.state().listeners.remove(&id);
        }
    }

    /// What jobs have written is in no history; it is asked for.
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
            // Asked again for each, because the client may have lost interest meanwhile.
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
    /// Sends the news. False where no one is there to take it.
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
