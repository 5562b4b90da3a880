//! What a caller reads when something is refused: the message, and what to do in its own words.

use serde_json::json;

use crate::repository::Repository;
use crate::server::Server;

fn server(repository: &Repository, toolsets: &str) -> Server {
    Server::of(repository.command(&["mcp", "--toolsets", toolsets]))
}

/// Most clients show only the message.
#[test]
fn the_message_says_what_to_do_with_tools_that_are_there() {
    let repository = Repository::new(&[]);
    let missing = json!({"id": "99"});
    let refused = server(&repository, "knowledge").refused("entity_get", missing.clone());
    assert_eq!(refused["code"], -32001);
    assert_eq!(
        refused["message"],
        "Entity not found. Use entity_list or search_fulltext to find its number or id."
    );
    assert_eq!(
        refused["data"]["hint"],
        "Use entity_list or search_fulltext to find its number or id."
    );
    for (toolsets, hint) in [
        ("plan", "list_tasks lists all tasks."),
        ("plan,commands", "plan_list_tasks lists all tasks."),
    ] {
        let answer = server(&repository, toolsets).call("get_task", json!({"id": 99}));
        let body = answer.expect("an answer")["result"]["structuredContent"].clone();
        let message = body["message"].as_str().unwrap_or_default();
        assert!(message.ends_with(hint), "{toolsets}: {body}");
        assert_eq!(body["hint"], hint);
    }
    let claim = json!({"id": "99"});
    let answer = server(&repository, "workflow").call("work_get", claim);
    let body = answer.expect("an answer")["result"]["structuredContent"].clone();
    let message = body["message"].as_str().unwrap_or_default();
    assert!(message.contains("`windlass list`"), "{body}");
}

#[test]
fn scripts_read_methods() {
    let repository = Repository::new(&[]);
    let mut server = server(&repository, "code");
    let code =
        "try { await entities.get(99) } catch (error) { return [error.message, error.hint] }";
    let answer = server.ok("execute", json!({"code": code}));
    let hint = "Use entities.list() or search.fulltext() to find its number or id.";
    let message = format!("Entity 99 not found. {hint}");
    assert_eq!(answer["value"], json!([message, hint]), "{answer}");
}

#[test]
fn the_command_line_names_commands_on_a_line_of_their_own() {
    let repository = Repository::new(&[]);
    let ended = repository.run(&["get", "99"]);
    let text = String::from_utf8_lossy(&ended.stderr).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].ends_with("Entity 99 not found"), "{text}");
    assert!(
        text.contains("`windlass list` or `windlass search`"),
        "{text}"
    );
    assert!(
        !text.contains("entity_list") && !text.contains("[["),
        "{text}"
    );
    let ended = repository.run(&["call", "get_task", "--id", "99"]);
    let text = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(!text.contains("windlass://"), "{text}");
    assert!(
        text.contains("`windlass tasks list` lists all tasks"),
        "{text}"
    );
}
