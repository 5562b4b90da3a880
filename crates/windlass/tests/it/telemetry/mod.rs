//! Spans for a collector of OpenTelemetry: nothing is sent before a person allows it, what is sent has
//! no text of the plan in it, and a collector that is away bothers nobody.

mod collector;

use std::net::{SocketAddr, TcpListener};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::repository::{Repository, until};
use crate::sample;
use crate::server::Server;
use collector::{Collector, attribute, has, named, one, take, within};

/// What must never leave the machine: a text of the plan, of an argument, of an output, of a secret.
const TEXTS: [&str; 5] = [
    "Quarterly layoffs",
    "The argument of a call",
    "printed-by-the-job",
    "said-by-the-gate",
    "correct-horse-battery",
];

/// A repository with a command, a gate, and settings that name a collector.
fn repository(collector: SocketAddr) -> Repository {
    let repository = Repository::new(&[
        ("Makefile", "build:\n\t@echo printed-by-the-job\n"),
        (
            ".windlass/gates.toml",
            "[[gate]]\nname = \"login\"\ncommand = \"echo said-by-the-gate; test -f login.txt\"\n",
        ),
        (
            ".windlass/config.toml",
            &format!(
                "[telemetry]\notlp = \"http://{collector}\"\nheaders_env = \"COLLECTOR_KEYS\"\n"
            ),
        ),
    ]);
    for words in [
        &["init", "-q", "."][..],
        &["config", "user.email", "ann@example.org"],
        &["config", "user.name", "Ann"],
        &["commit", "-q", "--allow-empty", "-m", "Begin"],
    ] {
        let git = Command::new("git")
            .args(words)
            .current_dir(&repository.root)
            .status();
        assert!(git.expect("git").success(), "git {words:?}");
    }
    repository
}

fn allow_everything(repository: &Repository) {
    repository.set_allowlist(&sample::allowlist_of_all(&repository.root));
}

fn serve(repository: &Repository, variables: &[(&str, &str)]) -> Server {
    let mut command = repository.command(&["mcp", "--toolsets", "all"]);
    for name in [
        "WINDLASS_OTLP",
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
        "OTEL_EXPORTER_OTLP_HEADERS",
    ] {
        command.env_remove(name);
    }
    command.env("COLLECTOR_KEYS", "api-key=correct-horse-battery");
    command.envs(variables.iter().copied());
    Server::of(command)
}

/// Lets the server end, and returns how long that took.
fn end(mut server: Server) -> Duration {
    let begin = Instant::now();
    server.hang_up();
    assert!(server.child.wait().expect("an end").success());
    begin.elapsed()
}

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";

/// Calls, a job, a run and a gate, as an agent makes them.
fn work(server: &mut Server, repository: &Repository) {
    server.ok(
        "entity_create",
        json!({"type": "task", "title": "Quarterly layoffs"}),
    );
    server.ok("begin", json!({}));
    server.ok(
        "task_start",
        json!({"unique_name": "build", "wait_seconds": 20}),
    );
    let steps = json!([
        {"name": "The argument of a call", "shell": "bash", "command": "The argument of a call"},
        {"name": "again", "shell": "bash", "command": "true"},
    ]);
    let spec = json!({"title": "Quarterly layoffs", "runtime": "dummy", "steps": steps});
    let run = server.ok("run_create", json!({ "spec": spec }));
    server.ok("run_execute", json!({"runId": run["runId"]}));
    let missing = server.call("entity_get", json!({"id": "The argument of a call"}));
    assert!(missing.expect("an answer")["error"].is_object());
    let meta = json!({"traceparent": format!("00-{TRACE}-{CALLER}-01")});
    let params = json!({"name": "entity_get", "arguments": {"id": "1"}, "_meta": meta});
    let answer = server.request("tools/call", params).expect("an answer");
    assert!(answer["result"].is_object(), "{answer}");
    let unsampled = json!({"traceparent": format!("00-{TRACE}-{CALLER}-00")});
    let params = json!({"name": "entity_list", "arguments": {}, "_meta": unsampled});
    server.request("tools/call", params).expect("an answer");
    let summary = json!({"summary": "The argument of a call"});
    server.call("done", summary.clone()).expect("an answer");
    repository.write("login.txt", "works\n");
    server.ok("done", summary);
}

