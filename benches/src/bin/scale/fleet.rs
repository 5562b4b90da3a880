//! The clones and their agents: real states, the real exchange and the real leases.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::path::Path as FilePath;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use object_store::path::Path as Key;
use serde_json::Map;
use windlass_core::{
    Actor, Dialect, Draft, EntityId, EntityType, Origin, Page, Result, TaskStatus,
};
use windlass_store::{Project, Store, WorkPlace};
use windlass_sync::claims::{Acquired, Holder, Leases, Renewed};
use windlass_sync::remote::{Pass, Remote};

use crate::clock::VirtualClock;
use crate::dice::Dice;
use crate::network::{Client, Cloud, Way};
use crate::options::Options;

/// Leases last this long and are renewed three times within it, as a server does it.
const LEASE: Duration = Duration::from_mins(10);
/// For how long a task is left alone that another clone holds.
const LEFT_ALONE: Duration = Duration::from_mins(1);
/// And one that several want at this moment.
const SHORTEST: Duration = Duration::from_secs(15);
/// How many tasks a call tries before it gives up.
const MOST_TASKS: usize = 25;
/// Every so many completed tasks one is followed until all clones know it.
const FOLLOWED: u64 = 20;

/// What is known about all clones together.
#[derive(Default)]
pub struct Truth {
    /// Who works on a task now, and how many do.
    working: RefCell<HashMap<EntityId, u32>>,
    done: RefCell<HashSet<EntityId>>,
    pub claims: Cell<u64>,
    pub local_claims: Cell<u64>,
    pub refused: Cell<u64>,
    /// Tasks that too many wanted at the same moment.
    pub contested: Cell<u64>,
    /// Tasks whose lease was free and that turned out to be done, under way elsewhere, or claimed by
    /// another agent of the same clone.
    pub found_done: Cell<u64>,
    pub found_under_way: Cell<u64>,
    pub found_claimed: Cell<u64>,
    /// Tasks that could not be started here.
    pub not_started: Cell<u64>,
    pub completed: Cell<u64>,
    /// Tasks that somebody worked on although another did or had, and the time that went into it.
    pub wasted: Cell<u64>,
    pub wasted_time: Cell<Duration>,
    pub worked: Cell<Duration>,
    pub passes: Cell<u64>,
    pub failed_passes: Cell<u64>,
    pub claim_times: RefCell<Vec<Duration>>,
    pub pass_times: RefCell<Vec<Duration>>,
    pub packs_listed: Cell<u64>,
    /// From a change until another clone has it.
    pub lags: RefCell<Vec<Duration>>,
    /// From a change until all clones have it.
    pub agreed: RefCell<Vec<Duration>>,
    followed: RefCell<Vec<Followed>>,
}

struct Followed {
    task: EntityId,
    since: Duration,
    missing: HashSet<usize>,
}

fn add<T: Copy + std::ops::Add<Output = T>>(cell: &Cell<T>, more: T) {
    cell.set(cell.get() + more);
}

pub struct Clone {
    number: usize,
    store: Store,
    remote: Remote,
    leases: Leases,
    way: Arc<Way>,
    clock: VirtualClock,
    truth: Rc<Truth>,
    /// Tasks that others held when they were asked for, and until when they are left alone.
    elsewhere: RefCell<HashMap<EntityId, Duration>>,
    options: Options,
}

fn origin(session: &str) -> Origin {
    Origin {
        actor: Actor::Agent,
        source: "scale",
        session: session.to_owned(),
        correlation_id: None,
    }
}

