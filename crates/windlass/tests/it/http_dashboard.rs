//! The dashboard over plain HTTP: its page and files, what can be asked without a person, and the
//! stream of events. What needs a browser is in `browser.rs`.

use std::io::{BufRead, BufReader, Write};

use serde_json::{Value as Json, json};

use crate::http_server::{Answer, HttpServer, JSON_HEADERS, head};
use crate::sample;

fn call(server: &HttpServer, name: &str, input: &Json, more: &[(&str, &str)]) -> Answer {
    let mut headers = JSON_HEADERS.to_vec();
    headers.extend(more);
    server.ask(
        "POST",
        &format!("/api/call/{name}"),
        &headers,
        &input.to_string(),
    )
}

#[test]
fn the_page_and_its_files() {
    let sample = sample::filled();
    let server = HttpServer::start(sample.folder.path());
    let page = server.get("/");
    assert_eq!(page.status, 200, "{page:?}");
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert_eq!(page.header("cache-control"), Some("no-cache"));
    assert_eq!(page.header("x-frame-options"), Some("DENY"));
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(policy.contains("frame-ancestors 'none'") && policy.contains("script-src 'self';"));
    assert!(!policy.contains("unsafe"));

    let etag = page.header("etag").expect("an etag");
    let again = [("host", "localhost"), ("if-none-match", etag)];
    let again = server.ask("GET", "/", &again, "");
    assert_eq!((again.status, &*again.body), (304, ""));

    let from = page.body.find("/ui/").expect("a file");
    let until = page.body[from..].find('"').expect("its end");
    let base = page.body[from..from + until]
        .rsplit_once('/')
        .expect("a folder")
        .0;
    let file = server.get(&format!("{base}/app.js"));
    assert_eq!(file.status, 200);
    assert_eq!(
        file.header("content-type"),
        Some("text/javascript; charset=utf-8")
    );
    assert_eq!(
        file.header("cache-control"),
        Some("public, max-age=31536000, immutable")
    );
    for missing in [
        format!("{base}/no.js"),
        format!("{base}/../../Cargo.toml"),
        format!("{base}/%2e%2e/Cargo.toml"),
        "/ui/0000000000000000/app.js".to_owned(),
    ] {
        assert_eq!(server.get(&missing).status, 404, "{missing}");
    }
}

#[test]
fn plain_json_rpc_stays_where_it_was() {
    let sample = sample::filled();
    let server = HttpServer::start(sample.folder.path());
    let answer = server.call("entity_get", json!({"id": "1"}));
    assert_eq!(
        answer["result"]["structuredContent"]["title"],
        "Use PostgreSQL"
    );
}

#[test]
fn without_a_person_it_only_reads() {
    let sample = sample::filled();
    let server = HttpServer::start(sample.folder.path());
    let me = server.get("/api/me").json();
    assert_eq!((&me["person"], &me["reads"]), (&Json::Null, &json!(true)));

    for name in ["entity_get", "entities.get"] {
        let answer = call(&server, name, &json!({"id": "1"}), &[]);
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.json()["title"], "Use PostgreSQL");
    }
    let wrong = call(&server, "entity_get", &json!({"id": "999"}), &[]);
    assert_eq!(wrong.status, 422);
    assert_eq!(wrong.json()["error_type"], "EntityNotFound");
    assert!(wrong.json()["hint"].is_string());

    let forged = [
        ("cookie", "windlass_0123456789ab=0123"),
        ("x-windlass-token", "0123"),
        ("origin", "http://localhost"),
    ];
    for (name, input) in [
        ("entity_create", json!({"type": "note", "title": "x"})),
        ("allowlist_allow", json!({"target": "build"})),
        ("review_approve", json!({"id": "1"})),
    ] {
        assert_eq!(call(&server, name, &input, &[]).status, 401, "{name}");
        assert_eq!(call(&server, name, &input, &forged).status, 401, "{name}");
    }
    // Scripts run with an agent's rights only, so they are not offered here at all.
    let script = call(&server, "execute", &json!({"code": "1"}), &[]);
    assert_eq!(script.status, 404);
}

/// The answers of several calls in one request, in the order of the calls.
fn together(server: &HttpServer, body: &Json, more: &[(&str, &str)]) -> Result<Vec<Json>, Answer> {
    let mut headers = JSON_HEADERS.to_vec();
    headers.extend(more);
    let answer = server.ask("POST", "/api/calls", &headers, &body.to_string());
    if answer.status != 200 {
        return Err(answer);
    }
    let lines = answer.body.lines().filter(|line| line.starts_with('{'));
    let mut answers: Vec<Json> = lines
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect();
    answers.sort_by_key(|answer| answer["index"].as_u64());
    Ok(answers)
}

