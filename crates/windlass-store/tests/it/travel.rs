//! Reviews, gate results and questions on two clones: what travels, what stays, and how clones agree
//! again.

use serde_json::json;
use windlass_core::workflow::{GateDefinition, GateStatus, Phases, ReviewStatus};
use windlass_core::{EntityId, EntityType, ErrorKind, Origin, Page, Result, TaskStatus};
use windlass_store::{
    GateScope, ImportReport, NewComment, Pack, PackOutcome, Review, ReviewFilter, Update,
    WorkPlace, Writer,
};

use crate::dump::{assert_agreement, differences, dump};
use crate::support::{Sandbox, draft, origin, sandbox};
use crate::workflow::{agent, by, ended, help, person, submission};

const ALL: Page = Page {
    limit: 100,
    offset: 0,
};

fn pack(from: &Sandbox) -> Option<Pack> {
    let outgoing = from.store.pack_outbox(&origin()).expect("packed")?;
    Some(outgoing.pack)
}

fn import(to: &Sandbox, pack: &Pack) -> ImportReport {
    let outcome = to.store.import_pack(&origin(), &pack.name, &pack.bytes);
    match outcome.expect("looked at") {
        PackOutcome::Imported(report) => report,
        other => panic!("{other:?}"),
    }
}

/// Both get what the other wrote, until there is nothing more. Returns what the first exchange
/// reported to each.
fn exchange(one: &Sandbox, two: &Sandbox) -> [ImportReport; 2] {
    let mut reports = Vec::new();
    for _ in 0..8 {
        let (from_one, from_two) = (pack(one), pack(two));
        if from_one.is_none() && from_two.is_none() {
            assert_eq!(differences(&dump(one), &dump(two)), [""; 0]);
            for clone in [one, two] {
                assert_agreement(clone);
                assert_eq!(clone.store.check(&origin()).expect("checked"), [""; 0]);
            }
            let mut reports = reports.into_iter();
            return [
                reports.next().unwrap_or_default(),
                reports.next().unwrap_or_default(),
            ];
        }
        let to_one = from_two.map(|pack| import(one, &pack));
        let to_two = from_one.map(|pack| import(two, &pack));
        reports.extend([to_one.unwrap_or_default(), to_two.unwrap_or_default()]);
    }
    panic!("the clones do not come to rest");
}

