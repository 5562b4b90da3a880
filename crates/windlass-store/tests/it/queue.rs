//! Ready, blocked and claimed tasks; and no cycles.

use proptest::prelude::*;
use serde_json::json;
use windlass_core::{Actor, Dialect, EntityType, ErrorKind, Page, Patch, RelationType};

use crate::support::{Sandbox, draft, object, origin, sandbox};
use crate::workflow::who;

const BLOCKS: RelationType = RelationType::Blocks;
const PARENT: RelationType = RelationType::Parent;

fn task(sandbox: &Sandbox, title: &str, properties: serde_json::Value) {
    sandbox.add(draft(EntityType::Task, title, None, &[], properties));
}

#[test]
fn tasks_are_ordered_by_priority_due_date_and_number() {
    let sandbox = sandbox();
    task(&sandbox, "normal", json!({}));
    task(&sandbox, "low", json!({"priority": "low"}));
    task(&sandbox, "urgent", json!({"priority": "urgent"}));
    task(
        &sandbox,
        "high later",
        json!({"priority": "high", "due_date": "2026-03-01"}),
    );
    task(&sandbox, "high none", json!({"priority": "high"}));
    task(
        &sandbox,
        "high soon",
        json!({"priority": "high", "due_date": "2026-02-01"}),
    );
    task(&sandbox, "normal too", json!({}));
    assert_eq!(
        sandbox.ready(),
        [
            "urgent",
            "high soon",
            "high later",
            "high none",
            "normal",
            "normal too",
            "low"
        ]
    );
}

#[test]
fn only_workable_tasks_are_ready() {
    let sandbox = sandbox();
    for status in ["todo", "in_progress", "done", "blocked"] {
        task(&sandbox, status, json!({"status": status}));
    }
    assert_eq!(sandbox.ready(), ["todo", "in_progress"]);
    let blocked = sandbox
        .store
        .read(None, |reader| reader.blocked_tasks(Page::default()))
        .expect("read");
    assert_eq!(blocked.len(), 1);
    assert_eq!(blocked[0].task.title, "blocked");
}

#[test]
fn completing_a_blocker_unblocks_and_reopening_blocks_again() {
    let sandbox = sandbox();
    let (a, b) = (sandbox.task("a"), sandbox.task("b"));
    sandbox.relate(&a, BLOCKS, &b).expect("related");
    assert_eq!(sandbox.ready(), ["a"]);
    sandbox
        .set(&a.id, json!({"status": "done"}))
        .expect("valid");
    assert_eq!(sandbox.ready(), ["b"]);
    sandbox
        .set(&a.id, json!({"status": "in_progress"}))
        .expect("valid");
    assert_eq!(sandbox.ready(), ["a"]);
    sandbox.unrelate(&a, BLOCKS, &b).expect("removed");
    assert_eq!(sandbox.ready(), ["a", "b"]);
    let error = sandbox.unrelate(&a, BLOCKS, &b).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RelationNotFound);
}

#[test]
fn children_inherit_the_blockers_of_their_ancestors() {
    let sandbox = sandbox();
    let titles = ["blocker", "milestone", "task", "subtask"];
    let [blocker, milestone, middle, leaf] = titles.map(|title| sandbox.task(title));
    sandbox.relate(&leaf, PARENT, &middle).expect("related");
    sandbox
        .relate(&middle, PARENT, &milestone)
        .expect("related");
    sandbox
        .relate(&blocker, BLOCKS, &milestone)
        .expect("related");
    assert_eq!(sandbox.ready(), ["blocker"]);
    let blockers = sandbox
        .store
        .read(None, |reader| reader.open_blockers(&leaf.id))
        .expect("read");
    assert_eq!(blockers.len(), 1);
    assert_eq!((blockers[0].number, blockers[0].through), (1, Some(2)));
    sandbox
        .set(&blocker.id, json!({"status": "done"}))
        .expect("valid");
    assert_eq!(sandbox.ready(), ["milestone", "task", "subtask"]);
}

#[test]
fn cycles_of_blockers_and_parents_are_refused() {
    let sandbox = sandbox();
    let [a, b, c] = ["a", "b", "c"].map(|title| sandbox.task(title));
    sandbox.relate(&a, BLOCKS, &b).expect("related");
    sandbox.relate(&b, BLOCKS, &c).expect("related");
    let error = sandbox.relate(&c, BLOCKS, &a).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RelationCycle);
    assert_eq!(error.data()["cycle"], json!([3, 2, 1]));
    let [parent, child] = ["parent", "child"].map(|title| sandbox.task(title));
    sandbox.relate(&child, PARENT, &parent).expect("related");
    let error = sandbox.relate(&child, BLOCKS, &parent).unwrap_err();
    assert_eq!(
        error.kind(),
        ErrorKind::RelationCycle,
        "the child would wait for itself"
    );
    sandbox
        .relate(&parent, BLOCKS, &child)
        .expect("a child may wait for its parent");
    let error = sandbox.relate(&a, BLOCKS, &a).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SelfReferentialRelation);
}

