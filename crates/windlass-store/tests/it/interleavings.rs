//! Several processes do the same thing at once. What each does is a sequence of transactions, and
//! every order in which these can follow each other is tried.

use std::cell::Cell;

use serde_json::json;
use windlass_core::workflow::{GateDefinition, GateStatus, Phases};
use windlass_core::{Actor, EntityId, Timestamp};
use windlass_store::{GateResult, GateScope, NewRun, Review};

use crate::support::{Sandbox, origin, sandbox};
use crate::workflow::{by, ended, person, submission, who};

/// Every order in which actors with so many steps can act.
fn orders(steps: &[usize]) -> Vec<Vec<usize>> {
    if steps.iter().all(|left| *left == 0) {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for actor in (0..steps.len()).filter(|actor| steps[*actor] > 0) {
        let mut left = steps.to_vec();
        left[actor] -= 1;
        for mut rest in orders(&left) {
            rest.insert(0, actor);
            all.push(rest);
        }
    }
    all
}

#[test]
fn orders_are_all_there_are() {
    assert_eq!(orders(&[1, 1]), [[0, 1], [1, 0]]);
    assert_eq!(orders(&[3, 3, 1]).len(), 140);
}

fn holder(sandbox: &Sandbox, task: &EntityId) -> Option<String> {
    let claim = sandbox.store.read(None, |reader| reader.claim_of(task));
    claim.expect("read").map(|(owner, _)| owner)
}

/// Two agents claim, renew and give back one task while the sweeper runs: one holds it at a time, and
/// each is told the truth.
#[test]
fn claims_in_every_order() {
    let sandbox = sandbox();
    for order in orders(&[3, 3, 1]) {
        let task = sandbox.task("claimed");
        let mut step = [0; 3];
        let mut holds: Option<&str> = None;
        for actor in &order {
            let name = ["one", "two", "sweeper"][*actor];
            let at = step[*actor];
            step[*actor] += 1;
            match (name, at) {
                ("sweeper", _) => {
                    let ended = sandbox
                        .store
                        .write(&origin(), |writer| writer.end_expired_claims());
                    assert_eq!(ended, Ok(0), "{order:?}");
                }
                (name, 0 | 1) => {
                    let origin = who(Actor::Agent, name);
                    let claimed = by(&sandbox, &origin, |writer| {
                        writer.claim(&task.id, name, None)
                    });
                    let may = holds.is_none_or(|holder| holder == name);
                    assert_eq!(claimed.is_ok(), may, "{order:?}: {claimed:?}");
                    if let Ok(claim) = claimed {
                        assert_eq!(claim.renewed, holds == Some(name), "{order:?}");
                        holds = Some(name);
                    }
                }
                (name, _) => {
                    let origin = who(Actor::Agent, name);
                    let released = by(&sandbox, &origin, |writer| writer.release(&task.id, name));
                    let is_own = holds == Some(name);
                    assert_eq!(released.unwrap_or(false), is_own, "{order:?}");
                    if is_own {
                        holds = None;
                    }
                }
            }
            assert_eq!(holder(&sandbox, &task.id).as_deref(), holds, "{order:?}");
        }
        sandbox.delete(&task.id).expect("deleted");
    }
}

/// Two processes want to execute one run, and a third ends it for a process that it believes dead: it
/// is taken once, and ends once.
#[test]
fn runs_in_every_order() {
    let sandbox = sandbox();
    let store = &sandbox.store;
    for (number, order) in orders(&[3, 3, 1]).into_iter().enumerate() {
        let run_id = format!("run-{number}");
        let new = NewRun {
            run_id: run_id.clone(),
            runtime: "dummy".into(),
            playbook_id: None,
            parent_run_id: None,
            created_at: Timestamp::now(),
            spec: json!({}),
            record: json!({}),
        };
        store
            .write(&origin(), |writer| writer.run_created(&new))
            .expect("created");
        let mut step = [0; 3];
        let (mut taken_by, mut ends) = (None, Vec::new());
        for actor in &order {
            let at = step[*actor];
            step[*actor] += 1;
            let is_executor = *actor < 2;
            if is_executor && at == 0 {
                let owner = json!({"pid": actor});
                let taken = store.write(&origin(), |writer| {
                    writer.run_started(&run_id, &owner, &json!({}))
                });
                let expected = match (taken_by, ends.first()) {
                    (_, Some(status)) => Some(*status),
                    (Some(_), None) => Some("running"),
                    (None, None) => None,
                };
                assert_eq!(taken, Ok(expected.map(str::to_owned)), "{order:?}");
                if expected.is_none() {
                    taken_by = Some(*actor);
                }
            } else if is_executor && taken_by != Some(*actor) {
                // Whoever did not get it leaves it alone.
            } else if is_executor && at == 1 {
                let record = json!({"by": actor});
                let stored = store.write(&origin(), |writer| {
                    writer.run_progressed(&run_id, &record, &[json!({"name": "s"})])
                });
                assert!(stored.is_ok(), "{order:?}");
            } else {
                let status = if is_executor { "success" } else { "failed" };
                let changed = store.write(&origin(), |writer| {
                    writer.run_ended(&run_id, status, &json!({}))
                });
                assert_eq!(changed, Ok(ends.is_empty()), "{order:?}");
                ends.push(status);
            }
        }
        let found = store.read(None, |reader| reader.run(&run_id));
        let found = found.expect("read").expect("there");
        assert_eq!(Some(&found.status.as_str()), ends.first(), "{order:?}");
    }
}

fn gate(sandbox: &Sandbox, review: &Review) -> GateResult {
    let found = sandbox
        .store
        .read(None, |reader| reader.current_results(review));
    found.expect("read").remove(0)
}

/// Two processes take over the gates of a third that died: one of them runs the gate, and its result
/// counts once.
#[test]
fn gates_are_taken_over_once_in_every_order() {
    let sandbox = sandbox();
    let definition = GateDefinition::new("check", "true");
    by(&sandbox, &person(), |writer| {
        writer.add_gate(&GateScope::Repo, &definition)
    })
    .expect("added");
    for order in orders(&[3, 3]) {
        let task = sandbox.task("checked");
        let agent = who(Actor::Agent, "agent");
        let review = by(&sandbox, &agent, |writer| {
            writer.start_task(&task.id, &submission().place)?;
            writer.submit_task(&task.id, &submission())
        })
        .expect("submitted");
        let seen = review.owner.clone();
        let (taken, results) = (Cell::new(None), Cell::new(0));
        let mut step = [0; 2];
        for actor in &order {
            let at = step[*actor];
            step[*actor] += 1;
            let owner = json!({"pid": actor});
            if at == 0 {
                let own = by(&sandbox, &origin(), |writer| {
                    writer.own_review(&review.id, &seen, &owner)
                });
                assert_eq!(own, Ok(taken.get().is_none()), "{order:?}");
                taken.set(taken.get().or(Some(*actor)));
            } else if taken.get() != Some(*actor) {
                // Whoever did not get them leaves them alone.
            } else if at == 1 {
                let result = gate(&sandbox, &review);
                let started = by(&sandbox, &origin(), |writer| writer.gate_started(&result));
                assert_eq!(started, Ok(true), "{order:?}");
            } else {
                let result = gate(&sandbox, &review);
                let end = ended(GateStatus::Passed, 0);
                by(&sandbox, &origin(), |writer| {
                    writer.gate_ended(&result, &end, Phases::default())
                })
                .expect("ended");
                results.set(results.get() + 1);
            }
        }
        assert_eq!(results.get(), 1, "{order:?}");
        assert_eq!(gate(&sandbox, &review).status, GateStatus::Passed);
        let _ = sandbox.delete(&task.id);
    }
}