fn go<T>(clone: &Sandbox, who: &Origin, work: impl FnOnce(&Writer<'_>) -> Result<T>) -> T {
    by(clone, who, work).expect("done")
}

fn status(clone: &Sandbox, id: &EntityId) -> TaskStatus {
    let task = clone.store.read(None, |reader| reader.entity(id));
    task.expect("there").task_status().expect("a task")
}

fn reviews(clone: &Sandbox) -> Vec<Review> {
    let filter = ReviewFilter::default();
    let found = clone
        .store
        .read(None, |reader| reader.reviews(&filter, ALL));
    found.expect("read")
}

fn begin(clone: &Sandbox, id: &EntityId) {
    go(clone, &person(), |writer| {
        writer.start_task(id, &WorkPlace::default())
    });
}

fn submit(clone: &Sandbox, id: &EntityId) -> Review {
    go(clone, &person(), |writer| {
        writer.submit_task(id, &submission())
    })
}

/// Runs the one gate of the task's review.
fn gate_ends(clone: &Sandbox, id: &EntityId, status: GateStatus, code: i32) {
    go(clone, &agent(), |writer| {
        let review = writer.active_review(id)?.expect("in review");
        let results = writer.current_results(&review)?;
        writer.gate_started(&results[0])?;
        writer.gate_ended(&results[0], &ended(status, code), Phases::default())
    });
}

/// Two clones that have one task; the first has a gate.
fn pair() -> (Sandbox, Sandbox, EntityId) {
    let (one, two) = (sandbox(), sandbox());
    let gate = GateDefinition::new("check", "touch /tmp/only-here");
    go(&one, &person(), |writer| {
        writer.add_gate(&GateScope::Repo, &gate)
    });
    let task = one.task("work").id;
    exchange(&one, &two);
    (one, two, task)
}

#[test]
fn a_review_travels_with_its_comments_and_results_but_nothing_that_runs() {
    let (one, two, task) = pair();
    begin(&one, &task);
    submit(&one, &task);
    exchange(&one, &two);
    let there = &reviews(&two)[0];
    assert_eq!(there.status, ReviewStatus::GatesPending);
    assert!(
        !there.here && there.repo.is_empty(),
        "its gates run elsewhere"
    );
    let results = |clone: &Sandbox| {
        let review = reviews(clone).remove(0);
        let results = clone
            .store
            .read(None, |reader| reader.gate_results(&review));
        results.expect("read")
    };
    assert_eq!(results(&two), [], "what has not ended stays");
    let refused = by(&two, &person(), |writer| {
        writer.rerun_gates(&there.id, None, Phases::default())
    });
    assert!(refused.unwrap_err().message().contains("another clone"));

    let long = "é".repeat(40_000);
    go(&one, &agent(), |writer| {
        let review = writer.active_review(&task)?.expect("in review");
        let open = writer.current_results(&review)?.remove(0);
        writer.gate_started(&open)?;
        let mut end = ended(GateStatus::Passed, 0);
        end.stdout.clone_from(&long);
        writer.gate_ended(&open, &end, Phases::default())
    });
    let pending = reviews(&one).remove(0);
    go(&one, &person(), |writer| {
        let comment = NewComment {
            file_path: Some("src/a.rs".into()),
            line_start: Some(3),
            body: "Why?".into(),
            ..NewComment::default()
        };
        writer.add_comment(&pending, &comment)
    });
    for (from, to) in [(&one, &two), (&two, &one)] {
        if let Some(pack) = pack(from) {
            import(to, &pack);
        }
    }
    let there = results(&two).remove(0);
    assert_eq!((there.status, there.here), (GateStatus::Passed, false));
    assert_eq!(there.definition.name, "check");
    assert_eq!(there.definition.command, "", "what runs does not travel");
    assert_eq!(there.stdout.len(), 4096, "the end of the output");
    assert!(long.ends_with(&there.stdout));
    // The other clone can review it.
    let approved = go(&two, &person(), |writer| {
        let comments = writer.comments(&pending, true, ALL)?;
        writer.resolve_comment(&comments[0].id)?;
        writer.approve_review("1", Phases::default())
    });
    assert_eq!(approved.status, ReviewStatus::Approved);
    if let Some(pack) = pack(&two) {
        import(&one, &pack);
    }
    assert_eq!(status(&one, &task), TaskStatus::Done);
    assert_eq!(reviews(&one)[0].status, ReviewStatus::Approved);
    for clone in [&one, &two] {
        assert_eq!(clone.store.check(&origin()).expect("checked"), [""; 0]);
    }
}

#[test]
fn requested_changes_outweigh_an_approval_at_the_same_time() {
    // Whoever writes last in the sense of the documents: both orders.
    for more_writes in [false, true] {
        let (one, two, task) = pair();
        begin(&one, &task);
        submit(&one, &task);
        gate_ends(&one, &task, GateStatus::Passed, 0);
        exchange(&one, &two);
        go(&one, &person(), |writer| {
            writer.approve_review("1", Phases::default())
        });
        go(&two, &person(), |writer| {
            writer.request_changes("1", &[], Some("not yet"))
        });
        let busy = if more_writes { &one } else { &two };
        busy.set(&task, json!({"assignee": "ann"})).expect("set");
        exchange(&one, &two);
        for clone in [&one, &two] {
            assert_eq!(reviews(clone)[0].status, ReviewStatus::ChangesRequested);
            assert_eq!(status(clone, &task), TaskStatus::InProgress);
        }
        // A person may still say that it is done, and that stays.
        go(&two, &person(), |writer| {
            writer.set_task_status(&task, TaskStatus::Done, Phases::default())
        });
        exchange(&one, &two);
        assert_eq!(status(&one, &task), TaskStatus::Done);
    }
}

#[test]
fn of_two_submissions_the_last_stands_and_the_task_is_done_by_its_review_only() {
    let (one, two, task) = pair();
    begin(&one, &task);
    exchange(&one, &two);
    // The first has a gate, and submits twice; the second has none.
    submit(&one, &task);
    gate_ends(&one, &task, GateStatus::Failed, 1);
    submit(&one, &task);
    begin(&two, &task);
    submit(&two, &task);
    let reports = exchange(&one, &two);
    let renumbered: Vec<_> = reports
        .iter()
        .flat_map(|report| &report.work_renumbered)
        .collect();
    assert!(
        renumbered
            .iter()
            .all(|it| it.what == "review" && it.former == 1)
    );
    assert!(!renumbered.is_empty());
    for clone in [&one, &two] {
        let [younger, older] = reviews(clone).try_into().expect("two reviews");
        assert_eq!((older.number, younger.number), (1, 2));
        let standing = [older.status, younger.status];
        assert_eq!(
            standing,
            [ReviewStatus::GatesPending, ReviewStatus::Withdrawn]
        );
        assert_eq!(younger.former_numbers, [1]);
        assert_eq!(status(clone, &task), TaskStatus::InReview);
    }
    // The gate that waits here still counts here, and only here.
    assert!(reviews(&one)[1].here && !reviews(&two)[1].here);
    gate_ends(&one, &task, GateStatus::Passed, 0);
    exchange(&one, &two);
    let now = reviews(&two).pop().expect("the older");
    assert_eq!(now.status, ReviewStatus::AgentPending);
    let by_former = two.store.read(None, |reader| reader.review("2"));
    assert_eq!(by_former.expect("found").status, ReviewStatus::Withdrawn);
}

#[test]
fn a_task_that_was_done_elsewhere_without_its_review_stays_in_review() {
    let (one, two, task) = pair();
    begin(&one, &task);
    submit(&one, &task);
    // The other clone knows nothing of the review and has no gates.
    two.set(&task, json!({"status": "done"})).expect("set");
    two.set(&task, json!({"assignee": "ann"})).expect("set");
    exchange(&one, &two);
    for clone in [&one, &two] {
        assert_eq!(status(clone, &task), TaskStatus::InReview);
        assert_eq!(reviews(clone)[0].status, ReviewStatus::GatesPending);
    }
    // While one that was cancelled has no review any more.
    go(&two, &person(), |writer| writer.cancel_task(&task));
    exchange(&one, &two);
    assert_eq!(status(&one, &task), TaskStatus::Cancelled);
    assert_eq!(reviews(&one)[0].status, ReviewStatus::Withdrawn);
    let review = reviews(&one).remove(0);
    let results = one.store.read(None, |reader| reader.gate_results(&review));
    assert_eq!(results.expect("read")[0].status, GateStatus::Cancelled);
}

#[test]
fn what_was_submitted_again_elsewhere_is_checked_there() {
    let (one, two, task) = pair();
    begin(&one, &task);
    submit(&one, &task);
    gate_ends(&one, &task, GateStatus::Failed, 1);
    exchange(&one, &two);
    let gate = GateDefinition::new("other", "true");
    go(&two, &person(), |writer| {
        writer.add_gate(&GateScope::Repo, &gate)
    });
    let review = submit(&two, &task);
    assert_eq!((review.round, review.here), (2, true));
    exchange(&one, &two);
    let [there] = reviews(&one).try_into().expect("one review");
    assert_eq!((there.round, there.here), (2, false));
    gate_ends(&two, &task, GateStatus::Passed, 0);
    exchange(&one, &two);
    assert_eq!(reviews(&one)[0].status, ReviewStatus::AgentPending);
}

#[test]
fn questions_travel_and_one_stays_open() {
    let (one, two, task) = pair();
    let asked = go(&one, &agent(), |writer| writer.request_help(&task, &help()));
    while windlass_core::Timestamp::now() <= asked.created_at {
        std::thread::yield_now();
    }
    let other = go(&two, &agent(), |writer| writer.request_help(&task, &help()));
    assert_eq!((asked.number, other.number), (1, 1));
    exchange(&one, &two);
    let open = |clone: &Sandbox| {
        let open = clone.store.read(None, |reader| reader.active_help(&task));
        open.expect("read").expect("open").id
    };
    assert_eq!(
        (open(&one), open(&two)),
        (asked.id.clone(), asked.id.clone())
    );
    let cancelled = two
        .store
        .read(None, |reader| reader.help_request(&other.id));
    assert_eq!(cancelled.expect("read").number, 2);
    // Answered on the other clone, and the work goes on here.
    go(&two, &person(), |writer| {
        writer.respond_to_help(&asked.id, None, Some(1))?;
        writer.resume_task(&task, Phases::default())
    });
    exchange(&one, &two);
    let answered = one.store.read(None, |reader| reader.help_request("1"));
    assert_eq!(answered.expect("read").response.as_deref(), Some("that"));
    assert_eq!(status(&one, &task), TaskStatus::Pending);
}

#[test]
fn equal_names_settle_and_tasks_belong_to_the_older_feature() {
    let (one, two) = (sandbox(), sandbox());
    let feature = |clone: &Sandbox, title: &str| {
        let properties = json!({"name": "auth", "acronym": "AUTH"});
        clone.add(draft(EntityType::Feature, title, None, &[], properties))
    };
    let older = feature(&one, "one");
    while windlass_core::Timestamp::now() <= older.created_at {
        std::thread::yield_now();
    }
    let younger = feature(&two, "two");
    let properties = json!({"feature": "auth"});
    two.add(draft(EntityType::Task, "t", None, &[], properties));
    let reports = exchange(&one, &two);
    let renamed: Vec<_> = reports.iter().flat_map(|report| &report.renamed).collect();
    assert!(!renamed.is_empty());
    for it in renamed {
        assert_eq!((it.former.as_str(), it.name.as_str()), ("auth", "auth-2"));
    }
    for clone in [&one, &two] {
        let found = clone.store.read(None, |reader| {
            reader.by_name("feature", EntityType::Feature, "auth")
        });
        assert_eq!(found.expect("found").id, older.id);
        let other = clone.get(younger.id.as_str()).expect("there");
        assert_eq!(other.text("name"), Some("auth-2"));
        assert_ne!(other.text("acronym"), Some("AUTH"));
    }
}

#[test]
fn rows_of_an_older_database_travel_too() {
    let (one, two, task) = pair();
    begin(&one, &task);
    submit(&one, &task);
    gate_ends(&one, &task, GateStatus::Passed, 0);
    // As it is after the migration: rows, and documents that know nothing of them.
    let old = sandbox();
    let all = two.store.export_all(&origin()).expect("exported");
    old.store.import(&origin(), &all).expect("imported");
    let database = one.project.database();
    let copy = rusqlite::Connection::open(old.project.database()).expect("opened");
    copy.execute("ATTACH ?1 AS one", [database.to_str().expect("text")])
        .expect("attached");
    for table in ["reviews", "gate_results"] {
        copy.execute_batch(&format!("INSERT INTO {table} SELECT * FROM one.{table}"))
            .expect("copied");
    }
    copy.execute_batch("UPDATE carried SET done = 0; UPDATE entities SET status = 'in_review'")
        .expect("changed");
    drop(copy);
    let fresh = sandbox();
    fresh.store.import(&origin(), &all).expect("imported");
    import(&fresh, &pack(&old).expect("a pack"));
    let [review] = reviews(&fresh).try_into().expect("one review");
    assert_eq!(review.status, ReviewStatus::AgentPending);
    let results = fresh
        .store
        .read(None, |reader| reader.gate_results(&review));
    assert_eq!(results.expect("read").len(), 1);
}

#[test]
fn documents_that_no_clone_writes_are_refused_or_ignored() {
    let (one, two, task) = pair();
    begin(&one, &task);
    submit(&one, &task);
    exchange(&one, &two);
    let before = dump(&two);
    let all = one.store.export_all(&origin()).expect("exported");
    let changed = |change: &dyn Fn(&loro::LoroDoc)| {
        let doc = loro::LoroDoc::new();
        doc.import(&all[0].changes).expect("imported");
        doc.set_peer_id(77).expect("set");
        change(&doc);
        doc.commit();
        let changes = doc
            .export(loro::ExportMode::all_updates())
            .expect("exported");
        let update = Update {
            id: task.clone(),
            changes,
        };
        two.store.import(&origin(), &[update])
    };
    for number in [i64::MAX, 0, -1] {
        let refused = changed(&|doc| {
            doc.get_map("meta").insert("number", number).expect("set");
        });
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::StorageError);
    }
    let refused = changed(&|doc| {
        let former = i64::MAX.to_string();
        doc.get_map("former_numbers")
            .insert(&former, true)
            .expect("set");
    });
    assert!(refused.is_err());
    assert_eq!(differences(&dump(&two), &before), [""; 0]);
    let shallow = {
        let doc = loro::LoroDoc::new();
        doc.import(&all[0].changes).expect("imported");
        let at = doc.oplog_frontiers();
        doc.export(loro::ExportMode::shallow_snapshot(&at))
            .expect("exported")
    };
    let update = Update {
        id: task.clone(),
        changes: shallow,
    };
    assert!(two.store.import(&origin(), &[update]).is_err());

    // Gates that are to be run, a review of another task, numbers without end.
    let other = two.task("other").id;
    begin(&two, &other);
    let other_review = submit(&two, &other);
    let before = dump(&two);
    let review = reviews(&one).remove(0);
    let report = changed(&|doc| {
        let work = doc.get_map("work");
        let queued = json!({
            "review": review.id, "gate": "x", "attempt": 9, "place": review.place, "round": 1,
            "position": 0, "scope": "repo", "name": "x", "command": "touch /tmp/x",
            "max_retries": 3, "status": "queued", "exit_code": null, "message": null,
            "stdout": "", "stderr": "", "polls": 0, "started_at": null, "completed_at": null,
        });
        let key = format!("gates/{}/{}/9/x", review.id, review.place);
        work.insert(&key, queued.to_string()).expect("set");
        let stolen = work.get(&format!("reviews/{}", review.id)).expect("there");
        let stolen = stolen.into_value().expect("a value");
        let stolen = stolen.as_string().expect("text").to_string();
        work.insert(&format!("reviews/{}", other_review.id), stolen)
            .expect("set");
        let numbers = json!({"number": 1, "former": []}).to_string();
        work.insert(&format!("numbers/{}", other_review.id), numbers)
            .expect("set");
        let endless = json!({"number": i64::MAX, "former": []}).to_string();
        let fresh = "11111111-2222-4333-8444-555555555555";
        work.insert(&format!("numbers/{fresh}"), endless)
            .expect("set");
        work.insert("reviews/not-an-id", "{}").expect("set");
        work.insert("help/", "[").expect("set");
        work.insert("ends", "true").expect("set");
    });
    report.expect("imported");
    assert_eq!(differences(&dump(&two), &before), [""; 0]);
    let results = two.store.read(None, |reader| reader.gate_results(&review));
    assert_eq!(results.expect("read"), []);
}
