//! A change that is repeated with the same key is made once.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use windlass_core::{Actor, ErrorKind, Result};
use windlass_ops::{Context, IdempotencyKey, find};

use crate::support::{Sandbox, run, sandbox};

impl Sandbox {
    fn with_key(&self, key: &str) -> Context {
        let mut context = self.context.clone();
        context.idempotency_key = Some(Arc::new(IdempotencyKey::new(key).expect("a key")));
        context
    }

    fn keyed(&self, key: &str, name: &str, input: Json) -> Result<Json> {
        run(find(name).expect(name), self.with_key(key), input)
    }

    fn last_event(&self) -> i64 {
        self.context.store.last_event().expect("read")
    }
}

#[test]
fn a_repeated_call_gets_the_first_result() {
    let sandbox = sandbox();
    let input = json!({"type": "task", "title": "Once"});
    let first = sandbox
        .keyed("k", "entity_create", input.clone())
        .expect("made");
    let events = sandbox.last_event();
    // In another order, with a default written out.
    let same = json!({"title": "Once", "tags": [], "type": "task"});
    let second = sandbox.keyed("k", "entity_create", same).expect("known");
    assert_eq!(first, second);
    assert_eq!(sandbox.last_event(), events);
    // Another key is another call.
    let third = sandbox
        .keyed("other", "entity_create", input)
        .expect("made");
    assert_eq!(third["sequence_number"], 2);
}

#[test]
fn a_key_belongs_to_one_call_with_its_arguments() {
    let sandbox = sandbox();
    sandbox
        .keyed(
            "k",
            "entity_create",
            json!({"type": "task", "title": "Once"}),
        )
        .expect("made");
    for (name, input) in [
        ("entity_create", json!({"type": "task", "title": "Twice"})),
        ("entity_delete", json!({"id": "1"})),
    ] {
        let refused = sandbox.keyed("k", name, input).expect_err("refused");
        assert_eq!(refused.kind(), ErrorKind::KeyReused);
        assert!(refused.hint().is_some());
    }
    // Reads take no notice of it.
    sandbox
        .keyed("k", "entity_get", json!({"id": "1"}))
        .expect("read");
}

#[test]
fn a_call_that_failed_may_be_repeated() {
    let sandbox = sandbox();
    let input = json!({"id": "1", "title": "New"});
    sandbox
        .keyed("k", "entity_update", input.clone())
        .expect_err("not there");
    sandbox.add("task", "Old", json!({}));
    let done = sandbox.keyed("k", "entity_update", input).expect("changed");
    assert_eq!(done["title"], "New");
}

#[test]
fn a_batch_is_one_call() {
    let sandbox = sandbox();
    let input = json!({"operations": [
        {"op": "create", "type": "task", "title": "a"},
        {"op": "create", "type": "task", "title": "b"},
    ]});
    let Ok(first) = sandbox.keyed("k", "entity_batch", input.clone()) else {
        panic!("{:?}", sandbox.keyed("k", "entity_batch", input));
    };
    assert_eq!(
        sandbox.keyed("k", "entity_batch", input).expect("known"),
        first
    );
    assert_eq!(sandbox.ok("entity_list", json!({}))["total"], 2);
}

/// What a person did is not for an agent that guesses the key.
#[test]
fn people_and_agents_have_keys_of_their_own() {
    let sandbox = sandbox();
    let entry = find("entity_create").expect("there");
    let input = json!({"type": "task", "title": "Private"});
    let mut person = sandbox.with_key("k");
    person.origin.actor = Actor::Human;
    run(entry, person, input.clone()).expect("made");
    let agent = sandbox.keyed("k", "entity_create", input).expect("made");
    assert_eq!(agent["sequence_number"], 2);
}

/// What the call reads after it has written is what it has written, before it is stored.
#[test]
fn a_call_sees_its_own_changes() {
    let sandbox = sandbox();
    let input = json!({"title": "One", "description": "text"});
    let plain = sandbox.ok("board_create", input.clone());
    let keyed = sandbox.keyed("k", "board_create", input).expect("made");
    assert_eq!(plain["title"], keyed["title"]);
    assert_eq!(
        plain.as_object().map(serde_json::Map::len),
        keyed.as_object().map(serde_json::Map::len)
    );
}

#[test]
fn a_call_of_which_the_end_is_not_known_says_so() {
    let sandbox = sandbox();
    let call = |owner: Json| windlass_store::KeyedCall {
        caller: "agent".to_owned(),
        key: "k".to_owned(),
        operation: "commands.task_stop".to_owned(),
        arguments: "x".to_owned(),
        owner: owner.to_string(),
    };
    let store = &sandbox.context.store;
    let origin = &sandbox.context.origin;
    let begun = store
        .begin_keyed(origin, &call(json!({"pid": 1})))
        .expect("begun");
    assert_eq!(begun, None);
    let again = store
        .begin_keyed(origin, &call(json!({"pid": 1})))
        .expect("known");
    assert!(
        matches!(again, Some(windlass_store::EarlierCall::Begun { .. })),
        "{again:?}"
    );
    store
        .end_keyed(origin, &call(json!({})), Some("{}"))
        .expect("ended");
    let again = store.begin_keyed(origin, &call(json!({}))).expect("known");
    assert_eq!(
        again,
        Some(windlass_store::EarlierCall::Ended("{}".to_owned()))
    );
    store
        .end_keyed(origin, &call(json!({})), None)
        .expect("freed");
    assert_eq!(
        store.begin_keyed(origin, &call(json!({}))).expect("begun"),
        None
    );
}
