use super::*;

#[test]
fn the_seeds_tools_are_listed_with_their_dots() {
    assert_eq!(listed_name("run_create", Some("runs")), "run.create");
    assert_eq!(listed_name("playbook_list", Some("runs")), "playbook.list");
    assert_eq!(listed_name("task_next", Some("knowledge")), "task_next");
    assert_eq!(listed_name("task_next", None), "task_next");
}

#[test]
fn what_is_no_request_is_told_apart() {
    let hint = |element: Json| {
        let error = Call::parse(element).err().expect("refused");
        assert_eq!(error.code, ErrorCode::INVALID_REQUEST);
        error.data.unwrap()["hint"].as_str().unwrap().to_owned()
    };
    assert_eq!(hint(json!(1)), "A request must be a JSON object.");
    assert_eq!(
        hint(json!({ "method": "x" })),
        "A request must have \"jsonrpc\": \"2.0\"."
    );
    assert_eq!(
        hint(json!({ "jsonrpc": "2.0", "id": {}, "method": "x" })),
        "The id must be a string, a number or null."
    );
    assert_eq!(
        hint(json!({ "jsonrpc": "2.0", "id": 1 })),
        "A request must have a method."
    );
    assert_eq!(
        hint(json!({ "jsonrpc": "2.0", "method": "x", "params": [1] })),
        "The params must be an object."
    );
    let call = Call::parse(json!({ "jsonrpc": "2.0", "method": "x" }))
        .ok()
        .unwrap();
    assert!(call.id.is_none());
    let null = Call::parse(json!({ "jsonrpc": "2.0", "id": null, "method": "x" }));
    assert_eq!(
        null.ok().unwrap().id,
        Some(Json::Null),
        "a response is expected"
    );
}

#[test]
fn a_tool_is_named_either_way() {
    let named = |params: Json| {
        let Json::Object(params) = params else {
            panic!("no object")
        };
        called_tool(&params).map(|(name, input)| (name.to_owned(), input))
    };
    let both = json!({ "tool": "a", "name": "b", "arguments": { "x": 1 } });
    assert_eq!(named(both).unwrap(), ("a".to_owned(), json!({ "x": 1 })));
    assert_eq!(
        named(json!({ "name": "b" })).unwrap(),
        ("b".to_owned(), Json::Null)
    );
    assert!(named(json!({})).is_err());
    assert!(named(json!({ "tool": "a", "arguments": [] })).is_err());
}
