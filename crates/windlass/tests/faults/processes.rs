//! The server of a job is killed, or its shim, or both: no process of the job is left.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::Scenario;
use crate::project::{Place, config_of};
use crate::server::Server;

/// Three deep: processes that ignore TERM, one in a session of its own, one forked twice so that its
/// parent is gone.
const NASTY: &str = "#!/bin/sh
sh -c 'trap \"\" TERM; sh -c \"trap \\\"\\\" TERM; sleep 600 & wait\" & while :; do sleep 600; done' &
setsid sh -c 'sleep 600 & sleep 600' &
(setsid sh -c 'trap \"\" TERM HUP; while :; do sleep 600; done' & exit 0) &
wait
";
/// The script, and what it leads to.
const NASTY_COUNT: usize = 9;
/// How long processes may take to end.
const PATIENCE: Duration = Duration::from_mins(1);

pub fn killed(scenario: &mut Scenario) {
    let place = Place::new();
    drop(place.store());
    let script = place.root.join("nasty.sh");
    fs::write(&script, NASTY).expect("written");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("executable");
    let settings = place.root.join(".windlass/config.toml");
    fs::write(settings, "[commands]\ngrace_seconds = 0.2\n").expect("written");
    let allowlist = config_of(&place.root).join("windlass/allowlist.toml");
    fs::create_dir_all(allowlist.parent().expect("a folder")).expect("a folder");
    let entry = format!(
        "[[entries]]\npath = {}\nscope = \"Directory\"\n",
        json!(place.root)
    );
    fs::write(allowlist, entry).expect("written");
    let mut kinds = [0_u64; 4];
    while scenario.goes_on() {
        let mut server = Server::start(&place.root);
        let pid = server.start_job("nasty");
        until(|| of_tree(&place.root).len() >= NASTY_COUNT);
        let job = i32::try_from(pid).expect("a PID");
        let (shim, own) = (
            parent_of(job),
            i32::try_from(server.child.id()).expect("a PID"),
        );
        let kind = usize::try_from(scenario.dice.roll(4)).expect("small");
        kinds[kind] += 1;
        let begin = Instant::now();
        let _other = match kind {
            0 => send("-KILL", own),
            1 => send("-TERM", own),
            2 => send("-KILL", shim),
            _ => {
                // Stopped, so that neither notices the end of the other.
                send("-STOP", shim);
                send("-KILL", own);
                send("-KILL", shim);
                // The next server ends what they left.
                Some(Server::start(&place.root))
            }
        };
        let is_gone = until(|| of_tree(&place.root).is_empty());
        scenario.waited(begin.elapsed());
        if !is_gone {
            let left = of_tree(&place.root);
            scenario
                .losses
                .push(format!("kind {kind}: {left:?} are left"));
        }
    }
    scenario.note = format!(
        "server {}, TERM {}, shim {}, both {}",
        kinds[0], kinds[1], kinds[2], kinds[3]
    );
}

fn until(mut condition: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + PATIENCE;
    while !condition() {
        if Instant::now() > end {
            return false;
        }
        sleep(Duration::from_millis(20));
    }
    true
}

fn send(signal: &str, pid: i32) -> Option<Server> {
    let sent = Command::new("kill")
        .args([signal, &pid.to_string()])
        .status();
    assert!(sent.expect("kill").success(), "{signal}");
    None
}

fn parent_of(pid: i32) -> i32 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("PPid:"));
    let parent = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
    parent.expect("a parent")
}

/// The processes that work in the folder, without Windlass itself.
fn of_tree(root: &Path) -> Vec<i32> {
    let entries = fs::read_dir("/proc")
        .expect("a system with /proc")
        .flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| {
        let place = Path::new("/proc").join(pid.to_string());
        let name = fs::read_to_string(place.join("comm")).unwrap_or_default();
        let works_here = fs::read_link(place.join("cwd")).is_ok_and(|cwd| cwd == root);
        works_here && matches!(name.trim(), "sh" | "sleep" | "nasty.sh" | "setsid")
    })
    .collect()
}