impl Clone {
    pub fn new(
        number: usize,
        folder: &FilePath,
        cloud: &Arc<Cloud>,
        clock: &VirtualClock,
        truth: &Rc<Truth>,
        options: Options,
    ) -> Result<Rc<Self>> {
        let (project, _) = Project::init(&folder.join(format!("clone-{number}")))?;
        let store = Store::open(&project)?;
        let way = Way::new(cloud, number as u64 + 1);
        let mut dice = Dice::new(number as u64 + 77);
        // Clocks of machines differ by minutes.
        let skew = i64::try_from(dice.roll(600)).unwrap_or(0) * 1_000 - 300_000;
        let (own, begin) = (clock.clone(), options.begin);
        let wall = Arc::new(move || {
            begin + skew + i64::try_from(own.now().as_millis()).unwrap_or(i64::MAX / 2)
        });
        let own = clock.clone();
        let remote = Remote::over(
            "scale".to_owned(),
            Arc::new(Client(Arc::clone(&way))),
            Key::default(),
        )
        .with_clock(wall)
        .with_timer(Arc::new(move |time| Box::pin(own.sleep(time))));
        Ok(Rc::new(Self {
            number,
            store,
            leases: Leases::new(remote.clone()),
            remote,
            way,
            clock: clock.clone(),
            truth: Rc::clone(truth),
            elsewhere: RefCell::default(),
            options,
        }))
    }

    pub fn plan(&self, count: usize) -> Result<()> {
        for number in 0..count {
            self.create(&format!("task {number} of clone {}", self.number))?;
        }
        Ok(())
    }

    fn create(&self, title: &str) -> Result<()> {
        let kind = EntityType::Task;
        let draft = Draft::new(kind, title, None, &[], &Map::new(), Dialect::Knowledge)?;
        self.store
            .write(&origin("plan"), |writer| writer.create(draft))?;
        Ok(())
    }

    /// Exchanges packs now and then.
    pub async fn keep_syncing(self: Rc<Self>) {
        let mut dice = Dice::new(self.number as u64 + 1_000);
        let interval = self.options.interval;
        let mut wait = interval.mul_f64(dice.part());
        let mut failures = 0u32;
        loop {
            self.clock.sleep(wait).await;
            let begin = self.clock.now();
            let done = self.pass().await;
            add(&self.truth.passes, 1);
            if done.is_ok() {
                failures = 0;
                let took = self.clock.now().saturating_sub(begin);
                self.truth.pass_times.borrow_mut().push(took);
            } else {
                failures = (failures + 1).min(5);
                add(&self.truth.failed_passes, 1);
            }
            let next = interval.saturating_mul(1 << failures);
            wait = next
                .min(Duration::from_mins(5).max(interval))
                .mul_f64(0.8 + 0.4 * dice.part());
        }
    }

    async fn pass(&self) -> Result<(), String> {
        let origin = origin("sync");
        let pass = Pass {
            store: &self.store,
            origin: &origin,
            remote: &self.remote,
            thorough: false,
            progress: None,
        };
        let failed = |problem: windlass_sync::remote::RemoteError| problem.to_string();
        let report = pass.run().await.map_err(failed)?;
        add(&self.truth.packs_listed, report.listed as u64);
        if report.listed_all && report.listed > self.options.compact_after {
            pass.compact(&format!("clone-{}", self.number))
                .await
                .map_err(failed)?;
        }
        self.look_at_followed().map_err(|error| error.to_string())
    }

    /// Which of the changes that are followed have arrived here.
    fn look_at_followed(&self) -> Result<()> {
        let now = self.clock.now();
        let mut followed = self.truth.followed.borrow_mut();
        for change in followed.iter_mut() {
            if !change.missing.contains(&self.number) {
                continue;
            }
            let task = self
                .store
                .read(None, |reader| reader.find_entity(&change.task))?;
            if task.is_some_and(|task| task.task_status() == Some(TaskStatus::Done)) {
                change.missing.remove(&self.number);
                self.truth
                    .lags
                    .borrow_mut()
                    .push(now.saturating_sub(change.since));
            }
        }
        followed.retain(|change| {
            if change.missing.is_empty() {
                self.truth
                    .agreed
                    .borrow_mut()
                    .push(now.saturating_sub(change.since));
            }
            !change.missing.is_empty()
        });
        Ok(())
    }

