//! Random schedules on three clones: write, pack, deliver some packs or the same again, compact, and
//! end the process between any two calls. In the end all of them have the same.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;
use windlass_core::workflow::{GateDefinition, GateStatus, Phases};
use windlass_core::{
    Actor, Entity, EntityId, EntityType, EventType, Origin, Page, Patch, RelationType, Timestamp,
};
use windlass_store::{
    Collection, EntityFilter, GateScope, JournalKind, NewComment, PackName, PackOutcome,
    RecordEdit, Store, WorkPlace,
};

use crate::dump::{assert_agreement, differences, dump};
use crate::support::{Sandbox, draft, object, origin, sandbox};
use crate::workflow::{by, ended, help, person, submission, who};

const CLONES: usize = 3;
const ALL: Page = Page {
    limit: 1_000,
    offset: 0,
};

/// One step: who, what, and two numbers that choose among what there is.
type Step = (usize, u8, usize, usize);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (0..CLONES, 0u8..28, 0usize..6, 0usize..6);
    prop::collection::vec(step, 10..60)
}

struct Clones {
    clones: Vec<Sandbox>,
    /// Packs of processes that ended before they could note that they wrote them.
    strays: BTreeMap<PackName, Vec<u8>>,
}

impl Clones {
    fn new() -> Self {
        let clones: Vec<Sandbox> = (0..CLONES).map(|_| sandbox()).collect();
        // One of them has no gates.
        for clone in &clones[..2] {
            let gate = GateDefinition::new("check", "true");
            by(clone, &person(), |writer| {
                writer.add_gate(&GateScope::Repo, &gate)
            })
            .expect("added");
        }
        Self {
            clones,
            strays: BTreeMap::new(),
        }
    }

    fn step(&mut self, (at, what, a, b): Step) {
        match what {
            0..20 => change(&self.clones[at], what, a, b),
            20 | 21 => self.pack(at, true),
            22 => self.pack(at, false),
            23 | 24 => {
                self.deliver(at, (at + 1 + a % 2) % CLONES, b);
            }
            25 => {
                self.clones[at].store.compact(&origin()).expect("compacted");
            }
            26 => self.deliver_strays(at),
            _ => self.reopen(at),
        }
    }

    fn pack(&mut self, at: usize, survives: bool) {
        let store = &self.clones[at].store;
        let Some(outgoing) = store.pack_outbox(&origin()).expect("packed") else {
            return;
        };
        if !survives {
            let pack = outgoing.pack;
            self.strays.insert(pack.name, pack.bytes);
            self.reopen(at);
        }
    }

    fn reopen(&mut self, at: usize) {
        let clone = &mut self.clones[at];
        clone.store = Store::open(&clone.project).expect("opened");
    }

    /// All packs that one knows but every `lost`th.
    fn deliver(&self, from: usize, to: usize, lost: usize) -> usize {
        let store = &self.clones[from].store;
        let arrives = |place: &usize| lost == 0 || place % (lost + 1) != lost;
        let names = store.known_packs().expect("read").into_iter().enumerate();
        let packs = names
            .filter(|(place, _)| arrives(place))
            .map(|(_, name)| {
                let bytes = store.pack_bytes(&name).expect("read").expect("kept");
                (name, bytes)
            })
            .collect();
        self.import(to, packs)
    }

    fn deliver_strays(&self, to: usize) {
        self.import(to, self.strays.clone().into_iter().collect());
    }

    fn import(&self, to: usize, packs: Vec<(PackName, Vec<u8>)>) -> usize {
        let clone = &self.clones[to];
        let outcomes = clone.store.import_packs(&origin(), packs);
        let mut news = 0;
        for (_, outcome) in outcomes.expect("imported") {
            news += match outcome {
                PackOutcome::Imported(_) => 1,
                PackOutcome::AlreadyKnown => 0,
                other => panic!("{other:?}"),
            };
        }
        assert_agreement(clone);
        news
    }

    /// Exchanges everything until nobody has anything new.
    fn settle(&mut self) {
        for _ in 0..12 {
            for at in 0..CLONES {
                self.pack(at, true);
            }
            let mut news = 0;
            for (from, to) in [(0, 1), (1, 2), (2, 0), (0, 2), (2, 1), (1, 0)] {
                news += self.deliver(from, to, 0);
            }
            if news == 0 {
                return;
            }
        }
        panic!("the clones do not come to rest");
    }
}

fn entities(clone: &Sandbox) -> Vec<Entity> {
    let all = clone.store.read(None, |reader| {
        reader.entities(&EntityFilter::default(), ALL)
    });
    all.expect("read").0
}