#[test]
fn the_hierarchy_has_three_levels_and_one_parent() {
    let sandbox = sandbox();
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|title| sandbox.task(title));
    sandbox.relate(&b, PARENT, &a).expect("related");
    sandbox.relate(&c, PARENT, &b).expect("related");
    assert!(sandbox.relate(&d, PARENT, &c).is_err(), "too deep");
    assert!(
        sandbox.relate(&a, PARENT, &d).is_err(),
        "too deep from above"
    );
    assert!(sandbox.relate(&c, PARENT, &a).is_err(), "a second parent");
    assert!(
        !sandbox.relate(&c, PARENT, &b).expect("still there"),
        "the same relation again is not new"
    );
}

#[test]
fn deleting_an_unlinked_blocker_unblocks_its_dependants() {
    let sandbox = sandbox();
    let (a, b) = (sandbox.task("a"), sandbox.task("b"));
    sandbox.relate(&a, BLOCKS, &b).expect("related");
    assert!(sandbox.delete(&a.id).is_err());
    sandbox.unrelate(&a, BLOCKS, &b).expect("removed");
    sandbox.delete(&a.id).expect("deleted");
    assert_eq!(sandbox.ready(), ["b"]);
}

#[test]
fn a_claim_hides_the_task_from_others_until_the_lease_expires() {
    let sandbox = sandbox();
    let a = sandbox.task("a");
    let claim = |owner: &str, lease| {
        sandbox
            .store
            .write(&origin(), |writer| writer.claim(&a.id, owner, lease))
    };
    assert!(!claim("one", Some(60)).expect("claimed").renewed);
    assert!(claim("one", Some(60)).expect("renewed").renewed);
    let error = claim("two", Some(60)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TaskClaimed);
    assert_eq!(sandbox.ready_for("one"), ["a"]);
    assert!(sandbox.ready_for("two").is_empty());
    let release = |owner: &str| {
        sandbox
            .store
            .write(&origin(), |writer| writer.release(&a.id, owner))
    };
    assert!(release("two").is_err());
    assert_eq!(release("one"), Ok(true));
    assert_eq!(release("one"), Ok(false));
    // A lease of zero seconds expires at once: the task of the dead session is available again.
    claim("one", Some(0)).expect("claimed");
    assert_eq!(sandbox.ready_for("two"), ["a"]);
    sandbox
        .store
        .write(&who(Actor::Agent, "two"), |writer| {
            writer.claim(&a.id, "two", Some(60))
        })
        .expect("free again");
    let error = sandbox
        .set(&a.id, json!({"status": "done"}))
        .expect_err("another session holds it");
    assert_eq!(error.kind(), ErrorKind::TaskClaimed);
    sandbox
        .store
        .write(&who(Actor::Agent, "two"), |writer| {
            let patch = Patch {
                properties: object(json!({"status": "done"})),
                ..Patch::default()
            };
            writer.update(&a.id, &patch, Dialect::Knowledge)
        })
        .expect("its holder may");
    let left = sandbox
        .store
        .read(None, |reader| reader.claim_of(&a.id))
        .expect("read");
    assert_eq!(left, None, "ending a task removes its claim");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// The readiness stored in the rows equals the one computed from relations and statuses, after
    /// any sequence of changes.
    #[test]
    fn stored_readiness_equals_computed_readiness(
        steps in prop::collection::vec((0u8..6, 0usize..6, 0usize..6), 1..40)
    ) {
        let sandbox = sandbox();
        let tasks: Vec<_> = (0..6).map(|at| sandbox.task(&format!("t{at}"))).collect();
        let mut done = [false; 6];
        let mut blocks = std::collections::BTreeSet::new();
        let mut parent: [Option<usize>; 6] = [None; 6];
        for (step, a, b) in steps {
            match step {
                0 => {
                    if sandbox.relate(&tasks[a], BLOCKS, &tasks[b]).is_ok() { blocks.insert((a, b)); }
                }
                1 => {
                    if sandbox.unrelate(&tasks[a], BLOCKS, &tasks[b]).is_ok() { blocks.remove(&(a, b)); }
                }
                2 => {
                    if sandbox.relate(&tasks[a], PARENT, &tasks[b]).is_ok() { parent[a] = Some(b); }
                }
                3 => {
                    if sandbox.unrelate(&tasks[a], PARENT, &tasks[b]).is_ok() { parent[a] = None; }
                }
                _ => {
                    done[a] = step == 4;
                    let status = if done[a] { "done" } else { "todo" };
                    sandbox.set(&tasks[a].id, json!({"status": status})).expect("valid");
                }
            }
        }
        let mut expected = Vec::new();
        for at in 0..6 {
            let mut line = vec![at];
            while let Some(above) = parent[line[line.len() - 1]] { line.push(above); }
            let blocked = blocks.iter().any(|(from, to)| line.contains(to) && !done[*from]);
            if !done[at] && !blocked { expected.push(format!("t{at}")); }
        }
        prop_assert_eq!(sandbox.ready(), expected);
    }
}