    /// Is cut off from the store now and then.
    pub async fn keep_failing(self: Rc<Self>) {
        let mut dice = Dice::new(self.number as u64 + 2_000);
        loop {
            let up = dice.around(self.options.up);
            self.clock.sleep(up).await;
            self.way.is_cut.store(true, Ordering::Relaxed);
            let down = dice.around(self.options.down);
            self.clock.sleep(down).await;
            self.way.is_cut.store(false, Ordering::Relaxed);
        }
    }

    /// One agent: takes a task, works on it, completes it, takes the next.
    pub async fn keep_working(self: Rc<Self>, agent: usize) {
        let session = format!("agent-{}-{agent}", self.number);
        let mut dice = Dice::new((self.number * 1_000 + agent) as u64 + 5_000);
        self.clock
            .sleep(self.options.work.mul_f64(dice.part()))
            .await;
        loop {
            let begin = self.clock.now();
            let Some((task, holder, generation)) = self.take(&session).await else {
                self.clock
                    .sleep(Duration::from_secs(120 + dice.roll(120)))
                    .await;
                continue;
            };
            self.truth
                .claim_times
                .borrow_mut()
                .push(self.clock.now().saturating_sub(begin));
            let time = dice.around(self.options.work).max(Duration::from_secs(30));
            self.work(&task, &holder, generation, time).await;
            if self.finish(&session, &task, time).is_err() {
                continue;
            }
            // The end of the work is sent before others may take the task.
            if self.pass().await.is_ok() {
                let _ = self.leases.release(task.as_str(), &holder.nonce).await;
            }
        }
    }

    /// Claims on the remote first, then here. A remote that does not answer makes the claim local.
    /// Returns the generation of the lease, if it has one.
    async fn take(&self, session: &str) -> Option<(EntityId, Holder, Option<i64>)> {
        for _ in 0..MOST_TASKS {
            let task = self.next(session)?;
            let holder = Holder {
                owner: session.to_owned(),
                machine: format!("clone-{}", self.number),
                nonce: EntityId::random().as_str().to_owned(),
            };
            // Other agents of this clone do not try it meanwhile.
            self.leave_alone(&task, Duration::from_secs(30));
            let generation = match self.leases.acquire(task.as_str(), &holder, LEASE).await {
                Ok(Acquired::Held(generation)) => {
                    // Somebody had it before, and may have completed it.
                    if generation > 1 {
                        let _ = self.pass().await;
                    }
                    if let Some(found) = self.why_not_ready(&task) {
                        add(found, 1);
                        let _ = self.leases.release(task.as_str(), &holder.nonce).await;
                        continue;
                    }
                    add(&self.truth.claims, 1);
                    Some(generation)
                }
                Ok(Acquired::Busy(busy)) => {
                    add(&self.truth.refused, 1);
                    self.leave_alone(&task, busy.remaining.max(LEFT_ALONE));
                    for other in self.leases.recently_taken(LEASE).await.unwrap_or_default() {
                        self.leave_alone(&EntityId::from_stored(other), LEFT_ALONE);
                    }
                    continue;
                }
                Ok(Acquired::Contested) => {
                    add(&self.truth.contested, 1);
                    self.leave_alone(&task, SHORTEST);
                    continue;
                }
                Err(_) => {
                    add(&self.truth.local_claims, 1);
                    None
                }
            };
            let started = self.store.write(&origin(session), |writer| {
                writer.start_task_for(&task, session, None, &WorkPlace::default())
            });
            if started.is_ok() {
                return Some((task, holder, generation));
            }
            add(&self.truth.not_started, 1);
            let _ = self.leases.release(task.as_str(), &holder.nonce).await;
        }
        None
    }