#[test]
fn several_reads_are_one_request() {
    let sample = sample::filled();
    let server = HttpServer::start(sample.folder.path());
    let calls = json!([
        {"name": "entities.get", "input": {"id": "1"}},
        {"name": "board.status"},
        {"name": "entity_get", "input": {"id": "999"}},
        {"name": "no.such"},
        {"name": "entity_create", "input": {"type": "note", "title": "x"}},
        {"name": "execute", "input": {"code": "1"}},
    ]);
    let answers = together(&server, &calls, &[]).expect("answers");
    let statuses: Vec<_> = answers.iter().map(|it| it["status"].as_u64()).collect();
    assert_eq!(
        statuses,
        [200, 200, 422, 404, 422, 404].map(Some),
        "{answers:?}"
    );
    assert_eq!(answers[0]["body"]["title"], "Use PostgreSQL");
    assert!(answers[1]["body"]["counts"].is_object());
    assert_eq!(answers[2]["body"]["error_type"], "EntityNotFound");
    let found = call(&server, "entity_list", &json!({"type": "note"}), &[]);
    assert!(!found.body.contains("\"x\""), "{found:?}");

    let many = json!(vec![json!({"name": "board.status"}); 33]);
    for wrong in [many, json!({"name": "board.status"}), json!(["x"])] {
        let refused = together(&server, &wrong, &[]).expect_err("a refusal");
        assert_eq!(refused.status, 400, "{refused:?}");
    }
    for (header, status) in [
        (("origin", "http://evil.example"), 403),
        (("sec-fetch-site", "cross-site"), 403),
    ] {
        let one = json!([{"name": "board.status"}]);
        let refused = together(&server, &one, &[header]).expect_err("a refusal");
        assert_eq!(refused.status, status, "{header:?}");
    }
}

#[test]
fn a_code_that_nobody_made_is_refused() {
    let sample = sample::filled();
    let server = HttpServer::start(sample.folder.path());
    let log_in = |headers: &[(&str, &str)], code: &str| {
        let mut all = JSON_HEADERS.to_vec();
        all.extend(headers);
        server.ask(
            "POST",
            "/api/login",
            &all,
            &json!({"code": code}).to_string(),
        )
    };
    let own = [("origin", "http://localhost")];
    let refused = log_in(&own, &"0".repeat(64));
    assert_eq!(refused.status, 403);
    assert_eq!(refused.json()["error_type"], "CodeNotValid");
    assert_eq!(refused.header("set-cookie"), None);
    let elsewhere = log_in(&[("origin", "http://localhost:5173")], "x");
    assert_eq!(elsewhere.json()["error_type"], "OriginNotAllowed");
    assert_eq!(log_in(&[], "x").json()["error_type"], "OriginNotAllowed");
}

#[test]
fn events_go_on_after_the_last_one_that_was_seen() {
    let sample = sample::filled();
    let server = HttpServer::start(sample.folder.path());
    let last = server.get("/api/me").json()["last_event"]
        .as_i64()
        .expect("a number");
    server.call(
        "entity_create",
        json!({"type": "note", "title": "while it slept"}),
    );
    let known = (last - 1).to_string();
    let headers = [("host", "localhost"), ("last-event-id", &*known)];
    let mut stream = server.connect();
    let request = head("GET", "/api/events", &headers, "", "keep-alive");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let mut next = || loop {
        let line = lines.next().expect("a line");
        if let Some(data) = line.strip_prefix("data: {\"seq\"") {
            let event: Json = serde_json::from_str(&format!("{{\"seq\"{data}")).expect("JSON");
            break (
                event["seq"].as_i64(),
                event["kind"].as_str().map(str::to_owned),
            );
        }
    };
    assert_eq!(next().0, Some(last));
    assert_eq!(next(), (Some(last + 1), Some("entity.created".to_owned())));
    server.call(
        "entity_create",
        json!({"type": "note", "title": "while it watched"}),
    );
    assert_eq!(next(), (Some(last + 2), Some("entity.created".to_owned())));
}

/// What an agent wanted and nobody allowed is kept once, for people.
#[test]
fn refused_commands_are_wishes() {
    let sample = sample::filled();
    let makefile = sample.folder.path().join("Makefile");
    std::fs::write(&makefile, "salute:\n\techo hello\n").expect("written");
    let server = HttpServer::start(sample.folder.path());
    for _ in 0..3 {
        let refused = server.call("task_start", json!({"unique_name": "salute"}));
        let message = refused["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("not allowlisted"), "{refused}");
    }
    // A command that does not exist is a mistake, not a wish.
    server.call("task_start", json!({"unique_name": "nothing"}));
    let kept = || {
        let events = json!({"type": "command.refused"});
        let events = server.call("event_list", events)["result"]["structuredContent"].clone();
        events["events"].as_array().expect("a list").clone()
    };
    assert_eq!(kept().len(), 1, "the same wish is kept once");
    assert_eq!(kept()[0]["payload"]["unique_name"], "salute");
    std::fs::write(&makefile, "salute:\n\techo something else\n").expect("written");
    server.call("task_start", json!({"unique_name": "salute"}));
    assert_eq!(kept().len(), 2, "another definition is another wish");
    let others = call(&server, "allowlist_wishes", &json!({}), &[]);
    assert_eq!(others.status, 403, "{others:?}");
}
