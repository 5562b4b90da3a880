//! Servers that are killed while a run is under way elsewhere, on every runtime: the run goes on, the
//! next server finds it again, and nothing is started twice.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use crate::remote_places::{Place, RUNTIMES, TOKEN, eventually};
use crate::server::Server;

/// A run that leaves a mark when it begins and waits for the file `go`.
fn spec(place: &Place, run_id: &str) -> Json {
    let (_, there) = place.shared();
    let command = format!(
        "cd '{there}'; echo begun >> starts; echo \"is $T\"; \
         while [ ! -f go ]; do sleep 0.1; done; echo end"
    );
    json!({"runId": run_id, "title": "t", "runtime": place.runtime,
        "envRefs": {"T": "env:TOKEN"}, "steps": [
        {"name": "wait", "shell": "sh", "command": command},
        {"name": "last", "shell": "sh", "command": "echo last"}]})
}

fn kill(server: &mut Server) {
    // SIGKILL.
    server.child.kill().expect("killed");
    server.child.wait().expect("ended");
}

/// The next server takes the run up, and it ends as if nothing had happened.
fn goes_on(place: &Place, run_id: &str) -> Json {
    let (here, _) = place.shared();
    let mut server = place.serve();
    eventually("the step runs", || here.join("starts").exists());
    fs::write(here.join("go"), "").expect("written");
    let mut read = Json::Null;
    eventually("it ends", || {
        read = server.ok("run_read", json!({"runId": run_id}));
        read["status"] != "running"
    });
    assert_eq!(read["status"], "success", "{}: {read}", place.runtime);
    assert_eq!(read["steps"][0]["stdout"], "is ***\nend\n");
    assert_eq!(read["steps"][1]["stdout"], "last\n");
    let starts = fs::read_to_string(here.join("starts")).expect("read");
    assert_eq!(
        starts, "begun\n",
        "{}: nothing is started twice",
        place.runtime
    );
    let left = u64::from(place.server.is_some());
    assert_eq!(place.started(run_id), left, "{}", place.runtime);
    read
}

/// Nothing that is kept has the secret.
fn keeps_no_secret(folder: &Path) {
    let mut folders = vec![folder.join(".windlass")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("read").flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let bytes = fs::read(entry.path()).unwrap_or_default();
            let mut parts = bytes.windows(TOKEN.len());
            let has_secret = parts.any(|part| part == TOKEN.as_bytes());
            assert!(!has_secret, "{}", entry.path().display());
        }
    }
}

fn killed_in_the_middle(runtime: &'static str) {
    let Some(place) = Place::new(runtime) else {
        return;
    };
    let run_id = format!("middle-{}", std::process::id());
    let mut server = place.serve();
    server.ok("run_create", json!({"spec": spec(&place, &run_id)}));
    server.ok("run_execute", json!({"runId": run_id, "wait": false}));
    let (here, _) = place.shared();
    eventually("the step runs", || here.join("starts").exists());
    let mut state = Json::Null;
    eventually("the id is on record", || {
        state = server.ok("run_status", json!({"runId": run_id}));
        state["externalId"].is_string()
    });
    kill(&mut server);
    let seen = place.windlass(&["runs", "status", &run_id]);
    assert_eq!(
        seen["status"], "running",
        "{runtime}: it goes on without a server"
    );
    let read = goes_on(&place, &run_id);
    assert_eq!(read["externalId"], state["externalId"]);
    keeps_no_secret(place.folder());
}

fn killed_between_start_and_record(runtime: &'static str) {
    let Some(place) = Place::new(runtime) else {
        return;
    };
    let run_id = format!("between-{}", std::process::id());
    let mut server = place.serve();
    server.ok("run_create", json!({"spec": spec(&place, &run_id)}));
    place.hold(true);
    server.begin("run_execute", &json!({"runId": run_id, "wait": true}));
    eventually("it is started", || place.started(&run_id) == 1);
    let seen = place.windlass(&["runs", "status", &run_id]);
    assert_eq!(seen["status"], "running", "{runtime}: {seen}");
    assert!(
        !seen["externalId"].is_string(),
        "{runtime}: its id is not known: {seen}"
    );
    kill(&mut server);
    place.hold(false);
    let read = goes_on(&place, &run_id);
    assert!(read["externalId"].is_string(), "{read}");
}

/// A test for each runtime, so that they run at the same time.
macro_rules! on_each {
    ($($name:ident $at:literal)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn a_server_killed_in_the_middle() {
                killed_in_the_middle(RUNTIMES[$at]);
            }

            #[test]
            fn a_server_killed_between_start_and_record() {
                killed_between_start_and_record(RUNTIMES[$at]);
            }
        }
    )*};
}

on_each! { docker 0 github 1 ecs 2 ssm 3 }
