//! The work lifecycle on a real store: every action in every state, stored gates, and what other
//! tools may do to a task in review.

use serde_json::json;
use windlass_core::workflow::{
    GateDefinition, GateStatus, HelpCategory, NewHelp, Phases, ReviewStatus,
};
use windlass_core::{
    Actor, Dialect, EntityId, EntityType, Error, ErrorKind, Origin, Page, Patch, RelationType,
    Result, TaskStatus,
};
use windlass_store::{
    EffectiveGate, EventFilter, GateEnd, GateResult, GateScope, NewComment, Review, Submission,
    TaskFilter, WorkPlace, Writer,
};

use crate::support::{Sandbox, draft, object, sandbox};

const ALL: Page = Page {
    limit: 100,
    offset: 0,
};

pub fn who(actor: Actor, session: &str) -> Origin {
    Origin {
        actor,
        source: "test",
        session: session.into(),
        correlation_id: None,
    }
}

pub fn agent() -> Origin {
    who(Actor::Agent, "agent")
}

pub fn person() -> Origin {
    who(Actor::Human, "person")
}

pub fn submission() -> Submission {
    Submission {
        repo: "repo".into(),
        place: WorkPlace {
            commit: Some("c0ffee1".into()),
            branch: Some("main".into()),
            tree: None,
        },
        file_gates: Vec::new(),
        phases: Phases::default(),
    }
}

pub fn ended(status: GateStatus, code: i32) -> GateEnd {
    GateEnd {
        status,
        exit_code: Some(code),
        message: None,
        stdout: "out".into(),
        stderr: "err".into(),
    }
}

pub fn help() -> NewHelp {
    NewHelp {
        category: HelpCategory::Decision,
        reason: "Which one?".into(),
        suggested_options: vec!["this".into(), "that".into()],
    }
}

pub fn new_task(sandbox: &Sandbox, title: &str) -> EntityId {
    let created = draft(EntityType::Task, title, None, &[], json!({}));
    let created = sandbox
        .store
        .write(&agent(), |writer| writer.create(created));
    created.expect("created").id
}

