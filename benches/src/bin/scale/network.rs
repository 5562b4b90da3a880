//! The object store as one clone sees it: requests take time, are counted, are refused past a rate, and
//! do not arrive while the clone is cut off.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures::stream::{self, BoxStream, StreamExt as _, TryStreamExt as _};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};

use crate::clock::VirtualClock;
use crate::dice::Dice;

/// What S3 returns in one answer to a list request.
const LIST_PAGE: usize = 1_000;

/// How the store behaves.
#[derive(Debug, Clone, Copy)]
pub struct Behaviour {
    /// The usual time of a request, and the time of one in a hundred.
    pub latency: Duration,
    pub slow: Duration,
    /// Bytes in a second, of one clone.
    pub bandwidth: u64,
    /// Writes and reads in a second that one prefix takes, as S3 documents them.
    pub writes_per_second: u64,
    pub reads_per_second: u64,
}

/// What was asked of the store, by all clones together.
#[derive(Debug, Default)]
pub struct Counts {
    pub puts: AtomicU64,
    pub lists: AtomicU64,
    pub gets: AtomicU64,
    pub deletes: AtomicU64,
    pub bytes_in: AtomicU64,
    pub bytes_out: AtomicU64,
    /// Conditional writes that another clone was faster with.
    pub conflicts: AtomicU64,
    /// Requests that were refused because there were too many in that second.
    pub throttled: AtomicU64,
}

/// The store that all clones share.
pub struct Cloud {
    objects: InMemory,
    clock: VirtualClock,
    behaviour: Behaviour,
    pub counts: Counts,
    /// When each object was written.
    written: Mutex<HashMap<Path, Duration>>,
    /// Writes and reads in the current second.
    rate: Mutex<(u64, u64, u64)>,
    begin: i64,
}

impl Cloud {
    pub fn new(clock: VirtualClock, behaviour: Behaviour, begin: i64) -> Arc<Self> {
        Arc::new(Self {
            objects: InMemory::new(),
            clock,
            behaviour,
            counts: Counts::default(),
            written: Mutex::default(),
            rate: Mutex::default(),
            begin,
        })
    }

    /// Whether the rate of this second is used up.
    fn is_throttled(&self, write: bool) -> bool {
        let second = self.clock.now().as_secs();
        let mut rate = self.rate.lock().unwrap_or_else(PoisonError::into_inner);
        if rate.0 != second {
            *rate = (second, 0, 0);
        }
        let (used, most) = if write {
            (&mut rate.1, self.behaviour.writes_per_second)
        } else {
            (&mut rate.2, self.behaviour.reads_per_second)
        };
        *used += 1;
        *used > most
    }

    /// The store's own time of an object.
    fn stamped(&self, mut object: ObjectMeta) -> ObjectMeta {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let at = written.get(&object.location).copied().unwrap_or_default();
        let wanted = self.begin + i64::try_from(at.as_millis()).unwrap_or(i64::MAX);
        let real = object.last_modified.timestamp_millis();
        let ahead = u64::try_from(wanted - real).map(Duration::from_millis);
        object.last_modified = match ahead {
            Ok(ahead) => object.last_modified + ahead,
            Err(_) => object.last_modified - Duration::from_millis(real.abs_diff(wanted)),
        };
        object
    }
}

/// The way of one clone to the store.
pub struct Way {
    cloud: Arc<Cloud>,
    dice: Mutex<Dice>,
    pub is_cut: AtomicBool,
}

impl Way {
    pub fn new(cloud: &Arc<Cloud>, seed: u64) -> Arc<Self> {
        Arc::new(Self {
            cloud: Arc::clone(cloud),
            dice: Mutex::new(Dice::new(seed)),
            is_cut: AtomicBool::new(false),
        })
    }

    /// One request: it takes its time, and may not arrive or be refused.
    async fn request(&self, count: &AtomicU64, write: bool, bytes: u64) -> Result<()> {
        let behaviour = self.cloud.behaviour;
        for attempt in 0..4u32 {
            if self.is_cut.load(Ordering::Relaxed) {
                self.cloud.clock.sleep(Duration::from_secs(2)).await;
                return Err(failed("the network is down"));
            }
            count.fetch_add(1, Ordering::Relaxed);
            let (slow, part) = {
                let mut dice = self.dice.lock().unwrap_or_else(PoisonError::into_inner);
                (dice.roll(100) == 0, dice.part())
            };
            let usual = if slow {
                behaviour.slow
            } else {
                behaviour.latency
            };
            let transfer = Duration::from_secs(1).mul_f64(ratio(bytes, behaviour.bandwidth));
            let time = usual.mul_f64(0.5 + part) + transfer;
            self.cloud.clock.sleep(time).await;
            if !self.cloud.is_throttled(write) {
                return Ok(());
            }
            self.cloud.counts.throttled.fetch_add(1, Ordering::Relaxed);
            let wait = Duration::from_millis(200 << attempt).mul_f64(0.5 + part);
            self.cloud.clock.sleep(wait).await;
        }
        Err(failed("503 Slow Down"))
    }
}