#[test]
fn calls_jobs_runs_and_gates_are_spans_without_texts() {
    let collector = Collector::start();
    let repository = repository(collector.address);
    allow_everything(&repository);
    let mut server = serve(&repository, &[]);
    work(&mut server, &repository);
    let took = end(server);
    assert!(took < Duration::from_secs(10), "{took:?}");

    let spans = collector.spans();
    calls_say_who_did_what(&spans);
    jobs_and_runs_are_in_their_calls(&spans);
    callers_are_parents(&spans);
    gates_are_in_the_call_that_submitted(&spans);
    let posted = collector.posted.lock().expect("no panic");
    let root = repository.root.to_string_lossy().into_owned();
    for request in posted.iter() {
        assert_eq!(request.path, "/v1/traces");
        assert_eq!(request.headers["content-type"], "application/json");
        assert_eq!(request.headers["api-key"], "correct-horse-battery");
        for text in TEXTS.into_iter().chain([root.as_str()]) {
            assert!(!request.body.contains(text), "{text}: {}", request.body);
        }
        let body: Json = serde_json::from_str(&request.body).expect("JSON");
        let resource = &body["resourceSpans"][0]["resource"];
        has(
            resource,
            &[
                ("service.name", "windlass"),
                ("service.version", env!("CARGO_PKG_VERSION")),
            ],
        );
    }
}

fn calls_say_who_did_what(spans: &[Json]) {
    let ids: Vec<&str> = spans
        .iter()
        .filter_map(|span| span["spanId"].as_str())
        .collect();
    assert!(ids.iter().all(|id| id.len() == 16), "{ids:?}");
    let created = one(spans, "entity_create");
    assert_eq!(created["kind"], 2);
    assert_eq!(created["parentSpanId"], Json::Null);
    has(
        created,
        &[
            ("windlass.surface", "mcp"),
            ("windlass.actor", "agent"),
            ("windlass.effect", "write"),
            ("windlass.outcome", "answered"),
        ],
    );
    assert!(attribute(created, "windlass.session").is_string());
    assert_eq!(attribute(created, "windlass.task"), Json::Null);
    has(one(spans, "begin"), &[("windlass.task", "1")]);
}

fn jobs_and_runs_are_in_their_calls(spans: &[Json]) {
    let started = one(spans, "task_start");
    has(
        started,
        &[("windlass.task", "1"), ("windlass.effect", "execute")],
    );
    let job = one(spans, "job build");
    within(job, started);
    assert_eq!(job["kind"], 1);
    has(
        job,
        &[
            ("windlass.command", "build"),
            ("windlass.runner", "make"),
            ("windlass.job.state", "exited"),
            ("process.exit.code", "0"),
        ],
    );

    let run = one(spans, "run");
    within(run, one(spans, "run_execute"));
    has(
        run,
        &[
            ("windlass.runtime", "dummy"),
            ("windlass.run.status", "success"),
        ],
    );
    for step in ["step 1", "step 2"] {
        within(one(spans, step), run);
        has(one(spans, step), &[("windlass.step.status", "success")]);
    }
}

fn callers_are_parents(spans: &[Json]) {
    let [missing, called] = named(spans, "entity_get")[..] else {
        panic!("{spans:#?}");
    };
    assert_eq!(missing["status"]["code"], 2);
    has(missing, &[("windlass.outcome", "refused")]);
    assert!(attribute(missing, "error.type").is_string());
    assert_eq!(
        (&called["traceId"], &called["parentSpanId"]),
        (&json!(TRACE), &json!(CALLER))
    );
    assert_eq!(called["status"], Json::Null);
    assert!(
        named(spans, "entity_list").is_empty(),
        "it is not recorded by its caller"
    );
}

fn gates_are_in_the_call_that_submitted(spans: &[Json]) {
    let (done, gates, tried) = (
        named(spans, "done"),
        named(spans, "gates"),
        named(spans, "gate login"),
    );
    assert_eq!(
        (done.len(), gates.len(), tried.len()),
        (2, 2, 2),
        "{spans:#?}"
    );
    for (index, (status, code)) in [("failed", "1"), ("passed", "0")].into_iter().enumerate() {
        within(gates[index], done[index]);
        within(tried[index], gates[index]);
        has(
            tried[index],
            &[
                ("windlass.gate", "login"),
                ("windlass.gate.kind", "shell"),
                ("windlass.gate.status", status),
                ("process.exit.code", code),
                ("windlass.task", "1"),
                ("windlass.review", "1"),
            ],
        );
    }
}