/// One change; what the rules refuse is skipped.
fn change(clone: &Sandbox, what: u8, a: usize, b: usize) {
    let all = entities(clone);
    let pick = |at: usize| all.get(at % all.len().max(1));
    let tasks: Vec<&Entity> = all
        .iter()
        .filter(|entity| entity.kind == EntityType::Task)
        .collect();
    match what {
        0 | 1 => {
            clone.task(&format!("task {a}"));
        }
        2 => {
            let name = format!("feature{}", a % 2);
            let made = draft(EntityType::Feature, &name, None, &[], json!({"name": name}));
            let _ = by(clone, &person(), |writer| writer.create(made));
        }
        3 => {
            let words = ["fact", "", "other words\nand lines"];
            let patch = Patch {
                content: Some(Some(words[b % 3].to_owned())),
                add_tags: vec![format!("tag{b}")],
                properties: object(json!({})),
                ..Patch::default()
            };
            if let Some(entity) = pick(a) {
                let _ = clone.change(&entity.id, &patch);
            }
        }
        4 => {
            let of = [json!({"priority": "high"}), json!({"status": "done"})];
            if let Some(entity) = pick(a) {
                let _ = clone.set(&entity.id, of[b % 2].clone());
            }
        }
        5 => {
            if let (Some(one), Some(other)) = (pick(a), pick(b)) {
                let _ = clone.relate(one, RelationType::Blocks, other);
            }
        }
        6 => {
            if let Some(entity) = pick(a).filter(|_| b == 0) {
                let _ = clone.delete(&entity.id);
            }
        }
        7 => {
            if let Some(entity) = pick(a) {
                let edits = [RecordEdit::Add(json!({"text": format!("comment {b}")}))];
                let event = (EventType::CommentAdded, &json!({}));
                let _ = by(clone, &person(), |writer| {
                    writer.edit_records(entity, Collection::Comments, &edits, event)
                });
            }
        }
        8 => {
            let text = format!("entry {a} {b}");
            let kind = JournalKind::ALL[b % 2];
            by(clone, &person(), |writer| {
                writer.append_journal(kind, &text, &Timestamp::now())
            })
            .expect("appended");
        }
        _ => {
            if let Some(task) = tasks.get(a % tasks.len().max(1)) {
                work(clone, &task.id, what, b);
            }
        }
    }
}

/// One action of the lifecycle.
fn work(clone: &Sandbox, id: &EntityId, what: u8, b: usize) {
    let agent: Origin = who(Actor::Agent, "worker");
    let review = clone.store.read(None, |reader| reader.active_review(id));
    let review = review.expect("read");
    let text = review.as_ref().map_or("", |it| it.id.as_str());
    let _ = match what {
        9 | 10 => by(clone, &person(), |writer| {
            writer.start_task(id, &WorkPlace::default()).map(drop)
        }),
        11 | 12 => by(clone, &person(), |writer| {
            writer.submit_task(id, &submission()).map(drop)
        }),
        13 | 14 => {
            let passes = !b.is_multiple_of(3);
            by(clone, &agent, |writer| {
                let Some(review) = &review else {
                    return Ok(());
                };
                let results = writer.current_results(review)?;
                let Some(open) = results.iter().find(|it| it.status.is_open()) else {
                    return Ok(());
                };
                writer.gate_started(open)?;
                let end = if passes {
                    ended(GateStatus::Passed, 0)
                } else {
                    ended(GateStatus::Failed, 1)
                };
                writer.gate_ended(open, &end, Phases::default()).map(drop)
            })
        }
        15 => by(clone, &person(), |writer| {
            writer.approve_review(text, Phases::default()).map(drop)
        }),
        16 => by(clone, &person(), |writer| {
            let comment = NewComment {
                body: format!("not yet {b}"),
                ..NewComment::default()
            };
            writer
                .request_changes(text, &[comment], Some("again"))
                .map(drop)
        }),
        17 => by(clone, &agent, |writer| {
            writer.request_help(id, &help()).map(drop)
        }),
        18 => by(clone, &person(), |writer| {
            if let Some(request) = writer.active_help(id)? {
                writer.respond_to_help(&request.id, Some("this"), None)?;
            }
            if b.is_multiple_of(2) {
                writer.resume_task(id, Phases::default())?;
            }
            Ok(())
        }),
        _ => by(clone, &person(), |writer| match b {
            0 => writer.cancel_task(id).map(drop),
            1 => writer.force_complete(id).map(drop),
            _ => writer.add_learning(id, &format!("learnt {b}")).map(drop),
        }),
    };
}

/// How many schedules: few, or as many as `WINDLASS_SCHEDULES` says.
#[expect(
    clippy::disallowed_methods,
    reason = "more schedules than usual are asked for by hand"
)]
fn cases() -> u32 {
    let given = std::env::var("WINDLASS_SCHEDULES").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(12)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(),
        max_shrink_iters: 400,
        ..ProptestConfig::default()
    })]

    #[test]
    fn all_clones_have_the_same_in_the_end(steps in steps()) {
        let mut clones = Clones::new();
        for step in steps {
            clones.step(step);
        }
        for at in 0..CLONES {
            clones.deliver_strays(at);
        }
        clones.settle();
        let first = dump(&clones.clones[0]);
        for clone in &clones.clones[1..] {
            prop_assert_eq!(differences(&dump(clone), &first), [""; 0]);
        }
        for clone in &clones.clones {
            assert_agreement(clone);
            prop_assert_eq!(clone.store.check(&origin()).expect("checked"), [""; 0]);
        }
        // A clone that has only the packs of one of them has the same too.
        let fresh = sandbox();
        let store = &clones.clones[1].store;
        let packs = store.known_packs().expect("read").into_iter().map(|name| {
            let bytes = store.pack_bytes(&name).expect("read").expect("kept");
            (name, bytes)
        });
        fresh.store.import_packs(&origin(), packs).expect("imported");
        prop_assert_eq!(differences(&dump(&fresh), &first), [""; 0]);
        prop_assert!(fresh.store.pack_outbox(&origin()).expect("packed").is_none());
    }
}