#[expect(clippy::cast_precision_loss, reason = "a time in a simulation")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn failed(why: &str) -> Error {
    Error::Generic {
        store: "simulated",
        source: why.to_owned().into(),
    }
}

impl fmt::Debug for Way {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Way")
    }
}

impl fmt::Display for Way {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("simulated store")
    }
}

/// A handle that is a store: the trait asks for an owned one in streams.
#[derive(Debug, Clone)]
pub struct Client(pub Arc<Way>);

impl fmt::Display for Client {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

#[async_trait]
impl ObjectStore for Client {
    async fn put_opts(
        &self,
        key: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        let cloud = &self.0.cloud;
        let bytes = payload.content_length() as u64;
        self.0.request(&cloud.counts.puts, true, bytes).await?;
        let put = cloud.objects.put_opts(key, payload, options).await;
        match &put {
            Ok(_) => {
                cloud.counts.bytes_in.fetch_add(bytes, Ordering::Relaxed);
                let mut written = cloud.written.lock().unwrap_or_else(PoisonError::into_inner);
                written.insert(key.clone(), cloud.clock.now());
            }
            Err(_) => {
                cloud.counts.conflicts.fetch_add(1, Ordering::Relaxed);
            }
        }
        put
    }

    async fn put_multipart_opts(
        &self,
        _: &Path,
        _: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        Err(Error::NotImplemented {
            operation: "multipart".to_owned(),
            implementer: self.to_string(),
        })
    }

    async fn get_opts(&self, key: &Path, options: GetOptions) -> Result<GetResult> {
        let cloud = &self.0.cloud;
        let head = options.head;
        let mut found = cloud.objects.get_opts(key, options).await;
        let bytes = match &found {
            Ok(found) if !head => found.range.end - found.range.start,
            _ => 0,
        };
        self.0.request(&cloud.counts.gets, false, bytes).await?;
        cloud.counts.bytes_out.fetch_add(bytes, Ordering::Relaxed);
        if let Ok(found) = &mut found {
            found.meta = cloud.stamped(found.meta.clone());
        }
        found
    }

    fn delete_stream(
        &self,
        keys: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        let way = Arc::clone(&self.0);
        keys.and_then(move |key| {
            let way = Arc::clone(&way);
            async move {
                let cloud = &way.cloud;
                way.request(&cloud.counts.deletes, true, 0).await?;
                let one = stream::once(async move { Ok(key) }).boxed();
                let mut deleted = cloud.objects.delete_stream(one);
                deleted
                    .try_next()
                    .await?
                    .ok_or_else(|| failed("not deleted"))
            }
        })
        .boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.list_from(prefix.cloned(), None)
    }

    fn list_with_offset(
        &self,
        prefix: Option<&Path>,
        offset: &Path,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        self.list_from(prefix.cloned(), Some(offset.clone()))
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        let cloud = &self.0.cloud;
        self.0.request(&cloud.counts.lists, false, 0).await?;
        cloud.objects.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, _: &Path, _: &Path, _: CopyOptions) -> Result<()> {
        Err(Error::NotImplemented {
            operation: "copy".to_owned(),
            implementer: self.to_string(),
        })
    }
}

impl Client {
    /// A list costs a request for each thousand objects.
    fn list_from(
        &self,
        prefix: Option<Path>,
        offset: Option<Path>,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        let way = Arc::clone(&self.0);
        let pages = async move {
            let cloud = &way.cloud;
            way.request(&cloud.counts.lists, false, 0).await?;
            let listed = match &offset {
                Some(offset) => cloud.objects.list_with_offset(prefix.as_ref(), offset),
                None => cloud.objects.list(prefix.as_ref()),
            };
            let all: Vec<ObjectMeta> = listed.try_collect().await?;
            for _ in 0..all.len().saturating_sub(1) / LIST_PAGE {
                way.request(&cloud.counts.lists, false, 0).await?;
            }
            let all: Vec<Result<ObjectMeta>> =
                all.into_iter().map(|it| Ok(cloud.stamped(it))).collect();
            Ok::<_, Error>(stream::iter(all))
        };
        stream::once(pages).try_flatten().boxed()
    }
}
