//! prism between Windlass and the GitHub that stands in: it checks every request and every answer
//! against GitHub's own description, and is a program of somebody else.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use serde_json::json;
use windlass_runs::CancellationToken;
use windlass_runs::record::RunStatus;

use crate::github::{Github, on_github, sh};
use crate::script::{essence, playbooks};
use crate::standin::{description, fetched, request};
use crate::{Project, created, until};

const PACKAGE: &str = "@stoplight/prism-cli@5.16.0";

/// prism follows redirects itself and then misses the answer that redirects. A client of GitHub gets it.
const NO_REDIRECTS: &str = "const Module = require('module');
const load = Module._load;
Module._load = function (name, ...rest) {
  const loaded = load.call(this, name, ...rest);
  if (name !== 'node-fetch') return loaded;
  const fetch = (url, options) => loaded(url, { ...options, redirect: 'manual' });
  return Object.assign(fetch, loaded, { default: fetch });
};
";

struct Prism {
    process: Child,
    port: u16,
    log: PathBuf,
}

impl Drop for Prism {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Prism {
    /// Starts prism in front of a server. Its log stays in the target folder, for people.
    fn start(server: &str) -> Option<Self> {
        let install = format!("npm install --silent --no-audit --no-fund --prefix . {PACKAGE}");
        let program = fetched("prism", "node_modules/.bin/prism", &install)?;
        let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join("prism.log");
        let output = File::create(&log).unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let preload = log.with_extension("cjs");
        std::fs::write(&preload, NO_REDIRECTS).unwrap();
        let process = Command::new("node")
            .arg("--require")
            .arg(preload)
            .arg(program)
            .args(["proxy", "--host", "127.0.0.1", "--port", &port.to_string()])
            .arg(description()?)
            .arg(server)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Some(Self { process, port, log })
    }

    fn count(&self, text: &str) -> usize {
        let log = std::fs::read_to_string(&self.log).unwrap();
        log.lines().filter(|line| line.contains(text)).count()
    }

    fn violations(&self) -> Vec<String> {
        let log = std::fs::read_to_string(&self.log).unwrap();
        let lines = log.lines().filter(|line| line.contains("Violation"));
        lines.map(str::to_owned).collect()
    }
}

#[tokio::test]
async fn prism_finds_no_violation_in_either_direction() {
    let mut prism = None;
    let Some(github) = Github::with(|options| {
        prism = Prism::start(&options.api);
        if let Some(prism) = &prism {
            options.api = format!("http://127.0.0.1:{}", prism.port);
        }
    }) else {
        return;
    };
    let Some(prism) = prism else { return };
    until("prism", || prism.count("Prism is listening") == 1).await;
    for spec in playbooks() {
        let here = Project::new().run(spec.clone()).await;
        let there = github.project.run(on_github(spec)).await;
        assert_eq!(essence(&there), essence(&here));
    }
    let engine = github.project.engine();
    let (record, spec) = created(sh("sleep 1000"));
    engine.probe(spec.runtime).await.unwrap();
    let cancel = CancellationToken::new();
    let (record, ()) = tokio::join!(
        engine.execute(record, &spec, Arc::new(()), &cancel),
        async {
            until("the run", || github.server.seen()["runs"] == 4).await;
            cancel.cancel();
        }
    );
    assert_eq!(record.unwrap().status(), RunStatus::Cancelled);
    github.has_no_violations();
    let requests = prism.count("Request received");
    assert_eq!(prism.violations(), Vec::<String>::new());
    assert!(requests > 20, "{requests}");
    eprintln!(
        "prism: {requests} requests, 0 violations: {}",
        prism.log.display()
    );

    // It would have found one, on both ways.
    let path = "/repos/o/r/actions/workflows/w.yml/dispatches";
    request(prism.port, "POST", path, "{}");
    until("the request", || !prism.violations().is_empty()).await;
    assert!(
        prism.violations()[0].contains("request"),
        "{:?}",
        prism.violations()
    );
    github.server.control(&json!({"wrong": true}));
    request(prism.port, "GET", "/repos/o/r", "");
    let in_answer = |it: &String| it.contains("Violation: response");
    until("the answer", || prism.violations().iter().any(in_answer)).await;
}
