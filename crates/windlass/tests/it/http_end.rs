//! How the HTTP server ends: requests finish, streams and jobs end, and a second signal is quicker.

use std::io::Write as _;
use std::sync::mpsc::channel;
use std::thread;

use serde_json::json;

use crate::http_mcp::{call, stream_modern};
use crate::http_server::{Answer, EventStream, HttpServer, JSON_HEADERS, MCP_HEADERS, head};
use crate::sample::{self, Sample};

/// Holds the right to write, so that a write of the server cannot end before this does.
fn busy(sample: &Sample) -> impl FnOnce() {
    let (release, held) = channel::<()>();
    let (locked, is_locked) = channel();
    let store = sample.store();
    let holder = thread::spawn(move || {
        store.write(&sample::origin(), |_| {
            locked.send(()).expect("heard");
            let _ = held.recv();
            Ok(())
        })
    });
    is_locked.recv().expect("locked");
    move || {
        drop(release);
        holder.join().expect("no panic").expect("written");
    }
}

#[test]
fn the_end_lets_requests_finish_and_ends_streams() {
    let sample = sample::filled();
    let mut server = HttpServer::start(sample.folder.path());
    let session = server.initialize("/mcp");
    let headers = [
        ("host", "localhost"),
        ("accept", "text/event-stream"),
        ("mcp-session-id", session.as_str()),
    ];
    let mut old = EventStream::open(&server, &head("GET", "/mcp", &headers, "", "keep-alive"));
    let wanted = json!({"notifications": {"promptsListChanged": true}});
    let mut new = stream_modern(&server, "/mcp", "subscriptions/listen", wanted);
    new.next().expect("the beginning");

    let release = busy(&sample);
    let create = call(
        "entity_create",
        json!({"type": "note", "title": "In flight"}),
    );
    let mut in_flight = server.connect();
    let mut with_session = MCP_HEADERS.to_vec();
    with_session.push(("mcp-session-id", &session));
    let text = head(
        "POST",
        "/mcp",
        &with_session,
        &create.to_string(),
        "keep-alive",
    );
    in_flight.write_all(text.as_bytes()).expect("sent");
    server.wait_for_log("tool=\"entity_create\"} started");

    server.terminate();
    server.wait_for_log("Shutting down...");
    let end = new.next().expect("an orderly end");
    assert_eq!(end["id"], 9, "the request has its result: {end}");
    assert_eq!(new.next(), None);
    assert!(
        std::net::TcpStream::connect(server.address).is_err(),
        "no one new"
    );
    release();
    let answer = Answer::read(in_flight).json();
    assert_eq!(answer["result"]["structuredContent"]["title"], "In flight");
    assert_eq!(old.next(), None);
    assert_eq!(server.wait(), Some(0));
    assert!(!server.log().contains("ERROR"), "{}", server.log());
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let sample = sample::filled();
    let mut server = HttpServer::start(sample.folder.path());
    let release = busy(&sample);
    let create = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"tool": "entity_create", "arguments": {"type": "note", "title": "Too late"}}});
    let mut in_flight = server.connect();
    let text = head("POST", "/", &JSON_HEADERS, &create.to_string(), "close");
    in_flight.write_all(text.as_bytes()).expect("sent");
    server.wait_for_log("tool=\"entity_create\"} started");
    server.terminate();
    server.wait_for_log("Shutting down...");
    server.terminate();
    assert_eq!(server.wait(), Some(0));
    assert!(
        server.log().contains("stopping immediately"),
        "{}",
        server.log()
    );
    assert_eq!(Answer::read(in_flight).status, 0, "no answer");
    release();
    let (_, total) = sample
        .store()
        .read(None, |reader| {
            let page = windlass_core::Page {
                limit: 1,
                offset: 0,
            };
            reader.entities(&windlass_store::EntityFilter::default(), page)
        })
        .expect("read");
    assert_eq!(total, 11, "what was cut off never happened");
}

#[test]
fn jobs_end_with_the_server_and_who_waits_for_them_is_told() {
    let sample = sample::empty();
    let folder = sample.folder.path().canonicalize().expect("a folder");
    let makefile = folder.join("Makefile");
    std::fs::write(&makefile, "long:\n\t@sleep 600\n").expect("written");
    let allowlist = sample.config.path().join("windlass/allowlist.toml");
    std::fs::create_dir_all(allowlist.parent().expect("a folder")).expect("made");
    let entry = format!("[[entries]]\npath = {makefile:?}\nscope = \"File\"\n");
    std::fs::write(&allowlist, entry).expect("written");
    let config = sample.config.path().to_str().expect("a path");
    let mut server = HttpServer::start_with(&folder, &[], &[("XDG_CONFIG_HOME", config)]);
    let started = server.call("task_start", json!({"unique_name": "long"}));
    let pid = started["result"]["structuredContent"]["pid"].clone();
    assert!(pid.is_number(), "{started}");
    assert!(
        server
            .get("/metrics")
            .body
            .contains("windlass_jobs{state=\"running\"} 1")
    );

    let wait = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"tool": "task_wait", "arguments": {"pid": pid}}});
    let mut waiting = server.connect();
    let text = head("POST", "/", &JSON_HEADERS, &wait.to_string(), "close");
    waiting.write_all(text.as_bytes()).expect("sent");
    server.wait_for_log("tool=\"task_wait\"} started");
    server.terminate();
    let answer = Answer::read(waiting).json();
    assert!(answer["result"].is_object(), "{answer}");
    assert_eq!(server.wait(), Some(0), "{}", server.log());
    let process = std::path::PathBuf::from(format!("/proc/{pid}"));
    assert!(!process.exists(), "{pid} still runs");
}