pub fn by<T>(
    sandbox: &Sandbox,
    origin: &Origin,
    work: impl FnOnce(&Writer<'_>) -> Result<T>,
) -> Result<T> {
    sandbox.store.write(origin, work)
}

fn status(sandbox: &Sandbox, id: &EntityId) -> TaskStatus {
    let task = sandbox.store.read(None, |reader| reader.entity(id));
    task.expect("there").task_status().expect("a task")
}

fn active(sandbox: &Sandbox, id: &EntityId) -> Option<Review> {
    let review = sandbox.store.read(None, |reader| reader.active_review(id));
    review.expect("read")
}

/// A task in that state, reached through the lifecycle.
fn in_state(sandbox: &Sandbox, state: TaskStatus) -> EntityId {
    use TaskStatus as S;
    let id = new_task(sandbox, state.name());
    let go =
        |work: &dyn Fn(&Writer<'_>) -> Result<()>| by(sandbox, &person(), work).expect("moved");
    let place = WorkPlace::default();
    if matches!(state, S::InProgress | S::InReview) {
        go(&|writer| writer.start_task(&id, &place).map(drop));
    }
    match state {
        S::InReview => go(&|writer| writer.submit_task(&id, &submission()).map(drop)),
        S::AwaitingHuman => go(&|writer| writer.request_help(&id, &help()).map(drop)),
        S::Pending | S::InProgress => {}
        other => {
            let mut patch = Patch::default();
            patch.managed.insert("status", Some(other.name().into()));
            go(&|writer| writer.update(&id, &patch, Dialect::Sdk).map(drop));
        }
    }
    assert_eq!(status(sandbox, &id), state);
    id
}

type Action = fn(&Writer<'_>, &EntityId) -> Result<()>;

/// Every action in every state: allowed ones take effect, others report the state of the task.
#[test]
fn every_state_and_action() {
    use TaskStatus as S;
    let sandbox = sandbox();
    let actions: [(&str, Action); 9] = [
        ("start", |writer, id| {
            writer.start_task(id, &WorkPlace::default()).map(drop)
        }),
        ("submit", |writer, id| {
            writer.submit_task(id, &submission()).map(drop)
        }),
        ("approve", |writer, id| match writer.active_review(id)? {
            Some(review) => writer
                .approve_review(&review.id, Phases::default())
                .map(drop),
            None => Err(Error::new(ErrorKind::ReviewNotFound, "none")),
        }),
        ("request_changes", |writer, id| {
            match writer.active_review(id)? {
                Some(review) => writer.request_changes(&review.id, &[], None).map(drop),
                None => Err(Error::new(ErrorKind::ReviewNotFound, "none")),
            }
        }),
        ("force_complete", |writer, id| {
            writer.force_complete(id).map(drop)
        }),
        ("cancel", |writer, id| writer.cancel_task(id).map(drop)),
        ("help", |writer, id| {
            writer.request_help(id, &help()).map(drop)
        }),
        ("resume", |writer, id| {
            writer.resume_task(id, Phases::default()).map(drop)
        }),
        ("set_status", |writer, id| {
            writer
                .set_task_status(id, S::Blocked, Phases::default())
                .map(drop)
        }),
    ];
    for state in TaskStatus::ALL {
        for (name, action) in actions {
            let id = in_state(&sandbox, state);
            let expected = match (name, state) {
                ("start", S::Draft | S::Pending) => Some(S::InProgress),
                ("submit", S::InProgress) => Some(S::InReview),
                ("approve" | "force_complete", S::InReview) => Some(S::Done),
                ("request_changes", S::InReview) => Some(S::InProgress),
                ("cancel", S::Done) => None,
                ("cancel", S::Skipped) => Some(S::Skipped),
                ("cancel", _) => Some(S::Cancelled),
                ("help", S::Draft | S::Pending | S::InProgress | S::InReview) => {
                    Some(S::AwaitingHuman)
                }
                ("set_status", _) => Some(S::Blocked),
                _ => None,
            };
            let result = by(&sandbox, &person(), |writer| action(writer, &id));
            if let Some(after) = expected {
                result.unwrap_or_else(|error| panic!("{name} from {state:?}: {error}"));
                assert_eq!(status(&sandbox, &id), after, "{name} from {state:?}");
            } else {
                let error = result.expect_err(name);
                assert_eq!(status(&sandbox, &id), state, "{name} changed nothing");
                if error.kind() != ErrorKind::ReviewNotFound {
                    // The error of a review or a help request reports their own state.
                    let word = Dialect::Sdk.status(state);
                    let of_its_own = match (name, state) {
                        ("submit", S::InReview) => "agent_pending",
                        ("resume", S::AwaitingHuman) => "pending",
                        _ => word,
                    };
                    let named = error.message().contains(of_its_own);
                    assert!(named, "{name} from {state:?}: {error}");
                    assert!(error.hint().is_some(), "{error}");
                }
            }
        }
    }
    assert_eq!(
        sandbox.store.check(&person()).expect("checked"),
        Vec::<String>::new()
    );
}

fn gate(sandbox: &Sandbox, scope: &GateScope, name: &str, retries: u32) {
    let mut definition = GateDefinition::new(name, "true");
    definition.max_retries = retries;
    by(sandbox, &person(), |writer| {
        writer.add_gate(scope, &definition)
    })
    .expect("added");
}

fn started(sandbox: &Sandbox, title: &str) -> EntityId {
    let id = new_task(sandbox, title);
    let place = WorkPlace::default();
    by(sandbox, &agent(), |writer| writer.start_task(&id, &place)).expect("started");
    id
}

fn submit(sandbox: &Sandbox, id: &EntityId) -> Result<Review> {
    by(sandbox, &agent(), |writer| {
        writer.submit_task(id, &submission())
    })
}

fn current(sandbox: &Sandbox, review: &Review) -> Vec<GateResult> {
    let results = sandbox.store.read(None, |reader| {
        let review = reader.review(&review.id)?;
        reader.current_results(&review)
    });
    results.expect("read")
}

fn run(sandbox: &Sandbox, result: &GateResult, status: GateStatus, code: i32) -> Review {
    let end = ended(status, code);
    by(sandbox, &agent(), |writer| {
        assert!(writer.gate_started(result)?);
        writer.gate_ended(result, &end, Phases::default())
    })
    .expect("noted")
}

#[test]
fn failed_gates_run_again_on_fixed_work_and_pass() {
    let sandbox = sandbox();
    gate(&sandbox, &GateScope::Repo, "tests", 3);
    gate(&sandbox, &GateScope::Repo, "lint", 3);
    let id = started(&sandbox, "Work");
    let review = submit(&sandbox, &id).expect("submitted");
    assert_eq!(review.status, ReviewStatus::GatesPending);
    let error = submit(&sandbox, &id).expect_err("they run");
    assert_eq!(error.kind(), ErrorKind::ReviewActive);
    let results = current(&sandbox, &review);
    let names: Vec<&str> = results
        .iter()
        .map(|it| it.definition.name.as_str())
        .collect();
    assert_eq!(names, ["tests", "lint"]);
    run(&sandbox, &results[0], GateStatus::Failed, 1);
    let after = run(&sandbox, &results[1], GateStatus::Passed, 0);
    assert_eq!(
        after.status,
        ReviewStatus::GatesPending,
        "the work can be fixed"
    );
    let again = submit(&sandbox, &id).expect("submitted again");
    assert_eq!((again.id.as_str(), again.round), (review.id.as_str(), 2));
    let results = current(&sandbox, &again);
    assert_eq!(results.len(), 2, "all gates run on the new work");
    assert!(results.iter().all(|it| it.attempt == 2));
    run(&sandbox, &results[1], GateStatus::Passed, 0);
    let after = run(&sandbox, &results[0], GateStatus::Passed, 0);
    assert_eq!(after.status, ReviewStatus::AgentPending);
    let all = sandbox
        .store
        .read(None, |reader| reader.gate_results(&after));
    assert_eq!(all.expect("read").len(), 4, "every attempt is kept");
}

#[test]
fn after_the_last_attempt_a_person_decides() {
    for (retries, person_does, then) in [
        (1, "approve", ReviewStatus::AgentPending),
        (2, "rerun", ReviewStatus::GatesPending),
    ] {
        let sandbox = sandbox();
        gate(&sandbox, &GateScope::Repo, "tests", retries);
        let id = started(&sandbox, "Work");
        let review = submit(&sandbox, &id).expect("submitted");
        for attempt in 1..=retries {
            if attempt > 1 {
                submit(&sandbox, &id).expect("a try is left");
            }
            let results = current(&sandbox, &review);
            run(&sandbox, &results[0], GateStatus::Timeout, 1);
        }
        let now = active(&sandbox, &id).expect("active");
        assert_eq!(now.status, ReviewStatus::GatesEscalated);
        assert_eq!(
            submit(&sandbox, &id).expect_err("no attempts left").kind(),
            ErrorKind::InvalidTransition
        );
        let action = |writer: &Writer<'_>| match person_does {
            "approve" => writer.approve_review(&review.id, Phases::default()),
            _ => writer.rerun_gates(&review.id, None, Phases::default()),
        };
        let error = by(&sandbox, &agent(), action).expect_err("only a person");
        assert_eq!(error.kind(), ErrorKind::HumanOnly);
        assert_eq!(by(&sandbox, &person(), action).expect("done").status, then);
    }
}

#[test]
fn effective_gates_are_all_gates_from_the_top_down() {
    let sandbox = sandbox();
    let (milestone, task, subtask) = (
        new_task(&sandbox, "M"),
        new_task(&sandbox, "T"),
        new_task(&sandbox, "S"),
    );
    by(&sandbox, &agent(), |writer| {
        let entity = |id| writer.entity(id);
        writer.relate(&entity(&task)?, RelationType::Parent, &entity(&milestone)?)?;
        writer.relate(&entity(&subtask)?, RelationType::Parent, &entity(&task)?)
    })
    .expect("related");
    gate(&sandbox, &GateScope::Task(subtask.clone()), "own", 3);
    gate(&sandbox, &GateScope::Task(task.clone()), "same", 3);
    gate(&sandbox, &GateScope::Task(milestone.clone()), "same", 3);
    gate(&sandbox, &GateScope::Repo, "all", 3);
    let names = |id: &EntityId| -> Vec<String> {
        let gates = sandbox
            .store
            .read(None, |reader| reader.effective_gates(id));
        let gates = gates.expect("read").into_iter();
        gates.map(|gate| gate.definition.name).collect()
    };
    assert_eq!(names(&subtask), ["all", "same", "same", "own"]);
    assert_eq!(names(&milestone), ["all", "same"]);
    let taken = GateDefinition::new("own", "false");
    let scope = GateScope::Task(subtask.clone());
    let error = by(&sandbox, &person(), |writer| {
        writer.add_gate(&scope, &taken)
    });
    assert_eq!(error.expect_err("taken").kind(), ErrorKind::GateExists);
    // During a review, the gates that it depends on cannot change; others can.
    let place = WorkPlace::default();
    by(&sandbox, &agent(), |writer| {
        writer.start_task(&subtask, &place)
    })
    .expect("started");
    submit(&sandbox, &subtask).expect("submitted");
    for (scope, allowed) in [
        (GateScope::Repo, false),
        (GateScope::Task(milestone), false),
        (GateScope::Task(subtask), false),
        (GateScope::Task(new_task(&sandbox, "Other")), true),
    ] {
        let new = GateDefinition::new("new", "true");
        let added = by(&sandbox, &person(), |writer| writer.add_gate(&scope, &new));
        match added {
            Ok(_) => assert!(allowed, "{scope:?}"),
            Err(error) => {
                assert!(!allowed, "{scope:?}: {error}");
                assert_eq!(error.kind(), ErrorKind::ReviewActive);
            }
        }
    }
}

/// An agent cannot bypass a review or a person with another toolset; a person can, and the review
/// is then withdrawn.
#[test]
fn other_toolsets_respect_the_review() {
    for state in [TaskStatus::InReview, TaskStatus::AwaitingHuman] {
        for (actor, origin) in [(Actor::Agent, agent()), (Actor::Human, person())] {
            let sandbox = sandbox();
            let id = in_state(&sandbox, state);
            let review = active(&sandbox, &id);
            let wanted = if actor == Actor::Agent {
                "done"
            } else {
                "todo"
            };
            let patch = Patch {
                properties: object(json!({"status": wanted})),
                ..Patch::default()
            };
            let write = |writer: &Writer<'_>| writer.update(&id, &patch, Dialect::Knowledge);
            let result = by(&sandbox, &origin, write);
            if actor == Actor::Agent {
                let kind = result.expect_err("held").kind();
                assert!(matches!(
                    kind,
                    ErrorKind::ReviewActive | ErrorKind::HelpOpen
                ));
                let mut managed = Patch::default();
                managed.managed.insert("status", Some("done".into()));
                let moved = |writer: &Writer<'_>| writer.update(&id, &managed, Dialect::Plan);
                let moved = by(&sandbox, &origin, moved);
                assert_eq!(moved.expect_err("held").kind(), kind);
                let deleted = by(&sandbox, &origin, |writer| writer.delete(&id));
                assert_eq!(deleted.expect_err("held").kind(), kind);
                assert_eq!(status(&sandbox, &id), state);
                let title = Patch {
                    title: Some("Other words".into()),
                    ..Patch::default()
                };
                let renamed = |writer: &Writer<'_>| writer.update(&id, &title, Dialect::Knowledge);
                by(&sandbox, &origin, renamed).expect("words are free");
                continue;
            }
            result.expect("a person may");
            assert_eq!(active(&sandbox, &id), None);
            if let Some(review) = review {
                let now = sandbox.store.read(None, |reader| reader.review(&review.id));
                assert_eq!(now.expect("kept").status, ReviewStatus::Withdrawn);
            }
            let waits = sandbox.store.read(None, |reader| reader.active_help(&id));
            assert_eq!(waits.expect("read"), None);
        }
    }
}

#[test]
fn a_session_cannot_approve_its_own_work_if_another_could() {
    let sandbox = sandbox();
    let (mine, other) = (who(Actor::Agent, "mine"), who(Actor::Agent, "other"));
    let make = |title: &str| {
        let created = draft(EntityType::Task, title, None, &[], json!({}));
        let id = by(&sandbox, &mine, |writer| writer.create(created))
            .expect("created")
            .id;
        by(&sandbox, &mine, |writer| {
            writer.start_task(&id, &WorkPlace::default())?;
            writer.submit_task(&id, &submission())
        })
        .expect("submitted")
    };
    let approve = |origin: &Origin, review: &Review| {
        by(&sandbox, origin, |writer| {
            writer.approve_review(&review.id, Phases::default())
        })
    };
    let alone = make("Alone");
    let moved = approve(&mine, &alone).expect("there is no other");
    assert_eq!(moved.status, ReviewStatus::HumanPending);
    let error = approve(&other, &moved).expect_err("the last phase is a person's");
    assert_eq!(error.kind(), ErrorKind::HumanOnly);
    new_task(&sandbox, "Another session is at work");
    let watched = make("Watched");
    let error = approve(&mine, &watched).expect_err("there is another");
    assert_eq!(error.kind(), ErrorKind::OwnReview);
    assert_eq!(
        approve(&other, &watched).expect("the other may").status,
        ReviewStatus::HumanPending
    );
    let done = approve(&person(), &watched).expect("a person");
    assert_eq!(done.status, ReviewStatus::Approved);
    assert_eq!(status(&sandbox, &watched.task), TaskStatus::Done);
}

#[test]
fn completing_a_task_unblocks_others_and_copies_its_learnings() {
    let sandbox = sandbox();
    let (parent, task, next) = (
        new_task(&sandbox, "Parent"),
        new_task(&sandbox, "Task"),
        new_task(&sandbox, "Next"),
    );
    by(&sandbox, &agent(), |writer| {
        let entity = |id| writer.entity(id);
        writer.relate(&entity(&task)?, RelationType::Parent, &entity(&parent)?)?;
        writer.relate(&entity(&task)?, RelationType::Blocks, &entity(&next)?)?;
        writer.start_task(&task, &WorkPlace::default())?;
        writer.add_learning(&task, "Read the notes first")?;
        writer.add_learning(&task, "Read the notes first")?;
        writer.submit_task(&task, &submission())
    })
    .expect("submitted");
    let ready = || {
        let next = sandbox
            .store
            .read(None, |reader| reader.next_task("x", TaskFilter::default()));
        next.expect("read").map(|task| task.title)
    };
    assert_eq!(ready(), None, "a parent of unfinished work is not ready");
    by(&sandbox, &person(), |writer| {
        let review = writer.active_review(&task)?.expect("in review");
        writer.approve_review(&review.id, Phases::default())
    })
    .expect("approved");
    assert_eq!(ready().as_deref(), Some("Parent"));
    sandbox
        .store
        .read(None, |reader| {
            assert_eq!(reader.claim_of(&task)?, None);
            let known = reader.task_learnings(&parent)?;
            assert_eq!(known.len(), 1);
            assert_eq!(known[0].source_task, task, "the source is stored");
            assert_eq!(known[0].learning.text, "Read the notes first");
            let done = reader.entity(&task)?;
            assert_eq!(done.text("submit_commit"), Some("c0ffee1"));
            assert!(done.text("completed_at").is_some());
            let events = reader.events(&EventFilter {
                entity: Some(task.as_str().into()),
                limit: 100,
                ..EventFilter::default()
            })?;
            let completed = events.iter().find(|it| it.kind == "task.completed");
            assert_eq!(
                completed.expect("recorded").payload["now_ready"],
                json!([3])
            );
            Ok(())
        })
        .expect("read");
    assert_eq!(
        sandbox.store.check(&person()).expect("checked"),
        Vec::<String>::new()
    );
}

#[test]
fn comments_are_checked_and_resolved() {
    let sandbox = sandbox();
    let id = in_state(&sandbox, TaskStatus::InReview);
    let review = active(&sandbox, &id).expect("in review");
    let say = |comment: NewComment| {
        by(&sandbox, &agent(), |writer| {
            writer.add_comment(&review, &comment)
        })
    };
    let about = |path: Option<&str>, start, end, side: Option<&str>, body: &str| NewComment {
        file_path: path.map(Into::into),
        line_start: start,
        line_end: end,
        side: side.map(Into::into),
        body: body.into(),
    };
    let created = say(about(Some("a.rs"), Some(3), Some(4), Some("right"), "Why?")).expect("fine");
    for wrong in [
        about(None, None, None, None, " "),
        about(None, Some(1), None, None, "x"),
        about(Some("a"), Some(4), Some(3), None, "x"),
        about(Some("a"), None, Some(3), None, "x"),
        about(Some("a"), Some(0), None, None, "x"),
        about(Some("a"), None, None, Some("middle"), "x"),
    ] {
        assert!(say(wrong.clone()).is_err(), "{wrong:?}");
    }
    let number = created.number.to_string();
    by(&sandbox, &agent(), |writer| writer.resolve_comment(&number)).expect("settled");
    let open = sandbox
        .store
        .read(None, |reader| reader.comments(&review, true, ALL));
    assert_eq!(open.expect("read"), []);
    let error = by(&sandbox, &agent(), |writer| writer.resolve_comment("99"));
    assert_eq!(error.expect_err("none").kind(), ErrorKind::CommentNotFound);
}

#[test]
fn a_gate_that_waits_for_a_person_neither_runs_nor_passes() {
    let sandbox = sandbox();
    let id = started(&sandbox, "Work");
    let placeholder = EffectiveGate {
        id: "file:x".into(),
        scope: GateScope::Repo,
        definition: GateDefinition::new("x", "true"),
        waiting: Some("a person allows it".into()),
    };
    let waiting = Submission {
        file_gates: vec![placeholder.clone()],
        ..submission()
    };
    let review = by(&sandbox, &agent(), |writer| {
        writer.submit_task(&id, &waiting)
    })
    .expect("created");
    assert_eq!(review.status, ReviewStatus::GatesPending);
    assert_eq!(current(&sandbox, &review)[0].status, GateStatus::Waiting);
    let real = EffectiveGate {
        id: "file:real".into(),
        waiting: None,
        ..placeholder
    };
    by(&sandbox, &agent(), |writer| {
        writer.replace_waiting(&review.id, "file:x", &[real], Phases::default())
    })
    .expect("replaced");
    let results = current(&sandbox, &review);
    assert_eq!(results.len(), 1);
    assert_eq!(results[0].status, GateStatus::Queued);
    let after = run(&sandbox, &results[0], GateStatus::Passed, 0);
    assert_eq!(after.status, ReviewStatus::AgentPending);
}

#[test]
fn only_one_of_several_processes_gets_the_gates() {
    let sandbox = sandbox();
    gate(&sandbox, &GateScope::Repo, "tests", 3);
    let id = started(&sandbox, "Work");
    let review = submit(&sandbox, &id).expect("submitted");
    let take = |seen, owner| {
        by(&sandbox, &agent(), |writer| {
            writer.own_review(&review.id, seen, owner)
        })
    };
    let (none, one, two) = (json!({}), json!({"pid": 1}), json!({"pid": 2}));
    assert_eq!(take(&none, &one), Ok(true));
    assert_eq!(take(&none, &two), Ok(false));
    assert_eq!(
        take(&one, &two),
        Ok(true),
        "the caller knows that the owner has exited"
    );
}
