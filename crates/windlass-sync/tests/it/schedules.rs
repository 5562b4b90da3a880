//! Three clones, and whatever can happen to them in any order: writes, syncs, merges, compactions, and
//! crashes in the middle of each. In the end all have the same, and nothing is lost.
//!
//! A merge is what git does to a folder of files that are never changed: it applies what the other side
//! added and removed since the last common commit. In CI this runs for a fixed time; by hand,
//! `WINDLASS_SCHEDULES=1000` runs that many.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use windlass_core::{
    Actor, Dialect, Draft, EntityId, EntityType, Origin, Page, Patch, RelationType, Timestamp,
};
use windlass_store::{EntityFilter, JournalKind, PackName, Project, Store};
use windlass_sync::folder::{Compaction, Difference, Exchange, PacksFolder, Refused, StatePacks};

const CLONES: usize = 3;
const STEPS: usize = 40;
/// How long CI may take.
const BUDGET: Duration = Duration::from_secs(25);

fn origin() -> Origin {
    Origin {
        actor: Actor::Agent,
        source: "test",
        session: "test".into(),
        correlation_id: None,
    }
}

/// Small numbers that follow from a seed, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, most: usize) -> usize {
        usize::try_from(self.next()).unwrap_or(0) % most
    }
}

type Files = BTreeSet<String>;

struct Clone {
    _folder: tempfile::TempDir,
    project: Project,
    store: Store,
    packs: PacksFolder,
    /// What git has in the last commit of this clone.
    committed: Files,
}

struct World {
    clones: Vec<Clone>,
    /// The last common commit of two clones.
    bases: BTreeMap<(usize, usize), Files>,
    /// The bytes of every file that was ever committed.
    objects: BTreeMap<String, Vec<u8>>,
    /// What was written anywhere, and must be everywhere in the end.
    tags: BTreeSet<String>,
    journal: BTreeSet<String>,
    dice: Dice,
    count: usize,
    origin: Origin,
}

impl World {
    fn new(seed: u64) -> Self {
        let clones = (0..CLONES).map(|_| {
            let folder = tempfile::tempdir().expect("a folder");
            let (project, _) = Project::init(folder.path()).expect("a project");
            Clone {
                _folder: folder,
                store: Store::open(&project).expect("a store"),
                packs: PacksFolder::of(&project),
                project,
                committed: Files::new(),
            }
        });
        Self {
            clones: clones.collect(),
            bases: BTreeMap::new(),
            objects: BTreeMap::new(),
            tags: BTreeSet::new(),
            journal: BTreeSet::new(),
            dice: Dice(seed),
            count: 0,
            origin: origin(),
        }
    }

    fn step(&mut self) {
        let clone = self.dice.below(CLONES);
        match self.dice.below(20) {
            0..=7 => self.write(clone),
            8..=10 => self.sync(clone, Compaction::Never),
            11 => self.sync(clone, Compaction::Now),
            12..=14 => {
                let other = (clone + 1 + self.dice.below(CLONES - 1)) % CLONES;
                self.merge(clone, other);
            }
            15 => self.import(clone),
            16..=18 => self.crash(clone),
            _ => self.reopen(clone),
        }
    }

    /// Something that must be found everywhere in the end, or that must not disturb anything.
    fn write(&mut self, clone: usize) {
        self.count += 1;
        let name = format!("{clone}-{}", self.count);
        let ids = ids(&self.clones[clone].store);
        let store = &self.clones[clone].store;
        let choice = self.dice.below(10);
        if ids.len() < 3 || choice < 3 {
            let tags = [name.clone()];
            let draft = Draft::new(
                EntityType::Task,
                &name,
                None,
                &tags,
                &serde_json::Map::new(),
                Dialect::Knowledge,
            );
            let made = store.write(&origin(), |writer| writer.create(draft?));
            made.expect("created");
            self.tags.insert(name);
            return;
        }
        let id = &ids[self.dice.below(ids.len())];
        let other = &ids[self.dice.below(ids.len())];
        if choice == 3 {
            let at =
                Timestamp::from_millis(1_700_000_000_000 + i64::try_from(self.count).unwrap_or(0));
            let appended = store.write(&origin(), |writer| {
                writer.append_journal(JournalKind::Learnings, &name, &at)
            });
            appended.expect("appended");
            self.journal.insert(name);
            return;
        }
        if choice == 4 {
            let related = store.write(&origin(), |writer| {
                let source = writer.entity(id)?;
                let target = writer.entity(other)?;
                writer.relate(&source, RelationType::References, &target)
            });
            // An entity is not related to itself, nor twice.
            drop(related);
            return;
        }
        let patch = Patch {
            title: (choice == 5).then(|| format!("renamed {name}")),
            add_tags: vec![name.clone()],
            ..Patch::default()
        };
        let changed = store.write(&origin(), |writer| {
            writer.update(id, &patch, Dialect::Knowledge)
        });
        changed.expect("changed");
        self.tags.insert(name);
    }