    /// Where it is counted that a task cannot be started; `None` if it can.
    fn why_not_ready(&self, task: &EntityId) -> Option<&Cell<u64>> {
        let found = self.store.read(None, |reader| {
            let status = reader.find_entity(task)?.and_then(|it| it.task_status());
            Ok((status, reader.claim_of(task)?.is_some()))
        });
        match found {
            Ok((Some(TaskStatus::Pending), false)) => None,
            Ok((Some(TaskStatus::Pending), true)) => Some(&self.truth.found_claimed),
            Ok((Some(TaskStatus::InProgress), _)) => Some(&self.truth.found_under_way),
            _ => Some(&self.truth.found_done),
        }
    }

    fn leave_alone(&self, task: &EntityId, time: Duration) {
        let until = self.clock.now() + time;
        self.elsewhere.borrow_mut().insert(task.clone(), until);
    }

    fn next(&self, session: &str) -> Option<EntityId> {
        let now = self.clock.now();
        let mut elsewhere = self.elsewhere.borrow_mut();
        elsewhere.retain(|_, until| *until > now);
        // Tasks that others work on are ready too, as if they had been left: they come first.
        let page = Page {
            limit: 200 + u32::try_from(elsewhere.len()).unwrap_or(u32::MAX / 2),
            offset: 0,
        };
        let ready = self
            .store
            .read(None, |reader| reader.ready_tasks(None, session, page))
            .ok()?;
        let mut ready = ready.into_iter().map(|queued| queued.task.id);
        ready.find(|id| !elsewhere.contains_key(id))
    }

    /// Works for a while, and meanwhile renews the lease, or takes one for a claim that has none yet.
    async fn work(
        &self,
        task: &EntityId,
        holder: &Holder,
        mut generation: Option<i64>,
        time: Duration,
    ) {
        let others = {
            let mut working = self.truth.working.borrow_mut();
            let count = working.entry(task.clone()).or_default();
            *count += 1;
            *count > 1
        };
        if others || self.truth.done.borrow().contains(task) {
            add(&self.truth.wasted, 1);
            add(&self.truth.wasted_time, time);
        }
        add(&self.truth.worked, time);
        let end = self.clock.now() + time;
        while self.clock.now() < end {
            let rest = end.saturating_sub(self.clock.now());
            self.clock.sleep(rest.min(LEASE / 3)).await;
            if self.clock.now() < end {
                generation = self.renew(task, holder, generation).await;
            }
        }
        if let Some(count) = self.truth.working.borrow_mut().get_mut(task) {
            *count -= 1;
        }
    }

    async fn renew(
        &self,
        task: &EntityId,
        holder: &Holder,
        generation: Option<i64>,
    ) -> Option<i64> {
        let name = task.as_str();
        let Some(held) = generation else {
            let taken = self.leases.acquire(name, holder, LEASE).await;
            return match taken {
                Ok(Acquired::Held(generation)) => Some(generation),
                _ => None,
            };
        };
        match self.leases.renew(name, holder, held, LEASE).await {
            Ok(Renewed::Held(generation)) => Some(generation),
            Ok(Renewed::Lost(_)) => None,
            // Cut off: the next attempt continues where this one was.
            Err(_) => generation,
        }
    }

    fn finish(&self, session: &str, task: &EntityId, _: Duration) -> Result<()> {
        self.store.write(&origin(session), |writer| {
            let mut patch = windlass_core::Patch::default();
            patch.managed.insert("status", Some("done".to_owned()));
            writer.update(task, &patch, Dialect::Plan)
        })?;
        self.truth.done.borrow_mut().insert(task.clone());
        add(&self.truth.completed, 1);
        let completed = self.truth.completed.get();
        if completed.is_multiple_of(FOLLOWED) {
            let clones = 0..self.options.clones;
            self.truth.followed.borrow_mut().push(Followed {
                task: task.clone(),
                since: self.clock.now(),
                missing: clones.filter(|other| *other != self.number).collect(),
            });
        }
        // The plan grows as fast as it is worked off.
        self.create(&format!("follows {completed}"))
    }
}
