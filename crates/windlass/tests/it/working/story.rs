//! The whole loop, told by what the agent reads, and what that costs.

use serde_json::json;

use crate::server::Server;

use super::{approve, login, project, request_changes, status, text_of, usual, value_of};

/// Characters that count as one token.
const TOKEN: usize = 4;

#[test]
fn with_plain_tools_in_nine_calls_and_six_thousand_tokens() {
    let sample = project(&["Log in", "Log out"]);
    let root = sample.folder.path();
    let mut server = usual(&sample);
    let listed = server.request("tools/list", json!({})).expect("a list");
    let tools = listed["result"]["tools"].as_array().expect("tools").iter();
    let tools: Vec<_> = tools
        .map(|tool| json!([tool["name"], tool["description"], tool["inputSchema"]]))
        .collect();
    let mut read = json!(tools).to_string().len();
    let mut calls = 0;
    let mut call = |tool: &str, arguments| {
        let text = text_of(&mut server, tool, arguments);
        println!("{tool}: {text}");
        read += text.len();
        calls += 1;
        value_of(&text)
    };
    let begun = call("begin", json!({}));
    assert_eq!(begun["task"]["id"], 1);
    assert_eq!(begun["gates"][0]["name"], "login");
    assert!(begun["next"].as_str().expect("words").contains("done"));
    let failed = call("done", json!({"summary": "Logged in"}));
    assert_eq!(failed["outcome"], "gates_failed");
    let failure = &failed["gate_failures"][0];
    assert_eq!(
        (&failure["name"], &failure["attempt"]),
        (&json!("login"), &json!(1))
    );
    assert!(
        failure["stderr"]
            .as_str()
            .expect("the tail")
            .contains("login.txt")
    );
    login(root, "works\n");
    let passed = call("done", json!({"summary": "Logged in"}));
    assert_eq!(passed["outcome"], "in_review", "{passed}");
    let review = request_changes(&sample, 1, "Give it a title");
    assert_eq!(review.actor, "agent", "whose work it is");
    assert!(review.start_commit.is_some() && review.submit_tree.is_some());
    let shown = Server::start(root).ok("work_get", json!({"id": "1"}));
    assert!(shown["feedback"].to_string().contains("Give it a title"));
    let again = call("begin", json!({}));
    assert_eq!(again["task"]["id"], 1, "what was sent back comes first");
    let comment = &again["feedback"]["comments"][0];
    assert!(
        comment
            .as_str()
            .expect("a comment")
            .contains("Give it a title")
    );
    login(root, "# Log in\nworks\n");
    let passed = call("done", json!({"summary": "With a title"}));
    assert_eq!(passed["review"], 2, "a new review");
    approve(&sample, 2);
    assert_eq!(status(&sample, 1), "done");
    let next = call("begin", json!({}));
    assert_eq!(next["task"]["id"], 2);
    assert!(calls <= 9, "{calls} calls");
    let tokens = read / TOKEN;
    assert!(tokens <= 6_000, "{tokens} tokens");
}

#[test]
fn by_scripts_alone_in_three_calls() {
    let sample = project(&["Log in"]);
    let root = sample.folder.path();
    let mut server = Server::with(root, &["--toolsets", "code"]);
    let mut read = 0;
    let mut run = |code: &str| {
        let text = text_of(&mut server, "execute", json!({ "code": code }));
        println!("execute: {text}");
        read += text.len();
        value_of(&text)
    };
    let first = run(
        "const begun = await focus.begin(); const tried = await focus.done({summary: 'Logged in'}); ({begun, tried})",
    );
    assert_eq!(first["value"]["begun"]["task"]["id"], 1, "{first}");
    assert_eq!(first["value"]["tried"]["outcome"], "gates_failed");
    login(root, "works\n");
    let second = run("await focus.done({summary: 'Logged in'})");
    assert_eq!(second["value"]["outcome"], "in_review", "{second}");
    request_changes(&sample, 1, "Give it a title");
    login(root, "# Log in\nworks\n");
    let third = run(
        "const begun = await focus.begin(); const done = await focus.done({summary: 'With a title'}); ({feedback: begun.feedback, done})",
    );
    assert!(
        third["value"]["feedback"]["comments"][0].is_string(),
        "{third}"
    );
    assert_eq!(third["value"]["done"]["review"], 2);
    approve(&sample, 2);
    assert_eq!(status(&sample, 1), "done");
    let tokens = read / TOKEN;
    assert!(tokens <= 2_500, "{tokens} tokens");
}

#[test]
fn a_briefing_is_bounded_and_says_where_to_read_on() {
    let sample = project(&[]);
    let mut server = usual(&sample);
    let long = "The login must work. ".repeat(2_000);
    let criteria: Vec<String> = (0..60)
        .map(|at| format!("Criterion {at}: {}", "x".repeat(300)))
        .collect();
    server.ok(
        "entity_create",
        json!({"type": "task", "title": "Log in", "content": long, "properties": {"acceptance_criteria": criteria}}),
    );
    for at in 0..12 {
        let decision = json!({"type": "decision", "title": format!("Log in by way {at}"), "content": "Because. ".repeat(200)});
        server.ok("entity_create", decision);
    }
    let text = text_of(&mut server, "begin", json!({}));
    assert!(text.len() / TOKEN <= 2_500, "{} characters", text.len());
    let begun = value_of(&text);
    assert!(
        begun["decisions"]
            .as_array()
            .is_some_and(|all| !all.is_empty())
    );
    let read_on = begun["read_on"].to_string();
    assert!(read_on.contains("entity_get"), "{read_on}");
}

#[test]
fn looking_claims_nothing() {
    let sample = project(&["Log in"]);
    let mut server = usual(&sample);
    let looked = server.ok("begin", json!({"peek": true}));
    assert_eq!(looked["task"]["status"], "pending");
    assert_eq!(status(&sample, 1), "pending");
    assert!(server.ok("begin", json!({"id": "1"}))["task"]["start_commit"].is_string());
    let none = usual(&sample).ok("begin", json!({}));
    assert!(none.get("task").is_none());
    assert!(
        none["next"]
            .as_str()
            .expect("words")
            .contains("1 in progress"),
        "{none}"
    );
}