    fn exchange(&self, clone: usize) -> Exchange<'_> {
        let clone = &self.clones[clone];
        Exchange {
            store: &clone.store,
            folder: &clone.packs,
            origin: &self.origin,
            thorough: false,
        }
    }

    fn sync(&mut self, clone: usize, compaction: Compaction) {
        let exchange = self.exchange(clone);
        let synced = exchange.sync(compaction).expect("synced");
        assert!(
            synced.imported.skipped.is_empty(),
            "{:?}",
            synced.imported.skipped
        );
        self.commit(clone);
    }

    fn import(&mut self, clone: usize) {
        let mut refused = Refused::of(&self.clones[clone].project);
        let imported = self.exchange(clone).import_new(&mut refused);
        imported.expect("imported");
    }

    /// What a killed process leaves: some of the steps of a sync, in their order.
    fn crash(&mut self, clone: usize) {
        let place = &self.clones[clone];
        match self.dice.below(6) {
            // Before the file was written.
            0 | 1 => drop(place.store.pack_outbox(&origin()).expect("packed")),
            // After the compaction of the state, before that of the folder.
            2 => drop(place.store.compact(&origin()).expect("compacted")),
            // After some of the packs were imported.
            3 => {
                let listing = place.packs.list().expect("listed");
                let unknown = place.store.unknown_packs(&listing.packs).expect("read");
                for name in unknown.iter().take(1) {
                    let bytes = place.packs.read(name).expect("read");
                    let outcome = place.store.import_pack(&origin(), name, &bytes);
                    outcome.expect("imported");
                }
            }
            // While files were written.
            4 => {
                let folder = place.packs.path();
                fs::create_dir_all(&folder).expect("made");
                fs::write(folder.join(".new-killed"), "half a pa").expect("written");
                let known = place.store.known_packs().expect("read");
                let some = known.len() / 2;
                for name in known.iter().take(some) {
                    let bytes = place.store.pack_bytes(name).expect("read").expect("kept");
                    place.packs.add(name, &bytes).expect("written");
                }
            }
            // While files were removed.
            _ => {
                let replaced = place.store.replaced_packs().expect("read");
                let known = place.store.known_packs().expect("read");
                let there = place.packs.list().expect("listed").packs;
                if known.iter().all(|name| there.contains(name)) {
                    for name in replaced.iter().take(1) {
                        place.packs.remove(name).expect("removed");
                    }
                }
            }
        }
        self.reopen(clone);
    }

    /// A new process, which writes under another peer id.
    fn reopen(&mut self, clone: usize) {
        let project = &self.clones[clone].project;
        self.clones[clone].store = Store::open(project).expect("opened");
    }

    /// Git takes the folder as it is.
    fn commit(&mut self, clone: usize) {
        let folder = self.clones[clone].packs.path();
        let files = files_in(&folder);
        for file in &files {
            if !self.objects.contains_key(file) {
                let bytes = fs::read(folder.join(file)).expect("read");
                self.objects.insert(file.clone(), bytes);
            }
        }
        self.clones[clone].committed = files;
    }

    /// Git merges the other's last commit into this checkout, whose changes were committed first.
    fn merge(&mut self, clone: usize, other: usize) {
        self.commit(clone);
        let key = (clone.min(other), clone.max(other));
        let base = self.bases.get(&key).cloned().unwrap_or_default();
        let theirs = self.clones[other].committed.clone();
        let ours = self.clones[clone].committed.clone();
        let folder = self.clones[clone].packs.path();
        fs::create_dir_all(&folder).expect("made");
        for added in theirs.difference(&base) {
            fs::write(folder.join(added), &self.objects[added]).expect("written");
        }
        for removed in base.difference(&theirs) {
            if ours.contains(removed) {
                fs::remove_file(folder.join(removed)).expect("removed");
            }
        }
        self.bases.insert(key, theirs);
        self.commit(clone);
    }

    /// Everybody syncs and merges until nothing changes any more.
    fn settle(&mut self) {
        for _ in 0..12 {
            let before: Vec<Vec<String>> = self.clones.iter().map(|it| state(&it.store)).collect();
            for clone in 0..CLONES {
                self.sync(clone, Compaction::Never);
            }
            for clone in 0..CLONES {
                for other in (0..CLONES).filter(|other| *other != clone) {
                    self.merge(clone, other);
                }
                self.sync(clone, Compaction::Never);
            }
            let after: Vec<Vec<String>> = self.clones.iter().map(|it| state(&it.store)).collect();
            if before == after && after.windows(2).all(|pair| pair[0] == pair[1]) {
                return;
            }
        }
    }

    fn check(&self) {
        let states: Vec<Vec<String>> = self.clones.iter().map(|it| state(&it.store)).collect();
        for state in &states[1..] {
            let only = |these: &[String], those: &[String]| -> Vec<String> {
                these
                    .iter()
                    .filter(|it| !those.contains(it))
                    .cloned()
                    .collect()
            };
            assert_eq!(only(&states[0], state), only(state, &states[0]));
        }
        let all = states[0].join("\n");
        for tag in &self.tags {
            assert!(all.contains(&format!("\"{tag}\"")), "{tag} is lost");
        }
        for entry in &self.journal {
            assert!(
                all.contains(&format!("\"{entry}\"")),
                "the entry {entry} is lost"
            );
        }
        for clone in &self.clones {
            assert_eq!(clone.store.check(&origin()).expect("checked"), [""; 0]);
            let packs = StatePacks {
                known: clone.store.known_packs().expect("read"),
                replaced: clone.store.replaced_packs().expect("read"),
                unpacked: 0,
            };
            let difference = Difference::between(&packs, &clone.packs).expect("compared");
            assert!(difference.is_none(), "{difference:?}");
        }
        let fresh = tempfile::tempdir().expect("a folder");
        let (project, _) = Project::init(fresh.path()).expect("a project");
        let store = Store::open(&project).expect("a store");
        let packs = self.clones[0].packs.list().expect("listed").packs;
        let packs: Vec<(PackName, Vec<u8>)> = packs
            .into_iter()
            .map(|name| {
                let bytes = self.clones[0].packs.read(&name).expect("read");
                (name, bytes)
            })
            .collect();
        store.import_packs(&origin(), packs).expect("imported");
        assert_eq!(state(&store), states[0], "a late clone");
    }
}