/// A developer's machine may have a collector for other programs.
#[test]
fn nothing_is_sent_unless_a_person_wants_it() {
    let collector = Collector::start();
    let url = format!("http://{}", collector.address);
    let repository = repository(collector.address);
    let usual = [("OTEL_EXPORTER_OTLP_ENDPOINT", url.as_str())];
    let call = |variables: &[(&str, &str)]| {
        let mut server = serve(&repository, variables);
        server.ok("entity_list", json!({}));
        end(server);
        collector.requests()
    };
    assert_eq!(call(&[]), 0, "nobody has allowed the settings");
    assert_eq!(call(&usual), 0);
    allow_everything(&repository);
    assert_eq!(call(&[("WINDLASS_OTLP", "0")]), 0);
    assert_eq!(call(&[]), 1);
    // An agent changes the settings.
    let settings = format!("[telemetry]\notlp = \"{url}\"\n");
    repository.write(".windlass/config.toml", &settings);
    assert_eq!(call(&[]), 1);
    // Whoever starts the server wants it.
    let wanted = [usual[0], ("WINDLASS_OTLP", "1")];
    assert_eq!(call(&wanted), 2);
    let posted = collector.posted.lock().expect("no panic");
    assert!(posted[0].headers.contains_key("api-key"));
    assert!(
        !posted[1].headers.contains_key("api-key"),
        "headers of the settings"
    );
}

#[test]
fn a_collector_that_is_away_bothers_nobody() {
    // One that refuses connections, and one that never answers.
    let closed = TcpListener::bind("127.0.0.1:0").expect("a port");
    let refusing = closed.local_addr().expect("an address");
    drop(closed);
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    for address in [refusing, silent.local_addr().expect("an address")] {
        let repository = repository(address);
        allow_everything(&repository);
        let mut server = serve(&repository, &[]);
        work(&mut server, &repository);
        let begin = Instant::now();
        for _ in 0..3_000 {
            server.ok("entity_get", json!({"id": "1"}));
        }
        let took = begin.elapsed();
        assert!(took < Duration::from_secs(30), "{took:?}");
        let took = end(server);
        assert!(took < Duration::from_secs(8), "{took:?}");
        repository.assert_nothing_left();
    }
}

#[test]
fn a_collector_that_comes_back_gets_what_waited() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let repository = repository(address);
    allow_everything(&repository);
    let mut server = serve(&repository, &[]);
    // A full batch is sent at once, and finds nobody.
    for _ in 0..600 {
        server.ok("entity_list", json!({}));
    }
    let listener = TcpListener::bind(address).expect("the port");
    let taken = thread::spawn(move || {
        let request = listener.incoming().flatten().find_map(take);
        request.expect("a request").body
    });
    until("the spans that waited", || taken.is_finished());
    let body: Json = serde_json::from_str(&taken.join().expect("a body")).expect("JSON");
    let spans = &body["resourceSpans"][0]["scopeSpans"][0]["spans"];
    assert_eq!(spans.as_array().map(Vec::len), Some(512));
}

#[test]
fn doctor_says_where_spans_go() {
    let collector = Collector::start();
    let repository = repository(collector.address);
    let examine = || -> Json {
        let mut command = repository.command(&["doctor", "--json"]);
        command.env("COLLECTOR_KEYS", "api-key=correct-horse-battery");
        let output = command.output().expect("started");
        let report: Json = serde_json::from_slice(&output.stdout).expect("JSON");
        let checks = report["checks"].as_array().expect("checks");
        let found = checks.iter().find(|check| check["name"] == "telemetry");
        found.cloned().unwrap_or(Json::Null)
    };
    let check = examine();
    assert_eq!(check["status"], "warning", "{check}");
    assert!(
        check["message"]
            .as_str()
            .is_some_and(|it| it.contains("nothing is sent"))
    );
    assert_eq!(collector.requests(), 0);
    allow_everything(&repository);
    let check = examine();
    assert_eq!(check["status"], "ok", "{check}");
    assert_eq!(collector.requests(), 1);
    assert!(collector.spans().is_empty(), "it only tries");
    let closed = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = closed.local_addr().expect("an address");
    drop(closed);
    let settings = format!("[telemetry]\notlp = \"http://{address}\"\n");
    repository.write(".windlass/config.toml", &settings);
    allow_everything(&repository);
    let check = examine();
    assert_eq!(check["status"], "warning", "{check}");
    repository.write(".windlass/config.toml", "");
    assert_eq!(examine(), Json::Null);
}