fn files_in(folder: &Path) -> Files {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    // Git ignores what is being written.
    names.filter(|name| !name.starts_with('.')).collect()
}

fn page() -> Page {
    Page {
        limit: 10_000,
        offset: 0,
    }
}

fn ids(store: &Store) -> Vec<EntityId> {
    let entities = store.read(None, |reader| {
        reader.entities(&EntityFilter::default(), page())
    });
    let mut ids: Vec<EntityId> = entities
        .expect("read")
        .0
        .into_iter()
        .map(|it| it.id)
        .collect();
    ids.sort();
    ids
}

/// Everything that clones have in common.
fn state(store: &Store) -> Vec<String> {
    let lines = store.read(None, |reader| {
        let (entities, _) = reader.entities(&EntityFilter::default(), page())?;
        let ids: Vec<EntityId> = entities.iter().map(|entity| entity.id.clone()).collect();
        let mut lines: Vec<String> = entities.iter().map(|it| format!("{it:?}")).collect();
        let relations = reader.relations_from(&ids)?;
        lines.extend(relations.iter().map(|relation| format!("{relation:?}")));
        let entries = reader.journal(JournalKind::Learnings)?;
        lines.extend(entries.iter().map(|entry| format!("{entry:?}")));
        lines.sort();
        Ok(lines)
    });
    lines.expect("read")
}

fn run(seed: u64) {
    let mut world = World::new(seed);
    for _ in 0..STEPS {
        world.step();
    }
    world.settle();
    let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| world.check()));
    assert!(checked.is_ok(), "seed {seed}");
}

#[expect(clippy::disallowed_methods, reason = "a person asks for a longer run")]
fn wanted() -> Option<u64> {
    std::env::var("WINDLASS_SCHEDULES").ok()?.parse().ok()
}

#[test]
fn any_schedule_ends_with_equal_clones() {
    let begin = Instant::now();
    let most = wanted();
    let mut done = 0;
    for seed in 1..=most.unwrap_or(100) {
        if most.is_none() && begin.elapsed() > BUDGET {
            break;
        }
        run(seed);
        done = seed;
    }
    eprintln!("{done} schedules in {:?}", begin.elapsed());
    assert!(done > 0);
}

/// Where the folder is: nothing above it is touched.
#[test]
fn a_folder_is_made_inside_of_the_project_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let (project, _) = Project::init(folder.path()).expect("a project");
    let packs = PacksFolder::of(&project);
    assert_eq!(
        packs.list().expect("listed"),
        windlass_sync::folder::Listing::default()
    );
    assert_eq!(
        packs.path(),
        PathBuf::from(project.root()).join(".windlass/packs")
    );
    assert!(!packs.path().exists(), "looking makes nothing");
    let name = PackName::of(b"content");
    packs.add(&name, b"content").expect("written");
    assert_eq!(packs.read(&name).expect("read"), b"content");
    assert_eq!(
        packs.list().expect("listed").packs,
        std::slice::from_ref(&name)
    );
    assert!(packs.remove(&name).expect("removed"));
    assert!(!packs.remove(&name).expect("gone"));
    fs::remove_dir(packs.path()).expect("removed");
    let elsewhere = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(elsewhere.path(), packs.path()).expect("linked");
    assert!(packs.list().is_err());
    assert!(packs.add(&name, b"content").is_err());
    assert_eq!(fs::read_dir(elsewhere.path()).expect("read").count(), 0);
}
